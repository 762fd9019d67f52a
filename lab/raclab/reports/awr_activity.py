"""AWR's Instance Activity, Dictionary Cache, Enqueue and Latch sections."""

import pandas as pd

from raclab.reports.counted import Counted
from raclab.reports.layout import Column, count, headed, number, ratio, share, table


def statistics(counted: Counted) -> str:
    """Every statistic of V$SYSSTAT that has changed."""
    rows = counted.rows("SYSSTAT").sort_values("NAME")
    if rows.empty:
        return ""
    columns = [Column("Statistic", 42, left=True), Column("Total", 18), Column("per Second", 12), Column("per Trans", 12)]
    lines = []
    for name, value in zip(rows["NAME"], rows["VALUE"].astype(float), strict=True):
        lines.append([name, count(value), number(ratio(value, counted.seconds)), number(ratio(value, counted.transactions))])
    return headed("Instance Activity Stats", table(columns, lines), ["Times are in hundredths of a second"])


def row_cache(counted: Counted) -> str:
    """V$ROWCACHE: gets, misses and changes of the dictionary cache."""
    rows = _summed(counted, "ROWCACHE", "PARAMETER")
    if rows.empty:
        return ""
    columns = [Column("Cache", 26, left=True), Column("Get\nRequests", 12), Column("Pct\nMiss", 7), Column("Mod\nReqs", 12)]
    lines = [
        [row["PARAMETER"], count(row["GETS"]), share(row["GETMISSES"], row["GETS"]), count(row["MODIFICATIONS"])]
        for row in rows.to_dict("records")
    ]
    return headed("Dictionary Cache Stats", table(columns, lines))


def row_cache_locks(counted: Counted) -> str:
    """V$ROWCACHE: what the dictionary cache asked the other instances for."""
    rows = _summed(counted, "ROWCACHE", "PARAMETER")
    rows = rows[rows["DLM_REQUESTS"] > 0] if len(rows) else rows
    if rows.empty:
        return ""
    columns = [Column("Cache", 26, left=True), *(Column(f"GES\n{what}", 12) for what in ("Requests", "Conflicts", "Releases"))]
    lines = [
        [row["PARAMETER"], *(count(row[f"DLM_{what}"]) for what in ("REQUESTS", "CONFLICTS", "RELEASES"))]
        for row in rows.to_dict("records")
    ]
    return headed("Dictionary Cache Stats (RAC)", table(columns, lines))


def enqueues(counted: Counted) -> str:
    """V$ENQUEUE_STATISTICS: those that were waited for, the longest first."""
    rows = counted.rows("ENQUEUE_STATISTICS")
    rows = rows[rows["TOTAL_WAIT#"] > 0].sort_values("CUM_WAIT_TIME", ascending=False)
    if rows.empty:
        return ""
    columns = [
        Column("Enqueue Type (Request Reason)", 40, left=True), Column("Requests", 10), Column("Succ Gets", 10), Column("Failed\nGets", 7),
        Column("Waits", 9), Column("Wt Time\n(s)", 9), Column("Av Wt\nTime(ms)", 9),
    ]  # fmt: skip
    lines = []
    for row in rows.to_dict("records"):
        waits, milliseconds = float(row["TOTAL_WAIT#"]), float(row["CUM_WAIT_TIME"])
        name = f"{row['EQ_TYPE']}-{row['EQ_NAME']} ({row['REQ_REASON']})"
        counts = [count(float(row[column])) for column in ("TOTAL_REQ#", "SUCC_REQ#", "FAILED_REQ#")]
        lines.append([name, *counts, count(waits), number(milliseconds / 1000, 2), number(ratio(milliseconds, waits), 2)])
    return headed("Enqueue Activity", table(columns, lines), ["only enqueues with waits are shown; ordered by wait time"])


def latches(counted: Counted) -> str:
    """V$LATCH: gets and misses."""
    rows = counted.rows("LATCH")
    if rows.empty:
        return ""
    columns = [
        Column("Latch Name", 26, left=True), Column("Get\nRequests", 15), Column("Pct\nGet\nMiss", 6), Column("Avg\nSlps\n/Miss", 6),
        Column("Wait\nTime\n(s)", 9),
    ]  # fmt: skip
    lines = [
        [
            row["NAME"], count(row["GETS"]), share(row["MISSES"], row["GETS"]), number(ratio(row["SLEEPS"], row["MISSES"]), 2),
            number(row["WAIT_TIME"] / 1e6, 2),
        ]
        for row in rows.sort_values("NAME").to_dict("records")
    ]  # fmt: skip
    return headed("Latch Activity", table(columns, lines))


def latch_sleeps(counted: Counted) -> str:
    """V$LATCH: what became of the misses."""
    rows = counted.rows("LATCH")
    rows = rows[rows["MISSES"] > 0].sort_values("MISSES", ascending=False)
    if rows.empty:
        return ""
    columns = [Column("Latch Name", 26, left=True), *(Column(name, 16) for name in ("Get Requests", "Misses", "Sleeps", "Spin Gets"))]
    lines = [[row["NAME"], *(count(row[name]) for name in ("GETS", "MISSES", "SLEEPS", "SPIN_GETS"))] for row in rows.to_dict("records")]
    return headed("Latch Sleep Breakdown", table(columns, lines), ["ordered by misses desc"])


def _summed(counted: Counted, view: str, by: str) -> pd.DataFrame:
    """Rows of one name added up."""
    rows = counted.rows(view)
    numbers = [name for name in rows if pd.api.types.is_float_dtype(rows[name]) and name != "INST_ID"]
    return rows.groupby(by)[numbers].sum().reset_index()


SECTIONS = (statistics, enqueues, latches, latch_sleeps, row_cache, row_cache_locks)
