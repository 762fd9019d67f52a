"""The DBA_HIST views of metrics: of each run between a snapshot and the one before it, and in sum."""

from collections.abc import Mapping

from raclab.database.metric_views import INTERVAL, METRIC, SPAN, SUMMARY, counted
from raclab.database.snapshot_tables import SINCE, whole

# s: the metrics of each run, with the number of the first snapshot after it
_METRICS = f"""(SELECT m.*, s.snap_id FROM {SINCE} AS s JOIN {counted(rows=whole)} AS m
  ON m.inst_id = s.inst_id AND m.load > s.before AND m.load <= s.last) AS s"""


def fillings(of_row: Mapping[str, str]) -> dict[str, tuple[str, Mapping[str, str]]]:
    """FROM clause and columns by view; ``of_row`` are the columns that every view of snapshots has."""
    columns = {**of_row, **METRIC}
    return {
        "DBA_HIST_SYSMETRIC_HISTORY": (
            _METRICS,
            {
                **columns,
                **{name: INTERVAL[name] for name in ("BEGIN_TIME", "END_TIME")},
                "INTSIZE": INTERVAL["INTSIZE_CSEC"],
                "VALUE": "value",
            },
        ),
        "DBA_HIST_SYSMETRIC_SUMMARY": (
            f"{_METRICS} GROUP BY s.snap_id, s.inst_id, id, name, unit",
            {**columns, **SUMMARY, "INTSIZE": SPAN, "SUM_SQUARES": "var_pop(value) * count(*)"},
        ),
    }
