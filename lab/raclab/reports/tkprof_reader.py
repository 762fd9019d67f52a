"""Reads tkprof's text back: calls and waits of each statement, under the names of a published package (evidence/tkprof.py)."""

import re

import pandas as pd

from raclab.reports.errors import ReportError

CALL_COLUMNS = ("statement", "call", "count", "cpu_s", "elapsed_s", "disk", "query", "current", "rows")
WAIT_COLUMNS = ("statement", "event", "times_waited", "max_wait_s", "total_waited_s")

_CALL = re.compile(r"(Parse|Execute|Fetch)\s+(\d+)\s+([\d.]+)\s+([\d.]+)\s+(\d+)\s+(\d+)\s+(\d+)\s+(\d+)\s*$")
_WAIT = re.compile(r"  (\S.*?)\s+(\d+)\s+(\d+\.\d+)\s+(\d+\.\d+)\s*$")
_TOTALS = "OVERALL TOTALS"


def read_tkprof(text: str) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Calls and waits: CALL_COLUMNS and WAIT_COLUMNS, times in seconds. ``statement`` is the SQL text; totals are left out.

    Raises ReportError if the text has no statement of a tkprof report.
    """
    calls: list[tuple[object, ...]] = []
    waits: list[tuple[object, ...]] = []
    for section in re.split(r"^\*{20,}$", text, flags=re.MULTILINE):
        head, found, tables = section.partition("\ncall ")
        statement = re.sub(r"^SQL ID: ?\S+.*\n", "", head.strip()).strip()
        if not found or statement.startswith(_TOTALS):
            continue
        for line in tables.splitlines():
            if call := _CALL.match(line):
                kind, count, cpu, elapsed, *blocks = call.groups()
                calls.append((statement, kind, int(count), float(cpu), float(elapsed), *map(int, blocks)))
            elif wait := _WAIT.match(line):
                waits.append((statement, wait[1], int(wait[2]), float(wait[3]), float(wait[4])))
    if not calls:
        raise ReportError("There is no statement of a tkprof report in this text.")
    return pd.DataFrame(calls, columns=list(CALL_COLUMNS)), pd.DataFrame(waits, columns=list(WAIT_COLUMNS))
