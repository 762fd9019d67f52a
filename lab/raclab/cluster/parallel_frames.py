"""Runs of a parallel statement as tidy frames, in seconds; ``stats`` has V$SYSSTAT's names and units (times there are centiseconds)."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from raclab.cluster.ledger import Ledger
from raclab.cluster.parallel import TRAFFIC
from raclab.cluster.parallel_run import WORK, Built
from raclab.cluster.roster import Roster
from raclab.cluster.session_frame import sessions_of
from raclab.cluster.wait_frame import waits_of
from raclab.evidence.measurement import STAT_COLUMNS
from raclab.sim import Run, ops

CENTISECONDS = 100.0
CPU, CORE, INTERCONNECT, ROWS = "CPU", "waits for a core", "interconnect", "waits for rows"
PARTS = (CPU, CORE, INTERCONNECT, ROWS)
_DOWNGRADES = ((0.25, "1 to 25 pct"), (0.5, "25 to 50 pct"), (0.75, "50 to 75 pct"), (1.0, "75 to 99 pct"))


class Accounts:
    """What belongs to whom in a built statement; made once for all its runs, after the first of them."""

    def __init__(self, built: Built) -> None:
        self.built = built
        program, where = built.model.program, built.model.where
        self.working = where.activity_is(WORK)
        self.sends = program["code"] == ops.SEND
        self.size = np.where(self.sends, program["x"], 0.0)
        self.activity = where.activity
        self.instance = np.array([server.instance for server in built.servers])
        on: dict[int, int] = {}
        self.session: list[int] = []
        for server in built.servers:
            on[server.instance] = on.get(server.instance, 0) + 1
            self.session.append(on[server.instance])
        self.ledger = Ledger(_roster(built, self.session))
        self.numbers = self.ledger.numbers

    def by_server(self, rows: np.ndarray, values: np.ndarray) -> np.ndarray:
        """Sums over the ops that are marked in ``rows``, by server in the order of ``built.servers``."""
        sums: np.ndarray = self.ledger.of_processes(values, rows)[self.numbers]
        return sums


def _roster(built: Built, numbers: list[int]) -> Roster:
    statement = built.statement
    text = (
        "SELECT t1.k, COUNT(*) FROM t1, t2 WHERE t1.k = t2.k GROUP BY t1.k" if statement.join else "SELECT SUM(amount) FROM t1"
    ).replace("SELECT", f"SELECT /*+ PARALLEL({statement.dop}) */")
    return Roster(
        built.model,
        tuple((server.instance, number, server.process) for server, number in zip(built.servers, numbers, strict=True)),
        tuple(range(statement.nodes)),
        statement=text,
        executions=lambda _run: {(0, text): 1},
    )


def sessions(accounts: Accounts, runs: Sequence[Run]) -> pd.DataFrame:
    """One row a run and session, the coordinator's first: calls (1), cpu_s, elapsed_s of the whole statement."""
    return sessions_of(accounts.ledger, runs, 1, [np.full(len(accounts.numbers), run.clock) for run in runs])


def waits(accounts: Accounts, runs: Sequence[Run]) -> pd.DataFrame:
    """One row a run, session and event that occurred. What a server waits after its end, for others, is no event."""
    return waits_of(accounts.ledger.roster, runs)


def parts(accounts: Accounts, runs: Sequence[Run]) -> pd.DataFrame:
    """One row a run and part: ``time_s`` of a parallel server, mean over them; together they are the elapsed time."""
    rows: list[tuple[int, str, float]] = []
    for place, run in enumerate(runs):
        cpu = accounts.by_server(accounts.working, run.tally["cpu"])[1:].mean()
        worked = accounts.by_server(accounts.working, run.tally["time"])[1:].mean()
        sent = accounts.by_server(accounts.sends, run.tally["time"])[1:].mean()
        seconds = (cpu, worked - cpu, sent, run.clock - worked - sent)
        rows.extend((place, name, float(value)) for name, value in zip(PARTS, seconds, strict=True))
    return pd.DataFrame(rows, columns=["run", "part", "time_s"])


def traffic(accounts: Accounts, runs: Sequence[Run]) -> pd.DataFrame:
    """One row a run, sending instance and kind of traffic (TRAFFIC): bytes that crossed the interconnect."""
    rows: list[tuple[int, int, str, float]] = []
    for place, run in enumerate(runs):
        sent = run.tally["hits"] * accounts.size
        for instance in range(accounts.built.statement.nodes):
            mine = accounts.sends & (accounts.instance[accounts.ledger.owner] == instance)  # servers are the model's only processes
            for kind in TRAFFIC:
                rows.append((place, instance + 1, kind, float(sent[mine & (accounts.activity == kind)].sum())))
    return pd.DataFrame(rows, columns=["run", "inst_id", "kind", "bytes"])


def stats(accounts: Accounts, runs: Sequence[Run]) -> pd.DataFrame:
    """One row a run, instance and statistic. Messages are buffers of table queues that crossed the interconnect, and those without rows."""
    statement = accounts.built.statement
    buffer = statement.hardware.buffer_bytes
    rows: list[tuple[int, int, str, float]] = []
    carried = traffic(accounts, runs)
    for place, run in enumerate(runs):
        cpu, db_s = (seconds[accounts.numbers] for seconds in (accounts.ledger.cpu_s(run), accounts.ledger.db_s(run)))
        for instance in range(statement.nodes):
            here = accounts.instance == instance
            sent = carried[(carried["run"] == place) & (carried["inst_id"] == instance + 1)]["bytes"].sum()
            of_instance = {
                "CPU used by this session": CENTISECONDS * float(cpu[here].sum()),
                "DB time": CENTISECONDS * float(db_s[here].sum()),
                "PX remote messages sent": float(np.ceil(sent / buffer)),
                "queries parallelized": float(instance == 0),
                "DFO trees parallelized": float(instance == 0),
            }
            if instance == 0:
                of_instance |= {_downgrade(statement.dop, statement.actual_dop): 1.0}
            rows.extend((place, instance + 1, name, value) for name, value in of_instance.items())
    return pd.DataFrame(rows, columns=list(STAT_COLUMNS))


def _downgrade(asked: int, given: int) -> str:
    if given == asked:
        return "Parallel operations not downgraded"
    lost = 1 - given / asked
    return f"Parallel operations downgraded {next(name for most, name in _DOWNGRADES if lost <= most)}"
