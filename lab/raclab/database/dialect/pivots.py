"""PIVOT: the names that Oracle gives the columns of values without an alias."""

from sqlglot import exp

from raclab.database.dialect.nodes import quoted
from raclab.database.oracle_error import OracleError


def rewrite(tree: exp.Expr) -> exp.Expr:
    """Name each column of a PIVOT as Oracle does: a text with its quotes, ``'BUSY_TIME'``. Raises ORA-00918 for two of one name."""
    for pivot in tree.find_all(exp.Pivot):
        if pivot.args.get("unpivot"):
            continue
        if sum(not isinstance(aggregate, exp.Alias) for aggregate in pivot.expressions) > 1:
            raise OracleError(918, "column ambiguously specified: of several aggregates in PIVOT all but one need an alias")
        for field in pivot.args.get("fields") or []:
            for value in list(field.expressions if isinstance(field, exp.In) else []):
                if isinstance(value, exp.Literal) and value.is_string:
                    value.replace(exp.PivotAlias(this=value.copy(), alias=quoted(value.sql("oracle"))))
    return tree
