"""Where the sessions of live runs go, and what becomes of V$PQ_TQSTAT: what the myths' ``live`` lines are made from.

A place is the position, from 0, of an instance among those that are open.
"""

import dataclasses
from collections.abc import Callable
from typing import Any

import pandas as pd

from raclab.evidence.measurement import Measurement

MOST_CLIENTS = 16
SESSIONS_OF_A_NODE = 4
MASTER = "QC"


def on_the_first(lever: str) -> Callable[[Any, int], list[int]]:
    """As many sessions as a lever says, all on the first instance."""

    def places(levers: Any, instances: int) -> list[int]:
        return [0] * int(getattr(levers, lever))

    return places


def one_session(levers: Any, instances: int) -> list[int]:
    """A single session on the first instance."""
    return [0]


def four_on_each_of_two(levers: Any, instances: int) -> list[int]:
    """Four sessions on each of the first two instances."""
    return [0] * SESSIONS_OF_A_NODE + [1] * SESSIONS_OF_A_NODE


def batch_and_askers(levers: Any, instances: int) -> list[int]:
    """On the first instance one session that keeps the blocks and the batch; on each other node of the levers four that ask."""
    nodes = range(1, min(levers.nodes, instances))
    return [0] * (1 + levers.runnable) + [node for node in nodes for _ in range(SESSIONS_OF_A_NODE)]


def organizations(levers: Any, instances: int) -> list[int]:
    """First the threads of organization 1, then those of 2: each on a node of its own with affinity, else on both in turn."""
    other = 1 if levers.nodes > 1 and instances > 1 else 0
    if levers.affinity:
        return [0] * levers.threads + [other] * levers.threads
    return [other * (thread % 2) for thread in range(2 * levers.threads)]


def clients(levers: Any, instances: int) -> list[int]:
    """The clients, MOST_CLIENTS at most, on the levers' nodes in turn, as far as they are open."""
    nodes = min(levers.nodes, instances)
    return [client % nodes for client in range(min(levers.clients, MOST_CLIENTS))]


def fields_of(measured: Measurement) -> dict[str, Any]:
    """A measurement's fields by name, to make another one from."""
    return {field.name: getattr(measured, field.name) for field in dataclasses.fields(Measurement)}


def without_the_keeper(measured: Measurement) -> dict[str, Any]:
    """The fields of a measurement without what the first instance received: that is its own traffic, not what the others waited for."""
    stats = measured.stats
    first = measured.sessions["inst_id"].min()
    own = (stats["inst_id"] == first) & stats["name"].str.startswith("gc ") & stats["name"].str.contains("receive")
    return {**fields_of(measured), "stats": stats[~own]}


def traffic(measured: Measurement, between: str, to_coordinator: str) -> pd.DataFrame:
    """What crossed the interconnect by V$PQ_TQSTAT: run, inst_id of the sender, kind, bytes.

    To the coordinator that is what producers on other instances sent. Between servers the view has what each sent and what each received,
    not from whom: the rows of every producer are taken to be spread as those of all are.
    """
    rows = measured.views.get("PQ_TQSTAT")
    columns = ["run", "inst_id", "kind", "bytes"]
    if rows is None or rows.empty:
        return pd.DataFrame(columns=columns)
    side = rows["SERVER_TYPE"].str.strip().str.lower()
    found = []
    for _, queue in rows.groupby(["DFO_NUMBER", "TQ_ID"]):
        sent = queue[side[queue.index] == "producer"].groupby("INSTANCE")["BYTES"].sum()
        received = queue[side[queue.index] == "consumer"].groupby("INSTANCE")["BYTES"].sum()
        coordinator = (queue.loc[side[queue.index] == "consumer", "PROCESS"].str.strip() == MASTER).any()
        for sender, size in sent.items():
            share = 1 - received.get(sender, 0) / received.sum() if received.sum() else 0.0
            found.append((0, int(str(sender)), to_coordinator if coordinator else between, float(size * share)))
    return pd.DataFrame(found, columns=columns)
