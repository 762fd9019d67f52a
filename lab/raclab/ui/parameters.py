"""The notebook's parameters: what ``raclab.open`` takes, checked, and what papermill was given beside them."""

import ast
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from raclab.errors import LabError

NAMES = ("dsn", "seed", "quick")
SEEDS = 8
QUICK_SEEDS = 2
HIGHEST_SEED = 2**31 - 1 - SEEDS
_INJECTED = "# Parameters"


class ParameterError(LabError, ValueError):
    """A parameter of the notebook is unknown or has a value that it can't have."""


@dataclass(frozen=True)
class Parameters:
    """The checked parameters of a notebook.

    dsn     an Oracle database, or None for RACLAB_DSN or else the simulated lab
    seed    the first seed; runs take consecutive ones
    quick   2 seeds rather than 8
    """

    dsn: str | None
    seed: int
    quick: bool

    @property
    def seeds(self) -> range:
        """The seeds of a full answer: 8 of them, 2 in quick mode."""
        return range(self.seed, self.seed + (QUICK_SEEDS if self.quick else SEEDS))


def check(dsn: Any, seed: Any, quick: Any) -> Parameters:
    """The parameters as given, or ParameterError with one sentence on the first that is wrong."""
    if dsn is not None and (not isinstance(dsn, str) or not dsn.strip()):
        raise ParameterError(f'dsn is {dsn!r}; it takes text such as "dbhost:1521/FREEPDB1", or None for the simulated lab.')
    if not isinstance(seed, int) or isinstance(seed, bool):
        raise ParameterError(f"seed is {seed!r}; it takes a whole number such as 1.")
    if not 0 <= seed <= HIGHEST_SEED:
        raise ParameterError(f"seed is {seed}; it takes 0 to {HIGHEST_SEED}.")
    if not isinstance(quick, bool):
        raise ParameterError(f"quick is {quick!r}; it takes True or False.")
    return Parameters(dsn.strip() if dsn else None, seed, quick)


def refuse_unknown(history: Sequence[str]) -> None:
    """Look through IPython's input history for the cell that papermill injected, and refuse names that no notebook has.

    papermill only warns about a misspelt parameter and then runs with the default. Raises ParameterError with all such names.
    """
    injected = [source for source in history if source.lstrip().startswith(_INJECTED)]
    if not injected:
        return
    unknown = sorted(_assigned(injected[-1]) - set(NAMES))
    if unknown:
        raise ParameterError(f"This notebook has no parameter {', '.join(unknown)}; it takes {', '.join(NAMES)}.")


def _assigned(source: str) -> set[str]:
    names: set[str] = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Assign):
            targets = node.targets
        elif isinstance(node, ast.AnnAssign):
            targets = [node.target]
        else:
            continue
        names.update(name.id for target in targets for name in ast.walk(target) if isinstance(name, ast.Name))
    return names
