"""Which columns the cluster's tables and views have, and of what kind: what a translation has to know of the database.

A kind is a letter: T text, D date, S timestamp, I interval, B bytes, F binary number; N and a figure is an exact number with so many
digits after the point. An interval that was computed has nine digits for its days, and a figure: so many for its fraction of a second.
None is a kind that is not known, e.g. a bind variable's.
"""

import re
import threading
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

from raclab.database.constraints import Notes, of_comment
from raclab.database.definitions import definitions
from raclab.database.foreign_keys import ForeignKey, foreign_keys

Columns = Mapping[str, str | None]

_KINDS = {"VARCHAR": "T", "TIMESTAMP_S": "D", "TIMESTAMP": "S", "DATE": "D", "INTERVAL": "I", "BLOB": "B", "DOUBLE": "F", "FLOAT": "F"}
_WHOLE = ("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT", "UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT", "UHUGEINT")
_DECIMAL = re.compile(r"DECIMAL\(\d+, ?(\d+)\)")
_ALL = "SELECT schema_name, table_name, column_name, data_type FROM duckdb_columns() WHERE schema_name IN ({})"
_NOTED = "SELECT table_name, comment FROM duckdb_tables() WHERE schema_name = 'LAB'"

Asks = Callable[[str], list[tuple[Any, ...]]]
"""What gives the rows of a query to the engine, as all sessions see them."""


def kind_of_type(stored: str) -> str | None:
    """The kind of one of DuckDB's types."""
    if match := _DECIMAL.fullmatch(stored):
        return f"N{match[1]}"
    return "N0" if stored in _WHOLE else _KINDS.get(stored)


class Catalog:
    """The columns of every table and view, read from the engine when first asked for; of learners' tables again after each DDL.

    ``notes`` are what is known of learners' tables' constraints, ``foreign_keys`` those among them.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._fixed: dict[tuple[str, str], dict[str, str | None]] | None = None
        self._own: dict[tuple[str, str], dict[str, str | None]] | None = None
        self.notes: dict[str, Notes] = {}
        self.foreign_keys: list[ForeignKey] = []

    def read(self, ask: Asks) -> None:
        """Read what was not read yet."""
        with self._lock:
            if self._fixed is None:
                self._fixed = _read(ask, "'SYS', 'PUBLISHED'") | _of_views()
            if self._own is None:
                self.notes = {table: of_comment(comment) for table, comment in ask(_NOTED)}
                self.foreign_keys = foreign_keys(self.notes)
                self._own = _read(ask, "'LAB'")

    def forget(self) -> None:
        """Learners' tables have changed: read them again before the next statement."""
        with self._lock:
            self._own = None

    def columns(self, schema: str, name: str) -> Columns | None:
        """The columns of a table or view by name, or None where there is none."""
        tables = (self._own if schema == "LAB" else self._fixed) or {}
        return tables.get((schema, name))


@cache
def _of_views() -> dict[tuple[str, str], dict[str, str | None]]:
    """Of SYS's views, which are there when a statement first names them."""
    kinds = cache(kind_of_type)
    return {("SYS", name): {column: kinds(stored) for column, stored in view.columns} for name, view in definitions().items()}


def _read(ask: Asks, schemas: str) -> dict[tuple[str, str], dict[str, str | None]]:
    found: dict[tuple[str, str], dict[str, str | None]] = {}
    for schema, table, column, stored in ask(_ALL.format(schemas)):
        found.setdefault((schema, table), {})[column] = kind_of_type(str(stored))
    return found
