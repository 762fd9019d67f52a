"""CONNECT BY as DuckDB's recursive WITH.

Rows are numbered once; each row of the hierarchy carries its level and the list of row numbers from its root, which gives the
order (children after their parent, siblings as ORDER SIBLINGS BY says) and finds loops.
"""

from collections.abc import Callable
from typing import Any

from sqlglot import exp

from raclab.database.dialect import joined_hierarchy, kinds
from raclab.database.dialect.catalog import Columns
from raclab.database.dialect.nodes import (
    call,
    cast,
    conjuncts,
    every,
    is_constant,
    own,
    parts,
    pseudocolumn,
    quoted,
    read_from,
    star,
    template,
)
from raclab.database.oracle_error import OracleError

_LEVEL = "LEVEL"


def rewrite(tree: exp.Expr, columns_of: Callable[[Any], Columns | None]) -> exp.Expr:
    """Rewrite CONNECT BY in every query block, inner blocks first. ``columns_of`` gives a table's columns."""
    joined_hierarchy.rewrite(tree, columns_of)
    for number, select in enumerate(reversed([s for s in tree.find_all(exp.Select) if s.args.get("connect")])):
        _Hierarchy(select, number).rewrite()
    if any(order.args.get("siblings") for order in tree.find_all(exp.Order)):
        raise OracleError(30929, "ORDER SIBLINGS BY clause not allowed here")
    stray = next((node for node in tree.find_all(exp.Column) if pseudocolumn(node, _LEVEL)), None)
    if stray is not None and not stray.find_ancestor(exp.Create):
        raise OracleError(1788, "CONNECT BY clause required in this query block")
    return tree


class _Hierarchy:
    """One query block with CONNECT BY."""

    def __init__(self, select: exp.Select, number: int) -> None:
        self.select = select
        connect = select.args["connect"]
        self.start: exp.Expr | None = connect.args.get("start")
        self.condition: exp.Expr = connect.args["connect"]
        self.nocycle = bool(connect.args.get("nocycle"))
        self.name = f"_TREE{number}"
        self.carried: list[tuple[exp.Expr, exp.Expr]] = []  # value at the root, value at a child
        self.cycles = False  # whether CONNECT_BY_ISCYCLE is asked for
        self.leaves = False  # whether CONNECT_BY_ISLEAF is

    def rewrite(self) -> None:
        """Replace FROM by the hierarchy, and what only a hierarchy knows by columns of it."""
        source = self.select.args["from_"].this
        alias = source.alias_or_name
        has_prior = self.condition.find(exp.Prior) is not None
        self._inside()
        rows = self._counted(source)
        if rows is not None:
            self._repeat(source, alias, rows)
            return
        for node in list(own(self.select)):
            self._column(node)
        tree = self._recursive(source, alias, has_prior)
        self.select.set("connect", None)
        order = self.select.args.get("order")
        if order is not None and order.args.get("siblings"):
            self.select.set("order", None)
        asked = [name for name, wanted in (("_CYCLE", self.cycles), ("_LEAF", self.leaves)) if wanted]
        self._hide("_PATH", "_ORD", _LEVEL, *(f"_C{n}" for n in range(len(self.carried))), *asked)
        read_from(self.select, tree, _alias(alias))

    def _inside(self) -> None:
        """LEVEL in the subqueries of a block is the block's, where they are no hierarchies themselves; those have been rewritten before."""
        for key in ("expressions", "where", "having", "order"):
            for query in [node for part in parts(self.select, key) for node in part.find_all(exp.Select)]:
                for node in [node for node in query.find_all(exp.Column) if pseudocolumn(node, _LEVEL)]:
                    node.replace(_in_tree(_LEVEL))

    def _hide(self, *names: str) -> None:
        """Keep columns of the lab's own out of SELECT *."""
        for item in self.select.expressions:
            if (shown := star(item)) is not None:
                shown.set("except_", [quoted(name) for name in names])

    def _counted(self, source: exp.Expr) -> exp.Expr | None:
        """The number of rows where one row of DUAL is repeated up to a level, else None."""
        only = self.condition.unnest()
        if self.start is not None or not isinstance(source, exp.Table) or source.name.upper() != "DUAL":
            return None
        if isinstance(only, exp.GT | exp.GTE):
            only = (exp.LT if isinstance(only, exp.GT) else exp.LTE)(this=only.right, expression=only.left)
        if not isinstance(only, exp.LT | exp.LTE) or not (pseudocolumn(only.left, _LEVEL) or pseudocolumn(only.left, "ROWNUM")):
            return None
        if any(isinstance(node, exp.Column | exp.Query) for node in only.right.walk()):
            return None
        if any(_of_a_tree(node) for node in own(self.select)):
            return None
        rounded = call("floor" if isinstance(only, exp.LTE) else "ceil", only.right.copy())
        whole: exp.Expr = cast(rounded, "BIGINT")
        return exp.Sub(this=whole, expression=exp.Literal.number(1)) if isinstance(only, exp.LT) else whole

    def _repeat(self, source: exp.Expr, alias: str, rows: exp.Expr) -> None:
        counted = exp.replace_placeholders(template('SELECT *, unnest(range(1, greatest(1, :rows) + 1)) AS "LEVEL" FROM t'), rows=rows)
        kinds.keep(counted.expressions[1], "N0")
        counted.set("from_", exp.From(this=source))
        for node in list(own(self.select)):
            if pseudocolumn(node, _LEVEL) and not node.find_ancestor(exp.Connect):
                node.replace(_in_tree(_LEVEL))
        self._hide(_LEVEL)
        self.select.set("connect", None)
        read_from(self.select, counted, _alias(alias))

    def _column(self, node: exp.Expr) -> None:
        if node.parent is None or node.find_ancestor(exp.Connect):
            return
        if pseudocolumn(node, _LEVEL):
            node.replace(_in_tree(_LEVEL))
        elif pseudocolumn(node, "CONNECT_BY_ISLEAF"):
            self.leaves = True
            node.replace(_in_tree("_LEAF"))
        elif pseudocolumn(node, "CONNECT_BY_ISCYCLE"):
            if not self.nocycle:
                raise OracleError(30930, "NOCYCLE keyword is required with CONNECT_BY_ISCYCLE pseudocolumn")
            self.cycles = True
            node.replace(_in_tree("_CYCLE"))
        elif isinstance(node, exp.ConnectByRoot):
            node.replace(self._carry(node.this.copy(), None))
        elif isinstance(node, exp.Prior):
            node.replace(self._carry(_null_like(node.this.copy()), _parent(node.this.copy())))
        elif isinstance(node, exp.Anonymous) and node.name.upper() == "SYS_CONNECT_BY_PATH" and len(node.expressions) == 2:
            value, mark = node.expressions
            step = exp.DPipe(this=mark.copy(), expression=value.copy())
            node.replace(self._carry(step, exp.DPipe(this=_up(f"_C{len(self.carried)}"), expression=step.copy())))

    def _carry(self, root: exp.Expr, child: exp.Expr | None) -> exp.Expr:
        name = f"_C{len(self.carried)}"
        self.carried.append((root, child if child is not None else _up(name)))
        return _in_tree(name)

    def _recursive(self, source: exp.Expr, alias: str, has_prior: bool) -> exp.Expr:
        order = self.select.args.get("order")
        siblings = order.copy() if order is not None and order.args.get("siblings") else None
        if siblings is not None:
            siblings.set("siblings", None)
        numbered = exp.Select(
            expressions=[
                exp.Star(),
                exp.Alias(this=exp.Window(this=call("row_number"), over="OVER", order=siblings), alias=quoted("_ORD")),
            ]
        )
        numbered.set("from_", exp.From(this=source))
        rows = exp.CTE(this=numbered, alias=exp.TableAlias(this=quoted(f"{self.name}_ROWS")))
        extra = "".join(f', CAST(NULL AS INTEGER) AS "_C{n}"' for n in range(len(self.carried)))
        root = template(f'SELECT *, 1 AS "LEVEL", ["_ORD"] AS "_PATH"{extra} FROM "{self.name}_ROWS"')
        child = template(
            f'SELECT "_CHILD".*, "_UP"."LEVEL" + 1, list_append("_UP"."_PATH", "_CHILD"."_ORD"){extra} '
            f'FROM "{self.name}" AS "_UP" CROSS JOIN "{self.name}_ROWS" AS "_CHILD"'
        )
        if not isinstance(root, exp.Select) or not isinstance(child, exp.Select):
            raise TypeError("the templates above are query blocks")
        for block in (root, child):
            kinds.keep(block.expressions[1], "N0")
        for place, (at_root, at_child) in enumerate(self.carried):
            root.expressions[3 + place].replace(exp.Alias(this=_unqualified(at_root, alias), alias=quoted(f"_C{place}")))
            child.expressions[3 + place].replace(_sided(at_child, alias))
        if self.start is not None:
            root.set("where", exp.Where(this=_unqualified(self.start.copy(), alias)))
        conditions = [_sided(condition.copy(), alias) for condition in conjuncts(self.condition)]
        again = every([condition.copy() for condition in conditions])
        if has_prior:
            seen = 'list_contains("_UP"."_PATH", "_CHILD"."_ORD")'
            loop = f"NOT {seen}" if self.nocycle else f"CASE WHEN {seen} THEN error('ORA-01436') ELSE TRUE END"
            conditions.append(template(loop))
        joined = every(conditions)
        child.set("where", exp.Where(this=joined))
        tree = exp.Union(this=root, expression=child, distinct=False)
        with_ = exp.With(expressions=[rows, exp.CTE(this=tree, alias=exp.TableAlias(this=quoted(self.name)))], recursive=True)
        shown = '"_UP".*'
        if self.leaves:
            shown += ', CASE WHEN coalesce(lead("LEVEL") OVER (ORDER BY "_PATH"), 0) > "LEVEL" THEN 0 ELSE 1 END AS "_LEAF"'
        if self.cycles:
            seen = f'SELECT 1 FROM "{self.name}_ROWS" AS "_CHILD" WHERE list_contains("_UP"."_PATH", "_CHILD"."_ORD") AND :again'
            shown += f', CASE WHEN EXISTS ({seen}) THEN 1 ELSE 0 END AS "_CYCLE"'
        whole = template(f'SELECT {shown} FROM "{self.name}" AS "_UP" ORDER BY "_PATH"')
        if self.cycles:
            whole = exp.replace_placeholders(whole, again=again)
        whole.set("with_", with_)
        return whole


def _of_a_tree(node: exp.Expr) -> bool:
    """Whether a node asks for more of a hierarchy than its level."""
    named = isinstance(node, exp.Anonymous) and node.name.upper() == "SYS_CONNECT_BY_PATH"
    return named or isinstance(node, exp.ConnectByRoot) or any(pseudocolumn(node, f"CONNECT_BY_IS{what}") for what in ("LEAF", "CYCLE"))


def _null_like(value: exp.Expr) -> exp.Expr:
    """Null of a value's type: roots have no parent, and the recursion takes its types from the roots."""
    return exp.Case(ifs=[exp.If(this=template("FALSE"), true=value)])


def _in_tree(name: str) -> exp.Column:
    return exp.Column(this=quoted(name))


def _up(name: str) -> exp.Column:
    return exp.Column(this=quoted(name), table=quoted("_UP"))


def _alias(name: str) -> exp.Identifier:
    return exp.to_identifier(name) if name else quoted("_T")


def _unqualified(value: exp.Expr, alias: str) -> exp.Expr:
    """A condition on roots: the block's own alias goes, LEVEL is 1."""
    return value.transform(lambda node: _bare(node, alias))


def _bare(node: exp.Expr, alias: str) -> exp.Expr:
    if pseudocolumn(node, _LEVEL):
        return exp.Literal.number(1)
    if isinstance(node, exp.Column) and node.table.upper() == alias.upper():
        return exp.Column(this=node.this)
    return node


def _parent(value: exp.Expr) -> exp.Expr:
    """A value of the parent row."""
    for column in list(value.find_all(exp.Column)):
        if not is_constant(column):
            column.set("table", quoted("_UP"))
    return value


def _sided(value: exp.Expr, alias: str) -> exp.Expr:
    """A condition between a parent and a child: PRIOR is the parent, all else the child; LEVEL and ROWNUM are the child's level."""

    def side(node: exp.Expr) -> exp.Expr:
        if isinstance(node, exp.Prior):
            return exp.Paren(this=_parent(node.this.copy()))
        if pseudocolumn(node, _LEVEL) or pseudocolumn(node, "ROWNUM"):
            above = kinds.keep(_up(_LEVEL), "N0")
            return exp.Paren(this=exp.Add(this=above, expression=exp.Literal.number(1)))
        if isinstance(node, exp.Column) and node.table.upper() in ("", alias.upper()) and not is_constant(node):
            return exp.Column(this=node.this, table=quoted("_CHILD"))
        return node

    for prior in list(value.find_all(exp.Prior)):
        if prior is not value:
            prior.replace(side(prior))
    if isinstance(value, exp.Prior):
        return side(value)
    return value.transform(side)
