"""Reads an extended SQL trace (event 10046): the lab's own, and Oracle's since 11g as far as it has the same lines.

Lines that are none of these (binds, statistics of row sources, comments) are passed over.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass

import pandas as pd

from raclab.reports.errors import TraceError

CALL_COLUMNS = ("statement", "call", "c", "e", "p", "cr", "cu", "mis", "r", "dep", "tim")
WAIT_COLUMNS = ("statement", "event", "ela", "tim")
NO_STATEMENT = -1

_PARSING = re.compile(
    r"PARSING IN CURSOR #(?P<cursor>\d+) .*?dep=(?P<dep>\d+) uid=(?P<uid>\d+) oct=(?P<oct>\d+)(?:.*sqlid='(?P<sql_id>\w*)')?"
)
_CALL = re.compile(r"(?P<call>PARSE|EXEC|FETCH) #(?P<cursor>\d+):(?P<figures>.*)")
_WAIT = re.compile(r"WAIT #(?P<cursor>\d+): nam='(?P<event>[^']*)' ela= *(?P<ela>\d+)(?:.* tim=(?P<tim>\d+))?")
_COMMIT = re.compile(r"XCTEND rlbk=(?P<rollback>\d)")
_FIGURE = re.compile(r"(\w+)=(-?\d+)")


@dataclass(frozen=True)
class Statement:
    """A statement of a trace: its text, SQL_ID ("" where the release writes none), recursive depth, parsing user, command."""

    text: str
    sql_id: str
    depth: int
    user: int
    command: int


@dataclass(frozen=True, eq=False)
class TraceFile:
    """What a trace says.

    statements  in the order of their first parse
    calls       one row a database call: CALL_COLUMNS; times in microseconds, ``statement`` counts from 0 in ``statements``
    waits       one row a wait: WAIT_COLUMNS; ``statement`` is NO_STATEMENT where the trace names none
    commits, rollbacks  how many transactions ended so
    """

    statements: tuple[Statement, ...]
    calls: pd.DataFrame
    waits: pd.DataFrame
    commits: int
    rollbacks: int


def read_trace(text: str | Iterable[str]) -> TraceFile:
    """The trace from its text or its lines. Raises TraceError if there is no line of a trace in it."""
    lines = iter(text.splitlines() if isinstance(text, str) else text)
    found: dict[Statement, int] = {}
    cursors: dict[str, int] = {}
    calls: list[tuple[object, ...]] = []
    waits: list[tuple[object, ...]] = []
    ended = [0, 0]
    for line in lines:
        if wait := _WAIT.match(line):
            waits.append((cursors.get(wait["cursor"], NO_STATEMENT), wait["event"], int(wait["ela"]), int(wait["tim"] or 0)))
        elif call := _CALL.match(line):
            figures = {name: int(value) for name, value in _FIGURE.findall(call["figures"])}
            row = (figures.get(name, 0) for name in CALL_COLUMNS[2:])
            calls.append((cursors.get(call["cursor"], NO_STATEMENT), call["call"], *row))
        elif parsing := _PARSING.match(line):
            words = []
            for following in lines:
                if following.startswith("END OF STMT"):
                    break
                words.append(following.rstrip("\n"))
            depth, user, command = (int(parsing[name]) for name in ("dep", "uid", "oct"))
            statement = Statement("\n".join(words), parsing["sql_id"] or "", depth, user, command)
            cursors[parsing["cursor"]] = found.setdefault(statement, len(found))
        elif commit := _COMMIT.match(line):
            ended[int(commit["rollback"] != "0")] += 1
    if not calls and not waits:
        raise TraceError("There is no line of an extended SQL trace in this text: it needs PARSING IN CURSOR, EXEC and WAIT lines.")
    return TraceFile(tuple(found), pd.DataFrame(calls, columns=list(CALL_COLUMNS)), pd.DataFrame(waits, columns=list(WAIT_COLUMNS)), *ended)
