"""Runs of a workload of block requests as tidy frames: sessions, waits, statistics, and the parts of the waits.

The columns are those of a measurement (evidence/measurement.py): seconds throughout, except in ``stats``, which has V$SYSSTAT's names
and units (times there are centiseconds).
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from raclab.cluster.gc_requests import FLUSH, KINDS, LMS, PARTS, WIRE, Built, activity
from raclab.cluster.ledger import Ledger
from raclab.cluster.redo import redo_writes
from raclab.cluster.roster import Roster, Segment
from raclab.cluster.session_frame import sessions_of
from raclab.cluster.wait_frame import waits_of
from raclab.sim import Run, ops

CENTISECONDS = 100.0
LMS_WAITS, LMS_WORKS = "LMS waits for CPU", "LMS works"
SHOWN_PARTS = tuple(name for part in PARTS for name in ((LMS_WAITS, LMS_WORKS) if part == LMS else (part,)))
"""The parts of a wait, with LMS's share divided: until it has a core, and what it does with it (build or pin)."""


@dataclass(frozen=True)
class Flow:
    """What a requester has got from a server in one run, of one kind of block. Times in seconds, added up over the blocks.

    parts    time by part (SHOWN_PARTS); together they are the time waited
    flushes  blocks for which LGWR wrote first; send_s: from the end of LMS's work until the blocks had left the node
    """

    requester: int
    server: int
    kind: str
    blocks: int
    parts: dict[str, float]
    flushes: int
    send_s: float

    @property
    def waited_s(self) -> float:
        """All parts together."""
        return sum(self.parts.values())


class Accounts:
    """The tallies of a built workload, sorted by who they belong to; made once for all its runs, after the first of them."""

    def __init__(self, built: Built) -> None:
        self.built = built
        model = built.model
        self.owner = model.where.process
        names = [activity(kind, part) for kind in KINDS for part in PARTS]
        self.part_of = model.where.activity_among(names)
        code = model.program["code"]
        self.timed = np.isin(code, (ops.RUN, ops.DELAY, ops.CALL, ops.SEND))
        self.sends, self.calls = code == ops.SEND, code == ops.CALL
        takes = np.flatnonzero(code == ops.TAKE)
        mailbox = model.program["a"][takes] - built.cluster.lms
        self.serves = [takes[mailbox == node] + 1 for node in range(built.load.nodes)]
        of_lms = [[p.number for p in model.processes if p.name.startswith("LMS") and p.cpu == cpu] for cpu in built.cluster.cpus]
        self.of_lms = [np.isin(self.owner, numbers) for numbers in of_lms]
        flow = {pair: place for place, pair in enumerate(built.load.asks)}
        flow_of = np.full(len(model.processes), -1)
        for requester, server, _, process in built.sessions:
            flow_of[process.number] = flow[requester, server]
        self.flow_of_op = flow_of[self.owner]

    def flows(self, run: Run) -> list[Flow]:
        """Each flow's CR blocks, then its current blocks."""
        found = []
        counted = (self.flow_of_op >= 0) & (self.part_of >= 0) & self.timed
        parts = len(KINDS) * len(PARTS)
        where = (self.flow_of_op * parts + self.part_of)[counted]
        size = len(self.built.load.asks) * parts
        tally = run.tally[counted]
        time = np.bincount(where, tally["time"], size).reshape(-1, len(KINDS), len(PARTS))
        asked = np.bincount(where, tally["hits"] * self.calls[counted], size).reshape(-1, len(KINDS), len(PARTS))
        sent = np.bincount(where, tally["time"] * self.sends[counted], size).reshape(-1, len(KINDS), len(PARTS))
        for place, (requester, server) in enumerate(self.built.load.asks):
            works_s = self.service_s(run, server)
            for k, kind in enumerate(KINDS):
                blocks = int(asked[place, k, PARTS.index(LMS)])
                spent = dict(zip(PARTS, time[place, k].tolist(), strict=True))
                at_lms = spent[LMS]
                works = min(works_s * blocks, at_lms)  # the mean of both kinds may be a trace above this kind's own
                spent |= {LMS_WORKS: works, LMS_WAITS: at_lms - works}
                shown = {name: spent[name] for name in SHOWN_PARTS}
                flushes = int(asked[place, k, PARTS.index(FLUSH)])
                found.append(Flow(requester, server, kind, blocks, shown, flushes, float(sent[place, k, PARTS.index(WIRE)])))
        return found

    def service_s(self, run: Run, node: int) -> float:
        """Mean CPU of a node's LMS for one request, in seconds."""
        served = run.tally[self.serves[node]]
        requests = int(served["hits"].sum())
        return float(served["cpu"].sum()) / requests if requests else 0.0

    def lms_cpu_s(self, run: Run, node: int) -> float:
        """All CPU of a node's LMS, looking for more messages included."""
        return float(run.tally["cpu"][self.of_lms[node]].sum())


STATEMENTS = {
    "cr": "SELECT balance FROM accounts WHERE account_id = :id",
    "current": "UPDATE accounts SET balance = balance + :amount WHERE account_id = :id",
}
_TABLE = Segment("LAB", "ACCOUNTS")


def ledger(built: Built) -> Ledger:
    """Who is who in a workload: copies are for queries, current blocks for changes, all of one table."""

    def executions(run: Run) -> dict[tuple[int, str], int]:
        return {
            (node, STATEMENTS[kind]): made.waited(run, made.on(node), f"gc {kind} block")[0]
            for node in range(built.load.nodes)
            for kind in KINDS
        }

    made = Ledger(
        Roster(
            built.model,
            tuple((requester, number, process) for requester, _, number, process in built.sessions),
            built.cluster.cpus,
            {activity(kind, part): STATEMENTS[kind] for kind in KINDS for part in PARTS},
            executions=executions,
            segment=lambda _activity, event: _TABLE if event.startswith("gc ") else None,
            hardware=built.load.hardware,
        )
    )
    return made


def sessions(built: Built, runs: Sequence[Run]) -> pd.DataFrame:
    """One row a run and session: calls (blocks asked for), cpu_s and elapsed_s."""
    return sessions_of(ledger(built), runs, built.load.blocks)


def waits(built: Built, runs: Sequence[Run]) -> pd.DataFrame:
    """One row a run, session and event that occurred: total_waits, time_s, max_s."""
    return waits_of(ledger(built).roster, runs)


def stats(built: Built, accounts: Accounts, runs: Sequence[Run]) -> pd.DataFrame:
    """One row a run, instance and statistic, under V$SYSSTAT's names; times in centiseconds."""
    rows: list[tuple[int, int, str, float]] = []
    whose = ledger(built)
    for number, run in enumerate(runs):
        cpu_s, db_s = whose.cpu_s(run), whose.db_s(run)
        flows = accounts.flows(run)
        for node in range(built.load.nodes):
            mine = [process.number for requester, *_, process in built.sessions if requester == node]
            values = {
                "CPU used by this session": CENTISECONDS * float(cpu_s[mine].sum()),
                "DB time": CENTISECONDS * float(db_s[mine].sum()),
                **redo_writes(whose, run, node),
            }
            rows.extend((number, node + 1, name, value) for name, value in (values | _gc_statistics(flows, node)).items())
    return pd.DataFrame(rows, columns=["run", "inst_id", "name", "value"])


def _gc_statistics(flows: Sequence[Flow], node: int) -> dict[str, float]:
    values: dict[str, float] = {}
    for kind, work in zip(KINDS, ("build", "pin"), strict=True):
        got = [flow for flow in flows if flow.kind == kind and flow.requester == node]
        given = [flow for flow in flows if flow.kind == kind and flow.server == node]
        values |= {
            f"gc {kind} blocks received": float(sum(flow.blocks for flow in got)),
            f"gc {kind} block receive time": CENTISECONDS * sum(flow.waited_s for flow in got),
            f"gc {kind} blocks served": float(sum(flow.blocks for flow in given)),
            f"gc {kind} block {work} time": CENTISECONDS * sum(flow.parts[LMS_WORKS] for flow in given),
            f"gc {kind} block flush time": CENTISECONDS * sum(flow.parts[FLUSH] for flow in given),
            f"gc {kind} block send time": CENTISECONDS * sum(flow.send_s for flow in given),
        }
    return values


def parts(accounts: Accounts, runs: Sequence[Run]) -> pd.DataFrame:
    """One row a run, requesting instance, serving instance, kind and part of the waits: blocks, time_s (added up over the blocks)."""
    rows = [
        (number, flow.requester + 1, flow.server + 1, flow.kind, part, flow.blocks, seconds)
        for number, run in enumerate(runs)
        for flow in accounts.flows(run)
        for part, seconds in flow.parts.items()
    ]
    return pd.DataFrame(rows, columns=["run", "inst_id", "server", "kind", "part", "blocks", "time_s"])


def lms(built: Built, accounts: Accounts, runs: Sequence[Run]) -> pd.DataFrame:
    """One row a run and instance: cpu_s of all its LMS, and the requests that they served (as a block's master too)."""
    rows = [
        (number, node + 1, accounts.lms_cpu_s(run, node), int(run.tally["hits"][accounts.serves[node]].sum()))
        for number, run in enumerate(runs)
        for node in range(built.load.nodes)
    ]
    return pd.DataFrame(rows, columns=["run", "inst_id", "cpu_s", "requests"])
