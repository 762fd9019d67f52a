"""What of sqlglot's many node types can be in an Oracle statement here. All else is refused by name, rather than passed to DuckDB."""

from sqlglot import exp

from raclab.database.dialect.nodes import place
from raclab.database.oracle_error import OracleError, unsupported

_ALLOWED_NAMES = """
    Select From Table TableAlias Alias Column Identifier Star Literal Null RawString National Where And Or Not EQ NEQ GT GTE LT LTE Like
    Escape In Between Exists Is Case If Paren Neg Add Sub Mul Div DPipe Cast DataType DataTypeParam Interval IntervalSpan Var Window
    WindowSpec Order Ordered Group Rollup Cube GroupingSets Having Distinct Join Subquery Union Except Intersect With CTE Tuple Any All
    Anonymous GroupConcat WithinGroup IgnoreNulls RespectNulls Trim Extract Fetch LimitOptions Offset Placeholder Pivot PivotAlias Connect
    Prior ConnectByRoot Systimestamp CurrentDate CurrentTimestamp Localtimestamp Lateral Insert Update Delete Merge Whens When Values
    Schema Dot Hint Lock Limit JoinHint PivotAny OverflowTruncateBehavior AtTimeZone MultitableInserts ConditionalInsert
    Returning
    TableSample
"""
_ALLOWED = frozenset(_ALLOWED_NAMES.split())

_SAID = {
    "Partition": "partitions",
    "Version": "flashback queries (AS OF)",
    "Into": "SELECT INTO outside PL/SQL",
    "MatchRecognize": "MATCH_RECOGNIZE",
    "Parameter": "substitution variables; they are SQL*Plus's",
    "Collate": "COLLATE",
    "XMLTable": "XMLTABLE",
    "JSONTable": "JSON_TABLE",
    "QueryOption": "WITH READ ONLY or WITH CHECK OPTION",
}
_NOT_ORACLE = {
    "Qualify": "QUALIFY",
    "ILike": "ILIKE",
    "Bracket": "[ ]",
    "Struct": "{ }",
    "Array": "[ ]",
    "Filter": "FILTER",
    "TryCast": "TRY_CAST",
}


def check(tree: exp.Expr) -> None:
    """Raise for the first node that can't be here: ORA-00933 where Oracle has no such syntax, ORA-03001 where the lab has not."""
    for node in tree.walk():
        name = type(node).__name__
        if name in _ALLOWED:
            continue
        if name in _NOT_ORACLE:
            raise OracleError(933, f"SQL command not properly ended: {_NOT_ORACLE[name]} is not Oracle's SQL", place(node))
        if isinstance(node, exp.Boolean):
            raise OracleError(904, f'"{str(node.this).upper()}": invalid identifier', place(node))
        raise unsupported(_SAID.get(name, f"{name} in SQL"), place(node))
