"""AWR's Load Profile, Instance Efficiency, Host CPU and Time Model Statistics."""

import math

from raclab.reports.counted import DB_CPU, DB_TIME, Counted
from raclab.reports.delta import MICROSECONDS, Delta
from raclab.reports.layout import Column, count, headed, number, ratio, share, table

_PROFILE = {
    "Redo size (bytes)": ("redo size",),
    "Logical read (blocks)": ("session logical reads",),
    "Block changes": ("db block changes",),
    "Physical read (blocks)": ("physical reads",),
    "Physical write (blocks)": ("physical writes",),
    "Read IO requests": ("physical read IO requests",),
    "Write IO requests": ("physical write IO requests",),
    "Global Cache blocks received": ("gc cr blocks received", "gc current blocks received"),
    "Global Cache blocks served": ("gc cr blocks served", "gc current blocks served"),
    "User calls": ("user calls",),
    "Parses (SQL)": ("parse count (total)",),
    "Hard parses (SQL)": ("parse count (hard)",),
    "Executes (SQL)": ("execute count",),
    "Rollbacks": ("user rollbacks",),
    "Transactions": ("user commits", "user rollbacks"),
}
"""Statistics that a line of the load profile adds up."""


def load_profile(counted: Counted) -> str:
    """Per second, per transaction, per execution and per call."""
    executions, calls = counted.statistic("execute count"), counted.statistic("user calls")

    def line(label: str, value: float, decimals: int, *, per_call: bool = False) -> list[str]:
        rest = [number(ratio(value, times), 3) if per_call else "" for times in (executions, calls)]
        transaction = "" if label == "Transactions" else number(ratio(value, counted.transactions), decimals)
        return [f"{label}:", number(ratio(value, counted.seconds), decimals), transaction, *rest]

    rows = []
    for label, name in (("DB Time(s)", DB_TIME), ("DB CPU(s)", DB_CPU), ("Background CPU(s)", "background cpu time")):
        if counted.time_model_s(name) > 0:
            rows.append(line(label, counted.time_model_s(name), 3, per_call=label != "Background CPU(s)"))
    for label, names in _PROFILE.items():
        if counted.statistics(*names) > 0:
            rows.append(line(label, counted.statistics(*names), 1))
    columns = [
        Column("", 29), Column("Per Second", 14), Column("Per Transaction", 15), Column("Per Exec", 9), Column("Per Call", 9)
    ]  # fmt: skip
    return headed("Load Profile", table(columns, rows)) if rows else ""


def efficiency(counted: Counted) -> str:
    """Those of AWR's percentages that the statistics give."""
    gets = counted.statistics("session logical reads")
    if math.isnan(gets):
        gets = counted.statistics("consistent gets", "db block gets")
    reads = counted.statistic("physical reads")
    latches = counted.rows("LATCH")
    executed, parsed = counted.statistic("execute count"), counted.statistic("parse count (total)")
    hard = counted.statistic("parse count (hard)")
    known = {
        "Buffer  Hit   %": 100 * (1 - ratio(reads, gets)) if gets else math.nan,
        "Latch Hit %": 100 * (1 - ratio(float(latches["MISSES"].sum()), float(latches["GETS"].sum()))),
        "Execute to Parse %": 100 * (1 - ratio(parsed, executed)) if parsed else math.nan,
        "Soft Parse %": 100 * (1 - ratio(hard, parsed)) if parsed else math.nan,
    }
    lines = [f"{f'{label}:':>30}{value:>8.2f}" for label, value in known.items() if not math.isnan(value)]
    return headed("Instance Efficiency Percentages (Target 100%)", "\n".join(lines))


def host_cpu(counted: Counted) -> str:
    """Cores, load, and what the cores did; and the instance's part of it."""
    busy, idle = counted.os("BUSY_TIME"), counted.os("IDLE_TIME")
    if not busy + idle > 0:
        return ""
    total = busy + idle
    columns = [Column("CPUs", 5), Column("Load Average\nat the end", 13)]
    columns += [Column(name, 9) for name in ("%User", "%System", "%WIO", "%Idle")]
    parts = [counted.os(f"{name}_TIME") for name in ("USER", "SYS", "IOWAIT")]
    row = [count(counted.os("NUM_CPUS")), number(counted.os("LOAD"), 2)]
    host = headed("Host CPU", table(columns, [[*row, *(share(part, total) for part in parts), share(idle, total)]]))
    used = 100 * (counted.time_model_s(DB_CPU) + _or_zero(counted.time_model_s("background cpu time")))
    instance = table([Column("%Total CPU", 10), Column("%Busy CPU", 10)], [[share(used, total), share(used, busy)]])
    return f"{host}\n{headed('Instance CPU', instance)}"


def time_model(counted: Counted) -> str:
    """V$SYS_TIME_MODEL in seconds, the largest first, DB time itself and background time at the end."""
    rows = counted.rows("SYS_TIME_MODEL").sort_values("VALUE", ascending=False)
    if rows.empty:
        return ""
    last = rows["STAT_NAME"].str.startswith("background") | (rows["STAT_NAME"] == DB_TIME)
    parts, whole = (rows[chosen].to_dict("records") for chosen in (~last, last))
    lines = [
        [row["STAT_NAME"], number(row["VALUE"] / MICROSECONDS), share(row["VALUE"] / MICROSECONDS, counted.db_time_s)] for row in parts
    ]
    lines += [[row["STAT_NAME"], number(row["VALUE"] / MICROSECONDS), ""] for row in whole]
    columns = [Column("Statistic Name", 42, left=True), Column("Time (s)", 18), Column("% of DB Time", 12)]
    body = table(columns, lines)
    return headed("Time Model Statistics", body, ["Ordered by % of DB time; statistics contain one another, so they don't add up to 100 %"])


def side_by_side(delta: Delta) -> str:
    """DB time, CPU and some of the load of every instance, a second."""
    all_of_them = [Counted(delta, instance) for instance in delta.instances]
    shown = ("Executes (SQL)", "Transactions", "Global Cache blocks received", "Global Cache blocks served")
    columns = [Column("I#", 3), Column("DB Time(s)", 10), Column("DB CPU(s)", 10)]
    columns += [Column("\n".join(name.rsplit(" ", 1)), 19) for name in shown]
    rows = []
    for one in all_of_them:
        of_load = [number(ratio(one.statistics(*_PROFILE[name]), delta.seconds)) for name in shown]
        times = [number(ratio(one.time_model_s(name), delta.seconds), 3) for name in (DB_TIME, DB_CPU)]
        rows.append([str(one.instance), *times, *of_load])
    return headed("Load Profile, per Second", table(columns, rows))


def _or_zero(value: float) -> float:
    return 0.0 if math.isnan(value) else value


SECTIONS = (load_profile, efficiency)
CPU_SECTIONS = (host_cpu, time_model)
