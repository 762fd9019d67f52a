"""Changes of tables as DuckDB takes them: one INSERT a table, one change a column, columns without their table."""

from collections.abc import Iterator
from typing import Any

from sqlglot import exp

from raclab.database.dialect.constraints import plain_name
from raclab.database.dialect.function_table import AGGREGATES
from raclab.database.dialect.names import Names
from raclab.database.dialect.nodes import every, quoted
from raclab.database.foreign_keys import Write
from raclab.database.oracle_error import OracleError, unsupported


def writes(tree: exp.Insert | exp.Update | exp.Delete | exp.Merge, names: Names) -> tuple[Write, ...]:
    """What a statement does to its table. Raises ORA-01031 for one outside the schema LAB."""
    _, table = names.writable(tree.this.this if isinstance(tree.this, exp.Schema) else tree.this)
    if isinstance(tree, exp.Merge):
        thens = [branch.args["then"] for branch in tree.args["whens"].expressions]
        return tuple(_write(table, then) for then in thens)
    return (_write(table, tree),)


def _write(table: str, change: exp.Expr) -> Write:
    if isinstance(change, exp.Update):
        columns = [column for one in change.expressions for column in one.this.find_all(exp.Column)]
        return Write(table, "update", frozenset(plain_name(column) for column in columns))
    return Write(table, "insert" if isinstance(change, exp.Insert) else "delete")


def several_inserts(tree: Any, names: Names) -> Iterator[exp.Insert]:
    """One INSERT ... SELECT for each INTO, of the rows that its condition lets in; FIRST leaves out those that an earlier one took."""
    earlier: list[exp.Expr] = []
    first = str(tree.args.get("kind")).upper() == "FIRST"
    for part in tree.expressions:
        insert, condition = part.this, part.args.get("expression")
        wanted = [condition.copy()] if condition is not None else []
        if part.args.get("else_") or first:
            wanted += [_not(one) for one in earlier]
        if condition is not None:
            earlier.append(condition)
        yield _one(insert, tree.args["source"], every([exp.Paren(this=one) for one in wanted]))


def _not(condition: exp.Expr) -> exp.Expr:
    """Not true: false or unknown."""
    return exp.Case(ifs=[exp.If(this=condition.copy(), true=_one_or_zero("0"))], default=_one_or_zero("1")).eq(_one_or_zero("1"))


def _one_or_zero(digit: str) -> exp.Expr:
    return exp.Literal.number(digit)


def _one(insert: Any, source: exp.Expr, condition: exp.Expr | None) -> exp.Insert:
    values = insert.args.get("expression")
    if values is None:
        items: list[exp.Expr] = [exp.Star()]
    elif isinstance(values, exp.Values) and len(values.expressions) == 1:
        given = values.expressions[0]
        items = list(given.expressions) if isinstance(given, exp.Tuple) else [given.this if isinstance(given, exp.Paren) else given]
    else:
        raise OracleError(926, "missing VALUES keyword")
    if any(isinstance(node, exp.Column) and node.name.upper() == "NEXTVAL" for item in items for node in item.walk()):
        raise unsupported("NEXTVAL in INSERT ALL; there it is one number for all the tables")
    select = exp.Select(expressions=[item.copy() for item in items])
    select.set("from_", exp.From(this=exp.Subquery(this=source.copy(), alias=exp.TableAlias(this=exp.to_identifier("S_")))))
    if condition is not None:
        select.set("where", exp.Where(this=condition))
    return exp.Insert(this=insert.this.copy(), expression=select)


def _value(query: exp.Select, place: int) -> exp.Select:
    """A query for one of the values of a query's row. Where it aggregates, it stays whole: alone, a constant would not group."""
    one = query.copy()
    if not any(isinstance(node, exp.Anonymous) and node.name.upper() in AGGREGATES for item in one.expressions for node in item.walk()):
        one.set("expressions", [one.expressions[place]])
        return one
    one.set("expressions", [exp.Alias(this=item.unalias(), alias=quoted(f"V{at}")) for at, item in enumerate(one.expressions)])
    outer = exp.Select(expressions=[exp.Column(this=quoted(f"V{place}"))])
    outer.set("from_", exp.From(this=exp.Subquery(this=one, alias=exp.TableAlias(this=quoted("V")))))
    return outer


def single_changes(tree: exp.Update) -> None:
    """Make ``(a, b) = (select x, y ...)`` one change a column, each with the query for its own value."""
    changes: list[exp.Expr] = []
    for change in tree.expressions:
        columns = change.this.expressions if isinstance(change, exp.EQ) and isinstance(change.this, exp.Tuple) else None
        if columns is None and isinstance(change, exp.EQ) and isinstance(change.this, exp.Paren):
            columns = [change.this.this]
        if columns is None:
            changes.append(change)
            continue
        query = change.expression.this if isinstance(change.expression, exp.Subquery) else change.expression
        if not isinstance(query, exp.Select):
            raise OracleError(1767, "UPDATE ... SET expression must be a subquery")
        if len(query.expressions) != len(columns):
            raise OracleError(913 if len(query.expressions) > len(columns) else 947, "the subquery has another number of columns than SET")
        for place, column in enumerate(columns):
            one = _value(query, place)
            changes.append(exp.EQ(this=column, expression=exp.Subquery(this=one)))
    tree.set("expressions", changes)


def without_table(change: exp.Expr) -> None:
    """The column that a SET changes, named without its table: DuckDB takes no other."""
    if isinstance(change, exp.EQ) and isinstance(change.this, exp.Column):
        change.this.set("table", None)


def defaults(tree: exp.Update | exp.Merge) -> None:
    """SET a = DEFAULT, which has been read as a column of that name."""
    for change in [found for found in tree.find_all(exp.EQ) if isinstance(found.parent, exp.Update)]:
        given = change.expression
        if isinstance(given, exp.Column) and not given.table and given.name.upper() == "DEFAULT" and not given.this.args.get("quoted"):
            given.replace(exp.Var(this="DEFAULT"))
