"""Which constraint a statement broke: DuckDB's message names columns or an expression, Oracle's the constraint."""

import re
from collections.abc import Collection, Iterator, Mapping
from typing import NamedTuple

from sqlglot import parse_one

from raclab.database.constraints import CHECK, Notes, literal, quote
from raclab.database.dialect.catalog import Asks
from raclab.database.oracle_error import OracleError

_DUPLICATE = re.compile(r'[Dd]uplicate key "(?P<values>.*)"', re.DOTALL)
_CHECKED = re.compile(r'CHECK constraint failed on table "(?P<table>[^"]+)" with expression (?P<text>.*)', re.DOTALL)
_CHECKS = (
    "SELECT constraint_text FROM duckdb_constraints() WHERE schema_name = 'LAB' AND table_name = {} AND constraint_type = 'CHECK' "
    "AND constraint_text NOT LIKE 'CHECK((length(%' ORDER BY constraint_index"
)
_INDEXES = "SELECT index_name, table_name, sql FROM duckdb_indexes() WHERE schema_name = 'LAB' AND is_unique"


def broken(said: str, tables: Collection[str], notes: Mapping[str, Notes], ask: Asks) -> OracleError | None:
    """ORA-00001 or 02290 with the constraint's name, or None where the error is another or more than one constraint can be meant.

    ``said`` is DuckDB's message, ``tables`` are those that the statement changed; ``ask`` gives the rows of a query to the session, whose
    transaction is again as it was before the statement.
    """
    if match := _CHECKED.search(said):
        texts = [text for (text,) in ask(_CHECKS.format(literal(match["table"])))]
        checks = [one for one in notes[match["table"]].constraints if one.kind == CHECK] if match["table"] in notes else []
        name = next((one.name for one, text in zip(checks, texts, strict=False) if match["text"].startswith(text)), None)
        return OracleError(2290, f"check constraint (LAB.{name}) violated") if name else None
    if match := _DUPLICATE.search(said):
        unique = list(_unique(tables, notes, ask))
        found = [one for one in unique if _pattern(one.keys).fullmatch(match["values"])]
        found = found or [one for one in unique if _has(one, match["values"], ask)] or unique
        return OracleError(1, f"unique constraint (LAB.{found[0].name}) violated") if len(found) == 1 else None
    return None


class _Unique(NamedTuple):
    """A key or unique index: its table, its name, and its columns and expressions in DuckDB's SQL."""

    table: str
    name: str
    keys: list[str]


def _unique(tables: Collection[str], notes: Mapping[str, Notes], ask: Asks) -> Iterator[_Unique]:
    for table in tables:
        for one in notes[table].constraints if table in notes else ():
            if one.key:
                yield _Unique(table, one.name, [quote(column) for column in one.columns])
    for index, table, sql in ask(_INDEXES):
        if table in tables:
            columns = parse_one(str(sql), dialect="duckdb").this.args["params"].args["columns"]
            yield _Unique(str(table), str(index), [one.this.unnest().sql("duckdb", identify=True) for one in columns])


def _pattern(keys: list[str]) -> re.Pattern[str]:
    """What DuckDB says of a key: each column or expression with its value."""
    plain = (re.escape(key.replace('"', "")) for key in keys)
    return re.compile(", ".join(rf"\(?{key}\)?: .*" for key in plain), re.DOTALL | re.IGNORECASE)


def _has(unique: _Unique, values: str, ask: Asks) -> bool:
    """Whether a row of the table has these values: DuckDB says nothing but them where both rows are the transaction's own."""
    texts = ", ".join(f"CAST({key} AS VARCHAR)" for key in unique.keys)
    return bool(ask(f"SELECT 1 FROM {quote('LAB', unique.table)} WHERE concat_ws(', ', {texts}) = {literal(values)} LIMIT 1"))
