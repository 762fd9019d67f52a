"""What a statement gave, as the wire takes it: Oracle's types for DuckDB's."""

from collections.abc import Iterable, Sequence
from decimal import Decimal
from typing import Any

from seerdb.common.tns import ColumnMeta
from seerdb.common.tns_consts import (
    TNS_TYPE_CLOB,
    TNS_TYPE_DATE,
    TNS_TYPE_INTERVALDS,
    TNS_TYPE_NUMBER,
    TNS_TYPE_RAW,
    TNS_TYPE_TIMESTAMP,
    TNS_TYPE_VARCHAR,
)
from seerdb.server import BindVar, Result
from seerdb.server.backend import as_declared_type

from raclab.database.oracle_error import OracleError
from raclab.database.session import Outcome

_LONGEST_VARCHAR = 32_767
_USUAL_VARCHAR = 4_000

_WIRE = {
    "TIMESTAMP_S": TNS_TYPE_DATE,
    "TIMESTAMP": TNS_TYPE_TIMESTAMP,
    "DATE": TNS_TYPE_DATE,
    "INTERVAL": TNS_TYPE_INTERVALDS,
    "BLOB": TNS_TYPE_RAW,
}
_WIDTHS = {TNS_TYPE_NUMBER: 22, TNS_TYPE_DATE: 7, TNS_TYPE_TIMESTAMP: 11, TNS_TYPE_INTERVALDS: 11, TNS_TYPE_RAW: 2000}
_UNKNOWN_SCALE = -127
_WHOLE = 1e15, 2.0**53  # between them a binary number has more than 15 digits and holds each whole number


def plain(bind: Any) -> Any:
    """A bound value; a null comes with its type around it."""
    return bind.value if isinstance(bind, BindVar) else bind


def result(outcome: Outcome) -> Result:
    """A statement's outcome as seerdb sends it. Raises OracleError for a number that is none."""
    if outcome.returned or not outcome.columns:
        return Result(rowcount=outcome.changed)
    kinds = [_wire_type(kind) for _, kind in outcome.columns]
    rows = [tuple(_sent(value, kind) for value, kind in zip(row, kinds, strict=True)) for row in outcome.rows]
    columns = [column(name, kind, (row[place] for row in rows)) for place, (name, kind) in enumerate(outcome.columns)]
    return Result(columns=columns, rows=rows)


def returned(outcome: Outcome, wanted: Sequence[int]) -> list[tuple[Any, ...]]:
    """The rows of a RETURNING, each value as the type of the variable that receives it. Raises OracleError, and seerdb's BackendError."""
    kinds = [_wire_type(kind) for _, kind in outcome.columns]
    return [
        tuple(_received(_sent(value, kind), want) for value, kind, want in zip(row, kinds, wanted, strict=True)) for row in outcome.rows
    ]


def _received(value: Any, want: int) -> Any:
    if want == TNS_TYPE_VARCHAR and isinstance(value, int | Decimal):
        return f"{value:f}" if isinstance(value, Decimal) else str(value)
    if want == TNS_TYPE_VARCHAR and value is not None and not isinstance(value, str | bytes):
        raise OracleError(3001, "unimplemented feature: the simulated cluster returns dates into variables of their type, not as text")
    return as_declared_type(value, want)


def _wire_type(kind: str) -> int:
    if kind in _WIRE:
        return _WIRE[kind]
    return TNS_TYPE_VARCHAR if kind in ("VARCHAR", '"NULL"', "UUID", "ENUM") else TNS_TYPE_NUMBER


def column(name: str, kind: str, values: Iterable[Any]) -> ColumnMeta:
    """A column of DuckDB's type ``kind``, wide enough for its values."""
    wire = _wire_type(kind)
    label = name.encode()
    if wire == TNS_TYPE_VARCHAR:
        widest = max((len(value.encode()) for value in values if value is not None), default=0)
        if widest > _LONGEST_VARCHAR:
            return ColumnMeta(name=label, data_type=TNS_TYPE_CLOB, data_length=_USUAL_VARCHAR, max_size=0)
        width = max(widest, _USUAL_VARCHAR)
        return ColumnMeta(name=label, data_type=wire, data_length=width, max_size=width)
    width = _WIDTHS[wire]
    scale = {TNS_TYPE_NUMBER: _UNKNOWN_SCALE, TNS_TYPE_TIMESTAMP: 6}.get(wire, 0)
    return ColumnMeta(name=label, data_type=wire, data_length=width, max_size=width, scale=scale)


def _sent(value: Any, wire: int) -> Any:
    """A value as the wire takes it. A binary number goes as the 15 digits that it holds, 16 if it is whole; an empty string as null."""
    if value is None or value == "":
        return None
    if wire == TNS_TYPE_NUMBER:
        if isinstance(value, bool):
            return int(value)
        if isinstance(value, float):
            if value != value or value in (float("inf"), float("-inf")):
                raise OracleError(1426, "numeric overflow")
            value = Decimal(f"{value:.0f}" if _WHOLE[0] <= abs(value) < _WHOLE[1] else f"{value:.15g}")
        if isinstance(value, Decimal):
            return int(value) if value == value.to_integral_value() else value.normalize()
        return value
    return str(value) if wire == TNS_TYPE_VARCHAR and not isinstance(value, str) else value
