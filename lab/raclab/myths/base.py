"""What a myth is: its claim, its levers, and where its figures come from.

A myth's module defines ``MYTH`` and is found by its name (registry.py); nothing lists it.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import pandas as pd
import plotly.graph_objects as go

from raclab.evidence.measurement import Measurement
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


@dataclass(frozen=True)
class Live:
    """What to run on a real database.

    ``script`` is the workload's file name in lab/oracle/; ``needs_rac`` names what one instance can't show ("" if nothing).
    """

    script: str
    explains: str
    needs_rac: str


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

    @abstractmethod
    def simulate(self, levers: Levers, seeds: Sequence[int] = range(1, 9)) -> Measurement:
        """Run the test case once a seed. Pure: same levers and seeds, same result."""

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
