"""Oracle's datatypes as DuckDB's.

DATE is TIMESTAMP_S and TIMESTAMP is TIMESTAMP, so that the two stay apart; NUMBER is exact, with 28 digits before the point and 10
after it unless the statement says otherwise.
"""

from sqlglot import exp

from raclab.database.oracle_error import OracleError, unsupported

NUMBER = "DECIMAL(38, 10)"

_D = exp.DType
_TYPES = {
    _D.INT: "DECIMAL(38, 0)",
    _D.SMALLINT: "DECIMAL(38, 0)",
    _D.BIGINT: "DECIMAL(38, 0)",
    _D.DOUBLE: "DOUBLE",
    _D.FLOAT: "DOUBLE",
    _D.VARCHAR: "VARCHAR",
    _D.NVARCHAR: "VARCHAR",
    _D.CHAR: "VARCHAR",
    _D.NCHAR: "VARCHAR",
    _D.TEXT: "VARCHAR",
    _D.DATE: "TIMESTAMP_S",
    _D.TIMESTAMP: "TIMESTAMP",
    _D.BLOB: "BLOB",
    _D.VARBINARY: "BLOB",
    _D.INTERVAL: "INTERVAL",
}
_BY_NAME = {"CLOB": "VARCHAR", "NCLOB": "VARCHAR", "LONG": "VARCHAR", "RAW": "BLOB", "BLOB": "BLOB", "NUMBER": NUMBER}
ZONED = (_D.TIMESTAMPTZ, _D.TIMESTAMPLTZ)
TEXT = (_D.VARCHAR, _D.NVARCHAR, _D.CHAR, _D.NCHAR)


def stored(kind: exp.DataType) -> str:
    """DuckDB's type for an Oracle datatype. Raises ORA-00902, 01727 or 03001."""
    if kind.this in (_D.DECIMAL,):
        return _number(kind)
    if kind.this in _TYPES:
        return _TYPES[kind.this]
    name = (kind.args.get("kind") or kind.sql("oracle")).__str__().split("(")[0].strip().upper()
    if name in _BY_NAME:
        return _BY_NAME[name]
    if name.startswith("TIMESTAMP"):
        raise unsupported("TIMESTAMP WITH TIME ZONE")
    raise OracleError(902, f"invalid datatype {name}")


def length(kind: exp.DataType) -> int | None:
    """The most characters that a text type allows, where it says so."""
    if kind.this not in TEXT or not kind.expressions:
        return None
    parameter = kind.expressions[0].this
    return int(parameter.name) if parameter.name.isdigit() else None


def _number(kind: exp.DataType) -> str:
    parameters = [parameter.this.name for parameter in kind.expressions]
    if not parameters:
        return NUMBER
    precision = 38 if parameters[0] == "*" else int(parameters[0])
    scale = int(parameters[1]) if len(parameters) > 1 else 0
    if not 1 <= precision <= 38:
        raise OracleError(1727, "numeric precision specifier is out of range (1 to 38)")
    if not 0 <= scale <= precision:
        raise unsupported("NUMBER with a scale below zero or above its precision")
    return f"DECIMAL({precision}, {scale})"
