"""Slow global cache: what the wire has to do with it, and what LMS, its CPU and LGWR have.

Two nodes ask each other for blocks. The levers work on node 2, or on the wire between the two, so that node 1's wait for node 2's blocks
can be set beside node 2's wait for node 1's. The published table is AWR's of two nodes. Its server's figures (flush time, share of
flushes) are taken over as settings; the receive times are then predicted, and missed, for reasons that ``compare`` names.
"""

import dataclasses
import functools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import pandas as pd
import plotly.graph_objects as go

from raclab.cluster.gc_frames import LMS_WAITS, LMS_WORKS
from raclab.cluster.gc_requests import FLUSH, KINDS, MESSAGE, RECEIVER, WIRE, Workload
from raclab.cluster.lms import TIME_SHARE
from raclab.cluster.nodes import NodeSetup
from raclab.cluster.parameters import DISK_ACCESS_HIGH_S, Hardware
from raclab.evidence import awr, published
from raclab.evidence.compare import error_pct, value
from raclab.evidence.measurement import STAT_COLUMNS, Kind, Measurement, Source, empty_frame
from raclab.evidence.table import Table
from raclab.myths.answers import near
from raclab.myths.base import Exercise, Live, Myth, Prediction
from raclab.myths.block_drawing import (
    BlockMeasurement,
    Panel,
    blocks_chart,
    breakdown,
    interconnect_share,
    milliseconds,
    receive_time,
    simulate,
)
from raclab.myths.levers import Levers, lever
from raclab.myths.live_places import four_on_each_of_two

SLUG = "interconnect_blame"
ALL_SEEDS = range(1, 9)
PUBLISHED_CASE = "two nodes, AWR"
DEFAULT_WRITE_MS = 1000 * DISK_ACCESS_HIGH_S
BLOCKS = 400
FLUSHING_S = 100.0

MODEL = Source(Kind.SIMULATED, "RAC Myths Lab, cluster model", None, "not Oracle", "parameters in raclab/cluster/parameters.py")


@dataclass(frozen=True)
class BlameLevers(Levers):
    """What the learner may vary: two levers of the wire, three of node 2 as the one that serves node 1."""

    wire_latency_ms: float = lever(
        0.4, "Wire latency", unit="ms", help="One way of a message, with the software at both ends.", low=0.05, high=20, step=0.05
    )
    bandwidth_used_pct: int = lever(
        0, "Bandwidth used", unit="%", help="Share of the link that other traffic takes, both ways.", low=0, high=90, step=5
    )
    runnable: int = lever(0, "Runnable batch processes", help="On node 2 with its 4 cores, where LMS runs in time-share.", low=0, high=64)
    redo_write_ms: float = lever(
        DEFAULT_WRITE_MS, "Redo write", unit="ms", help="Mean time of one write of LGWR on node 2.",
        choices=(0.5, 1.0, 2.0, DEFAULT_WRITE_MS, 10.0, 20.0, 50.0, 100.0, 200.0, 500.0, 1000.0, 2000.0, 4380.0),
    )  # fmt: skip
    busy_pct: float = lever(
        5.0, "Busy CR blocks", unit="%", help="CR blocks whose last change is not in the redo log on disk yet.", low=0, high=100, step=0.5
    )

    def describe(self) -> str:
        """What is not at its default, in a few words."""
        words = []
        for name, spec in self.specs().items():
            setting = getattr(self, name)
            if setting != getattr(type(self), name):
                words.append(f"{spec.label[0].lower()}{spec.label[1:]} {setting:g} {spec.unit}".rstrip())
        return ", ".join(words) or "healthy"


def workload(levers: BlameLevers) -> Workload:
    """The levers as a workload: each node asks the other; LMS and LGWR of node 2 are in time-share.

    The share of busy current blocks is the published one, the same on both nodes. Where flushes make a block take very long, each
    session asks for fewer of them, so that the flushes take FLUSHING_S in all at the most: the chart is about one block.
    """
    flush_a_block_s = levers.busy_pct / 100 * levers.redo_write_ms / 1000
    latency_s = levers.wire_latency_ms / 1000
    hardware = Hardware()
    hardware = dataclasses.replace(hardware, block_get_s=2 * latency_s + hardware.lms_cpu_s + hardware.wire_s)
    node_2 = NodeSetup(
        lms_priority=TIME_SHARE, lgwr_priority=TIME_SHARE, runnable=levers.runnable, redo_write_s=levers.redo_write_ms / 1000
    )
    return Workload(
        hardware,
        asks=((0, 1), (1, 0)),
        blocks=BLOCKS if flush_a_block_s * BLOCKS <= FLUSHING_S else round(FLUSHING_S / flush_a_block_s),
        setups=(NodeSetup(), node_2),
        busy_cr=levers.busy_pct / 100,
        busy_current=_published_value(2, awr.flush_share("current")) / 100,
        bandwidth_used=levers.bandwidth_used_pct / 100,
    )


HEALTHY = BlameLevers()
FAULTS: dict[str, BlameLevers] = {
    "healthy": HEALTHY,
    "wire latency 10 ms": BlameLevers(wire_latency_ms=10.0),
    "bandwidth 90 % used": BlameLevers(bandwidth_used_pct=90),
    "LMS without CPU": BlameLevers(runnable=32),
    "redo write 500 ms": BlameLevers(redo_write_ms=500.0),
    "redo write 4,380 ms": BlameLevers(redo_write_ms=4380.0),
}


@functools.cache
def _published_values() -> dict[tuple[int, str], float]:
    frame = published.load(SLUG).frame("awr_gc_workload")
    return dict(zip(zip(frame["node"].astype(int), frame["metric"].astype(str), strict=True), frame["value"].astype(float), strict=True))


def _published_value(node: int, label: str) -> float:
    return _published_values()[node, label]


@functools.cache
def _published() -> Measurement:
    rows = [(0, node, metric, printed) for (node, metric), printed in _published_values().items()]
    stats = pd.concat([empty_frame(STAT_COLUMNS), pd.DataFrame(rows, columns=list(STAT_COLUMNS))], ignore_index=True)
    return Measurement(published.load(SLUG).source, PUBLISHED_CASE, {}, stats=stats)


def as_published(seeds: Sequence[int] = ALL_SEEDS) -> BlockMeasurement:
    """The simulation with both nodes' published flush times as the times of a redo write, and node 2's share of flushes on both.

    One session a node, so that no flush stands behind another one's write: a published flush time holds LGWR's queue already.
    """
    settings = BlameLevers(redo_write_ms=_published_value(2, awr.flush_time("cr")), busy_pct=_published_value(2, awr.flush_share("cr")))
    load = workload(settings)
    node_1 = NodeSetup(redo_write_s=_published_value(1, awr.flush_time("cr")) / 1000)
    # its flushes for current blocks took node 2 no time (0.0 ms), so there are none here
    load = dataclasses.replace(load, setups=(node_1, load.setups[1]), sessions=1, blocks=4 * BLOCKS, busy_current=0.0)
    return simulate(load, seeds, MODEL, "published flush times", settings.as_dict())


class InterconnectBlame(Myth):
    """The myth of the slow interconnect."""

    slug = SLUG
    number = 2
    claim = "Slow global cache means a slow interconnect."
    said_by = "Whoever reads 'gc' in the top events and calls the network team."
    levers = BlameLevers
    live = Live(
        "interconnect_blame.sql",
        "Four sessions on each of two instances read and change rows in the same 2,000 blocks. Receive times are the sessions' own; "
        "what the serving instance did (build, pin, flush, send) is its LMS's, from V$SYSSTAT, V$CR_BLOCK_SERVER and "
        "V$CURRENT_BLOCK_SERVER. Your cluster is measured as it is: the levers don't slow anything down.",
        "Without a second instance there is no global cache to wait for, so nothing is run.",
        least_instances=2,
        places=four_on_each_of_two,
        placing=(),
        case=lambda levers, instances: "your cluster as it is",
        views=("SYSSTAT", "CR_BLOCK_SERVER", "CURRENT_BLOCK_SERVER", "INSTANCE_CACHE_TRANSFER"),
    )
    presets: ClassVar[dict[str, BlameLevers]] = FAULTS

    def simulate(self, levers: Levers, seeds: Sequence[int] = ALL_SEEDS) -> BlockMeasurement:
        """Four sessions on each node ask the other for 400 blocks each, once a seed. Rows for most views come with a single seed."""
        assert isinstance(levers, BlameLevers)
        return simulate(workload(levers), seeds, MODEL, levers.describe(), levers.as_dict())

    def published(self) -> list[Measurement]:
        """AWR's averages of two nodes; ``stats`` has them under AWR's own names, in ms and percent, because no totals were published."""
        return [_published()]

    def figure(self, measurements: Sequence[Measurement]) -> go.Figure:
        """Where the time of one block goes: what each node receives from the other, CR and current."""
        panels = [Panel(f"node {node} receives a {'CR' if kind == 'cr' else kind} block", kind, node) for node in (1, 2) for kind in KINDS]
        return blocks_chart(measurements, panels, "Where the wait for a block goes")

    def sentence(self, measurements: Sequence[Measurement]) -> str:
        """Node 1's receive time and its largest part beside node 2's, and the share of message and wire."""
        return " ".join(_told(one) for one in measurements)

    def arithmetic(self) -> Table:
        """The published table, added up: what the serving node's figures account for, beside what the other node received in. In ms."""
        rows = []
        for receiver, server in ((1, 2), (2, 1)):
            for kind in KINDS:
                work, send, share, flush = (
                    _published_value(server, label(kind)) for label in (awr.work_time, awr.send_time, awr.flush_share, awr.flush_time)
                )
                received = _published_value(receiver, awr.receive_time(kind))
                a_block = share / 100 * flush
                total = work + send + a_block
                rows.append(
                    (
                        receiver,
                        server,
                        kind,
                        work,
                        send,
                        share,
                        flush,
                        round(a_block, 2),
                        round(total, 2),
                        received,
                        round(received - total, 2),
                    )
                )
        columns = [
            "receiver",
            "server",
            "block",
            "build or pin",
            "send",
            "flushed (%)",
            "a flush",
            "flush a block",
            "accounted for",
            "received in",
            "left",
        ]
        return Table(pd.DataFrame(rows, columns=columns), Kind.PUBLISHED, published.load(SLUG).source.line)

    def shares(self, seeds: Sequence[int] = ALL_SEEDS) -> Table:
        """What each fault does: node 1's CR block by part in ms, the interconnect's share, and node 2's receive time as the control."""
        rows = []
        for name, levers in FAULTS.items():
            measured = self.simulate(levers, seeds)
            parts = breakdown(measured, "cr", 1)
            other = value(measured, receive_time("cr", 2)).mean
            shown = [round(parts[part], 2) for part in (MESSAGE, LMS_WAITS, LMS_WORKS, FLUSH, WIRE, RECEIVER)]
            rows.append((name, *shown, round(sum(parts.values()), 2), round(interconnect_share(measured, "cr", 1), 1), round(other, 2)))
        columns = [
            "fault",
            MESSAGE,
            LMS_WAITS,
            LMS_WORKS,
            FLUSH,
            WIRE,
            RECEIVER,
            "node 1 receives in",
            "interconnect (%)",
            "node 2 receives in",
        ]
        return Table(pd.DataFrame(rows, columns=columns), Kind.SIMULATED, f"{MODEL.title}; CR blocks, ms")

    def compare(self, seeds: Sequence[int] = ALL_SEEDS) -> pd.DataFrame:
        """Published beside simulated, with the published flush times as redo write times; in ms."""
        simulated = awr.averages(as_published(seeds)).groupby("inst_id").mean()
        rows: list[tuple[Any, ...]] = []
        for receiver, server in ((1, 2), (2, 1)):
            case = f"node {server} serves node {receiver}"
            wanted = (
                (server, awr.work_time("cr")),
                (server, awr.flush_time("cr")),
                (receiver, awr.receive_time("cr")),
                (receiver, awr.receive_time("current")),
            )
            for node, label in wanted:
                was, is_ = _published_value(node, label), float(simulated[label].to_dict()[node])
                rows.append((case, f"node {node}: {label}", "ms", was, is_, error_pct(was, is_), _WHY.get((node, label), "")))
        return pd.DataFrame(rows, columns=["case", "figure", "unit", "published", "simulated", "error_pct", "why"])

    def verdict(self) -> pd.DataFrame:
        """The parts of the claim, each with verdict, condition and rounded figures with their badge."""
        table = self.shares().frame.set_index("fault")

        def told(fault: str) -> str:
            row = table.loc[fault]
            slow, share, other = (row[name] for name in ("node 1 receives in", "interconnect (%)", "node 2 receives in"))
            return f"{slow:.3g} ms, of which interconnect {share:.0f} %; node 2 {other:.3g} ms"

        flush, share = (_published_value(2, label("cr")) for label in (awr.flush_time, awr.flush_share))
        received = _published_value(1, awr.receive_time("cr"))
        slow, quick = (_published_value(node, awr.receive_time("current")) for node in (1, 2))
        held = float(awr.accounted(awr.averages(_published()), "cr", server=2).mean())
        rows = [
            (
                *("slow gc is a slow interconnect", "false", "LGWR of the serving node writes slowly"),
                *(f"node 2: {share:g} % of CR blocks flushed, {flush:,.0f} ms each", Kind.PUBLISHED),
            ),
            ("", "false", "the same, predicted", told("redo write 500 ms"), Kind.SIMULATED),
            ("", "false", "LMS of the serving node waits for a core; its own sessions do too", told("LMS without CPU"), Kind.SIMULATED),
            ("", "true", "latency is high: then both nodes receive slowly", told("wire latency 10 ms"), Kind.SIMULATED),
            ("", "true", "the link is nearly full: both again", told("bandwidth 90 % used"), Kind.SIMULATED),
            (
                *("it was the wire that day", "unlikely", "node 2 received over the same wire, if at the same time"),
                *(f"current blocks: node 1 {slow:g} ms, node 2 {quick:g} ms", Kind.PUBLISHED),
            ),
            (
                *("the flushes explain all of it", "not shown", "the two rows need not be about the same blocks"),
                *(f"{held:.0f} ms a block served, {received:g} ms received", Kind.PUBLISHED),
            ),
        ]
        return pd.DataFrame(rows, columns=["part of the claim", "verdict", "when", "figure", "evidence"])

    predictions = (
        Prediction(
            "where",
            "Node 1 receives a CR block in 63.3 ms on average, node 2 in 10.4 ms (PUBLISHED, AWR of both). Where do you look first?",
            (
                "at the switch between the nodes",
                "in node 1's report: its build, flush and send times",
                "in node 2's report: its build, flush and send times",
                "at node 1's disks",
            ),
            "in node 2's report",
            "Node 1 waits for what node 2 serves. Node 2's report has a flush time of 4,380 ms (PUBLISHED): its LGWR, not the wire.",
        ),
        Prediction(
            "per_block",
            "Node 2 flushed the log for 5.0 % of the CR blocks that it served, and a flush took 4,380 ms (PUBLISHED). "
            "How much of that comes upon a block, on average?",
            ("4,380 ms", "219 ms", "63.3 ms: what node 1 received in", "nothing: flushes are asynchronous"),
            "219 ms",
            "5.0 % of 4,380 ms is 219 ms. That is more than the 63.3 ms in which node 1 received a block, so the two rows can't be about "
            "the same blocks: a table of averages does not prove its own story.",
        ),
        Prediction(
            "sign",
            "What would you see if it really were the wire?",
            ("only node 1 receives slowly", "both nodes receive slowly", "flush times go up", "build times go up"),
            "both nodes receive slowly",
            "Requests and blocks of both directions share the interconnect, LMS and LGWR belong to one node. But a node without CPU makes "
            "both slow as well: it serves late, and its own sessions wake late (SIMULATED, see the faults). Look at the run queues first.",
        ),
    )

    exercises = (
        Exercise(
            "unexplained",
            "Current blocks, node 1: how many of the 42.1 ms do node 2's own figures (pin, send, its share of flushes) not account for?",
            10.0,
            "ms",
            lambda answer: _check_unexplained(answer),
            ("Node 2 pins in 0.0 ms, sends in 0.1 ms and flushes for 0.1 % of them.", "Take what node 2 accounts for from 42.1 ms."),
            "0.1 ms is accounted for, 42.0 ms is not. AWR has no line for the time that a request waits for LMS, nor for the wire.",
        ),
        Exercise(
            "flush_that_fits",
            "CR blocks, node 1: with flushes for 5.0 % of the blocks, how long would a flush have to take on average to explain 63.3 ms a "
            "block and nothing else?",
            4380.0,
            "ms",
            lambda answer: _check_flush_that_fits(answer),
            ("5.0 % of it is 63.3 ms.", "63.3 ms / 0.05."),
            "1,266 ms. Node 2 reports 4,380 ms, 3.5 times as much: its average and node 1's are not over the same blocks.",
        ),
        Exercise(
            "wire_share",
            "Set the redo write to 500 ms and leave the rest: which share of node 1's time for a CR block do message and wire have, "
            "in percent?",
            50.0,
            "%",
            lambda answer: _check_wire_share(answer),
            ("The sentence under the chart names it.", "Message and wire still take as long as before; the whole has grown."),
            "Less than 4 % (SIMULATED). A wire twice as fast would not be felt; an LGWR twice as fast would halve the wait.",
        ),
    )


_NAMES = {
    MESSAGE: "the message",
    LMS_WAITS: "LMS's wait for CPU",
    LMS_WORKS: "LMS's work",
    FLUSH: "the log flush",
    WIRE: "the wire",
    RECEIVER: "the receiver's own wait for CPU",
}

_WHY = {
    (
        1,
        awr.receive_time("cr"),
    ): "5.0 % flushes of 4,380 ms are 219 ms a block, more than node 1's 63.3 ms: the two rows are about different blocks",
    (
        1,
        awr.receive_time("current"),
    ): "node 2 accounts for 0.1 of 42.1 ms; the rest, LMS's queue or the wire, is not in the table and not in the settings",
    (
        2,
        awr.receive_time("cr"),
    ): "node 1 accounts for 2.7 of 10.4 ms; the rest, LMS's queue or the wire, is not in the table and not in the settings",
    (
        2,
        awr.receive_time("current"),
    ): "node 1 reports 4.8 ms for a send alone, more than the 3.2 ms of the receiver: different blocks again",
    (1, awr.work_time("cr")): "LMS's CPU is assumed to be 0.1 ms a block; node 1's blocks needed more undo applied, or CPU was short",
}


@functools.lru_cache(maxsize=64)  # the published one stands in every sentence
def _told(one: Measurement) -> str:
    slow, other = (milliseconds(value(one, receive_time("cr", node)).mean) for node in (1, 2))
    text = f"{one.badge}, {one.case}: node 1 receives a CR block in {slow}, node 2 in {other}"
    if not isinstance(one, BlockMeasurement):
        held = milliseconds(float(awr.accounted(awr.averages(one), "cr", server=2).mean()))
        return f"{text}. Node 2's own figures (build, send, its share of flushes) make {held} a block; LMS's queue and the wire have none."
    parts = breakdown(one, "cr", 1)
    top = max(parts, key=lambda name: parts[name])
    share, longest = interconnect_share(one, "cr", 1), milliseconds(parts[top])
    return f"{text}. Of node 1's time the interconnect (message and wire) has {share:.2g} %; the largest part is {_NAMES[top]}, {longest}."


def _check_unexplained(answer: float) -> tuple[bool, str]:
    left = MYTH.arithmetic().frame.set_index(["receiver", "block"])["left"]
    return near(answer, float(left.to_dict()[1, "current"]), 0.001, kind=Kind.PUBLISHED)


def _check_flush_that_fits(answer: float) -> tuple[bool, str]:
    received, share = _published_value(1, awr.receive_time("cr")), _published_value(2, awr.flush_share("cr"))
    return near(answer, 100 * received / share, 0.01, kind=Kind.PUBLISHED)


def _check_wire_share(answer: float) -> tuple[bool, str]:
    return near(answer, interconnect_share(MYTH.simulate(FAULTS["redo write 500 ms"]), "cr", 1), 0.1, kind=Kind.SIMULATED)


MYTH = InterconnectBlame()
