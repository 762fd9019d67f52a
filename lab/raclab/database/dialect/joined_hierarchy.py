"""CONNECT BY over a join: the join becomes an inline view, in which each column that the block names has a name of its own.

As in Oracle, the join comes first, with the conditions of WHERE that join tables; the other conditions come after the hierarchy.
"""

from collections.abc import Callable
from typing import Any

from sqlglot import exp

from raclab.database.dialect.catalog import Columns
from raclab.database.dialect.kinds import PSEUDO
from raclab.database.dialect.nodes import conjuncts, folded, own, parts, quoted, read_from, star, where
from raclab.database.dialect.scopes import Blocks
from raclab.database.oracle_error import unsupported

_NAME = "_JOIN"
_AFTER = ("expressions", "where", "connect", "group", "having", "order")


def rewrite(tree: exp.Expr, columns_of: Callable[[Any], Columns | None]) -> exp.Expr:
    """Give every block that has CONNECT BY and a join one source instead."""
    for select in reversed(list(tree.find_all(exp.Select))):
        if select.args.get("connect") and select.args.get("joins"):
            _Joined(select, Blocks(columns_of)).rewrite()
    return tree


class _Joined:
    """One query block, and the columns of its join that it names: each by its table and name."""

    def __init__(self, select: exp.Select, blocks: Blocks) -> None:
        self._select = select
        self._blocks = blocks
        self._scope = blocks.scope(select)
        self._named: dict[tuple[str, str], exp.Alias] = {}

    def rewrite(self) -> None:
        joins = self._select.args["joins"]
        listed = not any(join.args.get("on") or join.args.get("using") or join.method or join.side for join in joins)
        given = self._select.args.get("where")
        conditions = conjuncts(given.this) if given is not None else []
        joining = [condition.copy() for condition in conditions if listed and len(self._tables(condition)) > 1]
        self._select.set("where", where([condition for condition in conditions if not (listed and len(self._tables(condition)) > 1)]))
        self._stars()
        for part in parts(self._select, *_AFTER):
            for column in list(part.find_all(exp.Column)):
                self._column(column)
        inner = exp.Select(expressions=list(self._named.values()) or [exp.Literal.number(1)])
        for key in ("from_", "joins"):
            inner.set(key, self._select.args.get(key))
            self._select.set(key, None)
        inner.set("where", where(joining))
        read_from(self._select, inner, quoted(_NAME))

    def _tables(self, condition: exp.Expr) -> set[str]:
        """The sources that a condition names."""
        found = {self._table(node) for node in own(condition) if isinstance(node, exp.Column)}
        return {table for table in found if table}

    def _table(self, column: exp.Column) -> str | None:
        """The source that a column of the block is of, or None where it is of none."""
        if column.args.get("table") is not None:
            table = folded(column.args["table"])
            return table if table in self._scope else None
        name = folded(column.this)
        held = [table for table, columns in self._scope.items() if any(one == name for one, _ in columns or [])]
        if held:
            return held[0]
        if name not in PSEUDO and not name.startswith("CONNECT_BY_") and any(columns is None for columns in self._scope.values()):
            raise unsupported("CONNECT BY over a join with columns that have no table in front; put it there")
        return None

    def _stars(self) -> None:
        """Every column by its name instead of ``*``."""
        for item in list(self._select.expressions):
            if star(item) is None:
                continue
            only = folded(item.args["table"]) if isinstance(item, exp.Column) else None
            listed: list[exp.Expr] = []
            for table, columns in self._scope.items():
                if only in (None, table):
                    if columns is None:
                        raise unsupported("* of such a source in CONNECT BY over a join; name the columns")
                    listed += [exp.Column(this=quoted(name), table=quoted(table)) for name, _ in columns]
            at = self._select.expressions.index(item)
            self._select.set("expressions", [*self._select.expressions[:at], *listed, *self._select.expressions[at + 1 :]])

    def _column(self, column: exp.Column) -> None:
        if not isinstance(column.this, exp.Identifier) or self._shadowed(column):
            return
        table = self._table(column)
        if table is None:
            return
        name = folded(column.this)
        plain = exp.Column(this=quoted(name), table=column.args.get("table") and quoted(table))
        inner = self._named.setdefault((table, name), exp.Alias(this=plain, alias=quoted(f"{table}.{name}")))
        instead: exp.Expr = exp.Column(this=quoted(inner.alias), table=quoted(_NAME))
        column.replace(exp.Alias(this=instead, alias=quoted(name)) if column.parent is self._select else instead)

    def _shadowed(self, column: exp.Column) -> bool:
        """Whether a column belongs to a query inside the block."""
        block = column.find_ancestor(exp.Select)
        while block is not None and block is not self._select:
            if column.args.get("table") is None or folded(column.args["table"]) in self._blocks.scope(block):
                return True
            block = block.find_ancestor(exp.Select)
        return False
