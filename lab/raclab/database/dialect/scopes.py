"""What the names of a statement stand for, and of what kind its expressions are.

It is worked out block by block: what a query gives becomes the columns of the block around it.
"""

from collections.abc import Callable, Iterator
from typing import Any

from sqlglot import exp

from raclab.database.dialect.catalog import Columns
from raclab.database.dialect.kinds import PSEUDO, common, keep, kind, noted, of_node
from raclab.database.dialect.nodes import folded, own, sources_of, star

Listed = list[tuple[str, str | None]]
"""Columns in order, each with its name and its kind; a name may come twice."""


def annotate(tree: exp.Expr, columns_of: Callable[[Any], Columns | None]) -> "Blocks":
    """Note the kind of every expression. ``columns_of`` gives a table's columns, None where they are not known."""
    blocks = Blocks(columns_of)
    for select in reversed(list(tree.find_all(exp.Select))):
        blocks.done(select)
    if not isinstance(tree, exp.Select):
        blocks.done(tree)
    return blocks


class Blocks:
    """The query blocks of a statement, each looked at once."""

    def __init__(self, columns_of: Callable[[Any], Columns | None]) -> None:
        self._columns_of = columns_of
        self._outputs: dict[int, Listed | None] = {}
        self._sources: dict[int, dict[str, Listed | None]] = {}

    def done(self, block: exp.Expr) -> None:
        """Note the kinds in a block, once."""
        if id(block) in self._outputs:
            return
        self._outputs[id(block)] = None  # for a query that names itself
        scope = self.scope(block)
        for node in reversed(list(own(block))):
            if not noted(node):
                keep(node, self._column(node, block) if isinstance(node, exp.Column) else of_node(node, self.kind))
        if isinstance(block, exp.Select):
            self._outputs[id(block)] = self._select(block, scope)

    def output(self, query: exp.Expr) -> Listed | None:
        """What a query gives, or None where that is not known."""
        if isinstance(query, exp.Subquery):
            inner = self.output(query.this) if not query.args.get("pivots") else None
            alias = query.args.get("alias")
            return _renamed(inner, alias.columns if isinstance(alias, exp.TableAlias) else [])
        if isinstance(query, exp.Lateral):
            return self.output(query.this)
        if isinstance(query, exp.SetOperation):
            left, right = self.output(query.left), self.output(query.right)
            if left is None or right is None or len(left) != len(right):
                return None
            return [(name, common([one, other])) for (name, one), (_, other) in zip(left, right, strict=True)]
        if isinstance(query, exp.Select):
            self.done(query)
            return self._outputs[id(query)]
        return None

    def _select(self, select: exp.Select, scope: dict[str, Listed | None]) -> Listed | None:
        found: Listed = []
        for item in select.expressions:
            every = star(item)
            if every is not None:
                only = item.table.upper() if isinstance(item, exp.Column) else None
                hidden = {folded(name) for name in every.args.get("except_") or []}
                for alias, columns in scope.items():
                    if only in (None, alias):
                        if columns is None or any(join.args.get("using") or join.method for join in select.args.get("joins") or []):
                            return None
                        found += [(name, one) for name, one in columns if name not in hidden]
            else:
                named = item.args["alias"] if isinstance(item, exp.Alias) else item.this if isinstance(item, exp.Column) else None
                found.append((folded(named) if named is not None else f"_{len(found)}", self.kind(item)))
        return found

    def scope(self, block: exp.Expr) -> dict[str, Listed | None]:
        """The columns of what a block reads from, by name; None for what is not known."""
        if id(block) not in self._sources:
            found: dict[str, Listed | None] = {}
            self._sources[id(block)] = found
            for source in _from(block):
                found[source_name(source)] = self._table(source) if isinstance(source, exp.Table) else self.output(source)
        return self._sources[id(block)]

    def _table(self, table: exp.Table) -> Listed | None:
        if table.args.get("pivots") or not isinstance(table.this, exp.Identifier):
            return None
        cte = with_query(table)
        if cte is None:
            columns = self._columns_of(table)
            return list(columns.items()) if columns else None
        return _renamed(self.output(cte.this), cte.args["alias"].columns)

    def kind(self, node: exp.Expr) -> str | None:
        """The kind of an expression, which may be a query of one column."""
        if isinstance(node, exp.Query):
            return next((one for _, one in self.output(node) or []), None)
        return kind(node)

    def holders(self, node: exp.Column, block: exp.Expr) -> list[str | None] | None:
        """The kinds of the columns of this block's own sources that a name may mean, or None where a source is not known."""
        name, table = folded(node.this), node.args.get("table")
        scope = self.scope(block)
        sources = [scope.get(folded(table), [])] if table is not None else list(scope.values())
        if any(source is None for source in sources):
            return None
        return [one for source in sources for held, one in source or [] if held == name]

    def _column(self, node: exp.Column, block: exp.Expr) -> str | None:
        if isinstance(node.this, exp.Star):
            return None
        name, table = folded(node.this), node.args.get("table")
        at: exp.Expr | None = block
        while at is not None:
            scope = self.scope(at)
            sources = list(scope.values()) if table is None else [scope[folded(table)]] if folded(table) in scope else []
            for held, one in (column for source in sources for column in source or []):
                if held == name:
                    return one
            if table is not None and sources:
                return None
            at = around(at)
        return PSEUDO.get(name)


def around(block: exp.Expr) -> exp.Expr | None:
    """The block, or changing statement, whose sources a block may name: one around it that does not read from it."""
    node, above = block, block.find_ancestor(exp.Select, exp.Update, exp.Delete, exp.Merge)
    while above is not None and _is_read(node, above):
        node, above = above, above.find_ancestor(exp.Select, exp.Update, exp.Delete, exp.Merge)
    return above


def _is_read(node: exp.Expr, above: exp.Expr) -> bool:
    """Whether a block reads from a node inside it, and so evaluates it first; LATERAL is evaluated for each row."""
    while node.parent is not None and node.parent is not above:
        if isinstance(node.parent, exp.Lateral) or (isinstance(node.parent, exp.Join) and node.arg_key == "on"):
            return False
        node = node.parent
    return node.arg_key in ("from_", "joins", "with_", "using")


def _renamed(columns: Listed | None, names: list[Any]) -> Listed | None:
    if columns is None or not names:
        return columns
    return [(folded(name), one) for name, (_, one) in zip(names, columns, strict=False)]


def _from(block: exp.Expr) -> Iterator[exp.Expr]:
    """What a block reads from, or changes."""
    if isinstance(block, exp.Select):
        yield from sources_of(block)
    elif isinstance(block, exp.Update | exp.Delete | exp.Merge):
        yield from (block.args[key] for key in ("this", "using") if isinstance(block.args.get(key), exp.Expr))


def source_name(source: exp.Expr) -> str:
    """The name by which a block names the columns of what it reads from."""
    alias = source.args.get("alias")
    if isinstance(alias, exp.TableAlias) and alias.this is not None:
        return folded(alias.this)
    return folded(source.this) if isinstance(source, exp.Table) and isinstance(source.this, exp.Identifier) else f"_{id(source)}"


def with_query(table: exp.Table) -> exp.CTE | None:
    """The WITH query that a table's name means, or None."""
    if table.args.get("db") or not isinstance(table.this, exp.Identifier):
        return None
    name, above = folded(table.this), table.parent
    while above is not None:
        with_ = above.args.get("with_")
        for cte in with_.expressions if with_ is not None else []:
            if folded(cte.args["alias"].this) == name:
                return cte  # type: ignore[no-any-return]
        above = above.parent
    return None
