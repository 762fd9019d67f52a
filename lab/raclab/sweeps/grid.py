"""The settings of a sweep: every combination of the levers' values, and those that the levers refuse."""

import itertools
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from raclab.errors import LabError
from raclab.myths.base import Myth
from raclab.myths.levers import LeverError, Levers

MOST_SETTINGS = 100_000


class SweepError(LabError):
    """A sweep can't be made as asked for, or can't go on; the message says what to do."""


@dataclass(frozen=True)
class Grid:
    """What is to be simulated.

    axes      the levers that vary, with their values in the order asked for
    settings  all combinations that can be had, the last lever varying fastest
    skipped   those that the levers refuse, by lever name, each with the reason
    """

    axes: dict[str, tuple[Any, ...]]
    settings: list[Levers]
    skipped: list[tuple[dict[str, Any], str]]


def grid_of(myth: Myth, asked: Mapping[str, Any]) -> Grid:
    """The grid for a mapping of lever name to one value or several (a list, a range, an array); the other levers are at their defaults.

    Raises LeverError for an unknown lever and for a value that its lever can't have by itself, SweepError for no values and for more
    than MOST_SETTINGS combinations. Combinations that the levers refuse are in ``skipped``.
    """
    if not isinstance(asked, Mapping):
        raise SweepError(f'The levers are {asked!r}; they are given by name, as in {{"{next(iter(myth.levers.specs()))}": [...]}}.')
    myth.levers.refuse_unknown(asked)
    specs = myth.levers.specs()
    values = {name: tuple(dict.fromkeys(specs[name].checked(name, one) for one in _several(name, given))) for name, given in asked.items()}
    count = math.prod(len(several) for several in values.values())
    if count > MOST_SETTINGS:
        sizes = " x ".join(str(len(several)) for several in values.values())
        raise SweepError(f"{sizes} are {count:,} settings; a sweep has at most {MOST_SETTINGS:,}. Give fewer values.")
    settings, skipped = [], []
    for combination in itertools.product(*values.values()):
        setting = dict(zip(values, combination, strict=True))
        try:
            settings.append(myth.levers(**setting))
        except LeverError as error:
            skipped.append((setting, str(error)))
    if not settings:
        raise SweepError(f"None of the {count:,} settings can be had: {skipped[0][1]}")
    return Grid({name: several for name, several in values.items() if len(several) > 1}, settings, skipped)


def _several(name: str, given: Any) -> Sequence[Any]:
    if isinstance(given, str | bytes) or not isinstance(given, Iterable):
        return [given]
    if isinstance(given, Mapping | set | frozenset):
        raise SweepError(f"{name} is {given!r}; it takes one value or a list of them, in the order wanted.")
    try:
        several = list(itertools.islice(given, MOST_SETTINGS + 1))
    except TypeError:  # an array without dimensions is one value
        several = [given]
    if not several:
        raise SweepError(f"{name} has no values; give at least one, or leave it out.")
    return several


def seeds_of(asked: Any) -> list[int]:
    """The seeds for a number of them (8 are 1 to 8) or for the seeds themselves; SweepError if they are neither."""
    if isinstance(asked, int) and not isinstance(asked, bool):
        asked = range(1, asked + 1)
    seeds = list(asked) if isinstance(asked, Sequence) and not isinstance(asked, str | bytes) else []
    if not seeds or len(set(seeds)) != len(seeds) or not all(type(seed) is int and seed >= 0 for seed in seeds):
        raise SweepError(
            f"seeds is {asked!r}; it takes a number of seeds, such as 8, or different whole numbers from 0, such as [1, 2, 3]."
        )
    return seeds
