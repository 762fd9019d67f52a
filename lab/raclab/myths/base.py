"""What a myth is: its claim, its levers, and where its figures come from.

A myth's module defines ``MYTH`` and is found by its name (registry.py); nothing lists it.
"""

import dataclasses
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import pandas as pd
import plotly.graph_objects as go

from raclab.evidence.measurement import Measurement
from raclab.myths.attended import attended
from raclab.myths.levers import Levers


@dataclass(frozen=True)
class Prediction:
    """A question that the learner answers before anything runs.

    ``choices`` are the answers offered, in order; ``measured`` names the right one, ``why`` explains it in a sentence.
    """

    name: str
    question: str
    choices: tuple[str, ...]
    measured: str
    why: str


@dataclass(frozen=True)
class Exercise:
    """A task with a checked answer.

    ``check(answer)`` returns (right, sentence); ``unit`` stands beside the input; ``hints`` unfold one by one, then ``solution``.
    The answer's type is that of ``example`` (a float, an int or a str).
    """

    name: str
    task: str
    example: float | int | str
    unit: str
    check: Callable[[Any], tuple[bool, str]]
    hints: tuple[str, ...]
    solution: str


def in_turn(levers: Any, instances: int) -> list[int]:
    """One session for each of the levers' nodes (one where there is no such lever), spread over the open instances in turn."""
    return [position % instances for position in range(int(getattr(levers, "nodes", 1)))]


def nodes_that_took_part(levers: Any, instances: int) -> Any:
    """The levers as a live run could follow them: with as many nodes as there were instances."""
    return dataclasses.replace(levers, nodes=instances) if hasattr(levers, "nodes") else levers


def as_measured(measured: Measurement) -> Measurement:
    """A live measurement as it is."""
    return measured


@dataclass(frozen=True)
class Live:
    """What to run on a real database.

    script           the workload's file name in lab/oracle/
    explains         what it does and whose figures come back
    needs_rac        what one instance can't show, "" if nothing
    minutes          how long it takes at the levers' defaults, roughly, in minutes
    least_instances  open instances below which nothing is sent
    places           for levers and number of open instances: the instance of each session, counted from 0
    placing          the levers that ``places`` follows
    as_run           for levers and number of instances that took part: the levers as they could be followed
    case             for the same: the setting in words, where the levers' own words would say what was not so; None for those
    views            V$ views (without V$) whose growth over the run is read for each instance, everybody's work included
    session_views    V$ views that each session reads for itself at its end, such as PQ_TQSTAT
    reads            makes of a live measurement what the myth's chart reads
    """

    script: str
    explains: str
    needs_rac: str
    minutes: float = 1.0
    least_instances: int = 1
    places: Callable[[Any, int], Sequence[int]] = in_turn
    placing: tuple[str, ...] = ("nodes",)
    as_run: Callable[[Any, int], Any] = nodes_that_took_part
    case: Callable[[Any, int], str] | None = None
    views: tuple[str, ...] = ()
    session_views: tuple[str, ...] = ()
    reads: Callable[[Measurement], Measurement] = as_measured


class Myth(ABC):
    """One widely believed statement and everything needed to test it."""

    slug: ClassVar[str]
    number: ClassVar[int]
    claim: ClassVar[str]
    said_by: ClassVar[str]
    levers: ClassVar[type[Levers]]
    predictions: ClassVar[tuple[Prediction, ...]] = ()
    exercises: ClassVar[tuple[Exercise, ...]] = ()
    live: ClassVar[Live | None] = None
    not_live: ClassVar[str] = ""
    """Why there is nothing to run on a real database, a sentence, where ``live`` is None."""

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        if "simulate" in cls.__dict__:
            setattr(cls, "simulate", attended(cls.simulate))  # noqa: B010 - mypy takes no assignment to a method

    @abstractmethod
    def simulate(self, levers: Levers, seeds: Sequence[int] = range(1, 9)) -> Measurement:
        """Run the test case once a seed. Pure: same levers and seeds, same result.

        Says how far it is where it takes long, if somebody looks on (attended.py). Raises LabError for levers that can't be simulated,
        and Stopped if a watch of the caller's is stopped (sim/watch.py); Ctrl-C stops the runs and passes on.
        """

    @abstractmethod
    def published(self) -> list[Measurement]:
        """What others have measured, in the order of the charts."""

    @abstractmethod
    def figure(self, measurements: Sequence[Measurement]) -> go.Figure:
        """One chart of the measurements. Same number of traces whatever is measured, so that a widget can update it in place."""

    @abstractmethod
    def sentence(self, measurements: Sequence[Measurement]) -> str:
        """In words what ``figure`` shows: for screen readers and for the hurried."""

    @abstractmethod
    def compare(self, seeds: Sequence[int] = range(1, 9)) -> pd.DataFrame:
        """Published beside simulated, one row a figure: case, figure, unit, published, simulated, error_pct, why.

        ``why`` says in a sentence why a figure is missed, where it is.
        """

    @abstractmethod
    def verdict(self) -> pd.DataFrame:
        """The rounded verdict table: part of the claim, verdict, condition, figure with its badge."""
