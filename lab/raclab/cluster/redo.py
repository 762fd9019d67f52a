"""What LGWR has written, as V$SYSSTAT counts it."""

from raclab.cluster.ledger import Ledger
from raclab.sim import Run

CENTISECONDS = 100.0
WRITE = "log file parallel write"


def redo_writes(ledger: Ledger, run: Run, node: int) -> dict[str, float]:
    """Number of a node's redo writes, and their time in centiseconds, under V$SYSSTAT's names."""
    count, seconds = ledger.waited(run, ledger.roster.background[node, "LGWR"], WRITE)
    return {"redo writes": float(count), "redo write time": CENTISECONDS * seconds}
