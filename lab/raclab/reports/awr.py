"""A report in the layout of AWR's text, over the difference of two snapshots: the sections for which there are figures."""

from raclab.evidence.measurement import Kind
from raclab.reports import awr_activity, awr_cluster, awr_load, awr_segments, awr_waits
from raclab.reports.counted import Counted
from raclab.reports.delta import Delta
from raclab.reports.errors import ReportError
from raclab.reports.layout import Column, table
from raclab.reports.report import Report

ALL = "all"
_SAYS = {
    Kind.SIMULATED: (
        "RAC MYTHS LAB: SIMULATED CLUSTER",
        "Every figure is SIMULATED. The layout is AWR's, the cluster is no Oracle database.",
    ),
    Kind.LIVE: ("RAC MYTHS LAB: REPORT OVER V$ VIEWS", "Every figure is LIVE, from V$ views read by the lab. AWR itself was not asked."),
}
_SECTIONS = (
    *awr_load.SECTIONS,
    *awr_waits.SECTIONS,
    *awr_cluster.SECTIONS,
    *awr_activity.SECTIONS,
    *awr_segments.SECTIONS,
)
_DAY = "%d-%b-%y %H:%M:%S"
_DATABASE = ("NAME", "DBID", "DB_UNIQUE_NAME", "DATABASE_ROLE", "VERSION")


def awr_report(delta: Delta, instance: int | str = 1) -> Report:
    """The report of one instance, or with "all" a short one that has all instances side by side.

    Raises ReportError for an instance that there is not.
    """
    if instance == ALL:
        return _report(delta, "all instances", [_head(delta, None), *(section(delta) for section in _GLOBAL)])
    if not isinstance(instance, int) or instance not in delta.instances:
        known = ", ".join(map(str, delta.instances))
        raise ReportError(
            f'There is no instance {instance} in snapshot {delta.end.number}; there are {known}, and "{ALL}" for all of them.'
        )
    counted = Counted(delta, instance)
    return _report(delta, f"instance {instance}", [_head(delta, instance), *(section(counted) for section in _SECTIONS)])


_GLOBAL = (awr_load.side_by_side, awr_waits.top_side_by_side, awr_cluster.side_by_side)


def _report(delta: Delta, which: str, sections: list[str]) -> Report:
    title = f"AWR-style report, {which}, snapshots {delta.begin.number} to {delta.end.number}"
    text = "\n".join(section for section in sections if section)
    return Report(title, f"{text}\nEnd of Report\n", delta.kind, delta.source)


def _head(delta: Delta, instance: int | None) -> str:
    """Database, instances and snapshots."""
    title, says = _SAYS[delta.kind]
    database, end = delta.end.database, delta.end.instances
    shown = end if instance is None else end[end["INST_ID"] == instance]
    of_database = table(
        [
            Column("DB Name", 12, left=True), Column("DB Id", 11), Column("Unique Name", 14, left=True), Column("DB Role", 16, left=True),
            Column("Release", 12, left=True), Column("RAC", 3),
        ],
        [[*(database.get(name, "") for name in _DATABASE), "YES" if len(end) > 1 else "NO"]],
    )  # fmt: skip
    of_instances = table(
        [
            Column("Instance", 16, left=True),
            Column("Inst Num", 8),
            Column("Startup Time", 18, left=True),
            Column("Host Name", 24, left=True),
        ],
        [
            [str(name), str(int(number)), startup.strftime(_DAY), str(host)]
            for name, number, startup, host in zip(
                shown["INSTANCE_NAME"], shown["INST_ID"], shown["STARTUP_TIME"], shown["HOST_NAME"], strict=True
            )
        ],
    )
    counted = [Counted(delta, number) for number in (delta.instances if instance is None else [instance])]
    times = [
        table(
            [Column("", 11), Column("Snap Id", 9), Column("Snap Time", 18, left=True), Column("Name", 36, left=True)],
            [
                [label, str(snapshot.number), snapshot.taken.strftime(_DAY), snapshot.name]
                for label, snapshot in (("Begin Snap:", delta.begin), ("End Snap:", delta.end))
            ],
        ),
        f"    Elapsed: {delta.seconds / 60:9.2f} (mins)",
        f"    DB Time: {sum(one.db_time_s for one in counted) / 60:9.2f} (mins)",
    ]
    return "\n".join([title, says, "", of_database, "", of_instances, "", *times, ""])
