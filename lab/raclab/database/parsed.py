"""Statements as DuckDB has parsed them: it takes a millisecond for a thousand characters, each time that it is given them as text."""

import threading
from collections import OrderedDict

import duckdb

KEPT = 200
"""Statements that are kept parsed; each takes some ten bytes a character."""


class Parsed:
    """The statements that were run last, by text; for all connections to one database and for any thread."""

    def __init__(self) -> None:
        self._kept: OrderedDict[str, duckdb.Statement] = OrderedDict()
        self._lock = threading.Lock()

    def of(self, cursor: duckdb.DuckDBPyConnection, sql: str) -> duckdb.Statement | str:
        """The statement as ``cursor.execute`` takes it; the text itself where DuckDB makes several of it. Raises DuckDB's errors."""
        with self._lock:
            if sql in self._kept:
                self._kept.move_to_end(sql)
                return self._kept[sql]
        found = cursor.extract_statements(sql)
        if len(found) != 1:
            return sql
        with self._lock:
            self._kept[sql] = found[0]
            if len(self._kept) > KEPT:
                self._kept.popitem(last=False)
        return found[0]
