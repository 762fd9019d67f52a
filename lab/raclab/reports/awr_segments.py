"""AWR's "Segments by ..." sections."""

import functools
from collections.abc import Callable

from raclab.reports.counted import Counted
from raclab.reports.layout import Column, count, headed, share, table

_TOP = 5
_BY = {
    "Logical Reads": "logical reads",
    "Physical Reads": "physical reads",
    "Row Lock Waits": "row lock waits",
    "ITL Waits": "ITL waits",
    "Buffer Busy Waits": "buffer busy waits",
    "Global Cache Buffer Busy": "gc buffer busy",
    "CR Blocks Received": "gc cr blocks received",
    "Current Blocks Received": "gc current blocks received",
}
"""V$SEGMENT_STATISTICS' STATISTIC_NAME by the section's name."""


def _segments(counted: Counted, title: str, statistic: str) -> str:
    rows = counted.rows("SEGMENT_STATISTICS")
    rows = rows[rows["STATISTIC_NAME"] == statistic].sort_values("VALUE", ascending=False)
    if rows.empty:
        return ""
    columns = [
        Column("Owner", 10, left=True), Column("Tablespace\nName", 10, left=True), Column("Object Name", 20, left=True),
        Column("Subobject\nName", 10, left=True), Column("Obj.\nType", 9, left=True),
        Column(title.replace(" ", "\n", 1), 15), Column("%Total", 6),
    ]  # fmt: skip
    total = float(rows["VALUE"].sum())
    lines = []
    for row in rows.head(_TOP).to_dict("records"):
        names = [str(row[name] or "") for name in ("OWNER", "TABLESPACE_NAME", "OBJECT_NAME", "SUBOBJECT_NAME", "OBJECT_TYPE")]
        lines.append([*names, count(row["VALUE"]), share(row["VALUE"], total)])
    return headed(f"Segments by {title}", table(columns, lines))


SECTIONS: tuple[Callable[[Counted], str], ...] = tuple(
    functools.partial(_segments, title=title, statistic=statistic) for title, statistic in _BY.items()
)
