"""What a view is made of: Oracle's columns, and where the lab's rows come from."""

import csv
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

COLUMNS_FILE = Path(__file__).with_name("view_columns.csv")

_TYPES = {
    "NUMBER": "DECIMAL(38, 0)",
    "VARCHAR2": "VARCHAR",
    "CHAR": "VARCHAR",
    "CLOB": "VARCHAR",
    "DATE": "TIMESTAMP_S",
    "TIMESTAMP": "TIMESTAMP",
    "RAW": "BLOB",
}


@dataclass(frozen=True)
class Column:
    """One documented column with its Oracle type, e.g. NUMBER or VARCHAR2(64)."""

    name: str
    type: str

    @property
    def stored(self) -> str:
        """The engine's type for it."""
        return _TYPES[self.type.split("(")[0].split()[0]]


@dataclass(frozen=True)
class Filling:
    """Where a view's rows come from: a FROM clause, with what follows it, and an expression by column. INST_ID is ``inst_id``."""

    rows: str
    columns: Mapping[str, str]


@dataclass(frozen=True)
class Added:
    """A view that measurements bring rows for, under Oracle's names and in Oracle's units.

    Over runs, rows with the same ``keys`` on the same instance become one: columns in ``last`` keep the last value that is not
    null, those in ``shown`` are what their expression says, all others add up. Without ``keys`` every row stays. ``join`` is what the
    rows are joined with, for ``shown``. With ``replaced`` a run's rows take the place of all that were there. ``brought`` are the
    columns that runs may bring; where it says none, all.
    """

    keys: tuple[str, ...] = ()
    last: tuple[str, ...] = ()
    shown: Mapping[str, str] = field(default_factory=dict)
    join: str = ""
    replaced: bool = False
    brought: tuple[str, ...] = ()

    def brings(self, column: str) -> bool:
        """Whether runs may bring that column."""
        return not self.brought or column in self.brought


@cache
def documented() -> dict[str, tuple[Column, ...]]:
    """Columns by view, without V$ or GV$."""
    with COLUMNS_FILE.open(encoding="utf-8", newline="") as file:
        found: dict[str, list[Column]] = {}
        for row in csv.DictReader(line for line in file if not line.startswith("#")):
            found.setdefault(row["view"], []).append(Column(row["column"], row["type"]))
    return {view: tuple(columns) for view, columns in found.items()}


def shown_type(view: str, column: Column) -> str:
    """The type that a view's column is shown with: averages and the load have a fraction."""
    fraction = column.name.startswith("AVERAGE_") or (view, column.name) == ("OSSTAT", "VALUE")
    return "DECIMAL(38, 2)" if fraction else column.stored


def address(space: int, number: str) -> str:
    """SQL of an address as V$ views show them: eight bytes, the same for the same number of the same kind (``space``)."""
    return f"unhex(printf('%016X', CAST({space} * 16777216 + inst_id * 1048576 + ({number}) AS BIGINT)))"


SESSIONS, PROCESSES, STATEMENTS = 7, 8, 9
"""Spaces of addresses."""
