"""TX row locks: who changes a row keeps it until the commit, and whoever else wants it waits for that."""

from dataclasses import dataclass

from raclab.cluster.nodes import Cluster
from raclab.sim import Label, Number, Program

ROW_LOCK = "enq: TX - row lock contention"


@dataclass(frozen=True)
class RowLocks:
    """Rows 0 to rows - 1. Row r's lock, and the cells with the sessions that want it and its last holder's node, are the first ones + r."""

    cluster: Cluster
    rows: int
    lock: int
    wanted: int
    holder: int

    def take(self, process: Program, node: Number, row: Number) -> None:
        """Lock the row whose number is in cell ``row``. A holder on another node is asked through its LMD0, and answers when it is over."""
        wanted, mine, here, got = Label(), Label(), Label(), Label()
        process.jump_if_positive(self.wanted, wanted, by=row)
        process.add(self.wanted, 1, by=row)
        process.acquire(self.lock, by=row)
        process.jump(got)
        process.place(wanted)
        process.add(self.wanted, 1, by=row)
        with process.wait(ROW_LOCK):
            server = process.cell()
            if self.cluster.nodes > 1:
                process.jump_if_home(self.lock, node, mine, by=row)
                process.fetch(server, self.holder, by=row)
                self.cluster.send(process)
                process.call(self.cluster.lmd, by=server)
                process.acquire(self.lock, by=row)
                self.cluster.send(process)
                process.jump(here)
                process.place(mine)
            process.acquire(self.lock, by=row)
            process.place(here)
        process.place(got)
        process.set_home(self.lock, node, by=row)
        process.set(self.holder, node, by=row)

    def give_back(self, process: Program, row: Number) -> None:
        """After the commit: the row is free for the next."""
        process.add(self.wanted, -1, by=row)
        process.release(self.lock, by=row)


def build(cluster: Cluster, rows: int) -> RowLocks:
    """Locks of so many rows, all free."""
    lock = cluster.model.lock_row([0] * rows)
    wanted, holder = (cluster.model.cell_row([0] * rows) for _ in range(2))
    return RowLocks(cluster, rows, lock, wanted, holder)
