"""NOCACHE sequences on RAC: what avoiding gaps costs, and whether it avoids them.

The costs of one insert come from the published run on one node, the hardware from figures that the same author states
elsewhere (cluster/parameters.py). The two-node figures are predicted from these, with one assumption that the source
does not state: how long after the first session the second one was started.
"""

import dataclasses
import functools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from raclab.cluster import frames, sequences, views
from raclab.cluster.parameters import DISK_ACCESS_HIGH_S, Hardware
from raclab.cluster.sequences import Built, StatementCosts, TestCase
from raclab.evidence import figures, published, tkprof
from raclab.evidence.compare import error_pct, value
from raclab.evidence.figures import Figure
from raclab.evidence.measurement import Kind, Measurement, Source
from raclab.evidence.table import Table
from raclab.myths.answers import near
from raclab.myths.base import Exercise, Live, Myth, Prediction
from raclab.myths.drawing import breakdown, seconds_text, time_chart
from raclab.myths.levers import Levers, lever

SLUG = "nocache_sequences"
ROWS = 10_000
ALL_SEEDS = range(1, 9)
STARTED_BY_HAND_S = 3.0
SAMPLING_S = 0.01

COMPONENTS = {
    "row cache lock": ("row cache lock",),
    "gc current block": ("gc current block 2-way", "gc current block 3-way", "gc current block busy"),
    "DFS lock handle": ("DFS lock handle",),
    "enq: SQ - contention": ("enq: SQ - contention",),
    "log file sync": ("log file sync",),
}

MODEL = Source(Kind.SIMULATED, "RAC Myths Lab, cluster model", None, "not Oracle", "parameters in raclab/cluster/parameters.py")


def _insert_elapsed(measured: Measurement) -> np.ndarray:
    sync = np.nan_to_num(figures.wait_time("log file sync").read(measured))
    elapsed: np.ndarray = figures.ELAPSED.read(measured) - sync
    return elapsed


INSERT_ELAPSED = Figure("insert: elapsed", "s", _insert_elapsed)
"""Elapsed time of the insert statement alone: without the waits of the commits, as tkprof reports it."""


_CACHES = (0, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 5000, 10000)


@dataclass(frozen=True)
class SequenceLevers(Levers):
    """What the learner may vary in the test case."""

    cache: int = lever(
        0, "CACHE", help="Numbers that a node takes at a time.",
        choices=_CACHES, names=("NOCACHE", *(f"{size:,}" for size in _CACHES[1:])),
    )  # fmt: skip
    order: bool = lever(False, "ORDER", help="Hand the numbers out in order of time over all nodes.", choices=(False, True))
    nodes: int = lever(2, "Nodes", help="Each runs one session that inserts 10,000 rows.", low=1, high=8)
    commit_every: int = lever(1000, "Commit every", unit="rows", help="Rows between two commits.", choices=(1, 10, 100, 1000, 10000))
    redo_write_ms: float = lever(
        1000 * DISK_ACCESS_HIGH_S, "Redo write", unit="ms", help="Mean time of one write of LGWR.", low=0.1, high=20, step=0.1
    )
    start_gap_s: float = lever(
        STARTED_BY_HAND_S, "Start gap", unit="s", help="How much later each further node's session is started.", low=0, high=10, step=0.5
    )

    def variant(self) -> str:
        """The sequence as one would write it."""
        size = f"CACHE {self.cache}" if self.cache else "NOCACHE"
        return f"{size} ORDER" if self.order else size

    def describe(self) -> str:
        """The setting in a few words: nodes and sequence, and whatever is not as in the published test."""
        words = [f"{self.nodes} node{'s' if self.nodes > 1 else ''}", self.variant()]
        for name in ("commit_every", "redo_write_ms", "start_gap_s"):
            spec, value = self.specs()[name], getattr(self, name)
            if value != getattr(type(self), name) and not (name == "start_gap_s" and self.nodes == 1):
                words.append(f"{spec.label.lower()} {value:g} {spec.unit}")
        return ", ".join(words)

    def remark(self) -> str:
        """Which levers don't count."""
        remarks = []
        if self.order and self.nodes == 1:
            remarks.append("On one node the numbers are in order anyway: ORDER changes nothing.")
        elif self.order and not self.cache:
            remarks.append("Without a cache each number is taken from SEQ$, in order of time: ORDER changes nothing.")
        if self.nodes == 1 and self.start_gap_s != type(self).start_gap_s:
            remarks.append("On one node no other session starts later: the start gap does not count.")
        return " ".join(remarks)


@functools.cache
def _published() -> tuple[Measurement, ...]:
    package = published.load(SLUG)
    cases = (("one node nocache", ONE_NODE), ("two nodes nocache", TWO_NODES), ("two nodes order cache 1000", ORDERED))
    stated = ("cache", "order", "nodes", "commit_every")
    return tuple(
        tkprof.tkprof_measurement(package, case, {name: levers.as_dict()[name] for name in stated}, name=levers.describe())
        for case, levers in cases
    )


@functools.cache
def costs() -> StatementCosts:
    """What one insert costs on one node, from the published run; seconds a row.

    tkprof's times of the insert contain those of the recursive update of SEQ$ (parse and execute); here they are apart.
    """
    calls = tkprof.statement_calls(published.load(SLUG), "one node nocache")
    total = calls.groupby("statement")[["cpu_s", "elapsed_s"]].sum() / ROWS
    (insert_cpu, insert_elapsed), (seq_cpu, seq_elapsed) = total.loc[["insert", "update seq$"]].to_numpy(dtype=float).tolist()
    return StatementCosts(
        insert_cpu_s=insert_cpu - seq_cpu,
        insert_other_s=(insert_elapsed - insert_cpu) - (seq_elapsed - seq_cpu),
        seq_cpu_s=seq_cpu,
        seq_other_s=seq_elapsed - seq_cpu,
    )


def test_case(levers: SequenceLevers) -> TestCase:
    """The levers as a test case of the cluster."""
    return TestCase(
        costs(),
        dataclasses.replace(Hardware(), redo_write_s=levers.redo_write_ms / 1000),
        nodes=levers.nodes,
        cache=levers.cache,
        order=levers.order,
        rows=ROWS,
        commit_every=levers.commit_every,
        start_gap_s=levers.start_gap_s,
    )


ONE_NODE = SequenceLevers(nodes=1)
TWO_NODES = SequenceLevers()
ORDERED = SequenceLevers(cache=1000, order=True)
CACHED = SequenceLevers(cache=1000)


def _remark(one: Measurement) -> str:
    return SequenceLevers.at(one.levers).remark() if one.source.kind is Kind.SIMULATED else ""


class NocacheSequences(Myth):
    """The myth of the NOCACHE sequence."""

    slug = SLUG
    number = 5
    claim = "NOCACHE avoids gaps, so use it on RAC."
    said_by = "Applications whose numbers are printed on invoices, and those who have been asked why number 4711 is missing."
    levers = SequenceLevers
    live = Live(
        "nocache_sequences.sql",
        "One session an instance inserts 10,000 rows with a NOCACHE, a CACHE 1000 and a CACHE 1000 ORDER sequence, "
        "started together; the waits come from the sessions' own v$session_event.",
        "On one instance there is nobody to pass the row cache lock to: the wait itself needs two instances.",
        views=("ROWCACHE", "ENQUEUE_STATISTICS"),
    )
    presets: ClassVar[dict[str, SequenceLevers]] = {
        "1 node, NOCACHE": ONE_NODE,
        "2 nodes, NOCACHE": TWO_NODES,
        "2 nodes, CACHE 1000 ORDER": ORDERED,
        "2 nodes, CACHE 1000": CACHED,
    }

    def simulate(self, levers: Levers, seeds: Sequence[int] = ALL_SEEDS) -> Measurement:
        """Each node inserts 10,000 rows, once a seed. Rows for V$ views come with a single seed only."""
        assert isinstance(levers, SequenceLevers)
        single = len(seeds) == 1
        built = sequences.build(test_case(levers), sampling_s=SAMPLING_S if single else math.inf)
        runs = sequences.simulate(built, list(seeds))
        return Measurement(
            MODEL,
            levers.describe(),
            levers.as_dict(),
            frames.sessions(built, runs),
            frames.waits(built, runs),
            frames.stats(built, runs),
            views.of(built, runs[0]) if single else {},
        )

    def published(self) -> list[Measurement]:
        """One node, two nodes, and the ordered case of which only the waits are known."""
        return list(_published())

    def figure(self, measurements: Sequence[Measurement]) -> go.Figure:
        """Where one session's time goes, a bar a measurement."""
        return time_chart(measurements, COMPONENTS, "Where the time of one session's 10,000 inserts goes")

    def sentence(self, measurements: Sequence[Measurement]) -> str:
        """Each measurement's elapsed time and its largest part."""
        return " ".join(self._told(one) for one in measurements)

    def _told(self, one: Measurement) -> str:
        elapsed = value(one, figures.ELAPSED)
        parts = breakdown(one, COMPONENTS)
        waited = {name: parts[name] for name in COMPONENTS}
        top = max(waited, key=lambda name: waited[name])
        if math.isnan(elapsed.mean):
            text = f"{one.badge}, {one.case}: elapsed time was not published"
        else:
            interval = f" (95 % interval {elapsed.low:.2f} to {elapsed.high:.2f} s over {one.runs} seeds)" if elapsed.runs > 1 else ""
            text = f"{one.badge}, {one.case}: {seconds_text(elapsed.mean)}{interval}"
        if not waited[top]:
            text += "; no waits were published." if one.source.kind is Kind.PUBLISHED else "; it waited for nothing."
            return f"{text} {_remark(one)}".strip()
        count = sum(value(one, figures.waits(event)).mean for event in COMPONENTS[top] if event in set(one.waits["event"]))
        share = "" if math.isnan(elapsed.mean) else f", {100 * waited[top] / elapsed.mean:.0f} %,"
        return f"{text}; {seconds_text(waited[top])}{share} in {count:,.0f} waits for {top}. {_remark(one)}".strip()

    def compare(self, seeds: Sequence[int] = ALL_SEEDS) -> pd.DataFrame:
        """Published beside predicted: case, figure, unit, published, simulated, error_pct."""
        rows = []
        for measured, levers, wanted in zip(self.published(), (ONE_NODE, TWO_NODES, ORDERED), _COMPARED, strict=True):
            simulated = self.simulate(levers, seeds)
            for figure in wanted:
                was, is_ = value(measured, figure).mean, value(simulated, figure).mean
                rows.append((measured.case, figure.label, figure.unit, was, is_))
            if levers is TWO_NODES:
                of_block = zip((figures.waits(_GC_BLOCK), figures.wait_time(_GC_BLOCK)), _published_block_waits(), strict=True)
                for figure, was in of_block:
                    rows.append((measured.case, f"{figure.label} (seq$)", figure.unit, was, value(simulated, figure).mean))
        table = pd.DataFrame(rows, columns=["case", "figure", "unit", "published", "simulated"])
        table["error_pct"] = [error_pct(was, is_) for was, is_ in zip(table["published"], table["simulated"], strict=True)]
        table["why"] = [_NOT_MODELLED.get((case, figure), "") for case, figure in zip(table["case"], table["figure"], strict=True)]
        return table

    def sensitivity(self, seeds: Sequence[int] = ALL_SEEDS) -> Table:
        """How far the prediction rests on the two parameters that matter: error in percent over start gaps and redo writes."""
        _, two, ordered = self.published()
        rows = []
        for gap in (0.0, 2.0, 3.0, 4.0):
            for write in (2.0, 4.0, 6.0):
                nocache = self.simulate(dataclasses.replace(TWO_NODES, start_gap_s=gap, redo_write_ms=write), seeds)
                order = self.simulate(dataclasses.replace(ORDERED, start_gap_s=gap, redo_write_ms=write), seeds)
                errors = [
                    error_pct(value(was, figure).mean, value(is_, figure).mean)
                    for was, is_, figure in (
                        (two, nocache, INSERT_ELAPSED),
                        (two, nocache, figures.waits("row cache lock")),
                        (ordered, order, figures.waits("DFS lock handle")),
                    )
                ]
                rows.append((gap, write, *(round(error) for error in errors)))
        columns = [
            "start gap (s)",
            "redo write (ms)",
            "elapsed: error %",
            "row cache lock waits: error %",
            "DFS lock handle waits: error %",
        ]
        return Table(pd.DataFrame(rows, columns=columns), Kind.SIMULATED, f"{MODEL.title}, against the PUBLISHED two-node figures")

    def numbers(self, levers: SequenceLevers, seed: int = 1) -> pd.DataFrame:
        """Every number drawn in one run, in order of time: time_s, inst_id, value."""
        built, notes = _noted(levers, seed)
        node_of = {process.number: node + 1 for node, _, process in built.sessions}
        nodes = [node_of[number] for number in notes["process"]]
        return pd.DataFrame({"time_s": notes["time"], "inst_id": nodes, "value": notes["value"]})

    def gaps(self, seed: int = 1) -> Table:
        """What each variant loses, for two sessions started together.

        Lost at an abort: numbers in caches if every instance aborts at a moment of the run, mean and most over all moments
        at which a number is drawn. Lost at rollbacks: if one insert in a hundred rolls back; a sequence never takes a number back.
        """
        rows = []
        for cache, order in ((0, False), (20, False), (1000, False), (20, True), (1000, True)):
            levers = SequenceLevers(cache=cache, order=order, start_gap_s=0.0)
            drawn = self.numbers(levers, seed)["value"].to_numpy()
            lost = _cached(drawn, max(1, cache))
            late = float(np.mean(drawn < np.maximum.accumulate(drawn)))
            elapsed = value(self.simulate(levers, [seed]), figures.ELAPSED).mean
            rows.append(
                (levers.variant(), round(elapsed, 1), round(float(lost.mean())), int(lost.max()), len(drawn) // 100, round(100 * late))
            )
        columns = ["sequence", "elapsed (s)", "lost at an abort: mean", "most", "lost if 1 % roll back", "drawn after a higher one (%)"]
        return Table(pd.DataFrame(rows, columns=columns), Kind.SIMULATED, f"{MODEL.title}; two sessions started together, seed {seed}")

    def verdict(self) -> pd.DataFrame:
        """The parts of the claim, each with verdict, condition and rounded figures with their badge."""
        one, two, _ = (value(m, INSERT_ELAPSED).mean for m in self.published())
        simulated = {name: value(self.simulate(levers), INSERT_ELAPSED).mean for name, levers in self.presets.items()}
        lost = self.gaps().frame.set_index("sequence")
        ordered = self.published()[2]
        waits, time = (value(ordered, read("DFS lock handle")).mean for read in (figures.waits, figures.wait_time))
        aborts, rollbacks = lost["most"], lost["lost if 1 % roll back"]
        gaps = f"lost at an abort: {aborts['NOCACHE']} against {aborts['CACHE 1000']:,}; at 1 % rollbacks {rollbacks['NOCACHE']} in both"
        alone = 1000 * (costs().seq_cpu_s + costs().seq_other_s)
        rows = [
            ("NOCACHE avoids gaps", "half true", "an abort loses none, each rollback loses its number", gaps, Kind.SIMULATED),
            (
                "so use it on RAC",
                "false",
                "two nodes insert at the same time",
                f"{two:.0f} s against {one:.1f} s on one node",
                Kind.PUBLISHED,
            ),
            (
                *("", "false", "the same, predicted"),
                f"{simulated['2 nodes, NOCACHE']:.0f} s; with CACHE 1000 {simulated['2 nodes, CACHE 1000']:.1f} s",
                Kind.SIMULATED,
            ),
            (
                *("order needs NOCACHE", "false", "CACHE 1000 ORDER is in order too"),
                f"{waits:,.0f} waits for DFS lock handle, {seconds_text(time)}; elapsed time not published",
                Kind.PUBLISHED,
            ),
            ("", "false", "the same, predicted", f"{simulated['2 nodes, CACHE 1000 ORDER']:.1f} s elapsed", Kind.SIMULATED),
            ("NOCACHE does no harm", "true", "one node draws the numbers, or few are drawn", f"{alone:.1f} ms a number", Kind.PUBLISHED),
        ]
        return pd.DataFrame(rows, columns=["part of the claim", "verdict", "when", "figure", "evidence"])

    predictions = (
        Prediction(
            "elapsed",
            "One node inserts 10,000 rows with a NOCACHE sequence in 7.66 s (PUBLISHED). Now two nodes do it at the same time, "
            "10,000 rows each. How long does each of them take?",
            ("about 8 s: each has its own CPU and its own rows", "about 15 s: they share one sequence", "about 40 s", "about 80 s"),
            "about 80 s",
            "81.23 s (PUBLISHED): most numbers cost messages, a redo write and a block transfer before the other node may draw one.",
        ),
        Prediction(
            "wait",
            "What will the sessions wait for most?",
            ("gc current block 2-way", "row cache lock", "log file sync", "enq: SQ - contention"),
            "row cache lock",
            "62.86 of 81.23 s (PUBLISHED) were row cache lock: the block's transfer is short, but it happens under that lock, "
            "as does the redo write.",
        ),
        Prediction(
            "gaps",
            "Of 20,000 numbers drawn with NOCACHE, one insert in a hundred rolls back. How many numbers are missing from the table?",
            ("none: that is what NOCACHE is for", "about 100", "about 200", "it depends on the instance"),
            "about 200",
            "A number that was drawn stays drawn: a rollback takes the row back, not the number.",
        ),
    )

    exercises = (
        Exercise(
            "average_wait",
            "From the published figures: how long did one wait for row cache lock take on average, in milliseconds?",
            10.0,
            "ms",
            lambda answer: _check_average_wait(answer),
            ("The table above gives the time and the number of waits.", "Divide the total time by the number of waits; 1 s is 1,000 ms."),
            "62.86 s / 5,413 waits = 11.6 ms a wait, against 1.04 ms for a block (PUBLISHED): "
            "what goes on under that lock is slower than the wire.",
        ),
        Exercise(
            "redo_write",
            "Set NOCACHE, 2 nodes and a start gap of 0 s. By how many seconds does a session's time grow with each further millisecond "
            "of redo write?",
            5.0,
            "s",
            lambda answer: _check_redo_write(answer),
            (
                "Read the elapsed time at 4 ms and at 5 ms.",
                "How often does the lock change nodes in the whole test, and what happens each time?",
            ),
            "The lock changes nodes for nearly every number, about 20,000 times (SIMULATED), and each time LGWR writes first: "
            "20,000 x 1 ms = 20 s. "
            "Faster redo helps NOCACHE on RAC more than a faster interconnect would.",
        ),
        Exercise(
            "smallest_cache",
            "Two nodes, no ORDER, start gap 0 s, redo write 4 ms: which is the smallest CACHE on the lever with which each session "
            "needs less than 10 s?",
            2,
            "numbers",
            lambda answer: _check_smallest_cache(answer),
            ("Move CACHE up from 0 and read the sentence under the chart.", "The row cache lock is now needed once a range."),
            "With CACHE n the lock and the block change nodes once in n numbers: "
            "n rows share the cost of one hand-over, about 6 ms (SIMULATED).",
        ),
    )


_NOT_MODELLED = {
    (TWO_NODES.describe(), "CPU"): "the session's own CPU for messages and waits is not modelled",
    (ORDERED.describe(), "row cache lock: waits"): "only the sequence's own waits are modelled, not those of the script's parsing",
}

_GC_BLOCK = "gc current block 2-way"
_COMPARED: tuple[tuple[Figure, ...], ...] = (
    (INSERT_ELAPSED, figures.CPU),
    (INSERT_ELAPSED, figures.CPU, figures.waits("row cache lock"), figures.wait_time("row cache lock")),
    (figures.waits("DFS lock handle"), figures.wait_time("DFS lock handle"), figures.waits("row cache lock")),
)


def _published_block_waits() -> tuple[float, float]:
    """Waits (count, seconds) for the block of SEQ$ alone: those of the recursive update."""
    waits = tkprof.statement_waits(published.load(SLUG), "two nodes nocache")
    row = waits[(waits["statement"] == "update seq$") & (waits["event"] == _GC_BLOCK)].iloc[0]
    return float(row["times_waited"]), float(row["total_waited_s"])


@functools.lru_cache(maxsize=16)
def _noted(levers: SequenceLevers, seed: int) -> tuple[Built, Any]:
    built = sequences.build(test_case(levers), notes=True)
    return built, sequences.simulate(built, [seed])[0].notes


def _cached(drawn: np.ndarray, size: int) -> np.ndarray:
    """After each draw: how many numbers are handed out to caches and not drawn."""
    first = drawn.min()
    handed_out = np.maximum.accumulate((drawn - first) // size + 1) * size
    left: np.ndarray = handed_out - np.arange(1, len(drawn) + 1)
    return left


def _check_average_wait(answer: float) -> tuple[bool, str]:
    two_nodes = NocacheSequences().published()[1]
    total, count = value(two_nodes, figures.wait_time("row cache lock")).mean, value(two_nodes, figures.waits("row cache lock")).mean
    return near(answer, 1000 * total / count, 0.02, "ms", Kind.PUBLISHED)


def _elapsed(levers: SequenceLevers) -> float:
    return value(MYTH.simulate(levers), figures.ELAPSED).mean


def _check_redo_write(answer: float) -> tuple[bool, str]:
    together = dataclasses.replace(TWO_NODES, start_gap_s=0.0)
    slower = dataclasses.replace(together, redo_write_ms=together.redo_write_ms + 1)
    return near(answer, _elapsed(slower) - _elapsed(together), 0.1, "s", Kind.SIMULATED)


def _check_smallest_cache(answer: int) -> tuple[bool, str]:
    limit = 10.0
    sizes = SequenceLevers.specs()["cache"].choices
    right = next(size for size in sizes if _elapsed(SequenceLevers(cache=size, start_gap_s=0.0)) < limit)
    if answer not in sizes:
        return False, f"CACHE {answer} is not on the lever; it takes {SequenceLevers.specs()['cache'].describe()}."
    if answer == right:
        return True, f"Right: CACHE {right} is the first to stay below {limit:g} s (SIMULATED)."
    takes = _elapsed(SequenceLevers(cache=answer, start_gap_s=0.0))
    return False, f"With CACHE {answer} it takes {takes:.2f} s (SIMULATED); the limit is {limit:g} s."


MYTH = NocacheSequences()
