"""A small myth without a simulator behind it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import ClassVar

import pandas as pd
import plotly.graph_objects as go

from raclab.evidence.measurement import WAIT_COLUMNS, Kind, Measurement, Source
from raclab.myths.base import Exercise, Live, Myth, Prediction
from raclab.myths.levers import LeverError, Levers, lever


@dataclass(frozen=True)
class FakeLevers(Levers):
    cache: int = lever(0, "CACHE", help="numbers a node takes", choices=(0, 20, 1000), names=("NOCACHE", "20", "1,000"))
    order: bool = lever(False, "ORDER", help="in order", choices=(False, True))
    nodes: int = lever(2, "Nodes", help="how many", low=1, high=8)
    redo_ms: float = lever(4.0, "Redo write", unit="ms", help="one write", low=0.1, high=20, step=0.1)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.order and self.nodes == 8:
            raise LeverError("ORDER can't be had on 8 nodes.")


@dataclass
class FakeMyth(Myth):
    """Elapsed time is nodes x redo_ms seconds, a hundredth more with each seed."""

    slug = "fake_myth"
    number = 99
    claim = "Nothing is what it seems."
    said_by = "Nobody."
    levers = FakeLevers
    live = Live("fake.sql", "Runs `nothing` for a while.", "One instance shows less.")
    predictions = (
        Prediction("elapsed", "How long?", ("8 s", "80 s"), "80 s", "The lock <is> slow."),
        Prediction("wait", "What for?", ("row cache lock", "CPU"), "row cache lock", "It was."),
    )
    exercises = (
        Exercise("average", "What is 1 + 1?", 1.0, "s", lambda answer: _check_sum(answer), ("think", "2"), "2 of `it`"),
        Exercise("name", "Which event?", "event", "", lambda answer: (answer == "CPU", f"You said {answer}."), (), "CPU"),
    )
    presets: ClassVar = {"Eight nodes": FakeLevers(nodes=8, cache=20)}
    calls: list[tuple[FakeLevers, list[int]]] = field(default_factory=list)
    before: Callable[[FakeLevers], None] = lambda levers: None

    def simulate(self, levers: Levers, seeds: Sequence[int] = range(1, 9)) -> Measurement:
        assert isinstance(levers, FakeLevers)
        self.calls.append((levers, list(seeds)))
        self.before(levers)
        elapsed = [levers.nodes * levers.redo_ms * (1 + seed / 100) for seed in seeds]
        sessions = pd.DataFrame(
            {"run": range(len(seeds)), "inst_id": 1, "session": 1, "calls": 10, "cpu_s": 1.0, "elapsed_s": elapsed},
        )
        source = Source(Kind.SIMULATED, "fake model", None, "not Oracle", "none")
        return Measurement(source, f"{levers.nodes} nodes", levers.as_dict(), sessions)

    def published(self) -> list[Measurement]:
        sessions = pd.DataFrame([(0, 1, 1, 10_000, 8.02, 81.23)], columns=["run", "inst_id", "session", "calls", "cpu_s", "elapsed_s"])
        waits = pd.DataFrame(
            [(0, 1, 1, "log file sync", "Commit", 3, 0.22, 0.16), (0, 1, 1, "row cache lock", "Concurrency", 5413, 62.86, 2.93)],
            columns=list(WAIT_COLUMNS),
        )
        source = Source(Kind.PUBLISHED, "A. Nobody, slides", 2008, "not stated", "not stated")
        return [Measurement(source, "2 nodes", {}, sessions, waits)]

    def figure(self, measurements: Sequence[Measurement]) -> go.Figure:
        means = [m.sessions["elapsed_s"].mean() for m in measurements]
        return go.Figure(go.Bar(x=means, y=[m.case for m in measurements]))

    def sentence(self, measurements: Sequence[Measurement]) -> str:
        return "; ".join(f"{m.badge}: {m.sessions['elapsed_s'].mean():.2f} s over {m.runs} runs" for m in measurements)

    def compare(self, seeds: Sequence[int] = range(1, 9)) -> pd.DataFrame:
        simulated = self.simulate(FakeLevers(), seeds).sessions["elapsed_s"].mean()
        error = 100 * (simulated - 81.23) / 81.23
        columns = ["case", "figure", "unit", "published", "simulated", "error_pct"]
        return pd.DataFrame([("2 nodes", "elapsed", "s", 81.23, simulated, error)], columns=columns)

    def verdict(self) -> pd.DataFrame:
        return pd.DataFrame([("all of it", "false", "81 s", "PUBLISHED")], columns=["part", "verdict", "figure", "evidence"])


def _check_sum(answer: float) -> tuple[bool, str]:
    return answer == 2, "That is it." if answer == 2 else f"{answer:g} is wrong."
