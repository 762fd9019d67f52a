"""A trace summarised in tkprof's layout: calls and waits of each statement, and the totals."""

import pandas as pd

from raclab.reports.trace_reader import NO_STATEMENT, Statement, TraceFile

MICROSECONDS = 1e6
_CALLS = {"PARSE": "Parse", "EXEC": "Execute", "FETCH": "Fetch"}
_RULE = "*" * 80
_SUMS = {"c": "cpu", "e": "elapsed", "p": "disk", "cr": "query", "cu": "current", "r": "rows"}
_HEAD = "call     count       cpu    elapsed       disk      query    current        rows"
_LINE = "------- ------  -------- ---------- ---------- ---------- ----------  ----------"


def tkprof_text(trace: TraceFile, head: str) -> str:
    """The summary. A statement's times hold those of the recursive statements that it caused; its waits do not."""
    pieces = [head]
    for number, statement in enumerate(trace.statements):
        pieces.append(_section(statement, _of(trace.calls, number), _of(trace.waits, number)))
    depth = [statement.depth for statement in trace.statements]
    for title, recursive in (("NON-RECURSIVE", False), ("RECURSIVE", True)):
        of = [number for number, deep in enumerate(depth) if (deep > 0) == recursive]
        waits_of = of if recursive else [NO_STATEMENT, *of]
        calls, waits = trace.calls[trace.calls["statement"].isin(of)], trace.waits[trace.waits["statement"].isin(waits_of)]
        pieces.append(f"OVERALL TOTALS FOR ALL {title} STATEMENTS\n\n{_calls(calls)}\n{_waits(waits)}")
    users = sum(deep == 0 for deep in depth)
    pieces.append(
        f"{users:>5}  user  SQL statements in session.\n{len(depth) - users:>5}  internal SQL statements in session.\n"
        f"{len(depth):>5}  SQL statements in session.\n{trace.commits:>5}  commits, {trace.rollbacks} rollbacks.\n"
    )
    return f"\n{_RULE}\n\n".join(pieces)


def _of(frame: pd.DataFrame, statement: int) -> pd.DataFrame:
    return frame[frame["statement"] == statement]


def _section(statement: Statement, calls: pd.DataFrame, waits: pd.DataFrame) -> str:
    named = f"SQL ID: {statement.sql_id}\n\n" if statement.sql_id else ""
    user = f"Parsing user id: {statement.user}" + (f"     (recursive depth: {statement.depth})" if statement.depth else "")
    misses = int(calls["mis"].sum())
    return f"{named}{statement.text}\n\n{_calls(calls)}\nMisses in library cache during parse: {misses}\n{user}\n{_waits(waits)}"


def _calls(calls: pd.DataFrame) -> str:
    lines = [_HEAD, _LINE]
    for kind, label in _CALLS.items():
        lines.append(_call_line(label, calls[calls["call"] == kind]))
    lines += [_LINE, _call_line("total", calls)]
    return "\n".join(lines) + "\n"


def _call_line(label: str, calls: pd.DataFrame) -> str:
    cpu, elapsed, disk, query, current, rows = (calls[name].sum() for name in _SUMS)
    return (
        f"{label:<7} {len(calls):>6}  {cpu / MICROSECONDS:>8.2f} {elapsed / MICROSECONDS:>10.2f} "
        f"{disk:>10.0f} {query:>10.0f} {current:>10.0f}  {rows:>10.0f}"
    )


def _waits(waits: pd.DataFrame) -> str:
    if waits.empty:
        return ""
    lines = [
        "\nElapsed times include waiting on following events:",
        "  Event waited on                             Times   Max. Wait  Total Waited",
        "  ----------------------------------------   Waited  ----------  ------------",
    ]
    for event, spent in waits.groupby("event", sort=False)["ela"]:
        lines.append(f"  {event:<40} {len(spent):>8}  {spent.max() / MICROSECONDS:>10.2f}  {spent.sum() / MICROSECONDS:>12.2f}")
    return "\n".join(lines) + "\n"
