"""98 % CPU, most of it in the kernel: parallel servers that post each other through too few semaphore sets.

Published are the CPUs, the sets and the profile; not the servers, their messages, nor the time under a set's lock. These three are round
numbers that were assumed with the profile in view and not fitted to it: ``sensitivity`` shows what others would give. So the direction is
predicted, and the size is hardly constrained.
"""

import functools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import pandas as pd
import plotly.graph_objects as go

from raclab.cluster import semaphore_frames, semaphores
from raclab.cluster.semaphores import PostHardware, PostLoad
from raclab.evidence import figures, published
from raclab.evidence.compare import error_pct, value
from raclab.evidence.measurement import Kind, Measurement, Source
from raclab.evidence.table import Table
from raclab.myths.answers import near
from raclab.myths.bars import bar, drawn, percent_axis, stack_layout, written
from raclab.myths.base import Exercise, Myth, Prediction
from raclab.myths.drawing import label, seconds_text
from raclab.myths.levers import Levers, lever
from raclab.myths.parts_drawing import PartsMeasurement

SLUG = "kernel_time_semaphores"
ALL_SEEDS = range(1, 9)
BUSY_SERVERS, IDLE_BOX_SERVERS, MESSAGES_S = 512, 32, 5000
SPIN_LOCK = "__ticket_spin_lock"

MODEL = Source(Kind.SIMULATED, "RAC Myths Lab, semaphore model", None, "not Oracle", "parameters in raclab/cluster/semaphores.py")

USER, SPINNING, KERNEL = "user", "spin lock of a set", "other kernel work"
LOOKS: Mapping[str, str] = {USER: "CPU", SPINNING: "row cache lock", KERNEL: "log file sync"}
_CPU_PARTS = {semaphores.USER: USER, semaphores.SPINNING: SPINNING, semaphores.LOCKED: KERNEL}


@dataclass(frozen=True)
class SemaphoreLevers(Levers):
    """What the learner may vary."""

    servers: int = lever(
        BUSY_SERVERS, "Parallel servers", help="Active at the same time, each with a second of its own work.", low=1, high=1024
    )
    semaphores_per_set: int = lever(1502, "Semaphores per set", help="What a set has room for (SEMMSL).", low=16, high=2048)
    sets: int = lever(3, "Semaphore sets", help="Each has one spin lock.", low=1, high=64)
    messages_s: int = lever(
        MESSAGES_S, "Messages per second", unit="1/s", help="That a server sends in a second of its own work.", low=100, high=20_000
    )

    def load(self) -> PostLoad:
        """The levers as a load of the profiled box."""
        return PostLoad(self.servers, self.sets, self.semaphores_per_set, float(self.messages_s))

    def describe(self) -> str:
        """The setting in a few words."""
        text = f"{self.sets} x {self.semaphores_per_set}, {self.servers} server{'s' if self.servers > 1 else ''}"
        return text if self.messages_s == MESSAGES_S else f"{text}, {self.messages_s:,} messages/s"

    def remark(self) -> str:
        """Whether there are semaphores for all servers."""
        room = self.sets * self.semaphores_per_set
        if room >= self.servers:
            return ""
        return f"There are {room} semaphores, so {room} servers start and do the work of the {self.servers} that were asked for."


BEFORE = SemaphoreLevers()
AFTER = SemaphoreLevers(sets=34, semaphores_per_set=93)
IDLE_BOX = SemaphoreLevers(servers=IDLE_BOX_SERVERS)
FEW_MESSAGES = SemaphoreLevers(messages_s=500)


@functools.cache
def _published() -> tuple[PartsMeasurement, ...]:
    package = published.load(SLUG)
    kernel = float(_fact("share of kernel time in the profile"))
    profile = package.frame("perf_system").set_index("function")["percent"]
    spin = float(profile[SPIN_LOCK])
    shares = {semaphores.USER: 100 - kernel, semaphores.SPINNING: spin, semaphores.LOCKED: kernel - spin}
    before = pd.DataFrame([(0, part, share / 100) for part, share in shares.items()], columns=["run", "part", "time_s"])
    made = []
    for levers, parts in ((BEFORE, before), (AFTER, before.iloc[:0])):
        stated: dict[str, object] = {"sets": levers.sets, "semaphores_per_set": levers.semaphores_per_set}
        case = f"{levers.sets} x {levers.semaphores_per_set}"
        made.append(PartsMeasurement(package.source, case, stated, parts=parts))
    return tuple(made)


@functools.cache
def _facts() -> dict[str, str]:
    facts = published.load(SLUG).frame("facts")
    return dict(zip(facts["fact"].tolist(), facts["value"].tolist(), strict=True))


def _fact(name: str) -> str:
    return _facts()[name]


def cpu_shares(measured: Measurement) -> dict[str, float]:
    """Percent of the CPU time by what it went into; NaN where no profile is known."""
    if not isinstance(measured, PartsMeasurement) or not len(measured.parts):
        return dict.fromkeys(LOOKS, math.nan)
    part, seconds = (measured.parts[column].to_numpy() for column in ("part", "time_s"))
    spent = {of: float(seconds[part == of].sum()) for of in _CPU_PARTS}
    return {name: 100 * spent[of] / sum(spent.values()) for of, name in _CPU_PARTS.items()}


def kernel_share(measured: Measurement) -> float:
    """Percent of the CPU time that is spent in the kernel; NaN where no profile is known."""
    shares = cpu_shares(measured)
    return shares[SPINNING] + shares[KERNEL]


class KernelTimeSemaphores(Myth):
    """The myth that CPU time is work."""

    slug = SLUG
    number = 10
    claim = "98 % CPU means the database is working."
    said_by = "Whoever reads the report's top event and stops at DB CPU, without asking whether it is user or kernel time."
    levers = SemaphoreLevers
    not_live = (
        "How many semaphores a set holds is the host's kernel.sem, set by root before the instance starts, and its cost is seen with perf "
        "on that host: no SQL can do either."
    )
    presets: ClassVar[dict[str, SemaphoreLevers]] = {
        "before: 3 sets of 1,502": BEFORE,
        "after: 34 sets of 93": AFTER,
        "an idle box": IDLE_BOX,
        "few messages": FEW_MESSAGES,
    }

    def simulate(self, levers: Levers, seeds: Sequence[int] = ALL_SEEDS) -> PartsMeasurement:
        """Servers post each other for a while, once a seed; scaled to a second of work each. V$OSSTAT comes with a single seed only."""
        assert isinstance(levers, SemaphoreLevers)
        return _simulate(levers.load(), levers, seeds)

    def published(self) -> list[Measurement]:
        """The profile before the cure, and the settings after it, of which no profile was published."""
        return list(_published())

    def figure(self, measurements: Sequence[Measurement]) -> go.Figure:
        """What 100 % of the CPU time are, a bar a measurement."""
        labels = [label(one) for one in measurements]
        shares = [{name: 0.0 if math.isnan(share) else share for name, share in cpu_shares(one).items()} for one in measurements]
        bars = [bar(name, look, [share[name] for share in shares], labels, "%") for name, look in LOOKS.items()]
        ends = [0.0 if math.isnan(kernel_share(one)) else 100.0 for one in measurements]
        behind = written("kernel", ends, labels, [_kernel_text(one) for one in measurements])
        return drawn(
            [*bars, behind], stack_layout("What the CPU time goes into", len(labels), percent_axis("percent of the CPU time", 140))
        )

    def sentence(self, measurements: Sequence[Measurement]) -> str:
        """Each measurement's kernel share, the spin lock's part of it, and what a second of work takes."""
        return " ".join(self._told(one) for one in measurements)

    def _told(self, one: Measurement) -> str:
        text = f"{one.badge}, {one.case}: "
        if math.isnan(kernel_share(one)):
            return text + "it was cured, no profile was published."
        text += f"{kernel_share(one):.1f} % of the CPU time in the kernel, {cpu_shares(one)[SPINNING]:.1f} % in the spin lock"
        if one.badge == Kind.PUBLISHED:
            return text + "."
        text += f"; a second of work of each server takes {seconds_text(value(one, figures.ELAPSED).mean)}."
        return f"{text} {SemaphoreLevers.at(one.levers).remark()}".strip()

    def compare(self, seeds: Sequence[int] = ALL_SEEDS) -> pd.DataFrame:
        """Published beside predicted: case, figure, unit, published, simulated, error_pct, why."""
        was = cpu_shares(_published()[0])
        before, after, idle = (self.simulate(levers, seeds) for levers in (BEFORE, AFTER, IDLE_BOX))
        slow = value(before, figures.ELAPSED).mean / value(idle, figures.ELAPSED).mean
        rows = [
            (_BEFORE, "CPU time in the kernel", "%", was[SPINNING] + was[KERNEL], kernel_share(before), _NOT_STATED),
            (_BEFORE, SPIN_LOCK, "%", was[SPINNING], cpu_shares(before)[SPINNING], _NOT_STATED),
            (_BEFORE, "CPU time in the rest of the kernel", "%", was[KERNEL], cpu_shares(before)[KERNEL], _REST),
            (_BEFORE, "a query's time, busy box / idle box", "", 20.0, slow, _SLOW),
            (_AFTER, "CPU time in the kernel", "%", math.nan, kernel_share(after), _CURED),
        ]
        table = pd.DataFrame(rows, columns=["case", "figure", "unit", "published", "simulated", "why"])
        errors = [error_pct(was, is_) for was, is_ in zip(table["published"], table["simulated"], strict=True)]
        table.insert(5, "error_pct", errors)
        return table

    def sensitivity(self, seeds: Sequence[int] = (1, 2)) -> Table:
        """Kernel share in percent before and after, over the assumptions; filled in order: servers take one set after the other."""
        rows = []
        for messages_s in (2000, 5000, 10_000):
            for locked_us in (5.0, 10.0, 20.0):
                hardware = PostHardware(locked_s=locked_us / 1e6)
                shares = []
                for levers in (BEFORE, AFTER):
                    load = replace(levers.load(), messages_s=float(messages_s), hardware=hardware)
                    in_order = replace(load, sets=math.ceil(load.servers / load.semaphores_per_set))
                    shares += [round(kernel_share(_simulate(one, levers, seeds))) for one in (load, in_order)]
                rows.append((messages_s, locked_us, *shares))
        columns = [
            *("messages a second", "under the lock (microseconds)", "before: kernel %", "before, filled in order: kernel %"),
            *("after: kernel %", "after, filled in order: kernel %"),
        ]
        was = kernel_share(_published()[0])
        return Table(pd.DataFrame(rows, columns=columns), Kind.SIMULATED, f"{MODEL.title}; {was:.1f} % before was PUBLISHED")

    def verdict(self) -> pd.DataFrame:
        """The parts of the claim, each with verdict, condition and rounded figures with their badge."""
        was = cpu_shares(_published()[0])
        runs = {name: self.simulate(levers) for name, levers in self.presets.items()}
        told = {name: f"{kernel_share(one):.0f} % of the CPU time in the kernel" for name, one in runs.items()}
        rows = [
            (
                *("98 % CPU means work", "false", "many servers post each other through 3 sets"),
                *(f"{was[SPINNING] + was[KERNEL]:.0f} % of the CPU time in the kernel, {was[SPINNING]:.0f} % spinning", Kind.PUBLISHED),
            ),
            ("", "false", "the same, predicted", told["before: 3 sets of 1,502"], Kind.SIMULATED),
            ("", "true", "34 sets of 93", "cured; no profile published", Kind.PUBLISHED),
            ("", "true", "the same, predicted", told["after: 34 sets of 93"], Kind.SIMULATED),
            ("", "true", f"{IDLE_BOX_SERVERS} servers on the same 3 sets", told["an idle box"], Kind.SIMULATED),
            ("", "true", f"{FEW_MESSAGES.messages_s} messages a second", told["few messages"], Kind.SIMULATED),
        ]
        return pd.DataFrame(rows, columns=["part of the claim", "verdict", "when", "figure", "evidence"])

    predictions = (
        Prediction(
            "kernel",
            "A box with 128 CPUs runs parallel queries, its sessions are on CPU for 98 % of their time (PUBLISHED). "
            "How much of that CPU time is the kernel's?",
            ("about 5 %", "about 20 %", "about 40 %", "about 75 %"),
            "about 75 %",
            "76.4 % (PUBLISHED), nearly all of it in one function: a spin lock.",
        ),
        Prediction(
            "cure",
            "What cures it?",
            ("more CPUs", "fewer and larger semaphore sets", "more and smaller semaphore sets", "faster storage"),
            "more and smaller semaphore sets",
            "kernel.sem from 2048 to 100 semaphores a set (PUBLISHED): each set has its own spin lock, so they share the load.",
        ),
        Prediction(
            "cpus",
            "Three sets, and the spin lock is the limit. The box gets twice the CPUs. How much more work does it do?",
            ("twice as much", "half as much again", "next to none"),
            "next to none",
            "Three locks let through what three locks let through (SIMULATED); the new CPUs spin.",
        ),
    )

    exercises = (
        Exercise(
            "cpus_that_spin",
            "From the profile: with all of the 128 CPUs busy, how many of them do nothing but spin?",
            64.0,
            "CPUs",
            lambda answer: near(answer, _published_spinning_cpus(), 0.03, "CPUs", Kind.PUBLISHED),
            ("The profile is over all CPUs.", "67.8 % of the samples are in the spin lock."),
            "0.678 x 128 = 87 CPUs.",
        ),
        Exercise(
            "semaphores_after",
            "How many semaphores did the 34 sets hold that were listed after the change?",
            4506,
            "semaphores",
            lambda answer: near(answer, float(AFTER.sets * AFTER.semaphores_per_set), 0.0, "semaphores", Kind.PUBLISHED),
            ("Sets times semaphores a set.", "34 x 93."),
            "3,162, where the 3 sets of 1,502 had held 4,506: not more semaphores cured it, but more locks.",
        ),
        Exercise(
            "enough_sets",
            "512 servers, 5,000 messages a second: with how many sets does the kernel's share of the CPU time fall below 20 %?",
            12,
            "sets",
            lambda answer: _check_sets(answer),
            (
                "Move the sets and read the sentence under the chart.",
                "With 3 sets each lock is asked for more than twice what it can give.",
            ),
            "Move the lever up from 3 until the sentence says less than 20 %.",
        ),
    )


_BEFORE, _AFTER = "3 x 1502", "34 x 93"
_NOT_STATED = (
    "servers, messages and the time under the lock were not published and are round assumptions, made with the profile in view; "
    "and a ticket lock hands over more slowly the more CPUs wait for it, which the model leaves out"
)
_REST = "the model has only the work under a set's lock; scheduler, timers and auditing are in the profile too"
_SLOW = (
    f"servers were not published: {BUSY_SERVERS} are assumed on the busy box and {IDLE_BOX_SERVERS} on the idle one, and the query's plan "
    "waits for its slowest server"
)
_CURED = "published is that it was cured, without a profile"


def _simulate(load: PostLoad, levers: SemaphoreLevers, seeds: Sequence[int]) -> PartsMeasurement:
    built = semaphores.build(load, samples=len(seeds) == 1)
    runs = semaphores.simulate(built, list(seeds))
    return PartsMeasurement(
        MODEL,
        levers.describe(),
        levers.as_dict(),
        semaphore_frames.sessions(built, runs),
        stats=semaphore_frames.stats(built, runs),
        views=semaphore_frames.views(built, runs[0]) if len(runs) == 1 else {},
        parts=semaphore_frames.parts(built, runs),
    )


def _kernel_text(one: Measurement) -> str:
    share = kernel_share(one)
    return "cured; no profile published" if math.isnan(share) else f"{share:.0f} % kernel"


def _published_spinning_cpus() -> float:
    return cpu_shares(_published()[0])[SPINNING] / 100 * float(_fact("CPUs of the profiled box"))


@functools.lru_cache(maxsize=64)
def _kernel_share_with(sets: int) -> float:
    return kernel_share(MYTH.simulate(replace(BEFORE, sets=sets), (1, 2)))


def _check_sets(answer: int) -> tuple[bool, str]:
    spec = SemaphoreLevers.specs()["sets"]
    if not spec.low <= answer <= spec.high:
        return False, f"{answer} is not on the lever; it takes {spec.describe()}."
    limit = 20.0
    right = next(count for count in range(1, int(spec.high) + 1) if _kernel_share_with(count) < limit)
    if answer == right:
        return True, f"Right: {_kernel_share_with(right):.0f} % with {right} sets (SIMULATED)."
    if answer > right:
        return False, f"{answer} sets do, with {_kernel_share_with(answer):.0f} % (SIMULATED), but fewer would do as well."
    return False, f"With {answer} sets it is {_kernel_share_with(answer):.0f} % (SIMULATED); the limit is {limit:.0f} %."


MYTH = KernelTimeSemaphores()
