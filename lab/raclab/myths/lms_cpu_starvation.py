"""LMS without CPU: what batch on one node costs the sessions of the others.

No latency was published for this myth, only facts about LMS's priority and number; the simulation is therefore set beside a formula, the
mean wait for a turn in round robin. The time slice and the round robin itself are assumptions: schedulers that favour a process which
has slept (Linux since 2007, Solaris' time-share class) make LMS wait less than this, as long as it does not use much CPU.
"""

import dataclasses
import functools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import pandas as pd
import plotly.graph_objects as go

from raclab.cluster.gc_frames import LMS_WAITS
from raclab.cluster.gc_requests import FLUSH, Workload
from raclab.cluster.lms import REAL_TIME, TIME_SHARE, default_count
from raclab.cluster.nodes import NodeSetup
from raclab.cluster.parameters import Hardware
from raclab.evidence import published
from raclab.evidence.compare import error_pct, value
from raclab.evidence.measurement import Kind, Measurement, Source
from raclab.evidence.table import Table
from raclab.myths.answers import near
from raclab.myths.base import Exercise, Live, Myth, Prediction
from raclab.myths.block_drawing import BlockMeasurement, Panel, blocks_chart, milliseconds, part_time, receive_time, simulate
from raclab.myths.levers import Levers, lever
from raclab.myths.live_places import batch_and_askers, without_the_keeper

SLUG = "lms_cpu_starvation"
ALL_SEEDS = range(1, 9)
BUSY_CR, BUSY_CURRENT = 0.05, 0.001
"""Shares of blocks that need a log flush first: those that the same author published for another cluster (interconnect_blame, node 2)."""
YIELDS = 2
"""Looks of a real-time LMS for more messages before it sleeps. Assumed: with 0.05 ms each, as much CPU as serving one block."""
SELDOM_S = 0.1
"""Pause between two requests in ``compare``: long enough for LMS to find the slices at any point."""
_IN_STEP = "the cores' slices don't stay independent: the one that served LMS ends its next slice a little later"

MODEL = Source(
    Kind.SIMULATED, "RAC Myths Lab, cluster model", None, "not Oracle",
    "time slices of 10 ms in round robin; other parameters in raclab/cluster/parameters.py",
)  # fmt: skip


@dataclass(frozen=True)
class StarvationLevers(Levers):
    """What the learner may vary."""

    runnable: int = lever(16, "Runnable batch processes", help="On node 1; each wants a core all the time.", low=0, high=64)
    cores: int = lever(4, "Cores", help="Of each node.", low=1, high=32)
    lms: int = lever(2, "LMS", unit="processes", help="LMS processes of node 1.", low=1, high=32)
    real_time: bool = lever(
        False, "LMS priority", help="Priority class of LMS on node 1.", choices=(False, True), names=("time-share", "real time")
    )  # fmt: skip
    nodes: int = lever(2, "Nodes", help="All but node 1 run four sessions that ask node 1 for blocks.", low=2, high=8)

    def describe(self) -> str:
        """The setting in a few words."""
        priority = "real time" if self.real_time else "time-share"
        cores = f"{self.cores} core{'s' if self.cores > 1 else ''}"
        return f"{self.nodes} nodes, {self.runnable} runnable on {cores}, {self.lms} LMS in {priority}"

    def turn_s(self) -> float:
        """Mean wait of a woken process for its turn by hand, in seconds, where each core ends a slice once a quantum.

        runnable - cores others stand before it. They take so many whole rounds, and of the last round it must see as many slices end as
        are left over, and one more. Exact for one core; for more, if nothing ties their slices together.
        """
        before = self.runnable - self.cores
        if before < 0:
            return 0.0
        rounds, left_over = divmod(before, self.cores)
        return Hardware().quantum_s * (rounds + (left_over + 1) / (self.cores + 1))


def workload(levers: StarvationLevers) -> Workload:
    """The levers as a workload: sessions on all other nodes ask node 1. LGWR is in time-share, as all but LMS and VKTM are by default."""
    priority = REAL_TIME if levers.real_time else TIME_SHARE
    node_1 = NodeSetup(levers.lms, priority, lgwr_priority=TIME_SHARE, yields=YIELDS, runnable=levers.runnable)
    return Workload(
        dataclasses.replace(Hardware(), cores=levers.cores),
        asks=tuple((node, 0) for node in range(1, levers.nodes)),
        setups=(node_1,),
        nodes=levers.nodes,
        busy_cr=BUSY_CR,
        busy_current=BUSY_CURRENT,
    )


QUIET = StarvationLevers(runnable=0)
STARVED = StarvationLevers()
CURED = StarvationLevers(real_time=True)
ROOM = StarvationLevers(runnable=3)
EIGHT_NODES = StarvationLevers(nodes=8, real_time=True, lms=1)
TOO_MANY = dataclasses.replace(EIGHT_NODES, lms=16)


class LmsCpuStarvation(Myth):
    """The myth of the batch node whose CPU is its own business."""

    slug = SLUG
    number = 1
    claim = "High CPU on the batch node doesn't touch the other nodes."
    said_by = "Whoever gives the batch a node of its own, and sees idle CPU on all the others."
    levers = StarvationLevers
    live = Live(
        "lms_cpu_starvation.sql",
        "For 20 seconds four sessions on each other instance ask instance 1 for blocks, while as many sessions as the lever says burn "
        "CPU on instance 1: **that host is loaded fully**, whoever else works there. Receive times are the asking sessions' own. "
        "Compare with the simulation in the class that your LMS really has; real time has been the default since 10.2.",
        "Without a second instance nobody asks LMS for blocks, so nothing is run.",
        least_instances=2,
        places=batch_and_askers,
        placing=("runnable", "nodes"),
        case=lambda levers, instances: f"{instances} nodes, {levers.runnable} runnable on node 1, LMS as it is",
        views=("SYSSTAT", "CR_BLOCK_SERVER", "CURRENT_BLOCK_SERVER", "OSSTAT"),
        reads=lambda measured: Measurement(**without_the_keeper(measured)),
    )
    presets: ClassVar[dict[str, StarvationLevers]] = {
        "no batch": QUIET,
        "16 runnable, LMS in time-share": STARVED,
        "16 runnable, LMS in real time": CURED,
        "3 runnable on 4 cores": ROOM,
        "8 nodes, 1 LMS": EIGHT_NODES,
        "8 nodes, 16 LMS": TOO_MANY,
    }

    def simulate(self, levers: Levers, seeds: Sequence[int] = ALL_SEEDS) -> BlockMeasurement:
        """Four sessions on each other node ask node 1 for 400 blocks each, once a seed. Rows for most V$ views come with a single seed."""
        assert isinstance(levers, StarvationLevers)
        return simulate(workload(levers), seeds, MODEL, levers.describe(), levers.as_dict())

    def published(self) -> list[Measurement]:
        """None: facts were published (``facts``), but nothing measured."""
        return []

    def facts(self) -> Table:
        """What was published: from when LMS has real-time priority, and how many LMS there should be."""
        return published.load(SLUG).table("facts")

    def parameters(self) -> Table:
        """The parameters that govern LMS's priority and number, as published."""
        return published.load(SLUG).table("parameters")

    def figure(self, measurements: Sequence[Measurement]) -> go.Figure:
        """Where the time of one block goes, as the other nodes see it; a bar a measurement."""
        panels = (Panel("CR block", "cr", None), Panel("current block", "current", None))
        return blocks_chart(measurements, panels, "Where the other nodes' wait for a block of node 1 goes")

    def sentence(self, measurements: Sequence[Measurement]) -> str:
        """Receive times on the other nodes, LMS's share of them, and what LMS costs."""
        return " ".join(self._told(one) for one in measurements)

    def _told(self, one: Measurement) -> str:
        cr, current = (milliseconds(value(one, receive_time(kind)).mean) for kind in ("cr", "current"))
        text = f"{one.badge}, {one.case}: the other nodes receive a CR block in {cr} and a current block in {current}"
        if not isinstance(one, BlockMeasurement):
            return text + "; how much of it LMS waited for a core is not among the counters."
        waits, flush = (milliseconds(value(one, part_time("cr", part)).mean) for part in (LMS_WAITS, FLUSH))
        return (
            f"{text}. Of the CR block's time LMS of node 1 waited {waits} for a core, and log flushes took {flush}. "
            f"LMS of node 1 used {milliseconds(lms_cpu_ms(one))} of CPU a request."
        )

    def compare(self, seeds: Sequence[int] = ALL_SEEDS) -> pd.DataFrame:
        """The mean wait for a turn by hand beside the simulation, for one session and one LMS in time-share; nothing was published."""
        rows: list[tuple[Any, ...]] = []
        for cores, runnable in ((1, 1), (1, 4), (1, 8), (4, 8), (4, 16), (8, 32)):
            levers = StarvationLevers(runnable=runnable, cores=cores, lms=1)
            alone = dataclasses.replace(workload(levers), sessions=1, busy_cr=0.0, busy_current=0.0, cr_share=1.0, think_s=SELDOM_S)
            waits = value(simulate(alone, seeds, MODEL, levers.describe(), levers.as_dict()), part_time("cr", LMS_WAITS)).mean
            by_hand = 1000 * levers.turn_s()
            case = f"{runnable} runnable on {cores} core{'s' if cores > 1 else ''}, one session"
            rows.append((case, LMS_WAITS, "ms", by_hand, waits, error_pct(by_hand, waits), _IN_STEP if cores > 1 else ""))
        return pd.DataFrame(rows, columns=["case", "figure", "unit", "by hand", "simulated", "error_pct", "why"])

    def default_counts(self) -> Table:
        """How many LMS an instance starts by itself, by release and number of CPUs (for 21c with an SGA of 100 GB)."""
        releases = ("10.2", "11.1", "11.2", "19", "21")
        cpus = (1, 2, 4, 8, 16, 32, 64, 104, 128, 768)
        frame = pd.DataFrame({"CPUs": cpus} | {release: [default_count(release, count, 100) for count in cpus] for release in releases})
        return Table(frame, Kind.PUBLISHED, "Oracle's rules for the default of GCS_SERVER_PROCESSES, by release")

    def verdict(self) -> pd.DataFrame:
        """The parts of the claim, each with verdict, condition and rounded figures with their badge."""
        measured = {name: self.simulate(levers) for name, levers in self.presets.items()}
        cr = {name: value(one, receive_time("cr")).mean for name, one in measured.items()}
        flush = value(measured["16 runnable, LMS in real time"], part_time("cr", FLUSH)).mean
        few, many = (lms_cpu_ms(measured[name]) for name in ("8 nodes, 1 LMS", "8 nodes, 16 LMS"))
        crowd = value(self.simulate(dataclasses.replace(STARVED, lms=16)), receive_time("cr")).mean
        starved = cr["16 runnable, LMS in time-share"]
        since = self.facts().frame.set_index("fact")["value"]["LMS in real-time priority by default from version"]
        counts = self.default_counts().frame.set_index("CPUs").loc[104]
        rows = [
            (
                *("it doesn't touch the other nodes", "false", "LMS in time-share, more runnable processes than cores"),
                *(f"CR block {starved:.0f} ms, {cr['no batch']:.1f} ms without batch", Kind.SIMULATED),
            ),
            ("", "true", "as long as a core is free for LMS", f"CR block {cr['3 runnable on 4 cores']:.1f} ms", Kind.SIMULATED),
            (
                *("", "nearly true", "LMS in real time; LGWR still waits for a core, so busy blocks do"),
                *(f"CR block {cr['16 runnable, LMS in real time']:.1f} ms, of which log flush {flush:.1f} ms", Kind.SIMULATED),
            ),
            (
                "LMS is in time-share",
                "no longer",
                "real time by default (in 19c LGWR too); check that it is",
                f"since {since}",
                Kind.PUBLISHED,
            ),
            (
                "more LMS cure it",
                "false",
                "in time-share each stands in line itself",
                f"CR block {crowd:.0f} ms with 16 LMS",
                Kind.SIMULATED,
            ),
            (
                *("more LMS cost nothing", "false", "in real time each that wakes looks for more before it sleeps"),
                *(f"{few:.2f} ms CPU a request with 1 LMS, {many:.2f} ms with 16 (8 nodes)", Kind.SIMULATED),
            ),
        ]
        changed = f"104 CPUs: {counts['11.1']} LMS in 11.1, {counts['19']} in 19c"
        rule = "11.2 to 19c: CPUs / 32; 21c: CPUs / 6 from 128 CPUs and 100 GB of SGA on"
        rows.append(("by default large servers have many LMS", "less so", rule, changed, Kind.PUBLISHED))
        return pd.DataFrame(rows, columns=["part of the claim", "verdict", "when", "figure", "evidence"])

    predictions = (
        Prediction(
            "starved",
            "Node 2 has nothing to do but ask node 1 for blocks; one takes about 1 ms. Now 16 batch processes want the 4 cores of node 1, "
            "where LMS runs in time-share. How long does node 2 wait for a block?",
            (
                "about 1 ms: node 2 has CPU to spare",
                "about 4 ms: four processes share a core",
                "about 30 ms: LMS waits for its turn",
                "about 160 ms: LMS stands behind all 16",
            ),
            "about 30 ms",
            "Twelve processes stand in line before LMS, the four cores end a slice of 10 ms each, so its turn comes after about 30 ms "
            "(SIMULATED) to do work of 0.1 ms.",
        ),
        Prediction(
            "real_time",
            "LMS of node 1 gets real-time priority; the 16 batch processes stay. What becomes of node 2's wait for a CR block?",
            (
                "it is as without batch",
                "most of it goes, but blocks that need a log flush still wait",
                "it stays: there are not enough cores",
                "it doubles, because LMS now takes CPU from LGWR",
            ),
            "most of it goes",
            "LMS no longer queues for a core. LGWR still does, and one CR block in twenty has to wait for it here (SIMULATED).",
        ),
        Prediction(
            "more_lms",
            "Eight nodes, LMS in real time. Node 1 goes from 1 LMS to 16. What becomes of the CPU that LMS uses a request?",
            ("it falls: the work is shared", "it stays: the work is the same", "it rises"),
            "it rises",
            "A single busy LMS finds the next message waiting; of sixteen, one wakes for each message, looks for more and sleeps again.",
        ),
    )

    exercises = (
        Exercise(
            "turn",
            "One core, 8 runnable batch processes, time slices of 10 ms: how long does a woken LMS in time-share wait for the core "
            "on average, in milliseconds?",
            10.0,
            "ms",
            lambda answer: near(answer, 1000 * StarvationLevers(runnable=8, cores=1).turn_s(), 0.03, "ms"),
            ("One of the eight is on the core, in the middle of its slice on average.", "The other seven go first, a slice each."),
            "Half a slice and seven whole ones: 75 ms. The simulation gives the same for a single session.",
        ),
        Exercise(
            "headroom",
            "2 nodes, 4 cores, 2 LMS in time-share: which is the largest number of runnable batch processes with which a CR block still "
            "takes less than 5 ms?",
            2,
            "processes",
            lambda answer: _check_headroom(answer),
            ("Move the first lever down and read the sentence under the chart.", "What changes when the last core is taken?"),
            "LMS needs a core that is free when it wakes, or nearly. As soon as more processes are runnable than there are cores, "
            "it waits at least for the end of somebody's slice.",
        ),
        Exercise(
            "default_count",
            "An instance of release 11.1 starts 26 LMS by itself. How many CPUs does it have at least?",
            64,
            "CPUs",
            lambda answer: _check_default_count(answer),
            ("Above eight CPUs the rule of 11.1 is one LMS for so many CPUs.", "default_counts() shows the rules."),
            "One LMS for four CPUs: 104. From 11.2 on the rule is 2 + CPUs / 32, and 104 CPUs get 5.",
        ),
    )


def lms_cpu_ms(measured: BlockMeasurement, instance: int = 1) -> float:
    """CPU of an instance's LMS a request in ms, looking for more messages included; mean over the runs."""
    of = measured.lms[measured.lms["inst_id"] == instance]
    return float((1000 * of["cpu_s"] / of["requests"]).mean())


@functools.cache
def _cr_ms(runnable: int) -> float:
    return value(MYTH.simulate(StarvationLevers(runnable=runnable)), receive_time("cr")).mean


def _check_headroom(answer: int) -> tuple[bool, str]:
    limit, highest = 5.0, int(StarvationLevers.specs()["runnable"].high)
    if not 0 <= answer <= highest:
        return False, f"{answer} is not on the lever; it takes {StarvationLevers.specs()['runnable'].describe()}."
    right = next(count for count in range(highest) if _cr_ms(count + 1) >= limit)
    if answer == right:
        return True, f"Right: {_cr_ms(right):.2g} ms with {right}, {_cr_ms(right + 1):.2g} ms with one more (SIMULATED)."
    if answer > right:
        return False, f"With {answer} it takes {_cr_ms(answer):.2g} ms (SIMULATED); the limit is {limit:g} ms."
    return False, f"With {answer} it takes {_cr_ms(answer):.2g} ms (SIMULATED); there is room for more."


def _check_default_count(answer: int) -> tuple[bool, str]:
    wanted = 26
    if answer < 1:
        return False, "An instance has at least one CPU."
    right = next(cpus for cpus in range(1, 10_000) if default_count("11.1", cpus) == wanted)
    if answer == right:
        return True, f"Right: {right} CPUs."
    return False, f"With {answer} CPUs release 11.1 starts {default_count('11.1', answer)} LMS."


MYTH = LmsCpuStarvation()
