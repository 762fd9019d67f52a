"""The index block that everybody inserts into: one of a table on a growing key, or one a partition.

A visit pins the block on its node. Others on the same node queue behind it ("gc buffer busy", or "buffer busy waits" on a single
node); another node's first in line asks for the block, which is shipped after each visit, once its redo is on disk. The way by a
third node that is the block's master is left out.
"""

from dataclasses import dataclass

from raclab.cluster.nodes import Cluster
from raclab.sim import Distribution, Label, Number, Program


@dataclass(frozen=True)
class HotLeaves:
    """Leaves 0 to count - 1. Leaf l's block is lock ``block`` + l, whose home is the node that has it current.

    local  lock: held by the one session of a node that visits the leaf or asks for it; node n's are n * count further on
    """

    cluster: Cluster
    count: int
    block: int
    local: int

    def visit(self, process: Program, node: Number, leaf: Number, work: Distribution) -> None:
        """Use the leaf whose number is in cell ``leaf`` for a drawn time of CPU, and change it."""
        cluster, local = self.cluster, self.local + node * self.count
        free, inside, have, got = (Label() for _ in range(4))
        process.jump_if_free(local, 0, free, by=leaf)
        with process.wait("gc buffer busy" if cluster.nodes > 1 else "buffer busy waits"):
            process.acquire(local, by=leaf)
        process.jump(inside)
        process.place(free)
        process.acquire(local, by=leaf)
        process.place(inside)
        if cluster.nodes > 1:
            process.jump_if_free(self.block, node, have, by=leaf)
            with process.wait("gc current block busy"):
                owned, written = Label(), Label()
                cluster.send(process)
                process.acquire(self.block, by=leaf)
                process.jump_if_home(self.block, node, owned, by=leaf)
                process.call(cluster.lms, at=self.block, by=leaf)
                process.jump_if_same(cluster.changed, cluster.on_disk, written, at=self.block, by=leaf)
                process.call(cluster.lgwr, at=self.block, by=leaf)
                process.place(written)
                cluster.ship_block(process)
                process.place(owned)
            process.jump(got)
            process.place(have)
        process.acquire(self.block, by=leaf)
        process.place(got)
        process.set_home(self.block, node, by=leaf)
        process.run(work)
        process.add(cluster.changed + node, 1)
        process.release(self.block, by=leaf)
        process.release(local, by=leaf)


def build(cluster: Cluster, count: int) -> HotLeaves:
    """So many leaves, leaf l first on node l modulo the nodes."""
    model = cluster.model
    block = model.lock_row(leaf % cluster.nodes for leaf in range(count))
    return HotLeaves(cluster, count, block, model.lock_row([0] * (count * cluster.nodes)))
