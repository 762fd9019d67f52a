"""The values of a statement's bind variables, as the engine takes them."""

import datetime
from collections.abc import Sequence
from decimal import Decimal
from typing import Any

from raclab.database.oracle_error import OracleError

Values = Sequence[Any]


def by_place(binds: tuple[str, ...], values: Values) -> list[Any]:
    """Values for DuckDB's $1, $2 ...: one a place, or one a name where a name stands in several places."""
    given = [_plain(value) for value in values]
    if len(given) == len(binds):
        return given
    names = list(dict.fromkeys(binds))
    if len(given) == len(names):
        by_name = dict(zip(names, given, strict=True))
        return [by_name[name] for name in binds]
    if len(given) < len(binds):
        raise OracleError(1008, f"not all variables bound: {len(names)} in the statement, {len(given)} given")
    raise OracleError(1006, "bind variable does not exist: more values than variables in the statement")


def _plain(value: Any) -> Any:
    """A bound value as DuckDB takes it; an empty string is null."""
    if value == "" and isinstance(value, str):
        return None
    if isinstance(value, str):
        return str(value)
    if isinstance(value, datetime.datetime):
        return value.replace(tzinfo=None)
    if isinstance(value, Decimal) and value == value.to_integral_value() and abs(value) < 10**18:
        return int(value)
    return value
