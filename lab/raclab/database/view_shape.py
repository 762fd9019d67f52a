"""What a view is made of: Oracle's columns, and where the lab's rows come from."""

import csv
import re
from collections.abc import Collection, Iterable, Mapping
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
    "LONG": "VARCHAR",
    "INTERVAL": "INTERVAL",
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


INSTANCE = "INST_ID"
HERE = "INST_ID = getvariable('inst_id')"
"""The rows of a GV$ view that its V$ shows."""

DESCRIBED = "described"
"""The table, in schema ``cluster``, of what views there are: view, position, name, stored."""

_NAMED = re.compile(r'\b(?:SYS|cluster)\."?([\w$]+)')
_CREATES = re.compile(r"CREATE VIEW \S+ AS\s+")


@dataclass(frozen=True)
class Shown:
    """What a GV$ view shows, (name, the engine's type, expression or None for null) of each column over ``rows``; or, ``here``, its V$."""

    rows: str
    columns: tuple[tuple[str, str, str | None], ...]
    here: bool = False

    def only(self, names: Collection[str]) -> str:
        """A query with as many rows as the view, and of its columns at least those of these names."""
        grouped = "GROUP BY ALL" in self.rows or any("unnest(" in (expression or "") for *_, expression in self.columns)
        wanted = {INSTANCE, *names, *re.findall(r'"(.+?)"', self.rows)}  # rows may be grouped by what the view itself shows
        kept = [one for one in self.columns if one[0] in wanted or (grouped and one[2] is not None)]
        query = selection(self.rows, kept)
        if not self.here:
            return query
        columns = ", ".join(f'"{name}"' for name, *_ in kept if name in names and name != INSTANCE) or "1"
        return f"SELECT {columns} FROM ({query}) WHERE {HERE}"


@dataclass(frozen=True)
class Definition:
    """A view, or a table that views rest on: columns as (name, the engine's type), and the statement that makes it, with its values.

    ``shown`` is what it shows, where it can be asked for some of its columns only.
    """

    columns: tuple[tuple[str, str], ...]
    sql: str
    values: tuple[object, ...] = ()
    shown: Shown | None = None

    @property
    def needs(self) -> list[str]:
        """The names in SYS and ``cluster`` that the statement reads."""
        return _NAMED.findall(self.sql)[1:]

    @property
    def query(self) -> str:
        """What a view selects; "" for a table."""
        return "" if self.values else _CREATES.sub("", self.sql, count=1)


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
    return columns_in(COLUMNS_FILE)


def columns_in(path: Path) -> dict[str, tuple[Column, ...]]:
    """Columns by view, in the order of a file of them."""
    with path.open(encoding="utf-8", newline="") as file:
        found: dict[str, list[Column]] = {}
        for row in csv.DictReader(line for line in file if not line.startswith("#")):
            found.setdefault(row["view"], []).append(Column(row["column"], row["type"]))
    return {view: tuple(columns) for view, columns in found.items()}


_WAIT_CLASS_METRICS = ("WAITCLASSMETRIC", "WAITCLASSMETRIC_HISTORY")
_FRACTIONS = {
    ("OSSTAT", "VALUE"): 2,
    **{(view, "VALUE"): 6 for view in ("METRIC", "SYSMETRIC", "SYSMETRIC_HISTORY")},
    **{("SYSMETRIC_SUMMARY", name): 6 for name in ("MINVAL", "MAXVAL", "AVERAGE", "STANDARD_DEVIATION", "SUM_SQUARES")},
    **{(view, name): 6 for view in _WAIT_CLASS_METRICS for name in ("AVERAGE_WAITER_COUNT", "DBTIME_IN_WAIT")},
    **{(view, name): 4 for view in ("EVENTMETRIC", *_WAIT_CLASS_METRICS) for name in ("TIME_WAITED", "TIME_WAITED_FG")},
}


def shown_type(view: str, column: Column) -> str:
    """The type that a view's column is shown with: averages, metrics and the load have a fraction."""
    digits = _FRACTIONS.get((view, column.name), 2 if column.name.startswith("AVERAGE_") else 0)
    return f"DECIMAL(38, {digits})" if digits else column.stored


def selection(rows: str, shown: Iterable[tuple[str, str, str | None]]) -> str:
    """The SELECT of a view: (name, the engine's type, expression or None for null) of each column, over ``rows``, a FROM clause.

    The engine takes most of its time for a view to parse it: nulls are cast once for each type, and what a table has under the same
    name has its type already.
    """
    outer, inner, nulls = [], [], dict[str, str]()
    for name, kind, expression in shown:
        quoted = f'"{name}"'
        if expression is None:
            outer.append(f"{nulls.setdefault(kind, f'null_{len(nulls)}')} {quoted}")
        else:
            outer.append(quoted)
            inner.append(quoted if expression == quoted else f"CAST({expression} AS {kind}) {quoted}")
    inner += [f"CAST(NULL AS {kind}) {name}" for kind, name in nulls.items()]
    within = f"SELECT {', '.join(inner)} FROM {rows}"
    return f"SELECT {', '.join(outer)} FROM ({within})" if nulls else within


def chosen(name: str, values: Mapping[str, object]) -> str:
    """SQL of the value that belongs to what ``name`` gives, null for one without."""
    cases = " ".join(f"WHEN '{one}' THEN {value}" for one, value in values.items())
    return f"CASE {name} {cases} END"


def address(space: int, number: str) -> str:
    """SQL of an address as V$ views show them: eight bytes, the same for the same number of the same kind (``space``)."""
    return f"unhex(printf('%016X', CAST({space} * 16777216 + inst_id * 1048576 + ({number}) AS BIGINT)))"


SESSIONS, PROCESSES, STATEMENTS = 7, 8, 9
"""Spaces of addresses."""
