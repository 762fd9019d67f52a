"""Parallel statements over instances: what crosses the interconnect, and whether it is faster.

The published figures are bytes; no elapsed time was published, so the simulated times rest on assumed CPU costs (cluster/parallel.py) and
are compared with nothing. Two things are inferred. The 85 million rows are the optimizer's estimate in the published plan. The width of a
row in a table queue follows from what the consumers on instance 1 received; those of instance 2, and so the total, are predicted from it.
Disks are not modelled: reading a row is CPU only. On 1 Gb/s the wire alone makes the join slower on two instances; on 10 Gb/s it depends on
the assumed CPU for a message. ``sensitivity`` shows both.
"""

import dataclasses
import functools
import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from raclab import palette
from raclab.cluster import parallel_frames, parallel_run, parallel_views
from raclab.cluster.parallel import DONE, GROUP, JOIN, RESULT, START, PxHardware, Statement
from raclab.cluster.parallel_frames import CORE, CPU, INTERCONNECT, PARTS, ROWS
from raclab.evidence import figures, published
from raclab.evidence.compare import error_pct, mean, value
from raclab.evidence.figures import Figure
from raclab.evidence.measurement import Kind, Measurement, Source
from raclab.evidence.table import Table
from raclab.myths.answers import near
from raclab.myths.bars import bar, drawn, stack_layout, written
from raclab.myths.base import Exercise, Live, Myth, Prediction
from raclab.myths.drawing import label, seconds_text
from raclab.myths.levers import Levers, lever
from raclab.myths.live_places import fields_of, one_session, traffic
from raclab.myths.parts_drawing import PartsMeasurement, parts_of

SLUG = "parallel_across_instances"
ALL_SEEDS = range(1, 9)
SAMPLING_S = 0.1
ROWS_PER_GROUP = (1, 2, 10, 100, 1_000, 1_000_000)
TO_SERVERS, TO_COORDINATOR, CONTROL = "rows between servers", "rows to the coordinator", "messages without rows"
KINDS = {TO_SERVERS: (JOIN, GROUP), TO_COORDINATOR: (RESULT,), CONTROL: (START, DONE)}
_KIND_LOOKS = {TO_SERVERS: "row cache lock", TO_COORDINATOR: "gc current block", CONTROL: "DFS lock handle"}
_PART_LOOKS = {CPU: "CPU", CORE: "log file sync", INTERCONNECT: "wire", ROWS: palette.OTHER}

_LEFT, _RIGHT = {"xaxis": "x", "yaxis": "y"}, {"xaxis": "x2", "yaxis": "y2"}
_HALVES = ((0.0, 0.475), (0.525, 1.0))

MODEL = Source(Kind.SIMULATED, "RAC Myths Lab, parallel model", None, "not Oracle", "parameters in raclab/cluster/parallel.py")


@dataclass(frozen=True)
class ParallelLevers(Levers):
    """What the learner may vary."""

    dop: int = lever(16, "DOP", help="Servers of each set that are asked for.", choices=(2, 4, 8, 16, 32, 64))
    instances: int = lever(2, "Instances allowed", help="The servers are spread over them evenly.", low=1, high=8)
    join: bool = lever(
        True, "Statement", help="MIN, MAX, AVG of one table, or a join that is then grouped.",
        choices=(False, True), names=("aggregation", "join and GROUP BY"),
    )  # fmt: skip
    partition_wise: bool = lever(
        True, "Join method", help="Redistributed: rows of both tables are sent by join key first.",
        choices=(False, True), names=("redistributed", "partition-wise"),
    )  # fmt: skip
    rows_per_group: int = lever(1, "Rows per group", help="How much GROUP BY reduces.", choices=ROWS_PER_GROUP)
    link_gbit: int = lever(1, "Interconnect", unit="Gb/s", help="Out of each instance.", choices=(1, 10, 25, 100))
    cores: int = lever(16, "Cores", help="Of each node.", choices=(2, 4, 8, 16, 32, 64))
    max_servers: int = lever(64, "parallel_max_servers", help="Of each instance.", choices=(4, 8, 16, 32, 64, 128, 256))
    apart: bool = lever(
        False, "Coordinator", help="Whether its instance is one of those with servers.",
        choices=(False, True), names=("on the first of them", "on another instance"),
    )  # fmt: skip

    def describe(self) -> str:
        """The setting in a few words; what is as in the published test goes without saying."""
        words = ["join" if self.join else "aggregation", f"DOP {self.dop}", f"{self.instances} instance{'s' if self.instances > 1 else ''}"]
        if self.join and not self.partition_wise:
            words.append("redistributed")
        if self.join and self.rows_per_group != 1:
            words.append(f"{self.rows_per_group:,} rows per group")
        if self.apart:
            words.append("coordinator apart")
        for name in ("link_gbit", "cores", "max_servers"):
            spec, setting = self.specs()[name], getattr(self, name)
            if setting != getattr(type(self), name):
                words.append(f"{spec.label[0].lower()}{spec.label[1:]} {setting} {spec.unit}".rstrip())
        return ", ".join(words)

    def remark(self) -> str:
        """Whether the DOP is lowered, as Oracle does it, and which levers don't count."""
        asked, remarks = statement(self), []
        given = asked.actual_dop
        if given < self.dop:
            remarks.append(
                f"DOP {self.dop} was lowered to {given}: {asked.sets} server sets find "
                f"{self.instances * self.max_servers} servers (parallel_max_servers = {self.max_servers} on each of {self.instances})."
            )
        if given < self.instances:
            remarks.append(f"Only {given} of the {self.instances} instances get servers.")
        if not self.join and (not self.partition_wise or self.rows_per_group != 1):
            remarks.append("An aggregation of one table has nothing to join and one group: join method and rows per group don't count.")
        return " ".join(remarks)


AGGREGATION = ParallelLevers(join=False)
JOIN_16 = ParallelLevers()
JOIN_8 = ParallelLevers(dop=8, instances=1, apart=True)
ONE_INSTANCE = ParallelLevers(instances=1)
REDISTRIBUTED = ParallelLevers(partition_wise=False)
FEW_GROUPS = ParallelLevers(rows_per_group=1_000_000)
_CASES = {"single table aggregation": AGGREGATION, "hash join, DOP 16": JOIN_16, "hash join, DOP 8": JOIN_8}


@dataclass(frozen=True, eq=False)
class PxMeasurement(PartsMeasurement):
    """A measurement with the bytes that crossed the interconnect.

    traffic  one row a run, receiver or sender as known (inst_id) and kind (KINDS): bytes
    """

    traffic: pd.DataFrame = field(default_factory=pd.DataFrame)


@functools.cache
def _received() -> pd.DataFrame:
    """Published processes with bytes: case, inst_id, process, slave_set, interconnect_bytes."""
    frame = published.load(SLUG).frame("px_processes")
    known = frame[frame["interconnect_bytes"].notna()].copy()
    known["interconnect_bytes"] = known["interconnect_bytes"].astype("float64")
    return known


@functools.cache
def published_bytes(case: str, instance: int | None = None) -> np.ndarray:
    """Bytes of each published process of a case, of one instance or of all; bytes."""
    rows = _received()[_received()["case"] == case]
    if instance is not None:
        rows = rows[rows["inst_id"] == instance]
    return rows["interconnect_bytes"].to_numpy(dtype=float)


@functools.cache
def rows() -> float:
    """Rows of the table: what the optimizer estimated for every step of the published plan (85M)."""
    estimates = set(published.load(SLUG).frame("plan")["estimated_rows"].dropna()) - {""}
    (text,) = estimates
    return float(text.removesuffix("M")) * 1e6


@functools.cache
def row_bytes() -> float:
    """Width of a row in a table queue, everything that travels with it included.

    Half of the consumers are on instance 1, and half of the rows for them come from instance 2; so those bytes are a quarter of all rows'.
    """
    return float(published_bytes("hash join, DOP 16", 1).sum()) / (rows() / 4)


def statement(levers: ParallelLevers) -> Statement:
    """The levers as a statement."""
    return Statement(
        rows(),
        row_bytes(),
        join=levers.join,
        partition_wise=levers.partition_wise,
        rows_per_group=levers.rows_per_group,
        dop=levers.dop,
        instances=levers.instances,
        max_servers=levers.max_servers,
        apart=levers.apart,
        cores=levers.cores,
        bandwidth=levers.link_gbit * 1e9 / 8,
    )


def carried(kind: str, sender: int | None = None) -> Figure:
    """Bytes of a kind (KINDS) that crossed the interconnect, from one instance or from all; NaN where they are not known."""

    def read(measured: Measurement) -> np.ndarray:
        if not isinstance(measured, PxMeasurement):
            return np.full(max(1, measured.runs), math.nan)
        which = measured.traffic["kind"].isin(KINDS[kind]).to_numpy()
        if sender is not None:
            which = which & (measured.traffic["inst_id"].to_numpy() == sender)
        run, size = (measured.traffic[column].to_numpy()[which] for column in ("run", "bytes"))
        runs, place = np.unique(run, return_inverse=True)
        return np.bincount(place, size.astype(float), len(runs))

    return Figure(kind, "bytes", read)


def bytes_text(size: float) -> str:
    """Bytes with the unit that suits: 2.37 GB, 17.2 KB (powers of ten)."""
    for limit, unit in ((1e9, "GB"), (1e6, "MB"), (1e3, "KB")):
        if size >= limit:
            return f"{size / limit:.3g} {unit}"
    return f"{size:.0f} bytes"


@functools.cache
def _published() -> tuple[Measurement, ...]:
    source = published.load(SLUG).source
    made = []
    for case, levers in _CASES.items():
        found = _received()[_received()["case"] == case]
        # of the aggregation the coordinator's and the servers' messages; of the join the consumers' rows
        kinds = [GROUP if case.startswith("hash join") else RESULT if process == "QC" else START for process in found["process"]]
        traffic = pd.DataFrame({"run": 0, "inst_id": found["inst_id"], "kind": kinds, "bytes": found["interconnect_bytes"]})
        stated = {name: levers.as_dict()[name] for name in ("dop", "instances", "join", "partition_wise", "apart")}
        made.append(PxMeasurement(source, levers.describe(), stated, traffic=traffic))
    return tuple(made)


class ParallelAcrossInstances(Myth):
    """The myth of the parallel query that uses the whole cluster."""

    slug = SLUG
    number = 3
    claim = "Parallel query over all nodes uses all CPUs, so it is faster."
    said_by = "Whoever counts the cores of the cluster and not the bytes between them; and it is what happens by default."
    levers = ParallelLevers
    live = Live(
        "parallel_across_instances.sql",
        "One statement over tables of a million rows with the lever's DOP, its servers on all instances or, with one instance allowed, "
        "on the coordinator's (PARALLEL_FORCE_LOCAL). The bytes are those of V$PQ_TQSTAT; what of them crossed the interconnect is "
        "exact for the rows to the coordinator, and for rows between servers assumes that every producer's are spread alike. "
        "Partition-wise joins need the Partitioning option (in Oracle Database Free it is included).",
        "On one instance every server is local, and nothing crosses the interconnect.",
        places=one_session,
        placing=("instances",),
        as_run=lambda levers, instances: levers,
        session_views=("PQ_TQSTAT",),
        reads=lambda measured: PxMeasurement(**fields_of(measured), traffic=traffic(measured, JOIN, RESULT)),
    )
    presets: ClassVar[dict[str, ParallelLevers]] = {
        "aggregation, 2 instances": AGGREGATION,
        "join, 2 instances": JOIN_16,
        "join, 1 instance": ONE_INSTANCE,
        "join, DOP 8, coordinator apart": JOIN_8,
        "join, redistributed": REDISTRIBUTED,
        "join, few groups": FEW_GROUPS,
    }

    def simulate(self, levers: Levers, seeds: Sequence[int] = ALL_SEEDS) -> PxMeasurement:
        """The statement, once a seed. Rows for V$ views come with a single seed only."""
        assert isinstance(levers, ParallelLevers)
        single = len(seeds) == 1
        built = parallel_run.build(statement(levers), SAMPLING_S if single else math.inf)
        runs = parallel_run.simulate(built, list(seeds))
        accounts = parallel_frames.Accounts(built)
        return PxMeasurement(
            MODEL,
            levers.describe(),
            levers.as_dict(),
            parallel_frames.sessions(accounts, runs),
            parallel_frames.waits(accounts, runs),
            parallel_frames.stats(accounts, runs),
            parallel_views.of(accounts, runs[0]) if single else {},
            parallel_frames.parts(accounts, runs),
            parallel_frames.traffic(accounts, runs),
        )

    def published(self) -> list[Measurement]:
        """The three statements. Only bytes were published, and of the third only where its servers were."""
        return list(_published())

    def figure(self, measurements: Sequence[Measurement]) -> go.Figure:
        """What crossed the interconnect, in GB, and beside it where a server's time goes; a bar a measurement."""
        labels = [label(one) for one in measurements]
        bytes_of = [_bytes_of(one) for one in measurements]
        seconds_of = [parts_of(one, PARTS) for one in measurements]
        totals = [sum(sizes.values()) for sizes in bytes_of]
        elapsed = [mean(one, figures.ELAPSED) for one in measurements]
        sent = [bytes_text(size) if size or one.source.kind is not Kind.PUBLISHED else "not published" for size, one in
                zip(totals, measurements, strict=True)]  # fmt: skip
        took = ["not published" if math.isnan(one) else seconds_text(one) for one in elapsed]
        ends = [0.0 if math.isnan(one) else one for one in elapsed]
        traces = [
            *(bar(kind, look, [of[kind] / 1e9 for of in bytes_of], labels, "GB", **_LEFT) for kind, look in _KIND_LOOKS.items()),
            *(bar(part, look, [of[part] for of in seconds_of], labels, "s", **_RIGHT) for part, look in _PART_LOOKS.items()),
            written("bytes in all", [size / 1e9 for size in totals], labels, sent, **_LEFT),
            written("elapsed", ends, labels, took, **_RIGHT),
        ]
        # room for what is written behind the longest bar
        layout = stack_layout("What a parallel statement sends between instances, and what it takes", len(labels), {})
        x_axis, y_axis = layout.pop("xaxis"), layout.pop("yaxis")
        for number, (left, right), title, unit, longest in (
            ("", _HALVES[0], "over the interconnect", "GB", max([*totals, 1e-9]) / 1e9),
            ("2", _HALVES[1], "a server's time", "seconds", max([*ends, 1e-9])),
        ):
            axes = {"anchor": f"y{number}", "domain": [left, right], "title": {"text": unit}, "range": [0, 1.35 * longest]}
            layout[f"xaxis{number}"] = x_axis | axes
            layout[f"yaxis{number}"] = y_axis | {"anchor": f"x{number}", "domain": [0.0, 1.0]}
            place = {"x": (left + right) / 2, "y": 1.0, "xref": "paper", "yref": "paper", "xanchor": "center", "yanchor": "bottom"}
            layout.setdefault("annotations", []).append({"text": title, "font": {"size": 16}, "showarrow": False, **place})
        layout["yaxis2"] |= {"matches": "y", "showticklabels": False}
        layout["margin"] |= {"t": 90, "b": 130}
        return drawn(traces, layout | {"height": 260 + 62 * len(labels)})

    def sentence(self, measurements: Sequence[Measurement]) -> str:
        """Each measurement's bytes between instances and elapsed time, and whether the DOP was lowered."""
        return " ".join(self._told(one) for one in measurements)

    def _told(self, one: Measurement) -> str:
        text = f"{one.badge}, {one.case}: "
        if one.source.kind is Kind.PUBLISHED:
            return text + _told_as_published(one)
        between, to_coordinator = (_bytes_of(one)[kind] for kind in (TO_SERVERS, TO_COORDINATOR))
        text += f"{bytes_text(between)} of rows between servers and {bytes_text(to_coordinator)} to the coordinator "
        text += "cross the interconnect; "
        text += f"{seconds_text(mean(one, figures.ELAPSED))} elapsed"
        if one.source.kind is Kind.LIVE:  # neither what a server did with its time nor whether the DOP was lowered is known of it
            return f"{text}."
        parts = parts_of(one, PARTS)
        text += f", of which a server is {seconds_text(parts[CPU])} on CPU and {seconds_text(parts[INTERCONNECT])} in line to send."
        return f"{text} {ParallelLevers.at(one.levers).remark()}".strip()

    def compare(self, seeds: Sequence[int] = ALL_SEEDS) -> pd.DataFrame:
        """Published beside predicted: case, figure, unit, published, simulated, error_pct, why."""
        aggregation, join, apart = (self.simulate(levers, seeds) for levers in (AGGREGATION, JOIN_16, JOIN_8))
        of_join = {instance: published_bytes("hash join, DOP 16", instance) for instance in (1, 2)}
        each = np.concatenate([of_join[1], of_join[2]])
        remote = statement(AGGREGATION).servers_on(1)
        to_servers = aggregation.traffic[aggregation.traffic["kind"] == START].groupby("run")["bytes"].sum().mean()
        to_qc = aggregation.traffic[aggregation.traffic["kind"].isin((RESULT, DONE))].groupby("run")["bytes"].sum().mean()
        servers = published_bytes("single table aggregation", 2)
        (coordinator,) = published_bytes("single table aggregation", 1)
        # what the consumers of an instance receive, the other instance sends
        sent = {instance: value(join, carried(TO_SERVERS, 3 - instance)).mean for instance in (1, 2)}
        a_consumer = sum(sent.values()) / len(each)
        rows_of = (
            (AGGREGATION, "bytes of a remote server", servers.mean(), to_servers / remote, _BUFFER),
            (AGGREGATION, "bytes received by the coordinator", coordinator, to_qc, _REPLY),
            (JOIN_16, "bytes received by consumers on instance 1", of_join[1].sum(), sent[1], _WIDTH),
            (JOIN_16, "bytes received by consumers on instance 2", of_join[2].sum(), sent[2], ""),
            (JOIN_16, "bytes received by consumers", each.sum(), sum(sent.values()), "half of it is the figure that the width is from"),
            (JOIN_16, "bytes received by the consumer with most", each.max(), a_consumer, _EVEN),
            (JOIN_16, "bytes received by the consumer with least", each.min(), a_consumer, _EVEN),
            (JOIN_8, "bytes between servers", 0.0, value(apart, carried(TO_SERVERS)).mean, _PLACED),
        )
        table = [
            (levers.describe(), figure, "bytes", float(was), float(is_), error_pct(float(was), float(is_)), why)
            for levers, figure, was, is_, why in rows_of
        ]
        return pd.DataFrame(table, columns=["case", "figure", "unit", "published", "simulated", "error_pct", "why"])

    def sensitivity(self, seeds: Sequence[int] = (1, 2)) -> Table:
        """Elapsed time of the join on two instances as a multiple of that on one, over what was assumed and what may be bought."""

        def elapsed(levers: ParallelLevers, message_us: float) -> float:
            costs = dataclasses.replace(PxHardware(), message_cpu_s=message_us / 1e6)
            built = parallel_run.build(dataclasses.replace(statement(levers), hardware=costs))
            return float(np.mean([run.clock for run in parallel_run.simulate(built, list(seeds))]))

        table = []
        for per_group in (1, 1_000_000):
            for gbit in (1, 10):
                two, one = (ParallelLevers(instances=count, link_gbit=gbit, rows_per_group=per_group) for count in (2, 1))
                ratios = [round(elapsed(two, cost) / elapsed(one, cost), 2) for cost in _MESSAGE_US]
                table.append((per_group, gbit, *ratios))
        costs = [f"{cost:g} microseconds a message" for cost in _MESSAGE_US]
        frame = pd.DataFrame(table, columns=["rows per group", "interconnect (Gb/s)", *costs])
        return Table(frame, Kind.SIMULATED, f"{MODEL.title}; time of the join on 2 instances divided by that on 1")

    def verdict(self) -> pd.DataFrame:
        """The parts of the claim, each with verdict, condition and rounded figures with their badge."""
        simulated = {name: self.simulate(levers) for name, levers in self.presets.items()}
        elapsed = {name: value(one, figures.ELAPSED).mean for name, one in simulated.items()}
        crowded = [value(self.simulate(ParallelLevers(join=False, cores=4, instances=count)), figures.ELAPSED).mean for count in (1, 2)]
        few = _mean(simulated["join, few groups"], carried(TO_SERVERS))
        result = _mean(simulated["join, DOP 8, coordinator apart"], carried(TO_COORDINATOR))
        received = published_bytes("hash join, DOP 16").sum()
        (to_coordinator,) = published_bytes("single table aggregation", 1)
        columns = ["part of the claim", "verdict", "when", "figure", "evidence"]
        verdicts = [
            (
                *("it is faster", "false", "join on 1 Gb/s, GROUP BY that reduces nothing, one node has cores enough"),
                *(f"{elapsed['join, 2 instances']:.0f} s on 2, {elapsed['join, 1 instance']:.0f} s on 1 instance", Kind.SIMULATED),
            ),
            ("nothing much is sent", "false", "the same join", f"{bytes_text(received)} to the consumers alone", Kind.PUBLISHED),
            (
                *("", "true", "aggregation: each server reports one row"),
                *(f"{bytes_text(to_coordinator)} to the coordinator", Kind.PUBLISHED),
            ),
            ("", "true", "GROUP BY with few groups", f"{bytes_text(few)} between servers", Kind.SIMULATED),
            (
                *("it is faster", "true", "aggregation with DOP 16 where a node has 4 cores only"),
                *(f"{crowded[1]:.0f} s on 2, {crowded[0]:.0f} s on 1 instance", Kind.SIMULATED),
            ),
            (
                *("one instance for the servers cures it", "half true", "the coordinator is elsewhere, and the result is large"),
                *(f"0 bytes between servers, {bytes_text(result)} to the coordinator", Kind.SIMULATED),
            ),
        ]
        return pd.DataFrame(verdicts, columns=columns)

    predictions = (
        Prediction(
            "aggregation",
            "Eight servers on each of two instances compute MIN, MAX and AVG of one large table. "
            "How many bytes does each of the eight remote servers receive over the interconnect?",
            ("about 2 KB", "about 2 MB", "about 100 MB: its share of the table"),
            "about 2 KB",
            "2,152 bytes (PUBLISHED): the table comes from disk; a server is told what to do and reports one row.",
        ),
        Prediction(
            "join",
            "A partition-wise join of a large table with itself, then GROUP BY; DOP 16 over two instances. How much do the sixteen "
            "consumers receive over the interconnect?",
            ("nothing: the join is partition-wise", "about 20 MB", "about 2.4 GB"),
            "about 2.4 GB",
            "2,371,595,990 bytes (PUBLISHED): the join sends nothing, but the rows are then redistributed for the GROUP BY.",
        ),
        Prediction(
            "placement",
            "The same join with DOP 8: all servers are on instance 2, the coordinator is on instance 1. "
            "What still crosses the interconnect?",
            ("nothing", "only what the servers send to the coordinator", "half of all rows, as before"),
            "only what the servers send to the coordinator",
            "Both sets are on one instance, so rows between them stay there; the result does not.",
        ),
    )

    exercises = (
        Exercise(
            "row_width",
            "The consumers received 2,371,595,990 bytes (PUBLISHED). If there were 85 million rows, as the plan estimates, "
            "and half of them crossed the interconnect: how many bytes wide is a row?",
            28.0,
            "bytes",
            lambda answer: near(answer, published_bytes("hash join, DOP 16").sum() / (rows() / 2), 0.02, "bytes"),
            ("Which share of the rows has its producer and its consumer on different instances?", "Divide the bytes by those rows."),
            "2,371,595,990 / 42,500,000 = 55.8 bytes.",
        ),
        Exercise(
            "four_instances",
            "The join with DOP 16 over four instances: how many GB of rows cross the interconnect between servers?",
            2.0,
            "GB",
            lambda answer: near(answer, _between(ParallelLevers(instances=4)), 0.03, "GB"),
            ("With two instances half of the rows cross.", "With four, a row's consumer is on the producer's instance once in four times."),
            "Three quarters of 4.75 GB: 3.56 GB (SIMULATED). More instances, more traffic.",
        ),
        Exercise(
            "lowered",
            "The join asks for DOP 64 on two instances with parallel_max_servers = 16 on each. Which DOP does it get?",
            64,
            "servers",
            lambda answer: _check_lowered(answer),
            ("How many servers are there altogether?", "A join that is grouped afterwards needs two sets."),
            "32 servers for two sets: DOP 16.",
        ),
    )


_MESSAGE_US = (0.0, 5.0, 10.0, 20.0)
_BUFFER = "one table-queue buffer; of its two usual sizes before 11.2 (2,148 and 2,152 bytes) the one that was published is the parameter"
_REPLY = "one message of 256 bytes and one row of four numbers from each remote server; both sizes are assumed"
_WIDTH = "not a prediction: the width of a row is inferred from this figure"
_EVEN = "the model spreads rows evenly; six of the sixteen consumers received 42 % more than the others, which only the data explains"
_PLACED = "no bytes were published; 0 follows from the published placement of the servers"


def _told_as_published(one: Measurement) -> str:
    if one.case == AGGREGATION.describe():
        servers = published_bytes("single table aggregation", 2)
        (coordinator,) = published_bytes("single table aggregation", 1)
        return f"{servers[0]:,.0f} bytes at each of {len(servers)} remote servers, {coordinator:,.0f} bytes at the coordinator."
    if one.case == JOIN_16.describe():
        received = published_bytes("hash join, DOP 16")
        return f"{received.sum():,.0f} bytes received by {len(received)} consumers; what the coordinator received was not published."
    return "all servers were on the other instance; neither bytes nor time were published."


@functools.lru_cache(maxsize=16)  # the published ones stand in every chart, and chart and sentence ask for the same
def _bytes_of(measured: Measurement) -> dict[str, float]:
    return {kind: _mean(measured, carried(kind)) for kind in KINDS}


def _mean(measured: Measurement, figure: Figure) -> float:
    readings = figure.read(measured)
    return float(readings.mean()) if len(readings) else 0.0


def _between(levers: ParallelLevers) -> float:
    return _mean(MYTH.simulate(levers, [1]), carried(TO_SERVERS)) / 1e9


def _check_lowered(answer: int) -> tuple[bool, str]:
    right = statement(ParallelLevers(dop=64, max_servers=16)).actual_dop
    if answer == right:
        return True, f"Right: DOP {right}."
    return False, f"DOP {answer} in two sets is {2 * answer} servers; there are 32."


MYTH = ParallelAcrossInstances()
