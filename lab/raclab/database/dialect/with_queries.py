"""WITH queries that name themselves, CROSS APPLY and OUTER APPLY, and lists of values as tables."""

from collections.abc import Sequence

from sqlglot import exp
from sqlglot.tokenizer_core import Token, TokenType

from raclab.database.dialect.nodes import quoted
from raclab.database.oracle_error import unsupported


def refuse_search(tokens: Sequence[Token]) -> None:
    """Raise ORA-03001 for SEARCH and CYCLE after a WITH query."""
    words = [token.text.upper() for token in tokens]
    for place in range(1, len(words) - 1):
        after = tokens[place - 1].token_type is TokenType.R_PAREN
        if after and (
            words[place : place + 2] in (["SEARCH", "DEPTH"], ["SEARCH", "BREADTH"]) or (words[place] == "CYCLE" and "SET" in words)
        ):
            raise unsupported(
                "SEARCH and CYCLE of recursive WITH queries; select what orders the rows, and stop them by a condition", tokens[place].start
            )


def rewrite(tree: exp.Expr) -> exp.Expr:
    """Say RECURSIVE where a WITH query names itself, make lateral joins of APPLY, and queries of lists."""
    for table in list(tree.find_all(exp.Table)):
        _list(table)
    for with_ in tree.find_all(exp.With):
        if any(_names_itself(cte) for cte in with_.expressions):
            with_.set("recursive", True)
    for join in tree.find_all(exp.Join):
        if isinstance(join.this, exp.Lateral) and join.this.args.get("cross_apply") is not None:
            _lateral(join, bool(join.this.args["cross_apply"]))
    return tree


_LISTS = ("ODCINUMBERLIST", "ODCIVARCHAR2LIST", "ODCIDATELIST")


def _list(table: exp.Table) -> None:
    """``TABLE(SYS.ODCINUMBERLIST(1, 2))``: a row for each value, in the column COLUMN_VALUE."""
    called = table.this
    if isinstance(called, exp.Anonymous) and called.name.upper() == "TABLE" and len(called.expressions) == 1:
        called = called.expressions[0]
    called = called.expression if isinstance(called, exp.Dot) and called.this.name.upper() == "SYS" else called
    if not isinstance(called, exp.Anonymous) or called.name.upper() not in _LISTS or not called.expressions:
        return
    rows: exp.Expr | None = None
    for value in called.expressions:
        one = exp.Select(expressions=[exp.Alias(this=value.copy(), alias=quoted("COLUMN_VALUE"))])
        one.set("from_", exp.From(this=exp.Table(this=exp.to_identifier("DUAL"))))
        rows = one if rows is None else exp.Union(this=rows, expression=one, distinct=False)
    alias = table.args.get("alias") or exp.TableAlias(this=quoted("_LIST"))
    table.replace(exp.Subquery(this=rows, alias=alias))


def _names_itself(cte: exp.CTE) -> bool:
    name = cte.alias.upper()
    return any(table.name.upper() == name and not table.args.get("db") for table in cte.this.find_all(exp.Table))


def _lateral(join: exp.Join, cross: bool) -> None:
    join.this.set("cross_apply", None)
    if cross:
        join.set("kind", "CROSS")
    else:
        join.set("side", "LEFT")
        join.set("on", exp.Boolean(this=True))
