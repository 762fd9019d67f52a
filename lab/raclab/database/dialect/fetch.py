"""FETCH FIRST: a number of rows or a percentage, with ties or without."""

from sqlglot import exp

from raclab.database.dialect.nodes import call, number, place
from raclab.database.oracle_error import OracleError, unsupported


def rewrite(tree: exp.Expr) -> exp.Expr:
    """Turn every FETCH into DuckDB's LIMIT or a condition in QUALIFY."""
    for fetch in list(tree.find_all(exp.Fetch)):
        query = fetch.parent
        if query is None:
            continue
        options = fetch.args.get("limit_options")
        count = fetch.args.get("count") or number(1)
        percent, ties = bool(options and options.args.get("percent")), bool(options and options.args.get("with_ties"))
        if not percent and not ties:
            query.set("limit", exp.Limit(expression=count))
            continue
        order = query.args.get("order")
        if not isinstance(query, exp.Select) or query.args.get("distinct"):
            raise unsupported("FETCH with PERCENT or WITH TIES after DISTINCT or a set operator")
        offset = query.args.get("offset")
        query.set("limit", None)
        query.set("offset", None)
        query.set("qualify", exp.Qualify(this=_condition(query, order, count, offset.expression if offset else None, percent, ties)))
    return tree


def refuse_limit(tree: exp.Expr) -> None:
    """Raise ORA-00933 for LIMIT, which sqlglot reads and Oracle doesn't know."""
    limit = tree.find(exp.Limit)
    if limit is not None:
        said = "SQL command not properly ended: LIMIT is not Oracle's, write FETCH FIRST n ROWS ONLY"
        raise OracleError(933, said, place(limit))


def _condition(query: exp.Select, order: exp.Expr | None, count: exp.Expr, offset: exp.Expr | None, percent: bool, ties: bool) -> exp.Expr:
    if order is not None:
        order = order.copy()
        for item in order.expressions:
            if isinstance(item.this, exp.Literal) and item.this.is_int:
                at = int(item.this.this)
                if not 1 <= at <= len(query.expressions):
                    raise OracleError(1785, "ORDER BY item must be the number of a SELECT-list expression", place(item))
                item.set("this", query.expressions[at - 1].unalias().copy())
    ranked = exp.Window(this=call("rank" if ties and order is not None else "row_number"), over="OVER", order=order)
    if percent:
        rows = exp.Window(this=call("count", exp.Star()), over="OVER")
        share = exp.Mul(this=rows, expression=exp.Paren(this=exp.Div(this=count, expression=number(100))))
        count = call("ceil", share)
    if offset is None:
        return exp.LTE(this=ranked, expression=count)
    numbered = exp.Window(this=call("row_number"), over="OVER", order=order.copy() if order is not None else None)
    last = exp.Add(this=offset.copy(), expression=exp.Paren(this=count))
    return exp.And(this=exp.GT(this=numbered, expression=offset), expression=exp.LTE(this=ranked, expression=last))
