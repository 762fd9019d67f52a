"""A run's statements as rows of V$SQL."""

import numpy as np
import pandas as pd

from raclab.cluster.ledger import IDLE, Ledger
from raclab.cluster.sql_ids import sql_id
from raclab.oracle_names import wait_class
from raclab.sim import Run

MICROSECONDS = 1e6
COMMIT = "log file sync"
_CLASS_COLUMNS = {
    "Application": "APPLICATION_WAIT_TIME",
    "Concurrency": "CONCURRENCY_WAIT_TIME",
    "Cluster": "CLUSTER_WAIT_TIME",
    "User I/O": "USER_IO_WAIT_TIME",
}


def texts(ledger: Ledger) -> tuple[np.ndarray, list[str]]:
    """Per op: the place of the statement that it is a part of in the list of statements, -1 for none; and that list.

    Waiting for the client, idle waits and a commit are no part of a statement, and neither is what background processes do.
    """
    roster = ledger.roster
    which, parts = ledger.parts
    of_part = [
        "" if event == COMMIT or (event and wait_class(event) == IDLE) else roster.statements.get(activity, roster.statement)
        for activity, event in parts
    ]
    known = sorted(set(of_part) - {""})
    numbers = np.array([known.index(text) if text else -1 for text in of_part])[which]
    numbers[~np.isin(ledger.owner, ledger.numbers)] = -1
    return numbers, known


def sql_of(ledger: Ledger, run: Run) -> pd.DataFrame:
    """One row an instance and statement; times in microseconds. A recursive statement's time is its own, not its caller's too."""
    which, known = texts(ledger)
    if not known:
        return pd.DataFrame(columns=["run", "INST_ID", "SQL_ID"])
    roster, scale = ledger.roster, MICROSECONDS * ledger.roster.scale(run)
    executed = roster.executions(run)
    node_of = np.full(len(roster.model.processes), -1)
    node_of[ledger.numbers] = ledger.nodes
    node = node_of[ledger.owner]
    classes = np.array([*(wait_class(event) for event in roster.model.events), ""])[ledger.event]
    rows = []
    for instance in range(roster.nodes):
        for number, text in enumerate(known):
            mine = (node == instance) & (which == number)
            tally = run.tally[mine]
            if not tally["hits"].any():
                continue
            row: dict[str, object] = {
                "run": 0,
                "INST_ID": instance + 1,
                "SQL_ID": sql_id(text),
                "SQL_TEXT": text,
                "PARSING_SCHEMA_NAME": "SYS" if text in roster.recursive else "LAB",
                "EXECUTIONS": executed.get((instance, text)),
                "ELAPSED_TIME": round(scale * float(tally["time"].sum())),
                "CPU_TIME": round(scale * float(tally["cpu"].sum())),
            }
            for name, column in _CLASS_COLUMNS.items():
                row[column] = round(scale * float(tally["time"][classes[mine] == name].sum()))
            rows.append(row)
    return pd.DataFrame(rows).astype({"EXECUTIONS": "Int64"})
