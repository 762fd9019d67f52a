"""Runs of a parallel statement as tidy frames, in seconds; ``stats`` has V$SYSSTAT's names and units (times there are centiseconds)."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from raclab.cluster.parallel import COORDINATOR, TRAFFIC
from raclab.cluster.parallel_run import WORK, Built
from raclab.evidence.measurement import STAT_COLUMNS
from raclab.oracle_names import wait_class
from raclab.sim import Run, ops

CENTISECONDS = 100.0
CPU, CORE, INTERCONNECT, ROWS = "CPU", "waits for a core", "interconnect", "waits for rows"
PARTS = (CPU, CORE, INTERCONNECT, ROWS)
_DOWNGRADES = ((0.25, "1 to 25 pct"), (0.5, "25 to 50 pct"), (0.75, "50 to 75 pct"), (1.0, "75 to 99 pct"))


class Accounts:
    """What belongs to whom in a built statement; made once for all its runs."""

    def __init__(self, built: Built) -> None:
        self.built = built
        program = built.model.arrays().program  # asking for it ends the last process's program
        where = built.model.where
        self.owner = np.array([one.process for one in where])
        self.working = np.array([one.activity == WORK for one in where])
        self.sends = program["code"] == ops.SEND
        self.size = np.where(self.sends, program["x"], 0.0)
        self.activity = np.array([one.activity for one in where], dtype=object)
        self.numbers = np.array([server.process.number for server in built.servers])
        self.instance = np.array([server.instance for server in built.servers])
        on: dict[int, int] = {}
        self.session: list[int] = []
        for server in built.servers:
            on[server.instance] = on.get(server.instance, 0) + 1
            self.session.append(on[server.instance])

    def by_server(self, rows: np.ndarray, values: np.ndarray) -> np.ndarray:
        """Sums over the ops that are marked in ``rows``, by server in the order of ``built.servers``."""
        sums: np.ndarray = np.bincount(self.owner[rows], values[rows], len(self.built.model.processes))[self.numbers]
        return sums


def sessions(accounts: Accounts, runs: Sequence[Run]) -> pd.DataFrame:
    """One row a run and session, the coordinator's first: calls (1), cpu_s, elapsed_s of the whole statement."""
    count = len(accounts.numbers)
    return pd.DataFrame(
        {
            "run": np.repeat(np.arange(len(runs)), count),
            "inst_id": np.tile(accounts.instance + 1, len(runs)),
            "session": np.tile(accounts.session, len(runs)),
            "calls": 1,
            "cpu_s": np.concatenate([accounts.by_server(accounts.working, run.tally["cpu"]) for run in runs]),
            "elapsed_s": np.repeat([run.clock for run in runs], count),
        }
    )


def waits(accounts: Accounts, runs: Sequence[Run]) -> pd.DataFrame:
    """One row a run, session and event that occurred. What a server waits after its end, for others, is no event."""
    events = accounts.built.model.events
    tally = np.stack([run.waits[accounts.numbers] for run in runs])
    run, session, event = np.nonzero(tally["hits"])
    found = tally[run, session, event]
    return pd.DataFrame(
        {
            "run": run,
            "inst_id": accounts.instance[session] + 1,
            "session": np.array(accounts.session)[session],
            "event": [events[number] for number in event],
            "wait_class": [wait_class(events[number]) for number in event],
            "total_waits": found["hits"],
            "time_s": found["time"],
            "max_s": found["longest"],
        }
    )


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
            mine = accounts.sends & (accounts.instance[accounts.owner] == instance)  # servers are the model's only processes
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
        cpu = accounts.by_server(accounts.working, run.tally["cpu"])
        for instance in range(statement.nodes):
            sent = carried[(carried["run"] == place) & (carried["inst_id"] == instance + 1)]["bytes"].sum()
            here = float(cpu[accounts.instance == instance].sum())
            of_instance = {
                "CPU used by this session": CENTISECONDS * here,
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


def px_session(accounts: Accounts) -> pd.DataFrame:
    """V$PX_SESSION: coordinator and servers with set, number, degree and requested degree; SERVER# counts from 1 in each set."""
    statement = accounts.built.statement
    rows: list[tuple[int | None, ...]] = []
    for server, session in zip(accounts.built.servers, accounts.session, strict=True):
        if server.set == COORDINATOR:
            rows.append((0, 1, session, None, None, None, None, None, None))
        else:
            degrees = (statement.actual_dop, statement.dop)
            rows.append((0, server.instance + 1, session, 1, 1, server.set, server.number + 1, *degrees))
    columns = ["run", "INST_ID", "session", "QCINST_ID", "SERVER_GROUP", "SERVER_SET", "SERVER#", "DEGREE", "REQ_DEGREE"]
    return pd.DataFrame(rows, columns=columns)


def pq_tqstat(accounts: Accounts) -> pd.DataFrame:
    """V$PQ_TQSTAT: rows and bytes of each producer and consumer of each table queue, local ones included; it has no INST_ID of its own.

    The rows are spread evenly, as in the model.
    """
    built = accounts.built
    rows = []
    for queue, stage in enumerate(built.statement.stages()):
        for kind, of_set in (("Producer", stage.sender), ("Consumer", stage.receiver)):
            members = [server for server in built.servers if server.set == of_set]
            for server in members:
                count = round(stage.rows / len(members))
                name = "QC" if server.set == COORDINATOR else _name(accounts, server.set, server.number)
                size = round(stage.rows * stage.row_bytes / len(members))
                rows.append((0, 1, 1, queue, kind, count, size, name, server.instance + 1))
    columns = ["run", "INST_ID", "DFO_NUMBER", "TQ_ID", "SERVER_TYPE", "NUM_ROWS", "BYTES", "PROCESS", "INSTANCE"]
    return pd.DataFrame(rows, columns=columns)


def _name(accounts: Accounts, of_set: int, number: int) -> str:
    """P000 and so on, counted on each instance: set 1's servers first."""
    statement = accounts.built.statement
    instance = statement.instance_of(number)
    first = next(other for other in range(statement.actual_dop) if statement.instance_of(other) == instance)
    return f"P{(of_set - 1) * statement.servers_on(instance) + number - first:03d}"
