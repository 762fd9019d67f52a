"""The practice myth of the first notebook: what a second job costs the first one on the same node.

Small enough to check by hand: each of n jobs on c cores takes max(1, n / c) times its CPU time.
"""

import functools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd
import plotly.graph_objects as go

from raclab.cluster import batch, batch_frames
from raclab.evidence.compare import error_pct, value
from raclab.evidence.figures import CPU, ELAPSED
from raclab.evidence.measurement import Kind, Measurement, Source
from raclab.myths.base import Exercise, Live, Myth, Prediction
from raclab.myths.drawing import seconds_text, time_chart
from raclab.myths.levers import Levers, lever
from raclab.myths.live_places import on_the_first
from raclab.sim import run_seeds

ALL_SEEDS = range(1, 9)
MODEL = Source(Kind.SIMULATED, "RAC Myths Lab, one node with a time-sharing scheduler", None, "not Oracle", "time slices of 10 ms")


@dataclass(frozen=True)
class JobLevers(Levers):
    """What the learner may vary."""

    jobs: int = lever(1, "Jobs", help="Jobs that start together; each needs nothing but CPU.", low=1, high=16)
    cores: int = lever(2, "Cores", help="Cores of the node.", low=1, high=8)
    cpu_s: int = lever(10, "CPU a job", unit="s", help="CPU time that each job needs.", low=1, high=30)

    def formula_s(self) -> float:
        """Elapsed seconds of a job by hand: max(1, jobs / cores) times its CPU time."""
        return self.cpu_s * max(1.0, self.jobs / self.cores)

    def describe(self) -> str:
        """The setting in a few words."""
        return f"{self.jobs} job{'s' if self.jobs > 1 else ''}, {self.cores} core{'s' if self.cores > 1 else ''}"


class StartHere(Myth):
    """Practice: move a lever, read a sentence, ask the views."""

    slug = "start_here"
    number = 0
    claim = "The node isn't at its limit, so another job costs the others nothing."
    said_by = "Whoever wants to start another job."
    levers = JobLevers
    live = Live(
        "start_here.sql",
        "As many sessions as there are jobs burn `CPU a job` seconds each on one instance, started together; CPU and elapsed time are the "
        "sessions' own. Cores are the machine's: Oracle Database Free uses two threads at most.",
        "",
        places=on_the_first("jobs"),
        placing=("jobs",),
        case=lambda levers, instances: f"{levers.jobs} job{'s' if levers.jobs > 1 else ''}, {levers.cpu_s} s of CPU each",
    )

    def simulate(self, levers: Levers, seeds: Sequence[int] = ALL_SEEDS) -> Measurement:
        """All jobs start together, once a seed. Rows for V$ views come with a single seed only."""
        assert isinstance(levers, JobLevers)
        single = len(seeds) == 1
        model, jobs = batch.build(batch.BatchNode(levers.jobs, levers.cores, float(levers.cpu_s)), 0.1 if single else math.inf)
        runs = run_seeds(model, list(seeds))
        whose = batch_frames.ledger(model, jobs)
        views = batch_frames.views(whose, runs[0]) if single else {}
        sessions, stats = batch_frames.sessions(whose, runs), batch_frames.stats(whose, runs)
        return Measurement(MODEL, levers.describe(), levers.as_dict(), sessions, stats=stats, views=views)

    def published(self) -> list[Measurement]:
        """None: this one is for practice, and a formula says what should come out."""
        return []

    def figure(self, measurements: Sequence[Measurement]) -> go.Figure:
        """CPU of one job, and the rest of its elapsed time."""
        return time_chart(measurements, {}, "Where the time of one job goes")

    def sentence(self, measurements: Sequence[Measurement]) -> str:
        """Elapsed time beside CPU time, and the formula's value."""
        return " ".join(self._told(one) for one in measurements)

    def _told(self, one: Measurement) -> str:
        elapsed, cpu = value(one, ELAPSED).mean, value(one, CPU).mean
        text = (
            f"{one.badge}, {one.case}: a job takes {seconds_text(elapsed)} and uses {seconds_text(cpu)} of CPU; "
            f"for {seconds_text(max(0.0, elapsed - cpu))} it waits for a core, which no wait event shows."
        )
        if "cores" not in one.levers:  # a live run: how many cores there were is the machine's
            return text
        by_hand = JobLevers(**{str(name): value for name, value in one.levers.items()}).formula_s()  # type: ignore[arg-type]
        return f"{text} By hand: {by_hand:.3g} s."

    def compare(self, seeds: Sequence[int] = ALL_SEEDS) -> pd.DataFrame:
        """The formula beside the simulation."""
        settings = [JobLevers(jobs=jobs) for jobs in (1, 2, 3, 4, 8)]
        rows: list[tuple[Any, ...]] = []
        for levers in settings:
            simulated = value(self.simulate(levers, seeds), ELAPSED).mean
            rows.append((levers.describe(), "elapsed", "s", levers.formula_s(), simulated, error_pct(levers.formula_s(), simulated), ""))
        return pd.DataFrame(rows, columns=["case", "figure", "unit", "by hand", "simulated", "error_pct", "why"])

    def verdict(self) -> pd.DataFrame:
        """True up to one job a core."""
        rows = [
            (claim, verdict, when, f"{value(self.simulate(levers), ELAPSED).mean:.0f} s for {levers.cpu_s} s of CPU", Kind.SIMULATED)
            for claim, verdict, when, levers in (
                ("another job costs nothing", "true", "as long as there is a core for each job", JobLevers(jobs=2)),
                ("", "false", "with more runnable jobs than cores", JobLevers(jobs=4)),
            )
        ]
        return pd.DataFrame(rows, columns=["part of the claim", "verdict", "when", "figure", "evidence"])

    predictions = (
        Prediction(
            "four_jobs",
            "Four jobs start together on a node with two cores. Each needs 10 s of CPU. When is each of them done?",
            ("all after about 10 s", "two after 10 s, two after 20 s", "all after about 20 s", "all after about 40 s"),
            "all after about 20 s",
            "The scheduler gives each a slice of 10 ms in turn, so all four go at half speed and end together.",
        ),
    )

    exercises = (
        Exercise(
            "three_jobs",
            "Three jobs on two cores, 10 s of CPU each: after how many seconds is each done?",
            10.0,
            "s",
            lambda answer: _check_three_jobs(answer),
            ("Set the levers and read the sentence.", "Two cores give 2 s of CPU each second, and 30 s are wanted."),
            "30 s of CPU on 2 cores take 15 s, and the time slices make all three end at about that time.",
        ),
    )


@functools.cache
def _three_jobs() -> float:
    return value(MYTH.simulate(JobLevers(jobs=3)), ELAPSED).mean


def _check_three_jobs(answer: float) -> tuple[bool, str]:
    right = _three_jobs()
    if abs(answer - right) <= 0.03 * right:
        return True, f"Right: {right:.3g} s (SIMULATED)."
    return False, f"{answer:,.6g} s is too {'high' if answer > right else 'low'}."


MYTH = StartHere()
