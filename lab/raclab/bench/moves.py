"""What a learner waits for who moves a lever to an end: from the move to the first chart that answers it, and to that of all seeds."""

import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from raclab.bench.timing import Spread
from raclab.myths.base import Myth
from raclab.myths.levers import LeverError, Levers
from raclab.myths.registry import myth
from raclab.ui.context import Context
from raclab.ui.explore import Explorer
from raclab.ui.parameters import Parameters
from raclab.ui.store import Store


@dataclass(frozen=True)
class Move:
    """One lever moved to one of its ends, all others at their defaults.

    to      the lever's name and value, "" for all levers back to their defaults
    first   seconds to the first chart that answers the move
    whole   seconds to chart and sentence of all seeds
    """

    slug: str
    to: str
    first: Spread
    whole: Spread


def measured(slug: str, rounds: int) -> list[Move]:
    """Every lever of a myth to each of its ends, so many times: what happens in the notebook's process, without the browser."""
    one = myth(slug)
    with tempfile.TemporaryDirectory() as folder:
        explorer = Explorer(Context(one, Parameters(None, 1, False), Store(Path(folder))))
        return [_timed(explorer, one, to, levers, rounds) for to, levers in _settings(one)]


def slowest(moves: Sequence[Move]) -> Move:
    """The move whose first chart takes longest."""
    return max(moves, key=lambda move: move.first.median)


def _settings(one: Myth) -> Iterator[tuple[str, Levers]]:
    default = one.levers()
    yield "", default
    for name, spec in default.specs().items():
        for value in spec.ends:
            if value != getattr(default, name):
                try:
                    yield f"{name} = {spec.text(value)}", one.levers.at({name: value})
                except LeverError:  # not with the others at their defaults
                    continue


def _timed(explorer: Explorer, one: Myth, to: str, levers: Levers, rounds: int) -> Move:
    elsewhere = next(setting for _, setting in _settings(one) if setting != levers)
    took = []
    for _ in range(rounds):
        explorer.move(elsewhere)
        explorer.settle()
        shown: list[float] = []
        explorer.chart.observe(lambda _, shown=shown: shown.append(time.perf_counter()), "run")
        began = time.perf_counter()
        explorer.move(levers)
        explorer.settle()
        took.append((shown[0] - began, time.perf_counter() - began))
        explorer.chart.unobserve_all("run")
    return Move(one.slug, to, *(Spread(times) for times in zip(*took, strict=True)))
