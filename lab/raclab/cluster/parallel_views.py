"""A parallel statement's run as rows of the V$ views of parallel execution, under Oracle's column names.

The parallel servers are shown as they were at the end of the statement: in use, with their coordinator.
"""

import numpy as np
import pandas as pd

from raclab.cluster.common_views import views_of
from raclab.cluster.parallel import COORDINATOR
from raclab.cluster.parallel_frames import Accounts
from raclab.sim import Run


def of(accounts: Accounts, run: Run) -> dict[str, pd.DataFrame]:
    """All of them, by the view's name without V$ or GV$."""
    found = {
        "PX_SESSION": px_session(accounts),
        "PX_PROCESS": px_process(accounts),
        "PX_PROCESS_SYSSTAT": px_process_sysstat(accounts),
        "PQ_TQSTAT": pq_tqstat(accounts),
    }
    return views_of(accounts.ledger, run) | found


def px_session(accounts: Accounts) -> pd.DataFrame:
    """V$PX_SESSION: coordinator and servers with set, number, degree and requested degree; SERVER# counts from 1 in each set.

    ``qc_instance`` and ``qc_session`` name the coordinator's session.
    """
    statement, coordinator = accounts.built.statement, accounts.built.servers[0]
    instance, session = coordinator.instance + 1, accounts.session[0]
    rows: list[tuple[int | None, ...]] = []
    for server, number in zip(accounts.built.servers, accounts.session, strict=True):
        if server.set == COORDINATOR:
            rows.append((0, instance, number, None, None, None, None, None, None, instance, session))
        else:
            degrees = (statement.actual_dop, statement.dop)
            rows.append((0, server.instance + 1, number, instance, 1, server.set, server.number + 1, *degrees, instance, session))
    columns = "run INST_ID session QCINST_ID SERVER_GROUP SERVER_SET SERVER# DEGREE REQ_DEGREE qc_instance qc_session"
    return pd.DataFrame(rows, columns=columns.split())


def px_process(accounts: Accounts) -> pd.DataFrame:
    """V$PX_PROCESS: the servers by name."""
    rows = [
        (0, server.instance + 1, number, server_name(accounts, server.set, server.number), "IN USE", "FALSE")
        for server, number in zip(accounts.built.servers, accounts.session, strict=True)
        if server.set != COORDINATOR
    ]
    return pd.DataFrame(rows, columns=["run", "INST_ID", "session", "SERVER_NAME", "STATUS", "IS_GV"])


def px_process_sysstat(accounts: Accounts) -> pd.DataFrame:
    """V$PX_PROCESS_SYSSTAT: how many servers each instance has, all of them in use."""
    rows: list[tuple[int, int, str, int]] = []
    for instance in range(accounts.built.statement.nodes):
        count = sum(server.instance == instance and server.set != COORDINATOR for server in accounts.built.servers)
        known = {
            "Servers In Use": count,
            "Servers Available": 0,
            "Servers Started": count,
            "Servers Highwater": count,
            "Server Sessions": count,
        }
        rows.extend((0, instance + 1, name, value) for name, value in known.items())
    return pd.DataFrame(rows, columns=["run", "INST_ID", "STATISTIC", "VALUE"])


def pq_tqstat(accounts: Accounts) -> pd.DataFrame:
    """V$PQ_TQSTAT: rows and bytes of each producer and consumer of each table queue, local ones included; it has no INST_ID of its own.

    The rows are spread evenly, as in the model; what does not divide evenly is with the last ones.
    """
    built = accounts.built
    coordinator = built.servers[0].instance + 1
    rows = []
    for queue, stage in enumerate(built.statement.stages()):
        for kind, of_set in (("Producer", stage.sender), ("Consumer", stage.receiver)):
            members = [server for server in built.servers if server.set == of_set]
            counts, sizes = (_shares(total, len(members)) for total in (stage.rows, stage.rows * stage.row_bytes))
            for server, count, size in zip(members, counts, sizes, strict=True):
                name = "QC" if server.set == COORDINATOR else server_name(accounts, server.set, server.number)
                rows.append((0, coordinator, 1, queue, kind, count, size, name, server.instance + 1))
    columns = ["run", "INST_ID", "DFO_NUMBER", "TQ_ID", "SERVER_TYPE", "NUM_ROWS", "BYTES", "PROCESS", "INSTANCE"]
    return pd.DataFrame(rows, columns=columns)


def _shares(total: float, members: int) -> list[int]:
    """A total in whole numbers, as even as can be."""
    bounds = np.rint(np.linspace(0.0, total, members + 1)).astype(np.int64)
    shares: list[int] = np.diff(bounds).tolist()
    return shares


def server_name(accounts: Accounts, of_set: int, number: int) -> str:
    """P000 and so on, counted on each instance: set 1's servers first."""
    statement = accounts.built.statement
    instance = statement.instance_of(number)
    first = next(other for other in range(statement.actual_dop) if statement.instance_of(other) == instance)
    return f"P{(of_set - 1) * statement.servers_on(instance) + number - first:03d}"
