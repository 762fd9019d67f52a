"""A batch of two organizations over one table: every row belongs to one of them, a block may hold rows of both.

A row costs some consistent gets, a change of its block, and an entry into an index on a growing key.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from raclab.cluster import cache_fusion, nodes, right_hand_leaf
from raclab.cluster.block_directory import CacheParameters
from raclab.cluster.cache_fusion import CacheFusion
from raclab.cluster.parameters import Hardware
from raclab.cluster.right_hand_leaf import RightHandLeaves
from raclab.cluster.services import Service
from raclab.sim import Label, Model, Number, Process, Program, Run, run_seeds

ORGANIZATIONS = 2
HASH_PARTITIONS = 8
READ, CHANGE, INDEX, COMMIT = "read", "update", "insert", "commit"


@dataclass(frozen=True)
class Batch:
    """The test case. Times in seconds.

    threads         of each organization
    rows            that each organization's batch works on, shared out among its threads
    table_rows      in the table, half of them each organization's. Assumed
    rows_per_block  of the table
    overlap         share of the blocks that hold rows of both organizations, 0 to 1; with list partitions there is none
    partitioning    "none", "hash" (of the row's key, so every partition has rows of both) or "list" (one an organization)
    local_index     an index partition a table partition; else one index over all
    affinity        each organization's threads on a node of its own; else all threads over all nodes in turn
    gets            consistent gets a row. Chosen with the published counts in sight: 3 waits for copies with each wait for X
    row_cpu_s       CPU of a row besides the accesses to blocks: what one insert takes on one node in data/nocache_sequences, 5.28 s
                    for 10,000 rows
    commit_every    rows of a thread between commits. Assumed: the trace has one commit for some 500 requests for X, two a row
    leaf_entries    entries of an index leaf. Assumed: 8 KB and about 20 bytes an entry
    """

    hardware: Hardware
    cache: CacheParameters = field(default_factory=CacheParameters)
    nodes: int = 2
    threads: int = 4
    rows: int = 1_000
    table_rows: int = 40_000
    rows_per_block: int = 50
    overlap: float = 1.0
    partitioning: str = "none"
    local_index: bool = False
    affinity: bool = True
    gets: int = 3
    row_cpu_s: float = 0.5e-3
    commit_every: int = 250
    leaf_entries: int = 400

    @property
    def table_blocks(self) -> int:
        """Blocks of the table; at least one for each organization."""
        return max(ORGANIZATIONS, math.ceil(self.table_rows / self.rows_per_block))

    @property
    def common_blocks(self) -> int:
        """Blocks with rows of both organizations."""
        return 0 if self.partitioning == "list" else round(self.overlap * self.table_blocks)

    @property
    def own_blocks(self) -> int:
        """Blocks with rows of one organization only, for each of them; at least one unless all are common."""
        rest = self.table_blocks - self.common_blocks
        return max(1, rest // ORGANIZATIONS) if rest else 0

    @property
    def index_partitions(self) -> int:
        """Partitions of the index, each with a rightmost leaf of its own."""
        if not self.local_index:
            return 1
        return {"none": 1, "hash": HASH_PARTITIONS, "list": ORGANIZATIONS}[self.partitioning]

    def services(self) -> list[Service]:
        """The service of each organization."""
        if self.affinity:
            return [Service(f"ORG{number + 1}", (number % self.nodes,)) for number in range(ORGANIZATIONS)]
        return [Service(f"ORG{number + 1}", tuple(range(self.nodes))) for number in range(ORGANIZATIONS)]


@dataclass(frozen=True)
class Built:
    """A batch as a model. sessions: (node, number within the node, organization, process, rows) of each thread."""

    case: Batch
    model: Model
    fusion: CacheFusion
    leaves: RightHandLeaves
    sessions: tuple[tuple[int, int, int, Process, int], ...]


def build(case: Batch, *, sampling_s: float = math.inf, log: bool = False) -> Built:
    """The model of a batch; with ``log`` every step of a block is written down."""
    steps = 10 * (case.gets + 4) * case.rows * ORGANIZATIONS if log else 0
    model = Model(notes=steps, sampling=sampling_s)
    cluster = nodes.build(model, case.nodes, case.hardware)
    inserts = case.rows * ORGANIZATIONS
    first_leaf = case.common_blocks + ORGANIZATIONS * case.own_blocks
    blocks = first_leaf + right_hand_leaf.blocks_needed(case.index_partitions, inserts, case.leaf_entries)
    fusion = cache_fusion.build(cluster, blocks, case.cache, log=log)
    leaves = right_hand_leaf.build(cluster, first_leaf, case.index_partitions, inserts, case.leaf_entries)
    sessions, on_node = [], [0] * case.nodes
    for organization, service in enumerate(case.services()):
        for thread, node in enumerate(service.place(case.threads, first=organization)):
            rows = case.rows // case.threads + (thread < case.rows % case.threads)
            on_node[node] += 1
            name = f"thread {thread + 1} of organization {organization + 1} on node {node + 1}"
            process = model.process(name, cluster.cpus[node], nodes.TIME_SHARE)
            sessions.append((node, on_node[node], organization, process, rows))
    on, of, rows_of = (np.array([session[place] for session in sessions]) for place in (0, 2, 4))
    together = model.together([session[3] for session in sessions])
    _Thread(case, fusion, leaves, of, together, on).write(rows_of)
    return Built(case, model, fusion, leaves, tuple(sessions))


@dataclass
class _Thread:
    """Writes the program of threads, each of its organization and on its node."""

    case: Batch
    fusion: CacheFusion
    leaves: RightHandLeaves
    organization: NDArray[np.int64]
    process: Program
    node: NDArray[np.int64]

    def write(self, rows: NDArray[np.int64]) -> None:
        cell = self.process.cell
        blocks = self.fusion.session(self.process, self.node)
        block, partition = cell(), cell(self.organization if self.leaves.partitions == ORGANIZATIONS else 0)
        left = cell(rows)
        until_commit = cell(self.case.commit_every)
        varied = self.case.hardware.varied
        again, more = Label(), Label()
        process = self.process
        process.place(again)
        with process.activity(READ):
            if self.case.gets:
                with process.loop(self.case.gets):
                    self._draw_block(block)
                    blocks.read(block)
            process.run(varied(self.case.row_cpu_s))
        with process.activity(CHANGE):
            self._draw_block(block)
            blocks.change(block)
        with process.activity(INDEX):
            if self.leaves.partitions == HASH_PARTITIONS:
                process.draw(partition, HASH_PARTITIONS)
            self.leaves.insert(blocks, partition, self.case.cache.change_cpu_s)
        process.add(until_commit, -1)
        process.jump_if_positive(until_commit, more)
        self._commit(blocks)
        process.set(until_commit, self.case.commit_every)
        process.place(more)
        process.add(left, -1)
        process.jump_if_positive(left, again)
        self._commit(blocks)
        process.end()

    def _commit(self, blocks: cache_fusion.BlockSession) -> None:
        with self.process.activity(COMMIT):
            blocks.commit()

    def _draw_block(self, block: Number) -> None:
        """A block with rows of the thread's organization, each of its rows as likely."""
        case, process = self.case, self.process
        common, drawn = Label(), Label()
        if case.common_blocks and case.own_blocks:
            process.jump_by_chance(case.overlap, common)
        if case.own_blocks:
            process.draw(block, case.own_blocks)
            process.add(block, case.common_blocks + self.organization * case.own_blocks)
            process.jump(drawn)
        if case.common_blocks:
            process.place(common)
            process.draw(block, case.common_blocks)
        process.place(drawn)


def simulate(built: Built, seeds: Sequence[int]) -> list[Run]:
    """Run a built batch once a seed."""
    return run_seeds(built.model, seeds)
