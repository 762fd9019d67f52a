"""One session of a run, simulated once more with tracing on: what it did, statement by statement, in order."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol

import numpy as np

from raclab.cluster.introduced import introduced
from raclab.cluster.ledger import Ledger
from raclab.cluster.roster import CLIENT, Roster
from raclab.evidence.measurement import Measurement
from raclab.reports.errors import TraceError
from raclab.sim import ops
from raclab.sim.tracing import Trace, tracing

MOST_LINES = 6_000_000
"""Steps of all processes of a run that a trace may have, 240 MB."""
COMMIT, COMMIT_EVENT = "COMMIT", "log file sync"

_TIMED = (ops.RUN, ops.DELAY, ops.ACQUIRE, ops.CALL, ops.TAKE, ops.SPIN, ops.SEND, ops.WAIT)


class Simulates(Protocol):
    """What is needed of a myth."""

    slug: ClassVar[str]

    def simulate(self, levers: Any, seeds: Sequence[int] = ...) -> Measurement:
        """One run a seed. Pure: same levers and seed, same result."""


@dataclass(frozen=True)
class Step:
    """A piece of a session's time: it was on CPU or waited for a core, or waited for an event. Times in seconds since the run's begin.

    text   the statement that it was at, "" if none
    caller  the statement that called it, if it is recursive
    event  "" outside waits
    again  whether an execution (the caller's, if it is recursive) begins here, though the one before was of the same statement
    """

    text: str
    caller: str
    event: str
    again: bool
    began: float
    ended: float
    cpu: float


@dataclass(frozen=True)
class TracedRun:
    """One session of a simulated run.

    steps  in the order of time
    cpu_s  CPU of all of it, seconds
    scale  what the views multiply the run's counts and times with: 1 unless it is a sample of a longer one
    """

    steps: tuple[Step, ...]
    cpu_s: float
    scale: float


def traced_run(myth: Simulates, levers: Any, seed: int, instance: int, number: int) -> TracedRun:
    """Simulate the run once more and follow session ``number`` of ``instance`` (both from 1).

    Raises TraceError if the myth's sessions are no processes of one simulated model, or if there is too much to write down.
    """
    with tracing(MOST_LINES) as traced, introduced() as known:
        measured = myth.simulate(levers, [seed])
    rosters = {id(roster.model): roster for roster in known}
    for trace in traced.traces:
        roster = rosters.get(id(trace.model))
        if roster is not None and trace.seed == seed and (instance, number) in _sessions(roster):
            return _Follower(myth.slug, trace, roster, measured).follow(instance, number)
    raise TraceError(f"Session {number} of instance {instance} can't be traced: {myth.slug} does not simulate its sessions step by step.")


def _sessions(roster: Roster) -> dict[tuple[int, int], int]:
    return {(node + 1, within): process.number for node, within, process in roster.sessions}


class _Follower:
    """Turns the lines of a run's trace into one session's steps. Statements are numbered; waiting for the client is one of them here."""

    def __init__(self, slug: str, trace: Trace, roster: Roster, measured: Measurement) -> None:
        if trace.cut:
            raise TraceError(
                f"The run has {len(trace.lines) + trace.cut:,} steps, and {MOST_LINES:,} are kept: trace a smaller one (fewer sessions)."
            )
        self.roster, self.measured, self.lines = roster, measured, trace.lines
        ledger = Ledger(roster)
        self.events = [*trace.model.events, ""]
        # a session of which no statement is known is shown at work in a block of that name
        default = roster.statement or ("" if roster.statements else f"BEGIN {slug}; END;")
        texts = [self._text(activity, self.events[event], default) for activity, event in zip(ledger.activity, ledger.event, strict=True)]
        self.texts = list(dict.fromkeys(["", CLIENT, COMMIT, *texts]))
        self.recursive = np.array([is_recursive(text) for text in self.texts])
        place = {text: number for number, text in enumerate(self.texts)}
        self.whole = self.lines["event"] >= 0
        shown = self.whole | (np.isin(ledger.code, _TIMED) & (ledger.event < 0))[self.lines["op"]]
        of_line = np.array([place[text] for text in texts])[self.lines["op"]]
        self.number = self._of_waits(of_line)
        self.shown = np.flatnonzero(shown)

    def _text(self, activity: str, event: str, default: str) -> str:
        if event == COMMIT_EVENT:
            return COMMIT
        return CLIENT if event == CLIENT else self.roster.statements.get(activity, default)

    def _of_waits(self, number: np.ndarray) -> np.ndarray:
        """A wait of which the model names only the parts is its last part's; the line of that comes before its own."""
        order = np.argsort(self.lines["process"], kind="stable")
        before = np.zeros(len(order), dtype=np.int64)
        before[order[1:]] = number[order[:-1]]
        found: np.ndarray = np.where(self.whole & (number == _NONE), before, number)
        return found

    def follow(self, instance: int, number: int) -> TracedRun:
        """The session's steps."""
        sessions = _sessions(self.roster)
        process = sessions[instance, number]
        mine = np.flatnonzero(self.lines["process"] == process)
        lines = self.lines[mine]
        cpu = np.where(self.whole[mine], 0.0, lines["cpu"])
        cpu_s = float(cpu.sum())
        shown = np.isin(mine, self.shown)
        # an op within a wait comes before the wait's own line: its CPU goes to the wait
        cpu = np.diff(np.cumsum(cpu)[shown], prepend=0.0)
        lines, numbers = lines[shown], self.number[mine[shown]].tolist()
        begins = self._begins(
            lines["op"].tolist(), numbers, self._rule(instance, [one for (of, _), one in sessions.items() if of == instance])
        )
        steps = tuple(
            Step("" if one == _CLIENT else self.texts[one], caller, self.events[event], again, ended - took, ended, used)
            for one, (caller, again), event, ended, took, used in zip(
                numbers, begins, lines["event"].tolist(), lines["ended"].tolist(), lines["took"].tolist(), cpu.tolist(), strict=True
            )
        )
        return TracedRun(steps, cpu_s, self._scale(instance, number, cpu_s))

    def _begins(self, rows: list[int], numbers: list[int], rule: set[int]) -> list[tuple[str, bool]]:
        """Of each step the statement that called it, if it is recursive, and whether an execution begins anew there."""
        callers, following = [_NONE] * len(rows), _NONE
        for place in reversed(range(len(rows))):
            if self.recursive[numbers[place]]:
                callers[place] = following
            elif numbers[place] not in (_NONE, _CLIENT):
                following = numbers[place]
        found, before, last, begun = [], -1, -1, False
        for row, one, caller in zip(rows, numbers, callers, strict=True):
            if self.recursive[one]:
                again = caller in rule and before >= row and not begun
                begun = begun or again
            else:
                again = one == last and (one == _COMMIT or (one in rule and before >= row and not begun))
                if one != _NONE:
                    before, last, begun = row, one, False
            found.append((self.texts[caller], again))
        return found

    def _scale(self, instance: int, number: int, cpu_s: float) -> float:
        sessions = self.measured.sessions
        row = sessions[(sessions["inst_id"] == instance) & (sessions["session"] == number)]
        scale = float(row["cpu_s"].iloc[0]) / cpu_s if cpu_s > 0 and len(row) else 1.0
        return 1.0 if abs(scale - 1) < 1e-6 else scale

    def _rule(self, instance: int, fellows: list[int]) -> set[int]:
        """The statements of which an execution begins wherever the program goes back.

        Another begins where another statement came in between, in any case. Which is right says the number of executions that the model
        counted, where it counts them.
        """
        counted = self.measured.views.get("SQL")
        if counted is None or not {"SQL_TEXT", "EXECUTIONS", "INST_ID"} <= set(counted.columns):
            return set()
        here = counted[(counted["INST_ID"] == instance) & counted["EXECUTIONS"].notna()]
        executed = dict(zip(here["SQL_TEXT"], here["EXECUTIONS"].astype(int), strict=True))
        begun = np.zeros(len(self.texts), dtype=np.int64)
        own = self.shown[~self.recursive[self.number[self.shown]] & (self.number[self.shown] != _NONE)]
        for process in fellows:
            mine = own[self.lines["process"][own] == process]
            number, row = self.number[mine], self.lines["op"][mine]
            goes_on = np.concatenate([[False], (number[1:] == number[:-1]) & (row[1:] > row[:-1])])
            begun += np.bincount(number[~goes_on[: len(number)]], minlength=len(self.texts))
        return {place for place, text in enumerate(self.texts) if executed.get(text) == begun[place]}


_NONE, _CLIENT, _COMMIT = range(3)


def is_recursive(text: str) -> bool:
    """Whether a statement is Oracle's own: it works on a table of the dictionary, whose names end in $."""
    return re.search(r"(?i)\b(update|into|from) [a-z_]+\$(?!\w)", text) is not None
