"""Timestamps with a time zone of their own that an inline view or a WITH query hands on.

A column has no zone here. Where the zone is a literal, the view gives the time on the zone's clock, and what reads the column puts
the zone back: ``FROM_TZ(u, 'UTC')``. Other zones are refused in zones.py.
"""

from collections.abc import Iterator

from sqlglot import exp

from raclab.database.dialect import zones
from raclab.database.dialect.nodes import folded, own, quoted, sources_of, star
from raclab.database.dialect.scopes import source_name, with_query
from raclab.database.oracle_error import unsupported

_INTERVALS = ("NUMTODSINTERVAL", "NUMTOYMINTERVAL", "TO_DSINTERVAL", "TO_YMINTERVAL")
_SAME_ZONE = ("MAX", "MIN", "FIRST_VALUE", "LAST_VALUE", "LAG", "LEAD")


def rewrite(tree: exp.Expr) -> exp.Expr:
    """Rewrite every query block, inner blocks first."""
    for select in reversed(list(tree.find_all(exp.Select))):
        for item in select.expressions:
            value = item.this if isinstance(item, exp.Alias) else item
            zone = _zone(value)
            if zone is None:
                continue
            readers = list(_readers(select, tree))
            if readers or _picks(value) is not None:
                value.replace(_without_zone(value.copy()))
            for alias, reader in readers:
                _put_back(reader, alias, _name(item), zone, reader is tree)
    return tree


def _name(item: exp.Expr) -> str:
    named = item.args["alias"] if isinstance(item, exp.Alias) else item.this
    return folded(named) if isinstance(named, exp.Identifier) else ""


def _zone(value: exp.Expr) -> exp.Literal | None:
    """The zone of a timestamp, if it has one of its own and that is a literal."""
    if isinstance(value, exp.Paren):
        return _zone(value.this)
    if isinstance(value, exp.AtTimeZone):
        zone = value.args["zone"]
        return zone if isinstance(zone, exp.Literal) else None
    if isinstance(value, exp.Cast) and isinstance(value.this, exp.Literal) and value.to.this is exp.DType.TIMESTAMP:
        said = zones.literal(str(value.this.name))
        return exp.Literal.string(said[1]) if said else None
    if isinstance(value, exp.Anonymous) and value.name.upper() == "FROM_TZ" and len(value.expressions) == 2:
        zone = value.expressions[1]
        return zone if isinstance(zone, exp.Literal) else None
    if isinstance(value, exp.Add | exp.Sub) and _is_interval(value.right):
        return _zone(value.left)
    function = _picks(value)
    return _zone(function.expressions[0]) if function is not None else None


def _is_interval(value: exp.Expr) -> bool:
    return isinstance(value, exp.Interval) or (isinstance(value, exp.Anonymous) and value.name.upper() in _INTERVALS)


def _picks(value: exp.Expr) -> exp.Anonymous | None:
    """The function that gives one of the timestamps of several rows, be it analytic, or None."""
    function = value.this if isinstance(value, exp.Window) else value
    return function if isinstance(function, exp.Anonymous) and function.name.upper() in _SAME_ZONE and function.expressions else None


def _without_zone(value: exp.Expr) -> exp.Expr:
    """The time on the zone's clock."""
    function = _picks(value)
    if function is not None:
        function.set("expressions", [_without_zone(function.expressions[0]), *function.expressions[1:]])
        return value
    return exp.Cast(this=value, to=exp.DataType.build("TIMESTAMP"))


def _readers(select: exp.Select, tree: exp.Expr) -> Iterator[tuple[str, exp.Select]]:
    """The blocks that read from a block, each with the name by which it does."""
    holder = select.parent
    if isinstance(holder, exp.CTE):
        places: list[exp.Expr] = [table for table in tree.find_all(exp.Table) if with_query(table) is holder]
    else:
        places = [holder] if isinstance(holder, exp.Subquery) else []
    for place in places:
        reader = place.find_ancestor(exp.Select)
        if reader is not None and any(source is place for source in sources_of(reader)):
            yield source_name(place), reader


def _put_back(reader: exp.Select, alias: str, name: str, zone: exp.Literal, outermost: bool) -> None:
    """Give a column its zone wherever a block names it. Raises ORA-03001 where the block hands it on without naming it."""
    if not outermost and any(star(item) is not None for item in reader.expressions):
        raise unsupported("timestamp with a time zone of its own in a * of an inline view; name its columns")
    for column in list(own(reader)):
        named = isinstance(column, exp.Column) and isinstance(column.this, exp.Identifier) and folded(column.this) == name
        if not named or (column.args.get("table") and folded(column.args["table"]) != alias):
            continue
        if not isinstance(column.parent, exp.Ordered | exp.Group):  # the order is the same without
            whole = exp.Anonymous(this="FROM_TZ", expressions=[column.copy(), zone.copy()])
            column.replace(exp.Alias(this=whole, alias=quoted(name)) if column.parent is reader else whole)
