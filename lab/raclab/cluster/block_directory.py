"""Who has which block, and in what mode: the state that cache fusion works on.

For each block one node is the *holder*: the node that has it current, exclusively (X) or shared (S), and ships it to the
others. Other nodes may have it shared too. Who had it exclusively, changed it and shipped it keeps a past image (PI) until
the block is written. All else is N. docs/cache_fusion.md has the table of modes and messages.

State is kept in the model's locks and cells, one a block, or one a node and block. A program picks the block with ``by=``.
"""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from raclab.cluster.nodes import Cluster, master_of
from raclab.sim import Run

NULL, SHARED, EXCLUSIVE, PAST_IMAGE = "N", "S", "X", "PI"


@dataclass(frozen=True)
class CacheParameters:
    """What a block access costs besides the hardware's figures. Times in seconds.

    get_cpu_s      CPU of a get from the local cache, with all that the session does with the block. Assumed
    change_cpu_s   CPU of a change; the block is pinned for that long. Assumed
    disk_read_low_s, disk_read_high_s  a block from disk: the published range, 2 to 4 ms
                   (data/logical_isolation/access_latency.csv)
    fairness       so many consistent-read copies of a block are served before its holder steps down from X to S, so that the
                   readers can keep it: Oracle's default of _fairness_threshold
    cache_blocks   room of one node's buffer cache; None: all blocks fit and are there from the start, shared at their masters
    """

    get_cpu_s: float = 0.02e-3
    change_cpu_s: float = 0.1e-3
    disk_read_low_s: float = 2.0e-3
    disk_read_high_s: float = 4.0e-3
    fairness: int = 4
    cache_blocks: int | None = None


@dataclass(frozen=True)
class Directory:
    """Numbers of the first lock or cell of each kind; block b's is that + b.

    pin          lock: held by the session that changes the block, or that has asked for it; its home is the holder
    master       lock whose home is the block's master
    held         cell: 1 if a node has it current, 0 if it is on disk only
    exclusive    cell: 1 if the holder has it in X, 0 in S
    holder, master_node  cells: the two homes once more, as numbers that a program can read
    pins         cell: sessions that have the pin or queue for it
    gate         lock: the queue of the nodes that ask for X; held from the request until the block is there
    asked        cell: nodes in that queue
    redo         cell: the last change's position in its node's redo (counted in changes)
    credits      cell: copies that the holder still serves before it steps down
    sharers      cell: nodes besides the holder that have it in S
    committed    cell: changes committed; only kept while the log is on

    Node n's are n * blocks further on:
    shared       cell: 1 if the node has it in S without being the holder
    image        cell: 1 if the node has changed it since it was last written
    local        lock: held by the node's one session that has asked for it, until it is there
    wanted       cell: 1 while there is such a session

    One a node, further on by the node's number:
    served_cr, served_current, received_cr, received_current, flushed_cr, flushed_current, stepped_down, written   cells: blocks
                 served and received, flushes before serving, X to S for fairness, blocks written because they left the cache
    cache        its buffer cache; -1 where all blocks fit
    """

    blocks: int
    nodes: int
    pin: int
    master: int
    held: int
    exclusive: int
    holder: int
    master_node: int
    gate: int
    pins: int
    asked: int
    redo: int
    credits: int
    sharers: int
    committed: int
    shared: int
    image: int
    local: int
    wanted: int
    served_cr: int
    served_current: int
    received_cr: int
    received_current: int
    flushed_cr: int
    flushed_current: int
    stepped_down: int
    written: int
    cache: int

    @property
    def evicts(self) -> bool:
        """Whether blocks may have to leave a buffer cache."""
        return self.cache >= 0

    def modes(self, run: Run) -> np.ndarray:
        """Mode of each block on each node at the end of a run: an array of nodes x blocks of "N", "S", "X", "PI"."""
        cells = run.cells
        per_block = [cells[first : first + self.blocks] for first in (self.holder, self.held, self.exclusive)]
        holder, held, exclusive = per_block
        nodes = np.arange(self.nodes)[:, None]
        per_node = [cells[first : first + self.nodes * self.blocks].reshape(self.nodes, -1) for first in (self.shared, self.image)]
        shared, image = per_node
        holds = (holder == nodes) & (held > 0)
        modes = np.full((self.nodes, self.blocks), NULL, dtype=object)
        modes[image > 0] = PAST_IMAGE
        modes[(shared > 0) | holds & (exclusive == 0)] = SHARED
        modes[holds & (exclusive > 0)] = EXCLUSIVE
        return modes


def first_of(numbers: Iterable[int]) -> int:
    """Make all of them (cells, locks ...), which the model numbers one after the other; the first one's number."""
    first, *_ = numbers
    return first


def build(cluster: Cluster, blocks: int, parameters: CacheParameters) -> Directory:
    """The directory of so many blocks over a cluster's nodes, their masters given by a hash over the nodes."""
    model, nodes = cluster.model, cluster.nodes
    masters = [master_of(block, nodes) for block in range(blocks)]
    evicts = parameters.cache_blocks is not None and parameters.cache_blocks < blocks

    cells, locks = model.cell_row, model.lock_row

    def zeros(count: int) -> int:
        return cells([0] * count)

    cache = first_of(model.cache(parameters.cache_blocks or 1, blocks) for _ in range(nodes)) if evicts else -1
    return Directory(
        blocks, nodes, locks(masters), locks(masters),
        held=cells([int(not evicts)] * blocks), exclusive=zeros(blocks), holder=cells(masters), master_node=cells(masters),
        gate=locks([0] * blocks), pins=zeros(blocks), asked=zeros(blocks), redo=zeros(blocks),
        credits=cells([parameters.fairness] * blocks),
        sharers=zeros(blocks), committed=zeros(blocks),
        shared=zeros(nodes * blocks), image=zeros(nodes * blocks), local=locks([0] * (nodes * blocks)), wanted=zeros(nodes * blocks),
        served_cr=zeros(nodes), served_current=zeros(nodes), received_cr=zeros(nodes), received_current=zeros(nodes),
        flushed_cr=zeros(nodes), flushed_current=zeros(nodes),
        stepped_down=zeros(nodes), written=zeros(nodes), cache=cache,
    )  # fmt: skip
