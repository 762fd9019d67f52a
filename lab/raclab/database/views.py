"""The V$ and GV$ views: Oracle's columns over the lab's own counters.

``view_columns.csv`` holds names, order and types as Oracle 19c documents them. What a column shows is an SQL expression over the
counter tables (schema ``cluster``, see counters.sql); a column that the simulation does not know is null (docs/views.md lists them).
GV$ puts INST_ID in front; V$ is GV$ for the instance that the session is connected to. Adding a view takes its rows in the CSV and one
entry in ``FILLINGS`` (what the lab works out) or ``ADDED`` (what runs bring).
"""

from collections.abc import Iterator

from raclab.database import (
    event_views,
    instance_views,
    lock_views,
    metric_views,
    parameter_views,
    service_views,
    session_views,
    statement_views,
    statistic_views,
    unsimulated_views,
)
from raclab.database.added_views import ADDED, STORED
from raclab.database.instance_views import BANNER, RELEASE
from raclab.database.session_views import EVERYBODY
from raclab.database.view_shape import HERE, INSTANCE, Added, Column, Definition, Filling, Shown, documented, selection, shown_type

__all__ = ["ADDED", "BANNER", "FILLINGS", "RELEASE", "TABLES", "documented", "names"]

FILLINGS: dict[str, Filling] = {
    **instance_views.FILLINGS,
    **event_views.FILLINGS,
    **session_views.FILLINGS,
    **statistic_views.FILLINGS,
    **parameter_views.FILLINGS,
    **service_views.FILLINGS,
    **statement_views.FILLINGS,
    **metric_views.FILLINGS,
    **lock_views.FILLINGS,
    **unsimulated_views.FILLINGS,
    **STORED,
}

TABLES = (*ADDED, "PARAMETER")
"""The tables, in schema ``cluster`` and of the views' names, that rest on rows which runs bring."""


def names() -> frozenset[str]:
    """Every view's name, V$ and GV$."""
    return frozenset(prefix + view for view in documented() for prefix in ("V$", "GV$"))


def tables() -> Iterator[str]:
    """What creates the schema SYS, and the tables that the added views rest on."""
    yield "CREATE SCHEMA SYS"
    yield "CREATE VIEW SYS.DUAL AS SELECT 'X' AS DUMMY"
    for view in TABLES:
        columns = ", ".join(f'"{column.name}" {shown_type(view, column)}' for column in documented()[view] if brought(view, column.name))
        yield f'CREATE TABLE cluster."{view}" (load BIGINT, INST_ID BIGINT, {columns})'


def definitions(version: str) -> dict[str, Definition]:
    """Every view, V$ and GV$, by name; ``version`` is the lab's, for the banner."""
    found = {"everybody": Definition((), EVERYBODY)}
    for view in (*ADDED, *FILLINGS):
        rows, shown = _shown(view, filling(view))
        shown = tuple((name, kind, expression and expression.replace("{version}", version)) for name, kind, expression in shown)
        columns = tuple((name, kind) for name, kind, _ in shown)
        all_instances = f'CREATE VIEW SYS."GV${view}" AS {selection(rows, shown)}'
        here = f'CREATE VIEW SYS."V${view}" AS SELECT * EXCLUDE ({INSTANCE}) FROM SYS."GV${view}" WHERE {HERE}'
        found[f"GV${view}"] = Definition(columns, all_instances, shown=Shown(rows, shown))
        found[f"V${view}"] = Definition(columns[1:], here, shown=Shown(rows, shown, here=True))
    return found


def brought(view: str, column: str) -> bool:
    """Whether the table under a view keeps a column that runs may bring."""
    return ADDED[view].brings(column) if view in ADDED else column in ("NAME", "VALUE")  # V$PARAMETER's


def filling(view: str) -> Filling:
    """Where a view's rows come from."""
    return _added(view, ADDED[view]) if view in ADDED else FILLINGS[view]


def select(view: str, filling: Filling) -> str:
    """What a GV$ view selects. Raises ValueError for a filling with columns that the view has not."""
    return selection(*_shown(view, filling))


def _shown(view: str, filling: Filling) -> tuple[str, tuple[tuple[str, str, str | None], ...]]:
    unknown = set(filling.columns) - {column.name for column in documented()[view]}
    if unknown:
        raise ValueError(f"V${view} has no column {', '.join(sorted(unknown))}")
    shown = ((column.name, shown_type(view, column), filling.columns.get(column.name)) for column in documented()[view])
    return filling.rows, ((INSTANCE, "DECIMAL(38, 0)", "inst_id"), *shown)


def _added(view: str, added: Added) -> Filling:
    def shown(column: Column) -> str | None:
        name = f'"{column.name}"'
        if column.name == "CON_ID":
            return "0"
        if column.name in added.shown:
            return added.shown[column.name]
        if not added.brings(column.name):
            return None
        if not added.keys or column.name in added.keys:
            return name
        return f"arg_max({name}, rowid)" if column.name in added.last or not column.stored.startswith("DECIMAL") else f"sum({name})"

    rows = f'cluster."{view}"{added.join}'
    if added.keys:
        rows += " GROUP BY " + ", ".join(f'"{name}"' for name in ("INST_ID", *added.keys))
    columns = {column.name: shown(column) for column in documented()[view]}
    return Filling(rows, {name: expression for name, expression in columns.items() if expression is not None})
