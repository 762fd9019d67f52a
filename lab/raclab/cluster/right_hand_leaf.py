"""An index on a growing key: every insert goes to the rightmost leaf, until that is full and a new one takes its place.

A partitioned index has one rightmost leaf a partition.
"""

from dataclasses import dataclass

from raclab.cluster.cache_fusion import BlockSession
from raclab.cluster.nodes import Cluster
from raclab.sim import Label, Number

INDEX_CONTENTION = "enq: TX - index contention"


@dataclass(frozen=True)
class RightHandLeaves:
    """Partition p's cells and lock are the first ones + p.

    leaf      cell: block number of the rightmost leaf
    left      cell: entries that it still has room for
    split     lock: held by the session that splits it
    capacity  entries of a leaf
    """

    partitions: int
    leaf: int
    left: int
    split: int
    capacity: int

    def insert(self, session: BlockSession, partition: Number, cpu_s: float) -> None:
        """One entry into the partition whose number is in cell ``partition``; the leaf is pinned for ``cpu_s`` seconds.

        Splits are rare, so the new leaf is pinned by the same ops as the full one, with ``splitting`` to tell which it was.
        """
        process, cluster = session.process, session.fusion.cluster
        block, now, wanted, splitting = (process.cell() for _ in range(4))
        again, no_split, pin, right, split, done = (Label() for _ in range(6))
        process.place(again)
        process.jump_if_free(self.split, 0, no_split, by=partition)
        with process.wait(INDEX_CONTENTION):
            process.acquire(self.split, shared=True, by=partition)
        process.release(self.split, by=partition)
        process.place(no_split)
        process.fetch(block, self.leaf, by=partition)
        process.copy(wanted, block)
        process.place(pin)
        session.pin(wanted)
        process.jump_if_positive(splitting, split)
        process.fetch(now, self.leaf, by=partition)
        process.jump_if_same(block, now, right)
        session.unpin(block)  # it was split while this session waited for it
        process.jump(again)
        process.place(right)
        process.run(cluster.hardware.varied(cpu_s))
        session.write(block)
        process.add(self.left, -1, by=partition)
        process.jump_if_positive(self.left, done, by=partition)
        process.acquire(self.split, by=partition)
        process.add(now, 1)
        process.copy(wanted, now)
        process.set(splitting, 1)
        process.jump(pin)
        process.place(split)
        session.change_pinned(now)
        process.set(splitting, 0)
        process.add(self.leaf, 1, by=partition)
        process.set(self.left, self.capacity, by=partition)
        process.release(self.split, by=partition)
        process.place(done)
        session.unpin(block)


def blocks_needed(partitions: int, inserts: int, capacity: int) -> int:
    """Blocks for the leaves if all of so many inserts went to each of the partitions."""
    return partitions * (inserts // capacity + 2)


def build(cluster: Cluster, first_block: int, partitions: int, inserts: int, capacity: int) -> RightHandLeaves:
    """The leaves of so many partitions, from block ``first_block`` on; see ``blocks_needed``."""
    model, each = cluster.model, blocks_needed(1, inserts, capacity)
    leaf = model.cell_row(first_block + number * each for number in range(partitions))
    left = model.cell_row([capacity] * partitions)
    return RightHandLeaves(partitions, leaf, left, model.lock_row([0] * partitions), capacity)
