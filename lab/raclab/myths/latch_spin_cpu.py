"""Latches cost CPU even where nobody sleeps: what two sessions on one block use more than one.

The CPU of a session and its gets come from the one-session runs. Beside them the prediction rests on two assumptions: half of the work
between two gets of 9.2 is done under the latch (chosen with the published 33 million misses of 67 million gets in view; no CPU time of two
sessions was used), and a cache line from another core takes 100 ns. ``sensitivity`` shows how far they carry. Only a sample of the gets is
simulated (cluster/latches.py) and scaled.
"""

import dataclasses
import functools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import pandas as pd
import plotly.graph_objects as go

from raclab.cluster import latch_frames, latches
from raclab.cluster.latches import LatchHardware, LatchLoad
from raclab.evidence import figures, published
from raclab.evidence.compare import error_pct, value
from raclab.evidence.measurement import SESSION_COLUMNS, WAIT_COLUMNS, Kind, Measurement, Source
from raclab.evidence.table import Table
from raclab.myths.answers import near
from raclab.myths.base import Exercise, Live, Myth, Prediction
from raclab.myths.cpu_drawing import cpu_chart
from raclab.myths.drawing import seconds_text
from raclab.myths.levers import Levers, lever
from raclab.myths.live_places import on_the_first
from raclab.myths.parts_drawing import Looks, PartsMeasurement, part_time
from raclab.oracle_names import wait_class

SLUG = "latch_spin_cpu"
ALL_SEEDS = range(1, 9)
HOLD_SHARE = 0.5
PUBLISHED_ROWS = 25
SPIN_COUNT = 2000  # the documented default of _spin_count in those versions

MODEL = Source(Kind.SIMULATED, "RAC Myths Lab, latch model", None, "not Oracle", "parameters in raclab/cluster/latches.py")

LOOKS: Looks = {
    latches.WORK: "CPU",
    latches.LINES: "wire",
    latches.SPINNING: "row cache lock",
    latches.SLEEPING: "log file sync",
    latches.CORE: "DFS lock handle",
}


@dataclass(frozen=True)
class LatchLevers(Levers):
    """What the learner may vary; machine and version are those of the case whose gets were published."""

    sessions: int = lever(2, "Sessions", help="Each runs the query once, all at the same time.", low=1, high=16)
    same: bool = lever(
        True, "Table", help="All read the same table, or each its own.", choices=(False, True), names=("a table each", "the same table")
    )
    spin_count: int = lever(
        SPIN_COUNT, "Spin count", unit="looks", help="Looks at a held latch before the session sleeps.",
        choices=(1, 10, 100, 1000, SPIN_COUNT, 20000),
    )  # fmt: skip
    cores: int = lever(2, "Cores", help="Of the machine.", low=1, high=16)
    rows: int = lever(PUBLISHED_ROWS, "Rows", unit="rows", help="Of the table; each one doubles the gets.", low=10, high=30)

    def describe(self) -> str:
        """The setting in a few words; only what is not as in the published test is added."""
        words = ["1 session"] if self.sessions == 1 else [f"{self.sessions} sessions", "same table" if self.same else "a table each"]
        for name in ("spin_count", "cores", "rows"):
            spec, now = self.specs()[name], getattr(self, name)
            if now != getattr(type(self), name):
                words.append(f"{spec.label.lower()} {now}" if spec.label != "Rows" else f"{now} rows")
        return ", ".join(words)

    def remark(self) -> str:
        """Whether it matters which table the sessions read."""
        return "One session has nobody to share a table with." if self.sessions == 1 and not self.same else ""


ONE = LatchLevers(sessions=1)
OWN = LatchLevers(same=False)
SAME = LatchLevers()


@dataclass(frozen=True)
class Platform:
    """One machine and version of the published test.

    doublings  the gets of one session are 2 to this power
    gets_from  where that number comes from
    cores      of the machine; 2 where not stated
    """

    name: str
    platform: str
    version: str | None
    doublings: int
    gets_from: str
    cores: int = 2

    @property
    def hold_share(self) -> float:
        """Share of the CPU under the latch: fewer gets for the same work hold it for less of the time."""
        return HOLD_SHARE * 2.0 ** (self.doublings - PUBLISHED_ROWS)


BASE = Platform("laptop, 9.2.0.8", "laptop, Turion 1.6 GHz", "9.2.0.8", 25, "published")
PLATFORMS = (
    BASE,
    Platform("laptop, 11.1.0.6", "laptop, Turion 1.6 GHz", "11.1.0.6", 23, "published"),
    Platform("Xeon Clovertown, 11.1.0.6.1", "Xeon Clovertown, Linux 2.6.18", "11.1.0.6.1", 23, "as on the laptop with 11.1", 8),
    Platform("Pentium 4, 10.2.0.1", "Intel 830 (Pentium 4) 2.1 GHz, Linux", "10.2.0.1", 25, "as on the laptop with 9.2"),
    Platform("elsewhere (first report)", "elsewhere (first report)", None, 25, "as on the laptop with 9.2"),
)


@functools.cache
def published_cpu(platform: Platform, runs: int, same: bool = True, connect_by: str = "old") -> float:
    """Published CPU seconds of one session; NaN where it was not measured."""
    frame = published.load(SLUG).frame("cpu_seconds")
    version = frame["version"].isna() if platform.version is None else frame["version"] == platform.version
    rows = frame[(frame["platform"] == platform.platform) & version & (frame["connect_by"] == connect_by) & (frame["runs"] == runs)]
    if runs > 1:
        rows = rows[rows["same_table"] == ("yes" if same else "no")]
    return float(rows["cpu_s_each"].iloc[0]) if len(rows) else math.nan


def load(levers: LatchLevers) -> LatchLoad:
    """The levers as a load of the laptop with 9.2."""
    work = 2.0 ** (levers.rows - PUBLISHED_ROWS)
    return LatchLoad(
        2**levers.rows,
        work * published_cpu(BASE, 1),
        HOLD_SHARE,
        sessions=levers.sessions,
        same=levers.same,
        spin_count=levers.spin_count,
        cores=levers.cores,
    )


def _load_of(platform: Platform, *, same: bool) -> LatchLoad:
    return LatchLoad(2**platform.doublings, published_cpu(platform, 1), platform.hold_share, same=same, cores=platform.cores)


@functools.cache
def _published() -> tuple[Measurement, ...]:
    package = published.load(SLUG)
    frame = package.frame("cpu_seconds")
    made = []
    for levers in (ONE, OWN, SAME):
        cpu = published_cpu(BASE, levers.sessions, levers.same)
        waited = frame.loc[(frame["cpu_s_each"] == cpu) & (frame["version"] == BASE.version), "latch_wait_s_each"].iloc[0]
        sessions = pd.DataFrame([(0, 1, 1, math.nan, cpu, math.nan)], columns=list(SESSION_COLUMNS))
        slept = [] if math.isnan(waited) else [(0, 1, 1, latches.EVENT, wait_class(latches.EVENT), SLEEPS_EACH, waited, math.nan)]
        waits = pd.DataFrame(slept, columns=list(WAIT_COLUMNS))
        stated = {name: levers.as_dict()[name] for name in ("sessions", "same", "cores", "rows")}
        made.append(Measurement(package.source, f"{BASE.name}, {levers.describe()}", stated, sessions, waits))
    return tuple(made)


# Stated in words in the notes of data/latch_spin_cpu/cpu_seconds.csv
GETS_M, MISSES_M, SLEEPS_EACH, PENTIUM_MISSES_M = 67.0, 33.0, 1500, 7.6


@dataclass(frozen=True, eq=False)
class LatchMeasurement(PartsMeasurement):
    """A simulated measurement that also has V$LATCH's line, one row a run (columns as in cluster/latch_frames.py)."""

    latch: pd.DataFrame = dataclasses.field(default_factory=pd.DataFrame)


class LatchSpinCpu(Myth):
    """The myth that latches cost nothing where nobody sleeps."""

    slug = SLUG
    number = 8
    claim = "If latch sleeps are low, latches cost nothing."
    said_by = "Whoever tunes by wait events: a session that spins waits for nothing, it is on CPU."
    levers = LatchLevers
    live = Live(
        "latch_spin_cpu.sql",
        "Each session scans a table of one row three million times within one statement, on the same table or on its own. CPU is the "
        "sessions' own, the misses of `cache buffers chains` are the instance's (V$LATCH). Compare 1 session, 2 on the same table and "
        "2 on a table each: the ratio is what compares with the published one, not the seconds.",
        "",
        places=on_the_first("sessions"),
        placing=("sessions",),
        views=("LATCH",),
    )
    presets: ClassVar[dict[str, LatchLevers]] = {
        "1 session": ONE,
        "2 sessions, a table each": OWN,
        "2 sessions, same table": SAME,
        "2 sessions, same table, 1 core": LatchLevers(cores=1),
        "8 sessions, 8 cores": LatchLevers(sessions=8, cores=8),
    }

    def simulate(self, levers: Levers, seeds: Sequence[int] = ALL_SEEDS) -> LatchMeasurement:
        """A sample of the query's gets, scaled to all of them, once a seed. Rows for V$ views come with a single seed only."""
        assert isinstance(levers, LatchLevers)
        single = len(seeds) == 1
        return _simulate(load(levers), levers.describe(), levers, tuple(seeds), samples=single)

    def published(self) -> list[Measurement]:
        """The laptop with 9.2: one session, two on a table each, two on the same. Its CPU was published, not its elapsed time."""
        return list(_published())

    def figure(self, measurements: Sequence[Measurement]) -> go.Figure:
        """What one session's time goes into, a bar a measurement."""
        return cpu_chart(measurements, LOOKS, "CPU of one session that runs the query, and what it waits for")

    def sentence(self, measurements: Sequence[Measurement]) -> str:
        """Each measurement's CPU, what of it is spinning, and what the latch's counters show."""
        return " ".join(self._told(one) for one in measurements)

    def _told(self, one: Measurement) -> str:
        text = f"{one.badge}, {one.case}: {seconds_text(value(one, figures.CPU).mean)} of CPU a session"
        slept = value(one, figures.waits(latches.EVENT)).mean
        if not isinstance(one, LatchMeasurement):
            return text + (f", {slept:,.0f} sleeps each." if not math.isnan(slept) else ".")
        spinning, lines = (value(one, part_time(part)).mean for part in (latches.SPINNING, latches.LINES))
        latch = one.latch.mean(numeric_only=True)
        missed = 100 * latch["MISSES"] / latch["GETS"]
        text = (
            f"{text}, {seconds_text(spinning)} of it spinning and {seconds_text(lines)} for cache lines; {missed:.0f} % "
            f"of the gets missed, {latch['SLEEPS']:,.0f} sleeps, {seconds_text(value(one, figures.ELAPSED).mean)} elapsed."
        )
        return f"{text} {LatchLevers.at(one.levers).remark()}".strip()

    def compare(self, seeds: Sequence[int] = ALL_SEEDS) -> pd.DataFrame:
        """Published beside predicted: case, figure, unit, published, simulated, error_pct, why."""
        rows: list[tuple[str, str, str, float, float, str]] = []
        for platform in PLATFORMS:
            alone = published_cpu(platform, 1)
            for same, what in ((True, _SAME_RATIO), (False, _OWN_RATIO)):
                was = published_cpu(platform, 2, same)
                if not math.isnan(was):
                    is_ = _cpu(_load_of(platform, same=same), tuple(seeds)) / alone
                    rows.append((platform.name, what, "", was / alone, is_, _WHY.get((platform.name, what), "")))
            new, two_new = (published_cpu(platform, runs, connect_by="new") for runs in (1, 2))
            if not math.isnan(new):
                rows.append((platform.name, f"{_SAME_RATIO}, newer CONNECT BY", "", two_new / new, math.nan, _NEW))
        base, pentium = (_simulate(_load_of(one, same=True), one.name, SAME, tuple(seeds)).latch for one in (BASE, PLATFORMS[3]))
        counts = base.mean(numeric_only=True)
        waited = counts["WAIT_TIME"] / latch_frames.MICROSECONDS / 2
        rows += [
            (BASE.name, "gets", "million", GETS_M, counts["GETS"] / 1e6, _GETS),
            (BASE.name, "misses", "million", MISSES_M, counts["MISSES"] / 1e6, _IN_VIEW),
            (BASE.name, "sleeps of a session", "", SLEEPS_EACH, counts["SLEEPS"] / 2, _SLEEPS),
            (BASE.name, "latch wait of a session", "s", float(_published()[2].waits["time_s"].iloc[0]), waited, _SLEEPS),
            (PLATFORMS[3].name, "misses", "million", PENTIUM_MISSES_M, pentium["MISSES"].mean() / 1e6, _PENTIUM),
        ]
        table = pd.DataFrame(rows, columns=["case", "figure", "unit", "published", "simulated", "why"])
        errors = [error_pct(was, is_) for was, is_ in zip(table["published"], table["simulated"], strict=True)]
        table.insert(5, "error_pct", errors)
        return table

    def sensitivity(self, seeds: Sequence[int] = (1, 2)) -> Table:
        """CPU of two sessions on one table by that of one, for the laptop with 9.2, over the two assumptions that it rests on."""
        rows = []
        for share in (0.1, 0.25, 0.5, 0.75, 0.95):
            for nanoseconds in (0, 100, 300):
                hardware = LatchHardware(line_s=nanoseconds * 1e-9)
                one = dataclasses.replace(_load_of(BASE, same=True), hold_share=share, hardware=hardware)
                rows.append((share, nanoseconds, round(_cpu(one, tuple(seeds)) / one.cpu_s, 2)))
        columns = ["share of the work under the latch", "one cache line (ns)", "CPU with 2 sessions / 1 session"]
        was = published_cpu(BASE, 2) / published_cpu(BASE, 1)
        return Table(pd.DataFrame(rows, columns=columns), Kind.SIMULATED, f"{MODEL.title}; {was:.2f} was PUBLISHED")

    def verdict(self) -> pd.DataFrame:
        """The parts of the claim, each with verdict, condition and rounded figures with their badge."""
        alone, own, same = (published_cpu(BASE, runs, shared) for runs, shared in ((1, True), (2, False), (2, True)))
        ours = {name: value(self.simulate(levers), figures.CPU).mean for name, levers in self.presets.items()}
        new = [published_cpu(PLATFORMS[1], runs, connect_by="new") for runs in (1, 2)]
        rows = [
            (
                *("low sleeps, no cost", "false", "two sessions on one block, 9.2"),
                *(f"{same:.0f} s CPU against {alone:.0f} s, {SLEEPS_EACH:,} sleeps each in {GETS_M:.0f} million gets", Kind.PUBLISHED),
            ),
            (
                *("", "false", "the same, predicted: half as much as was measured"),
                *(f"{ours['2 sessions, same table']:.0f} s CPU against {ours['1 session']:.0f} s, no sleep", Kind.SIMULATED),
            ),
            ("", "false", "more sessions on as many cores", f"{ours['8 sessions, 8 cores']:.0f} s CPU each with eight", Kind.SIMULATED),
            ("", "nearly true", "each session has its own block", f"{own:.0f} s against {alone:.0f} s", Kind.PUBLISHED),
            ("", "true", "few gets: the newer CONNECT BY of 11.1", f"{new[1]:.1f} s against {new[0]:.1f} s", Kind.PUBLISHED),
            (
                *("spinning is all that it costs", "false", "two sessions that only spin use twice the CPU at most"),
                *(f"{same / alone:.2f} times", Kind.PUBLISHED),
            ),
        ]
        return pd.DataFrame(rows, columns=["part of the claim", "verdict", "when", "figure", "evidence"])

    predictions = (
        Prediction(
            "cpu",
            "A query uses 64.56 s of CPU (PUBLISHED, 9.2 on a laptop with two cores). Two sessions run it at once, on the same table. "
            "How much CPU does each of them use?",
            ("about 65 s: each has its own core", "about 70 s", "about 130 s", "about 180 s"),
            "about 180 s",
            "177.8 s (PUBLISHED): half of the gets found the latch held; looking again is CPU, and so is fetching changed memory.",
        ),
        Prediction(
            "where",
            "Where does V$LATCH show this loss?",
            ("SLEEPS", "WAIT_TIME", "MISSES and SPIN_GETS", "nowhere"),
            "MISSES",
            "33 million misses and spin gets in 67 million gets, and 1,500 sleeps each (PUBLISHED).",
        ),
        Prediction(
            "own",
            "The two sessions read a table each. What does each of them use now?",
            ("about 70 s", "about 120 s", "about 180 s"),
            "about 70 s",
            "70.5 s (PUBLISHED): other blocks hang on other latches.",
        ),
    )

    exercises = (
        Exercise(
            "miss_share",
            "From the published counts of 9.2: what percentage of the gets missed?",
            40.0,
            "%",
            lambda answer: near(answer, 100 * MISSES_M / GETS_M, 0.02, "%", Kind.PUBLISHED),
            ("V$LATCH has GETS and MISSES.", "33 million of 67 million."),
            "33 / 67 = 49 %.",
        ),
        Exercise(
            "beyond_spinning",
            "If a session did all of its work under the latch, two of them would take turns, and each would burn CPU for its own work and "
            "for the other's. How many of the published 177.8 s does even that leave unexplained?",
            60.0,
            "s",
            lambda answer: near(answer, published_cpu(BASE, 2) - 2 * published_cpu(BASE, 1), 0.02, "s", Kind.PUBLISHED),
            ("Own work is 64.56 s.", "Waiting for the other one's work can't take longer than that work."),
            "177.8 - 2 x 64.56 = 48.7 s: the work itself became dearer, since each core fetches what the other has just changed.",
        ),
        Exercise(
            "sessions_that_triple",
            "16 cores, the same table: with how many sessions does each of them first use more than three times the CPU of one alone?",
            3,
            "sessions",
            lambda answer: _check_tripling(answer),
            ("Set the cores to 16 and move the sessions.", "Once the latch is never free, each session more adds about one hold time."),
            "Move the lever until the sentence under the chart says more than 194 s of CPU.",
        ),
    )


_SAME_RATIO, _OWN_RATIO = "CPU, 2 sessions on one table / 1 session", "CPU, 2 sessions on a table each / 1 session"
_DEARER = (
    "spinning alone at most doubles the CPU of two sessions; the rest is memory that the other core has changed, "
    "dearer on this machine than 3 lines of 100 ns, and its latency was not published"
)
_WHY = {
    (BASE.name, _SAME_RATIO): _DEARER,
    ("elsewhere (first report)", _SAME_RATIO): "neither machine, version nor gets were published; " + _DEARER,
    ("Pentium 4, 10.2.0.1", _SAME_RATIO): "gets were not published and are taken as in 9.2",
    ("laptop, 11.1.0.6", _SAME_RATIO): "how 11.1 holds the latch is not known; its share is scaled by its fewer gets",
    ("Xeon Clovertown, 11.1.0.6.1", _SAME_RATIO): "gets taken as on the laptop; two chips of two dice each, whose transfers cost more",
    (BASE.name, _OWN_RATIO): "nothing is shared in the model; the cores of a real machine share memory and other latches",
    ("Pentium 4, 10.2.0.1", _OWN_RATIO): "nothing is shared in the model; the cores of a real machine share memory and other latches",
}
_NEW = "can't be predicted: the gets of the newer implementation were not published"
_GETS = "not a prediction: 2^25 gets a session were taken from this figure"
_IN_VIEW = "not a prediction: the share of the work under the latch was chosen with this figure in view"
_SLEEPS = "with a core for each session the model never takes the core from a holder; other processes of the laptop did, now and then"
_PENTIUM = "the share of the work under the latch is a guess from another version and machine, and so are the gets"


def _simulate(one: LatchLoad, case: str, levers: LatchLevers, seeds: tuple[int, ...], *, samples: bool = False) -> LatchMeasurement:
    built = latches.build(one, samples=samples)
    runs = latches.simulate(built, seeds)
    latch = latch_frames.latch(built, runs)
    views = latch_frames.views(built, runs[0]) if samples else {}
    return LatchMeasurement(
        MODEL,
        case,
        levers.as_dict(),
        latch_frames.sessions(built, runs),
        latch_frames.waits(built, runs),
        latch_frames.stats(built, runs),
        views,
        latch_frames.parts(built, runs),
        latch,
    )


@functools.lru_cache(maxsize=64)
def _cpu(one: LatchLoad, seeds: tuple[int, ...]) -> float:
    return value(_simulate(one, "", SAME, seeds), figures.CPU).mean


def _check_tripling(answer: int) -> tuple[bool, str]:
    spec = LatchLevers.specs()["sessions"]
    if not spec.low <= answer <= spec.high:
        return False, f"{answer} is not on the lever; it takes {spec.describe()}."
    limit = 3 * published_cpu(BASE, 1)
    right = next(count for count in range(1, int(spec.high) + 1) if _cpu_on_16_cores(count) > limit)
    if answer == right:
        return True, f"Right: {_cpu_on_16_cores(right):.0f} s each with {right} sessions (SIMULATED)."
    return False, f"With {answer} each uses {_cpu_on_16_cores(answer):.0f} s (SIMULATED); three times one session's CPU is {limit:.0f} s."


def _cpu_on_16_cores(sessions: int) -> float:
    return _cpu(load(LatchLevers(sessions=sessions, cores=16)), (1, 2))


MYTH = LatchSpinCpu()
