"""A run's waits for blocks and rows as V$SEGMENT_STATISTICS."""

import numpy as np
import pandas as pd

from raclab.cluster.ledger import Ledger
from raclab.cluster.object_numbers import object_number
from raclab.cluster.roster import Segment
from raclab.sim import Run, ops

STATISTICS = (
    ("gc cr block", "gc cr blocks received"),
    ("gc current block", "gc current blocks received"),
    ("gc buffer busy", "gc buffer busy"),
    ("buffer busy waits", "buffer busy waits"),
    ("enq: TX - row lock contention", "row lock waits"),
    ("enq: TX - allocate ITL entry", "ITL waits"),
    ("db file sequential read", "physical read requests"),
    ("direct path read", "physical read requests"),
    ("direct path read", "physical reads direct"),
    ("db file sequential read", "physical reads"),
    ("direct path read", "physical reads"),
    ("direct path write", "physical write requests"),
)
"""What a wait for an event whose name begins so counts as; "physical reads" and "... direct" count blocks, not waits."""

_BLOCKS = ("physical reads", "physical reads direct")


def segments_of(ledger: Ledger, run: Run) -> pd.DataFrame:
    """V$SEGMENT_STATISTICS: one row an instance, segment and statistic that counted anything."""
    node_of = dict(zip(ledger.numbers.tolist(), ledger.nodes.tolist(), strict=True))
    roster, sums = ledger.roster, dict[tuple[int, Segment, str], float]()
    for (process, event), segments in _waits_by_segment(ledger, run).items():
        for segment, count in segments.items():
            if not count:
                continue
            for starts, statistic in STATISTICS:
                if event.startswith(starts):
                    key = (node_of[process], segment, statistic)
                    sums[key] = sums.get(key, 0.0) + count * (roster.read_blocks if statistic in _BLOCKS else 1.0)
    rows = [
        (0, node + 1, one.owner, one.name, "USERS", object_number(one), object_number(one), one.kind, statistic, round(value))
        for (node, one, statistic), value in sums.items()
    ]
    columns = "run INST_ID OWNER OBJECT_NAME TABLESPACE_NAME OBJ# DATAOBJ# OBJECT_TYPE STATISTIC_NAME VALUE"
    return pd.DataFrame(rows, columns=columns.split())


def _waits_by_segment(ledger: Ledger, run: Run) -> dict[tuple[int, str], dict[Segment, int]]:
    """Waits by process and event, and by segment.

    The kernel counts a process's waits for an event, not at which of several places in its program; there, the op that was done most
    often says how often. What is under way at a run's end was begun and counts nowhere.
    """
    model, hits = ledger.roster.model, run.tally["hits"]
    found: dict[tuple[int, str], dict[Segment, int]] = {}
    ours = set(ledger.numbers.tolist())
    which, parts = ledger.parts
    of_part = [ledger.roster.segment(*part) if part[1] else None for part in parts]
    begin = 0
    for row in np.flatnonzero(np.isin(ledger.code, (ops.MARK, ops.WAITED))):
        if ledger.code[row] == ops.MARK:
            begin = int(row)
            continue
        process, segment = int(ledger.owner[row]), of_part[which[row]]
        if segment is not None and process in ours:
            segments = found.setdefault((process, parts[which[row]][1]), {})
            segments[segment] = segments.get(segment, 0) + int(hits[begin:row].max())
    for (process, event), segments in found.items():
        surplus = sum(segments.values()) - int(run.waits[process, model.events.index(event)]["hits"])
        segments[max(segments, key=lambda one: segments[one])] -= surplus
    return found
