"""What the simulated cluster's views showed at each snapshot, as SQL over the counters' tables.

A snapshot copies nothing. Runs only add rows to the counters' tables, each with the run's number (``load``), so that what the views
showed at a snapshot is what the rows up to its last load add up to. A restart moves the rows into tables named past_..., for the
snapshots before it.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace

from raclab.database import views
from raclab.reports.snapshot import KEPT

_SNAPSHOT_TABLE = """CREATE TABLE cluster.snapshot (
  snap_id BIGINT, first BIGINT, last BIGINT, name VARCHAR, began TIMESTAMP, taken TIMESTAMP, runs BIGINT,
  inst_id BIGINT, startup_time TIMESTAMP_S, start BIGINT
)"""

_COUNTERS = {"SYSTEM_EVENT": "session_event", "SYSSTAT": "sysstat", "SYS_TIME_MODEL": "time_model"}

SINCE = """(
  SELECT *, greatest(first, lag(last, 1, 0) OVER (PARTITION BY inst_id ORDER BY snap_id)) AS before FROM cluster.snapshot
)"""
"""FROM clause: the snapshots, and the last load before each: that of the snapshot before, unless the cluster was restarted since."""


def kept_views() -> list[str]:
    """The views that a snapshot has, without GV$."""
    return [view for view in KEPT if view in views.documented()]


BASES = {_COUNTERS.get(view, view): None for view in (*kept_views(), "SQL")}
"""The tables, in schema ``cluster``, that snapshots look at."""


def tables() -> Iterator[str]:
    """What creates the tables of the snapshots; those of the counters must be there."""
    yield _SNAPSHOT_TABLE
    for table in BASES:
        yield f'CREATE TABLE cluster."past_{table}" AS FROM cluster."{table}" WHERE false'


def rows_of(view: str, snapshot: int, past: bool) -> str:
    """The SELECT of a view's rows as they were at a snapshot; ``past``: the cluster was restarted since then."""
    base = _COUNTERS.get(view, view)
    of_snapshot = f"FROM cluster.snapshot WHERE snap_id = {snapshot}"
    kept = (
        f'(SELECT *, rowid FROM cluster."{"past_" if past else ""}{base}" '
        f"WHERE load > (SELECT any_value(first) {of_snapshot}) AND load <= (SELECT any_value(last) {of_snapshot}))"
    )
    filling = views.filling(view)
    table = f"cluster.{base}" if base in _COUNTERS.values() else f'cluster."{base}"'
    rows = filling.rows.replace("cluster.instance", f"(SELECT inst_id {of_snapshot})").replace(table, kept)
    names = ", ".join(f'"{name}"' for name in ("INST_ID", *KEPT[view].columns))
    condition = f" WHERE {KEPT[view].where}" if KEPT[view].where else ""
    return f"SELECT {names} FROM ({views.select(view, replace(filling, rows=rows))}){condition}"


def whole(table: str) -> str:
    """FROM clause: the rows of a counters' table, those before a restart included."""
    return f'(SELECT * FROM cluster."{table}" UNION ALL SELECT * FROM cluster."past_{table}")'


def up_to(table: str, keys: tuple[str, ...], sums: Mapping[str, str], totals: Mapping[str, str] | None = None) -> str:
    """FROM clause: what the rows up to each snapshot add up to, as s, by instance and keys.

    What each load brought is summed first (``sums``), and then the loads up to the snapshot's last (``totals``, or else their sums).
    """
    so_far = _listed(totals or {name: f'sum(h."{name}")' for name in sums})
    return _of_loads("cluster.snapshot", table, keys, sums, so_far)


def with_growth(table: str, keys: tuple[str, ...], sums: Mapping[str, str], latest: tuple[str, ...] = ()) -> str:
    """As up_to, with NAME_TOTAL and, since the snapshot before, NAME_DELTA; only what has grown. ``latest``: columns of the last load."""
    shown = [f'arg_max(h."{name}", h.load) AS "{name}"' for name in latest]
    for name in sums:
        shown.append(f'sum(h."{name}") AS "{name}_TOTAL", sum(h."{name}") FILTER (WHERE h.load > s.before) AS "{name}_DELTA"')
    of_load = {**sums, **{name: f'max("{name}")' for name in latest}}
    return _of_loads(SINCE, table, keys, of_load, ", ".join(shown), " HAVING count(*) FILTER (WHERE h.load > s.before) > 0")


def _of_loads(snapshots: str, table: str, keys: tuple[str, ...], sums: Mapping[str, str], shown: str, having: str = "") -> str:
    """FROM clause: ``shown`` of what each load up to a snapshot (s) brought (h: ``sums``), by instance and keys."""
    by = "".join(f', h."{key}"' for key in keys)
    brought = "".join(f'"{key}", ' for key in keys) + _listed(sums)
    return f"""(SELECT s.snap_id, s.inst_id{by}, {shown} FROM {snapshots} AS s JOIN (
      SELECT load, inst_id AS inst, {brought} FROM {whole(table)} GROUP BY ALL
    ) AS h ON h.inst = s.inst_id AND h.load > s.first AND h.load <= s.last
    GROUP BY s.snap_id, s.inst_id{by}{having}) AS s"""


def _listed(made: Mapping[str, str]) -> str:
    return ", ".join(f'{expression} AS "{name}"' for name, expression in made.items())
