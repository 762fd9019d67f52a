"""Scaling out: CERN's archiver step by step, and a file name server that no partitioning cures.

Every step has the same parameters and only other levers. Two things are taken from the figures: the client's time for a call, inferred from
step 1, and the share of index entries whose block is on disk, chosen with step 2 in view. 150 clients are assumed at every step, and
bulks of 2,000, about the least with which the goal can be met. Step 3 is predicted; of steps 4 and 5 it is predicted that what comes in
is archived. For the name server one row that all update was chosen after seeing the results: with four rows it is also slower on two
nodes than on one, but partitioning gains about half instead of a tenth.
"""

import dataclasses
import functools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, SupportsFloat, cast

import pandas as pd
import plotly.graph_objects as go

from raclab import palette
from raclab.cluster import archiver, archiver_frames
from raclab.cluster.archiver import CLIENT, Case, WorkParameters
from raclab.cluster.row_locks import ROW_LOCK
from raclab.evidence import figures, published, usl
from raclab.evidence.compare import error_pct, value
from raclab.evidence.measurement import WAIT_COLUMNS, Kind, Measurement, Source
from raclab.evidence.table import Table
from raclab.evidence.usl import Scalability
from raclab.myths.answers import near
from raclab.myths.bars import DOWNWARDS, drawn
from raclab.myths.base import Exercise, Live, Myth, Prediction
from raclab.myths.drawing import label
from raclab.myths.levers import Levers, lever
from raclab.myths.live_places import MOST_CLIENTS, clients, fields_of

SLUG = "scale_out"
ALL_SEEDS = range(1, 9)
SAMPLING_S = 1.0
CLIENTS_PER_NODE = 25
STABLE = "stable"

MODEL = Source(Kind.SIMULATED, "RAC Myths Lab, archiver model", None, "not Oracle", "parameters in raclab/cluster/archiver.py")


@dataclass(frozen=True)
class ScaleLevers(Levers):
    """What the learner may vary."""

    name_server: bool = lever(
        False, "Workload", help="Clients that archive changes, or threads that create files.",
        choices=(False, True), names=("archiver", "file name server"),
    )  # fmt: skip
    nodes: int = lever(6, "Nodes", help="Two cores each.", low=1, high=8)
    clients: int = lever(150, "Clients", help="Each archiver's client collects 1,000 changes a second.", low=1, high=300)
    partitioned: bool = lever(
        False, "Partitions", help="One a client for the archiver, 16 by hash for the name server.",
        choices=(False, True), names=("none", "partitioned"),
    )  # fmt: skip
    bulk: int = lever(2000, "Bulk", unit="changes", help="Changes sent in one call.", choices=(1, 10, 100, 500, 1000, 2000, 5000))
    direct: bool = lever(
        False, "Load", help="Rows go into blocks with room, or into new blocks behind the end.",
        choices=(False, True), names=("conventional", "direct path"),
    )  # fmt: skip
    preallocated: bool = lever(False, "Space allocated beforehand", help="By a background task.", choices=(False, True))
    indexes: int = lever(1, "Indexes", help="The primary key's, and further ones in no order of time.", low=1, high=6)
    conflicts_pct: int = lever(0, "Row conflicts", unit="%", help="Transactions that update a row that all others update too.", high=100)

    def describe(self) -> str:
        """The setting in a few words; nothing that is as by default or does not count."""
        words = [f"{self.nodes} node{'s' if self.nodes > 1 else ''}"]
        if self.name_server:
            words = ["name server", *words, f"{self.clients} threads"]
        else:
            words += [f"{self.clients} clients", f"bulk {self.bulk:,}" if self.bulk > 1 else "single rows"]
            words += ["direct path"] * self.direct + ["space beforehand"] * self.preallocated
            words += [f"{self.indexes} indexes"] * (self.indexes > 1)
        words += ["partitioned"] * self.partitioned
        return ", ".join(words + [f"{self.conflicts_pct} % conflicts"] * (self.conflicts_pct > 0))

    def remark(self) -> str:
        """Which levers don't count, or have a price."""
        remarks = []
        if self.clients < self.nodes:
            remarks.append(f"{self.nodes - self.clients} of the {self.nodes} nodes have no client.")
        if self.name_server and (self.bulk != 1 or self.direct or self.preallocated or self.indexes != 1):
            remarks.append("The name server creates one file at a time in one index: bulk, direct path, space and indexes don't count.")
        elif self.direct and not self.name_server and not self.partitioned:
            remarks.append("A direct-path load that names no partition locks the table until its commit.")
        return " ".join(remarks)


STEPS = {
    1: ScaleLevers(bulk=1, indexes=5),
    2: ScaleLevers(indexes=5),
    3: ScaleLevers(),
    4: ScaleLevers(partitioned=True, direct=True),
    5: ScaleLevers(partitioned=True, direct=True, preallocated=True),
}
NAMES_ALONE = ScaleLevers(name_server=True, nodes=1, clients=40, conflicts_pct=100)
NAMES = dataclasses.replace(NAMES_ALONE, nodes=2)
NAMES_PARTITIONED = dataclasses.replace(NAMES, partitioned=True)


@dataclass(frozen=True, eq=False)
class RateMeasurement(Measurement):
    """A measurement of a rate. ``rates`` has one a run, per second; ``stated_top`` is what was published as the top event."""

    rates: tuple[float, ...] = (math.nan,)
    stated_top: str = ""

    @property
    def rate(self) -> float:
        """The mean over the runs, per second."""
        return sum(self.rates) / len(self.rates)

    @functools.cached_property
    def shares(self) -> dict[str, float]:
        """Percent of the time in the database by event, "CPU" among them; the largest first."""
        busy = self.waits[self.waits["wait_class"] != "Idle"].groupby("event")["time_s"].sum()
        parts = {str(event): float(seconds) for event, seconds in busy.items()} | {"CPU": float(self.sessions["cpu_s"].sum())}
        total = sum(parts.values()) or 1.0
        return {event: 100 * parts[event] / total for event in sorted(parts, key=lambda name: -parts[name])}

    @functools.cached_property
    def idle_pct(self) -> float:
        """Percent of the sessions' time that they waited for their clients."""
        idle = float(self.waits.loc[self.waits["event"] == CLIENT, "time_s"].sum())
        return 100 * idle / max(1e-12, float(self.sessions["elapsed_s"].sum()))

    def top(self) -> str:
        """The top event. Where sessions are idle for most of the time and yet behind what is to be archived, it is the client."""
        if self.stated_top:
            return self.stated_top
        wanted = 0.0 if self.levers["name_server"] else float(str(self.levers["clients"])) * work().pace
        if self.idle_pct > 50 and self.rate < 0.9 * wanted:
            return CLIENT
        return next(iter(self.shares))


@functools.cache
def work() -> WorkParameters:
    """The parameters that come from the published figures, with the assumed ones."""
    package = published.load(SLUG)
    steps, events = package.frame("pvss_steps").set_index("step"), package.frame("pvss_events")
    clients, goal = (float(_fact("PVSS", name)) for name in ("clients", "goal"))
    read = events[(events["step"] == 2) & (events["event"] == archiver.READ)].iloc[0]
    return WorkParameters(clients / _number(steps.at[1, "changes_per_s"]), goal / clients, float(read["time_s"]) / float(read["waits"]))


def _number(cell: object) -> float:
    return float(cast(SupportsFloat, cell))


def _fact(case: str, name: str) -> str:
    facts = published.load(SLUG).frame("facts").set_index(["case", "fact"])["value"]
    return str(facts[case, name])


def case(levers: ScaleLevers) -> Case:
    """The levers as a case of the cluster; the name server creates files one by one and conventionally, whatever the levers say."""
    names = levers.name_server
    return Case(
        work(),
        names,
        nodes=levers.nodes,
        clients=levers.clients,
        partitioned=levers.partitioned,
        bulk=1 if names else levers.bulk,
        direct=levers.direct and not names,
        preallocated=levers.preallocated or names,
        indexes=1 if names else levers.indexes,
        conflicts=levers.conflicts_pct / 100,
    )


_EVENTS = {2: archiver.READ, 3: "gc buffer busy", 4: "row cache lock"}


@functools.cache
def _published() -> tuple[RateMeasurement, ...]:
    package = published.load(SLUG)
    steps, events = package.frame("pvss_steps").set_index("step"), package.frame("pvss_events")
    made = []
    for step in STEPS:
        rows = events[(events["step"] == step) & (events["event"] != "CPU time")]
        waits = rows.rename(columns={"waits": "total_waits"}).assign(run=0, inst_id=1, session=1, max_s=math.nan)
        top = _EVENTS.get(step, CLIENT if step == 1 else STABLE)
        stated = {"nodes": 6} if step < 5 else {"nodes": 6, "clients": 150}
        rate = _number(steps.at[step, "changes_per_s"])
        made.append(RateMeasurement(package.source, f"step {step}", stated, waits=waits[list(WAIT_COLUMNS)], rates=(rate,), stated_top=top))
    return tuple(made)


def _live_rate(measured: Measurement) -> RateMeasurement:
    """A live run as a rate: all changes over the time of the slowest session. The levers that it can't follow are as by default."""
    rate = float(measured.sessions["calls"].sum()) / max(1e-9, float(measured.sessions["elapsed_s"].max()))
    levers = ScaleLevers(**measured.levers).as_dict()  # type: ignore[arg-type]
    return RateMeasurement(**{**fields_of(measured), "levers": levers}, rates=(rate,))


class ScaleOut(Myth):
    """The myth of the nodes that need only be added."""

    slug = SLUG
    number = 11
    claim = "Add nodes and it scales."
    said_by = "Whoever has a budget for servers and none for looking at what the sessions wait for."
    levers = ScaleLevers
    live = Live(
        "scale_out.sql",
        f"Each session, {MOST_CLIENTS} at most, is a client that inserts 20,000 changes in arrays of the lever's size: one round trip "
        "and one commit a call. Waits are the sessions' own; the rate is all changes over the time of the slowest session. Set Bulk to "
        "1 and then to 2,000. Partitions need the Partitioning option (in Oracle Database Free it is included).",
        "On one instance no index block is asked for by another one: what adding nodes costs needs two instances or more.",
        places=clients,
        placing=("nodes", "clients"),
        as_run=lambda levers, instances: dataclasses.replace(levers, nodes=instances, clients=min(levers.clients, MOST_CLIENTS)),
        views=("INSTANCE_CACHE_TRANSFER",),
        reads=lambda measured: _live_rate(measured),
    )
    presets: ClassVar[dict[str, ScaleLevers]] = {
        **{f"step {step}": levers for step, levers in STEPS.items()},
        "name server, 1 node": NAMES_ALONE,
        "name server, 2 nodes": NAMES,
        "name server, partitioned": NAMES_PARTITIONED,
    }

    def simulate(self, levers: Levers, seeds: Sequence[int] = ALL_SEEDS) -> RateMeasurement:
        """Twenty seconds, once a seed; the rate is that after the first five. Rows for V$ views come with a single seed only."""
        assert isinstance(levers, ScaleLevers)
        single = len(seeds) == 1
        built = archiver.build(case(levers), SAMPLING_S if single else math.inf)
        runs = archiver.simulate(built, list(seeds))
        return RateMeasurement(
            MODEL,
            levers.describe(),
            levers.as_dict(),
            archiver_frames.sessions(built, runs),
            archiver_frames.waits(built, runs),
            archiver_frames.stats(built, runs),
            archiver_frames.views(built, runs[0]) if single else {},
            tuple(built.rate(run) for run in runs),
        )

    def published(self) -> list[Measurement]:
        """The archiver's five steps; of the name server no rate was published."""
        return list(_published())

    def facts(self) -> Table:
        """The cluster, the goal and the name server, as stated."""
        return published.load(SLUG).table("facts")

    def figure(self, measurements: Sequence[Measurement]) -> go.Figure:
        """The rate of each measurement, with its top event; the axis is logarithmic."""
        known = [one for one in measurements if isinstance(one, RateMeasurement)]
        labels = [label(one) for one in known]
        bars = {
            "type": "bar",
            "orientation": "h",
            "x": [max(1.0, one.rate) for one in known],
            "y": labels,
            "name": "changes a second",
            "text": [f"{one.rate:,.0f}/s: {one.top()}" for one in known],
            "textposition": "outside",
            "cliponaxis": False,
            "marker": palette.bar_marker("CPU"),
            "hovertemplate": "%{y}<br>%{text}<extra></extra>",
        }
        layout = palette.layout()
        layout["xaxis"] |= {"type": "log", "range": [0, 7.5], "title": {"text": "changes (or files) a second"}}
        layout["yaxis"] |= DOWNWARDS
        layout |= {"title": {"text": "Rate and top event"}, "height": 150 + 55 * len(labels), "showlegend": False}
        return drawn([bars], layout)

    def sentence(self, measurements: Sequence[Measurement]) -> str:
        """Each measurement's rate and top event, and which levers did not count."""
        return " ".join(self._told(one) for one in measurements if isinstance(one, RateMeasurement))

    def _told(self, one: RateMeasurement) -> str:
        what = "files" if one.levers.get("name_server") else "changes"
        text = f"{one.badge}, {one.case}: {one.rate:,.0f} {what} a second; "
        top = one.top()
        if top == STABLE:
            return text + "stable."
        if one.source.kind is Kind.PUBLISHED:
            return text + f"top event {top}."
        share = f"{one.idle_pct:.0f} % of the sessions' time" if top == CLIENT else f"{one.shares[top]:.0f} % of DB time"
        text += f"top event {top}, {share}."
        return f"{text} {ScaleLevers.at(one.levers).remark()}".strip()

    def compare(self, seeds: Sequence[int] = ALL_SEEDS) -> pd.DataFrame:
        """Published beside predicted: case, figure, unit, published, simulated, error_pct, why. "Top event is ..." is 1 where it is."""
        events = published.load(SLUG).frame("pvss_events").set_index(["step", "event"]).to_dict("index")
        rows: list[tuple[str, str, str, float, float]] = []
        for step, measured in enumerate(_published(), 1):
            simulated, name, top = self.simulate(STEPS[step], seeds), f"step {step}", measured.top()
            rows.append((name, "rate", "changes/s", measured.rate, simulated.rate))
            if top == STABLE:
                rows.append((name, "row cache lock: share of DB time", "%", 0.0, simulated.shares.get("row cache lock", 0.0)))
                continue
            rows.append((name, f"top event is {top}", "", 1.0, float(simulated.top() == top)))
            if step in _EVENTS:
                of_top = events[step, top]
                wait_ms = 1000 * value(simulated, figures.wait_time(top)).mean / value(simulated, figures.waits(top)).mean
                rows.append((name, f"{top}: share of DB time", "%", float(of_top["pct"]), simulated.shares[top]))
                stated_ms = 1000 * float(of_top["time_s"]) / float(of_top["waits"])
                rows.append((name, f"{top}: average wait", "ms", stated_ms, wait_ms))
        alone, plain, parted = (self.simulate(levers, seeds) for levers in (NAMES_ALONE, NAMES, NAMES_PARTITIONED))
        gain = float(_fact("CASTOR name server", "gain from hash partitioning with a local primary-key index"))
        rows += [
            ("name server", "gain from partitioning", "%", gain, 100 * (parted.rate / plain.rate - 1)),
            ("name server", "still worse than one instance", "", 1.0, float(parted.rate < alone.rate)),
            ("name server", f"top event is {ROW_LOCK}", "", 1.0, float(parted.top() == ROW_LOCK)),
        ]
        table = pd.DataFrame(rows, columns=["case", "figure", "unit", "published", "simulated"])
        table["error_pct"] = [error_pct(was, is_) for was, is_ in zip(table["published"], table["simulated"], strict=True)]
        table["why"] = [_WHY.get((name, figure), "") for name, figure in zip(table["case"], table["figure"], strict=True)]
        return table

    def sensitivity(self, seeds: Sequence[int] = (1, 2)) -> Table:
        """How far the predictions rest on what was not published: each assumption at half and at twice its value, error in percent."""
        hardware, parameters = case(STEPS[3]).hardware, work()
        changed = []
        for factor in (0.5, 1.0, 2.0):
            redo = dataclasses.replace(hardware, redo_write_s=factor * hardware.redo_write_s)
            entry = dataclasses.replace(parameters, entry_cpu_s=factor * parameters.entry_cpu_s)
            reads = dataclasses.replace(parameters, reads_per_entry=factor * parameters.reads_per_entry)
            changed += [
                (2, "index entries whose block is on disk", reads.reads_per_entry, dataclasses.replace(case(STEPS[2]), work=reads)),
                (3, "redo write (ms)", 1000 * redo.redo_write_s, dataclasses.replace(case(STEPS[3]), hardware=redo)),
                (3, "CPU of an entry (ms)", 1000 * entry.entry_cpu_s, dataclasses.replace(case(STEPS[3]), work=entry)),
            ]
        rows = []
        for step, assumption, setting, one in sorted(changed, key=lambda row: row[:3]):
            built = archiver.build(one)
            rate = sum(built.rate(run) for run in archiver.simulate(built, list(seeds))) / len(seeds)
            rows.append((step, assumption, setting, round(rate), round(error_pct(_published()[step - 1].rate, rate))))
        columns = ["step", "assumption", "value", "changes a second", "error %"]
        return Table(pd.DataFrame(rows, columns=columns), Kind.SIMULATED, f"{MODEL.title}, against the PUBLISHED rates")

    def law(self, levers: ScaleLevers, seeds: Sequence[int] = (1, 2)) -> Scalability:
        """The universal scalability law, fitted to 1 to 8 nodes with 25 clients each."""
        curve = _curve(levers, tuple(seeds))
        return usl.fit(list(curve), list(curve.values()))

    def scaling(self, levers: ScaleLevers, seeds: Sequence[int] = (1, 2)) -> Table:
        """Rate over 1 to 8 nodes with 25 clients each, and what the fitted law gives."""
        law = self.law(levers, seeds)
        rows = [
            (nodes, CLIENTS_PER_NODE * nodes, round(rate), round(law.at(nodes))) for nodes, rate in _curve(levers, tuple(seeds)).items()
        ]
        fitted = f"{MODEL.title}; contention {law.contention:.3f}, coherency {law.coherency:.4f}"
        return Table(pd.DataFrame(rows, columns=["nodes", "clients", "a second", "fitted law"]), Kind.SIMULATED, fitted)

    def verdict(self) -> pd.DataFrame:
        """The parts of the claim, each with verdict, condition and rounded figures with their badge."""

        def ends(levers: ScaleLevers) -> str:
            curve = _curve(levers, (1, 2))
            return f"{_rounded(curve[1])} on 1 node, {_rounded(curve[6])} on 6"

        first, *_, last = _published()
        names = {nodes: _rate(dataclasses.replace(NAMES_PARTITIONED, nodes=nodes)) for nodes in (1, 2)}
        rows = [
            ("add nodes and it scales", "false", "all insert into one hot block", ends(STEPS[3]), Kind.SIMULATED),
            ("", "true", "a partition a client, space allocated beforehand", ends(STEPS[5]), Kind.SIMULATED),
            ("", "false", "all update the same row", f"{_rounded(names[1])} files/s on 1 node, {_rounded(names[2])} on 2", Kind.SIMULATED),
            ("what made it scale", "five steps", "same six nodes", f"{first.rate:,.0f} to {last.rate:,.0f} changes/s", Kind.PUBLISHED),
        ]
        return pd.DataFrame(rows, columns=["part of the claim", "verdict", "when", "figure", "evidence"])

    predictions = (
        Prediction(
            "first_step",
            "100 changes a second, one statement each, on six nodes. What do the sessions wait for?",
            ("the disks", "the client", "blocks from other nodes", "row locks"),
            "the client",
            "SQL*Net message from client (PUBLISHED): the database is idle, and a node more would be idle too.",
        ),
        Prediction(
            "factor",
            "How much faster did CERN's archiver get in six months, on the same six nodes?",
            ("twice", "15 times", "150 times", "1,500 times"),
            "1,500 times",
            "From 100 to 150,000 changes a second (PUBLISHED), each step found from the top event of the one before.",
        ),
        Prediction(
            "row_locks",
            "All threads of a name server update the same row. What does hash partitioning of its table bring on two nodes?",
            ("more than on one node", "nearly nothing", "twice the rate"),
            "nearly nothing",
            "About 10 %, and it stayed worse than on one instance (PUBLISHED): the row is still one row.",
        ),
    )

    exercises = (
        Exercise(
            "client_time",
            "Step 1: if 150 clients share 100 changes a second, one change a call, how long does a client take from call to call?",
            1.0,
            "s",
            lambda answer: near(answer, 1.5, 0.02, "s"),
            ("How many changes a second does one client make?",),
            "150 / 100 = 1.5 s. How many clients were connected then was not published; one alone would make it 10 ms.",
        ),
        Exercise(
            "smallest_bulk",
            "Step 5 with 150 clients on 6 nodes: which is the smallest bulk on the lever that archives 140,000 changes a second or more?",
            5000,
            "changes",
            lambda answer: _check_bulk(answer),
            ("A client needs 1.5 s from call to call.", "Each client collects 1,000 changes a second."),
            "2,000: in the 1.5 s from call to call 1,500 changes come in, and a bulk of 1,000 falls behind.",
        ),
    )


_CLIENTS = "150 clients are assumed at every step; how many were connected then was not published, and with fewer the queue is shorter"
_ONLY = "the model has only the waits that this step is about"
_WHY = {
    ("step 1", "rate"): "not a prediction: the client's time for a call is inferred from this figure",
    ("step 2", "rate"): "five indexes are assumed, and the share of their blocks on disk was chosen with this figure in view",
    ("step 2", f"{archiver.READ}: share of DB time"): _ONLY
    + ": the published enq: TX - contention (37 %) came from rows that are not stated",
    ("step 2", f"{archiver.READ}: average wait"): _CLIENTS,
    ("step 3", "rate"): "loaded conventionally: a direct-path load that names no partition would lock the table",
    ("step 3", "gc buffer busy: share of DB time"): _ONLY + ", and one hot block where there were several",
    ("step 3", "gc buffer busy: average wait"): _CLIENTS + "; they all queue for one hot block here",
    ("step 4", "rate"): "150 clients collect just the goal; what is predicted is that the freezes do not keep them from it",
    ("step 5", "rate"): "150 clients collect just the goal; what is predicted is that nothing keeps them from it",
    ("step 4", "row cache lock: share of DB time"): _ONLY + ": undo segments and requests for many blocks at a time are left out",
    ("step 4", "row cache lock: average wait"): "by how much the data file grew and how fast it was formatted was not published; assumed",
    (
        "name server",
        "gain from partitioning",
    ): "one row that all update, chosen after seeing this figure; with four such rows the gain is about 50 %",
}


@functools.cache
def _rate(levers: ScaleLevers, seeds: tuple[int, ...] = (1, 2)) -> float:
    return MYTH.simulate(levers, seeds).rate


def _curve(levers: ScaleLevers, seeds: tuple[int, ...]) -> dict[int, float]:
    return {
        nodes: _rate(dataclasses.replace(levers, nodes=nodes, clients=CLIENTS_PER_NODE * nodes), seeds)
        for nodes in range(1, int(ScaleLevers.specs()["nodes"].high) + 1)
    }


def _rounded(rate: float) -> str:
    return f"{float(f'{rate:.2g}'):,.0f}"


def _check_bulk(answer: int) -> tuple[bool, str]:
    spec, goal = ScaleLevers.specs()["bulk"], 140_000
    if answer not in spec.choices:
        return False, f"A bulk of {answer} is not on the lever; it takes {spec.describe()}."
    right = next(bulk for bulk in spec.choices if _rate(dataclasses.replace(STEPS[5], bulk=bulk)) >= goal)
    rate = _rate(dataclasses.replace(STEPS[5], bulk=answer))
    if answer == right:
        return True, f"Right: {rate:,.0f} changes a second (SIMULATED)."
    return False, f"With {answer:,} it archives {rate:,.0f} changes a second (SIMULATED): the smallest that reaches {goal:,} is another."


MYTH = ScaleOut()
