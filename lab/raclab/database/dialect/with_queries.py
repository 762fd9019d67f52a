"""WITH queries that name themselves, and CROSS APPLY and OUTER APPLY."""

from sqlglot import exp


def rewrite(tree: exp.Expr) -> exp.Expr:
    """Say RECURSIVE where a WITH query names itself, and make lateral joins of APPLY."""
    for with_ in tree.find_all(exp.With):
        if any(_names_itself(cte) for cte in with_.expressions):
            with_.set("recursive", True)
    for join in tree.find_all(exp.Join):
        if isinstance(join.this, exp.Lateral) and join.this.args.get("cross_apply") is not None:
            _lateral(join, bool(join.this.args["cross_apply"]))
    return tree


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
