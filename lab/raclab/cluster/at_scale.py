"""The largest clusters that the simulator is meant for: 64 nodes with 64 sessions each, to see that size costs no more than it must.

Two cases: inserts whose key comes from one sequence, and two organizations' batch over shared blocks (cache fusion). Every node works on
the same sequence or blocks, so these are also the worst designs for so many nodes.
"""

from collections.abc import Sequence

import pandas as pd

from raclab.cluster import block_frames, frames, organizations, sequences
from raclab.cluster.organizations import Batch
from raclab.cluster.parameters import Hardware
from raclab.cluster.sequences import StatementCosts, TestCase
from raclab.errors import LabError
from raclab.sim import Run
from raclab.sim.kernel import MOST_PROCESSES

MOST_NODES = 64
BACKGROUND = 4  # processes of a node that has one LMS: besides it LCK0, LMD0 and LGWR
COSTS = StatementCosts(insert_cpu_s=0.5e-3, insert_other_s=0.1e-3, seq_cpu_s=0.1e-3, seq_other_s=0.1e-3)
"""What an insert costs. Assumed, and round: only the size of the cluster matters here."""

Built = sequences.Built | organizations.Built


class TooLarge(LabError):
    """A cluster that is too large to be simulated, or none at all."""


def sequence_case(nodes: int = MOST_NODES, sessions: int = 64, *, rows: int = 10, cache: int = 0, order: bool = False) -> sequences.Built:
    """So many sessions on each of the nodes insert ``rows`` rows each; the levers of the sequence as in TestCase.

    Raises TooLarge if there can't be so many nodes or sessions.
    """
    _check(nodes, sessions)
    case = TestCase(COSTS, Hardware(cores=8), nodes=nodes, sessions=sessions, rows=rows, commit_every=5, cache=cache, order=order)
    return sequences.build(case)


def batch_case(nodes: int = MOST_NODES, sessions: int = 64, *, rows: int = 4) -> organizations.Built:
    """So many threads on each of the nodes, half of them of each organization, work on ``rows`` rows each, over all blocks and one index.

    Raises TooLarge if there can't be so many nodes or sessions, or no two halves of them.
    """
    _check(nodes, sessions)
    threads, odd = divmod(nodes * sessions, organizations.ORGANIZATIONS)
    if odd:
        raise TooLarge(f"Half of {nodes * sessions:,} threads can't belong to each organization: take an even number of nodes or sessions.")
    return organizations.build(Batch(Hardware(cores=8), nodes=nodes, threads=threads, rows=threads * rows, affinity=False))


def measure(built: Built, runs: Sequence[Run]) -> dict[str, pd.DataFrame]:
    """The frames of a measurement of either case: sessions, waits and stats."""
    if isinstance(built, sequences.Built):
        return {"sessions": frames.sessions(built, runs), "waits": frames.waits(built, runs), "stats": frames.stats(built, runs)}
    return {
        "sessions": block_frames.sessions(built, runs),
        "waits": block_frames.waits(built, runs),
        "stats": block_frames.stats(built, runs),
    }


def _check(nodes: int, sessions: int) -> None:
    if not 1 <= nodes <= MOST_NODES:
        raise TooLarge(f"A cluster has 1 to {MOST_NODES} nodes here, not {nodes}.")
    most = MOST_PROCESSES // nodes - BACKGROUND
    if not 1 <= sessions <= most:
        raise TooLarge(
            f"Each of {nodes} nodes can have 1 to {most:,} sessions, not {sessions:,}: "
            f"there is room for {MOST_PROCESSES:,} processes in all."
        )
