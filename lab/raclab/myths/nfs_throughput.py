"""Kernel NFS against direct NFS: how many connections carry the reads.

One parameter, what a single connection takes in a second, is inferred from one published figure, the scan over kernel NFS; that figure is
therefore met by construction. The others are predicted from it, from the link's rate and from what cluster/nfs.py states. Two assumptions
of the OLTP test (a user's cycle of about 1 ms, 15 microseconds of a connection for each reply) were chosen with the published stall at 32
users in view; ``sensitivity`` shows how far the prediction rests on them.
"""

import dataclasses
import functools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import pandas as pd
import plotly.graph_objects as go

from raclab.cluster import nfs, nfs_frames
from raclab.cluster.nfs import NfsHardware, NfsLoad
from raclab.evidence import figures, published
from raclab.evidence.compare import error_pct, value
from raclab.evidence.figures import Figure
from raclab.evidence.measurement import SESSION_COLUMNS, Kind, Measurement, Source
from raclab.evidence.table import Table
from raclab.myths.answers import near
from raclab.myths.base import Exercise, Myth, Prediction
from raclab.myths.drawing import seconds_text
from raclab.myths.levers import Levers, lever
from raclab.myths.parts_drawing import Looks, PartsMeasurement, parts_chart, parts_of

SLUG = "nfs_throughput"
ALL_SEEDS = range(1, 9)
SAMPLING_S = 0.01
MOST_SESSIONS = 128
GIGA, MEGA = 1e9, 1e6

MODEL = Source(Kind.SIMULATED, "RAC Myths Lab, NFS model", None, "not Oracle", "parameters in raclab/cluster/nfs.py")

LOOKS: Looks = {
    nfs.WORK: "CPU",
    nfs.CONNECTION: "row cache lock",
    nfs.LINK: "wire",
    nfs.STORAGE: "log file sync",
    nfs.SLOT: "DFS lock handle",
}


@dataclass(frozen=True)
class NfsLevers(Levers):
    """What the learner may vary."""

    oltp: bool = lever(
        False, "Workload", help="One scan of the published table by all, or users who read single blocks.",
        choices=(False, True), names=("scan", "random reads"),
    )  # fmt: skip
    direct: bool = lever(
        False, "NFS client", help="Direct NFS opens a connection for each session.",
        choices=(False, True), names=("kernel NFS", "direct NFS"),
    )  # fmt: skip
    connections: int = lever(1, "Connections per mount", help="Of kernel NFS; direct NFS opens its own.", low=1, high=16)
    sessions: int = lever(32, "Users or DOP", help="Sessions that read at the same time.", low=1, high=MOST_SESSIONS)
    link_gbit: int = lever(10, "Link", unit="Gb/s", help="Between server and storage.", choices=(1, 10, 25, 40, 100))
    outstanding: int = lever(
        128, "Outstanding requests", help="That one connection lets be under way.", choices=(1, 2, 4, 8, 16, 32, 64, 128)
    )

    def client(self) -> str:
        """The NFS client with its connections."""
        several = f" with {self.connections} connections" if self.connections > 1 else ""
        return "direct NFS" if self.direct else f"kernel NFS{several}"

    def describe(self) -> str:
        """The setting in a few words; link and outstanding requests only where they are not as by default."""
        users = f"{self.sessions} user{'s' if self.sessions > 1 else ''}"
        words = [self.client(), users if self.oltp else f"scan with DOP {self.sessions}"]
        if self.link_gbit != NfsLevers.link_gbit:
            words.append(f"link {self.link_gbit} Gb/s")
        if self.outstanding != NfsLevers.outstanding:
            words.append(f"{self.outstanding} outstanding")
        return ", ".join(words)

    def remark(self) -> str:
        """Whether the connections per mount count."""
        if self.direct and self.connections != 1:
            return "Direct NFS opens a connection for each session, so the connections per mount don't count."
        return ""


KERNEL = NfsLevers()
DIRECT = NfsLevers(direct=True)
EIGHT = NfsLevers(connections=8)
KERNEL_32 = NfsLevers(oltp=True)
DIRECT_MOST = NfsLevers(oltp=True, direct=True, sessions=MOST_SESSIONS)
KERNEL_MOST = NfsLevers(oltp=True, sessions=MOST_SESSIONS)
EIGHT_MOST = NfsLevers(oltp=True, connections=8, sessions=MOST_SESSIONS)


@dataclass(frozen=True)
class Scan:
    """The published scan. ``table_bytes`` is inferred: direct NFS's rate times its elapsed time."""

    rows: int
    direct_s: float
    direct_bytes_s: float
    kernel_s: float

    @property
    def table_bytes(self) -> float:
        """Bytes that the scan read."""
        return self.direct_bytes_s * self.direct_s

    @property
    def connection_bytes(self) -> float:
        """What one connection takes in a second: inferred from the scan over kernel NFS, which had a single one."""
        hardware = NfsHardware()
        replies = math.ceil(self.table_bytes / hardware.scan_read_bytes)
        return self.table_bytes / (self.kernel_s - replies * hardware.rpc_s)


@functools.cache
def published_scan() -> Scan:
    """The scan as published."""
    rows = published.load(SLUG).frame("scan").set_index("client").to_dict("index")
    direct, kernel = rows["direct NFS"], rows["kernel NFS"]
    return Scan(int(direct["rows"]), float(direct["elapsed_s"]), GIGA * float(direct["throughput_gb_s"]), float(kernel["elapsed_s"]))


@functools.cache
def _facts() -> dict[str, str]:
    facts = published.load(SLUG).frame("facts")
    return dict(zip(facts["fact"].tolist(), facts["value"].tolist(), strict=True))


def load(levers: NfsLevers) -> NfsLoad:
    """The levers as a load."""
    scan = published_scan()
    return NfsLoad(
        NfsHardware(),
        scan.connection_bytes,
        sessions=levers.sessions,
        table_bytes=0.0 if levers.oltp else scan.table_bytes,
        rows=0 if levers.oltp else scan.rows,
        connections=levers.connections,
        direct=levers.direct,
        outstanding=levers.outstanding,
        link_bits=levers.link_gbit * GIGA,
    )


def _rate(measured: Measurement, statistic: str) -> Any:
    return figures.statistic(statistic).read(measured) / figures.ELAPSED.read(measured)


BYTES_S = Figure("bytes read a second", "B/s", lambda measured: _rate(measured, "physical read total bytes"))
"""Bytes of all sessions divided by their mean elapsed time; NaN where the statistics are not known."""

READS_S = Figure("reads a second", "1/s", lambda measured: _rate(measured, "physical read IO requests"))
"""Read requests of all sessions divided by their mean elapsed time."""


@functools.cache
def _published() -> tuple[Measurement, ...]:
    package = published.load(SLUG)
    made = []
    for elapsed, levers in zip(package.frame("scan")["elapsed_s"].tolist(), (DIRECT, KERNEL, EIGHT), strict=True):
        sessions = [] if math.isnan(elapsed) else [(0, 1, 1, 1, math.nan, elapsed)]
        frame = pd.DataFrame(sessions, columns=list(SESSION_COLUMNS))
        stated = {name: levers.as_dict()[name] for name in ("oltp", "direct", "connections", "sessions", "link_gbit")}
        made.append(Measurement(package.source, levers.describe(), stated, frame))
    return tuple(made)


class NfsThroughput(Myth):
    """The myth of the slow kernel client."""

    slug = SLUG
    number = 12
    claim = "Kernel NFS can't keep up."
    said_by = "Whoever has compared it with direct NFS at its defaults, on a link faster than one connection."
    levers = NfsLevers
    not_live = (
        "How many connections carry the reads is decided where the database's files are mounted, by nconnect or oranfstab, as root: no SQL "
        "can change it. V$DNFS_CHANNELS shows what direct NFS has opened."
    )
    presets: ClassVar[dict[str, NfsLevers]] = {
        "kernel NFS": KERNEL,
        "direct NFS": DIRECT,
        "kernel NFS, 8 connections": EIGHT,
        "32 users, kernel NFS": KERNEL_32,
        "128 users, kernel NFS": KERNEL_MOST,
        "128 users, direct NFS": DIRECT_MOST,
        "128 users, 8 connections": EIGHT_MOST,
    }

    def simulate(self, levers: Levers, seeds: Sequence[int] = ALL_SEEDS) -> PartsMeasurement:
        """The scan of the whole table, or 200 reads of each user, once a seed. Rows for V$ views come with a single seed only."""
        assert isinstance(levers, NfsLevers)
        single = len(seeds) == 1
        built = nfs.build(load(levers), SAMPLING_S if single else math.inf)
        runs = nfs.simulate(built, list(seeds))
        views = nfs_frames.views(built, runs[0]) if single else {}
        return PartsMeasurement(
            MODEL,
            levers.describe(),
            levers.as_dict(),
            nfs_frames.sessions(built, runs),
            nfs_frames.waits(built, runs),
            nfs_frames.stats(built, runs),
            views,
            nfs_frames.parts(built, runs),
        )

    def published(self) -> list[Measurement]:
        """The scan over direct NFS, over kernel NFS, and over the repaired kernel NFS, of which no elapsed time is known."""
        return list(_published())

    def facts(self) -> Table:
        """The machine, the OLTP test and the setting that closed the gap, as stated."""
        return published.load(SLUG).table("facts")

    def figure(self, measurements: Sequence[Measurement]) -> go.Figure:
        """Where one session's time goes, a bar a measurement."""
        return parts_chart(measurements, LOOKS, "Where the time of one reading session goes", "matches direct NFS, no time published")

    def sentence(self, measurements: Sequence[Measurement]) -> str:
        """Each measurement's elapsed time and rate, and where most of its time went."""
        return " ".join(self._told(one) for one in measurements)

    def _told(self, one: Measurement) -> str:
        elapsed = value(one, figures.ELAPSED)
        text = f"{one.badge}, {one.case}: "
        if math.isnan(elapsed.mean):
            return text + "no elapsed time was published, only that it matches direct NFS."
        text += seconds_text(elapsed.mean)
        if not isinstance(one, PartsMeasurement):
            return text + "."
        rate, reads = value(one, BYTES_S).mean, value(one, READS_S).mean
        text += f" at {rate / GIGA:.2f} GB/s" if not one.levers["oltp"] else f" for 200 reads a user, {reads:,.0f} reads a second"
        parts = parts_of(one, nfs.PARTS)
        top = max(nfs.PARTS, key=lambda name: parts[name])
        text += f"; the largest part is {top}, {100 * parts[top] / elapsed.mean:.0f} %."
        return f"{text} {NfsLevers.at(one.levers).remark()}".strip()

    def compare(self, seeds: Sequence[int] = ALL_SEEDS) -> pd.DataFrame:
        """Published beside predicted: case, figure, unit, published, simulated, error_pct, why."""
        scan, facts = published_scan(), _facts()
        direct, kernel, eight = (self.simulate(levers, seeds) for levers in (DIRECT, KERNEL, EIGHT))
        elapsed = {name: value(one, figures.ELAPSED).mean for name, one in (("direct", direct), ("kernel", kernel), ("eight", eight))}
        most_reads = value(self.simulate(DIRECT_MOST, seeds), READS_S).mean
        stated_reads = float(facts["random 8 KB reads with direct NFS and a tiny buffer cache"])
        stated_mb = float(facts["throughput of those reads"])
        users = float(facts["users at which kernel NFS stops scaling"])
        rows = [
            (DIRECT.describe(), "elapsed", "s", scan.direct_s, elapsed["direct"], _LINK),
            (DIRECT.describe(), "rate", "GB/s", scan.direct_bytes_s / GIGA, value(direct, BYTES_S).mean / GIGA, _LINK),
            (KERNEL.describe(), "elapsed", "s", scan.kernel_s, elapsed["kernel"], _INFERRED),
            (EIGHT.describe(), "elapsed, as a multiple of direct NFS", "", 1.0, elapsed["eight"] / elapsed["direct"], ""),
            ("kernel NFS, random reads", "users at which it stops scaling", "users", users, self.users_at_the_knee(seeds), _IN_VIEW),
            (DIRECT_MOST.describe(), "reads a second", "1/s", stated_reads, most_reads, _STORAGE),
            (DIRECT_MOST.describe(), "rate", "MB/s", stated_mb, most_reads * NfsHardware().block_bytes / MEGA, _STORAGE),
        ]
        table = pd.DataFrame(rows, columns=["case", "figure", "unit", "published", "simulated", "why"])
        errors = [error_pct(was, is_) for was, is_ in zip(table["published"], table["simulated"], strict=True)]
        table.insert(5, "error_pct", errors)
        return table

    def users_at_the_knee(self, seeds: Sequence[int] = ALL_SEEDS) -> float:
        """Users at which the line of one user's reads a second meets what kernel NFS with one connection gives at most."""
        return _knee(NfsHardware(), seeds)

    def sensitivity(self, seeds: Sequence[int] = (1, 2)) -> Table:
        """Users at which one connection stops scaling, over the two assumptions that it rests on."""
        rows = []
        for cpu_ms in (0.25, 0.5, 1.0):
            for rpc_us in (5.0, 15.0, 30.0):
                hardware = dataclasses.replace(NfsHardware(), user_cpu_s=cpu_ms / 1000, rpc_s=rpc_us / 1e6)
                rows.append((cpu_ms, rpc_us, round(_knee(hardware, seeds))))
        columns = ["CPU of a user between two reads (ms)", "connection's time for a reply (microseconds)", "users at the knee"]
        return Table(pd.DataFrame(rows, columns=columns), Kind.SIMULATED, f"{MODEL.title}; 32 were PUBLISHED")

    def verdict(self) -> pd.DataFrame:
        """The parts of the claim, each with verdict, condition and rounded figures with their badge."""
        scan = published_scan()
        reads = {name: value(self.simulate(levers), READS_S).mean for name, levers in self.presets.items() if levers.oltp}
        eight, direct = (value(self.simulate(levers), figures.ELAPSED).mean for levers in (EIGHT, DIRECT))
        slow_kernel, slow_direct = (
            value(self.simulate(dataclasses.replace(levers, link_gbit=1)), figures.ELAPSED).mean for levers in (KERNEL, DIRECT)
        )
        rows = [
            (
                *("kernel NFS can't keep up", "true", "one connection per mount, a link faster than that connection"),
                *(f"{scan.kernel_s:.2f} s against {scan.direct_s:.2f} s", Kind.PUBLISHED),
            ),
            ("", "false", "eight connections", "matches direct NFS", Kind.PUBLISHED),
            ("", "false", "the same, predicted", f"{eight:.1f} s against {direct:.1f} s", Kind.SIMULATED),
            (
                *("", "true", "many users on one connection"),
                *(
                    f"{reads['128 users, kernel NFS']:,.0f} against {reads['128 users, direct NFS']:,.0f} reads a second (128 users)",
                    Kind.SIMULATED,
                ),
            ),
            ("", "false", "a link of 1 Gb/s: the link is the limit", f"{slow_kernel:.0f} s against {slow_direct:.0f} s", Kind.SIMULATED),
        ]
        return pd.DataFrame(rows, columns=["part of the claim", "verdict", "when", "figure", "evidence"])

    predictions = (
        Prediction(
            "scan",
            "Direct NFS scans a table of 40,025,111 rows with DOP 32 in 6.36 s (PUBLISHED). Kernel NFS at its defaults, "
            "on the same server, link and storage: how long does it take?",
            ("about 6 s: the link is the limit for both", "about 8 s", "about 16 s", "about 60 s"),
            "about 16 s",
            "16.18 s (PUBLISHED): all 32 servers share one connection, and it takes in less than half of what the link brings.",
        ),
        Prediction(
            "repair",
            "What makes kernel NFS as fast as direct NFS here?",
            ("a faster link", "more parallel servers", "more connections per mount", "faster storage"),
            "more connections per mount",
            "rpcmod:clnt_max_conns=8, and it matched direct NFS (PUBLISHED); link, servers and storage stayed as they were.",
        ),
        Prediction(
            "users",
            "Users who read single blocks over one connection: 32 of them use it up. What do users 33 to 64 bring?",
            ("nearly twice the reads", "half as many again", "nearly nothing"),
            "nearly nothing",
            "Past that point one more user only makes the line at the connection longer (SIMULATED); 32 is PUBLISHED.",
        ),
    )

    exercises = (
        Exercise(
            "connection_rate",
            "From the published figures: how many GB a second did kernel NFS's one connection carry during the scan?",
            2.0,
            "GB/s",
            lambda answer: near(answer, published_scan().table_bytes / published_scan().kernel_s / GIGA, 0.03, "GB/s"),
            ("Direct NFS's rate and time give the size of the table.", "The same bytes took kernel NFS 16.18 s."),
            "1.14 GB/s x 6.36 s = 7.25 GB; in 16.18 s that is 0.45 GB/s.",
        ),
        Exercise(
            "enough_connections",
            "Scan with DOP 32 on 10 Gb/s: which is the smallest number of connections with which kernel NFS is within 5 % of direct NFS?",
            8,
            "connections",
            lambda answer: _check_connections(answer),
            ("One connection carries 0.45 GB/s.", "The link brings about 1.19 GB/s of data."),
            "1.19 / 0.45 = 2.6, so three. Eight are no faster on this link, but leave room for a faster one.",
        ),
        Exercise(
            "faster_link",
            "Kernel NFS, one connection, scan with DOP 32: how many seconds does a link of 40 Gb/s save over one of 10 Gb/s?",
            5.0,
            "s",
            lambda answer: _check_faster_link(answer),
            ("Move the link and read the sentence under the chart.", "Which part of the time is the largest?"),
            "None that one could measure: the connection is the limit, not the link.",
        ),
    )


_INFERRED = "not a prediction: what a connection takes in a second is inferred from this figure"
_LINK = "the table's size is inferred from these two; what is predicted is that the link, at its stated rate, is the limit"
_IN_VIEW = "a user's cycle and the connection's time for a reply were chosen with this figure in view"
_STORAGE = "not a prediction: what the storage gives at most is taken from this figure"


def _knee(hardware: NfsHardware, seeds: Sequence[int]) -> float:
    def reads_s(sessions: int) -> float:
        one = dataclasses.replace(load(KERNEL_MOST), hardware=hardware, sessions=sessions)
        built = nfs.build(one)
        elapsed = nfs_frames.sessions(built, nfs.simulate(built, list(seeds)))["elapsed_s"].mean()
        return sessions * one.reads / float(elapsed)

    return reads_s(MOST_SESSIONS) / reads_s(1)


@functools.cache
def _elapsed(levers: NfsLevers) -> float:
    return value(MYTH.simulate(levers), figures.ELAPSED).mean


def _check_connections(answer: int) -> tuple[bool, str]:
    spec = NfsLevers.specs()["connections"]
    if not spec.low <= answer <= spec.high:
        return False, f"{answer} is not on the lever; it takes {spec.describe()}."
    limit = 1.05 * _elapsed(DIRECT)
    right = next(count for count in range(1, int(spec.high) + 1) if _elapsed(NfsLevers(connections=count)) <= limit)
    if answer == right:
        return True, f"Right: {seconds_text(_elapsed(NfsLevers(connections=right)))} with {right} (SIMULATED)."
    return False, f"With {answer} it takes {seconds_text(_elapsed(NfsLevers(connections=answer)))} (SIMULATED); the limit is {limit:.2f} s."


def _check_faster_link(answer: float) -> tuple[bool, str]:
    saved = _elapsed(KERNEL) - _elapsed(NfsLevers(link_gbit=40))
    if abs(answer - saved) <= 0.2:
        return True, f"Right: {saved:.2f} s (SIMULATED)."
    return False, f"It does not save {answer:g} s: look at which part of the time is the largest."


MYTH = NfsThroughput()
