"""Cache fusion: how a session gets a block that may be on another node, as a program for the kernel.

A read takes a consistent-read copy or a shared mode, a change takes the block in X. docs/cache_fusion.md has the state
machine. What the holder will have to do, and with it the wait event, is decided when the request is made: a flush if the
block's last change is not on disk, a third node's help if that is the master.
"""

from dataclasses import dataclass

from raclab.cluster import block_directory
from raclab.cluster.block_directory import CacheParameters, Directory
from raclab.cluster.block_eviction import BlockEviction
from raclab.cluster.block_log import BlockLog
from raclab.cluster.nodes import Cluster
from raclab.sim import Distribution, Label, Number, Program


@dataclass(frozen=True)
class CacheFusion:
    """Blocks 0 to blocks - 1 over a cluster. ``log`` writes down what happens to them, for checks; None for speed."""

    cluster: Cluster
    directory: Directory
    parameters: CacheParameters
    log: BlockLog | None = None

    def session(self, process: Program, node: Number) -> "BlockSession":
        """The access of a program's processes to the blocks, from the nodes that they are on."""
        return BlockSession(self, process, node)


def build(cluster: Cluster, blocks: int, parameters: CacheParameters | None = None, *, log: bool = False) -> CacheFusion:
    """Blocks over a cluster's nodes. With ``log``, the model needs room for notes (block_log.py)."""
    chosen = parameters or CacheParameters()
    directory = block_directory.build(cluster, blocks, chosen)
    return CacheFusion(cluster, directory, chosen, BlockLog.of(cluster.model) if log else None)


class BlockSession(BlockEviction):
    """Writes the accesses of a program's processes. ``block`` is always a cell with the block's number, which stays as it is meanwhile."""

    def read(self, block: Number) -> None:
        """A consistent get: local if this node has the block in X or S, else a copy from the holder, or a read from disk."""
        process, state = self.process, self._directory
        again, local, elsewhere, held, got = (Label() for _ in range(5))
        self._look_into_cache(block)
        process.place(again)
        process.jump_if_positive(self._mine(state.shared), local, by=block)
        if state.nodes > 1:
            process.jump_if_home(state.pin, self.node, elsewhere, by=block)
            process.jump_if_positive(state.held, held, by=block)
        process.place(elsewhere)
        process.jump_if_positive(state.held, local, by=block)
        self._read_from_disk(block, again)
        if state.nodes > 1:
            process.place(held)
            self._check_that_holder_has_it(block, again, pinned=False)
            self._transfer(block, "cr")
            self._note("copy", block)
            self._keep_shared_if_allowed(block)
            process.jump(got)
        process.place(local)
        self._note("read", block)
        process.place(got)
        process.run(self.fusion.cluster.hardware.varied(self.fusion.parameters.get_cpu_s))

    def _keep_shared_if_allowed(self, block: Number) -> None:
        """A copy of a block that nobody has in X may be kept in S. A holder in X steps down after so many copies."""
        process, state = self.process, self._directory
        in_x, keep, done = Label(), Label(), Label()
        process.jump_if_positive(state.exclusive, in_x, by=block)
        process.jump_if_positive(state.held, keep, by=block)
        process.jump(done)
        process.place(in_x)
        process.add(state.credits, -1, by=block)
        process.jump_if_positive(state.credits, done, by=block)
        process.jump_if_positive(state.pins, done, by=block)
        self._jump_if_redo_not_on_disk(block, done)
        process.fetch(self._server, state.holder, by=block)
        process.add(state.stepped_down, 1, by=self._server)
        process.set(state.exclusive, 0, by=block)
        process.place(keep)
        process.jump_if_home(state.pin, self.node, done, by=block)  # it has come here in the meantime
        process.jump_if_positive(self._mine(state.shared), done, by=block)
        process.set(self._mine(state.shared), 1, by=block)
        process.add(state.sharers, 1, by=block)
        self._note("shared", block)
        process.place(done)

    def _read_from_disk(self, block: Number, again: Label) -> None:
        """Nobody has it: leave of the master, then the disk; then start ``again``. Who comes meanwhile waits for that."""
        process, state = self.process, self._directory
        wanted, elsewhere, there = Label(), Label(), Label()
        process.jump_if_positive(self._mine(state.wanted), wanted, by=block)
        process.jump_if_positive(state.pins, elsewhere, by=block)
        self._speak_for_node(block)
        self._take_pin(block)
        process.jump_if_positive(state.held, there, by=block)  # at this very instant somebody else was first
        self._grant(block, "gc cr grant 2-way")
        self._disk(block)
        self._become_holder(block, exclusive=False)
        process.place(there)
        self._end_speaking(block)
        self.unpin(block)
        process.jump(again)
        process.place(wanted)
        with process.wait("read by other session"):
            process.acquire(self._mine(state.local), shared=True, by=block)
        process.release(self._mine(state.local), by=block)
        process.jump(again)
        process.place(elsewhere)
        with process.wait("gc cr grant busy"):
            self._take_pin(block)
        self.unpin(block)
        process.jump(again)

    def change(self, block: Number, cpu: Distribution | None = None) -> None:
        """Get the block in X, change it and let go of its pin. ``cpu`` is the time that the change takes."""
        self.pin(block)
        self.change_pinned(block, cpu)

    def change_pinned(self, block: Number, cpu: Distribution | None = None) -> None:
        """Change a block that this session has pinned, and let go of it."""
        self.process.run(cpu or self.fusion.cluster.hardware.varied(self.fusion.parameters.change_cpu_s))
        self.write(block)
        self.unpin(block)

    def write(self, block: Number) -> None:
        """A change of a block that this session has pinned: redo of this node."""
        process, state, cluster = self.process, self._directory, self.fusion.cluster
        process.add(cluster.changed + self.node, 1)
        process.copy(state.redo, cluster.changed + self.node, by=block)
        process.set(self._mine(state.image), 1, by=block)
        process.set(state.credits, self.fusion.parameters.fairness, by=block)
        self._note("change", block)

    def unpin(self, block: Number) -> None:
        """Let go of a pinned block; it stays here until another node asks for it."""
        self.process.add(self._directory.pins, -1, by=block)
        self.process.release(self._directory.pin, by=block)

    def commit(self) -> None:
        """LGWR writes all redo of this node, in one write with whoever else commits."""
        with self.process.wait("log file sync"):
            self.process.call(self.fusion.cluster.lgwr + self.node)
        if self.fusion.log:
            self.fusion.log.committed(self.process, self._directory.committed)

    def pin(self, block: Number) -> None:
        """Get a block in X and pin it, so that nobody else can change it or take it away."""
        process, state = self.process, self._directory
        again, wanted, mine, here, pinned, leaving, request, decide, have = (Label() for _ in range(9))
        self._look_into_cache(block)
        process.place(again)
        process.jump_if_positive(self._mine(state.wanted), wanted, by=block)
        process.jump_if_home(state.pin, self.node, mine, by=block)
        process.jump(request)
        process.place(mine)
        process.jump_if_positive(state.exclusive, here, by=block)
        process.jump(request)
        process.place(here)
        if state.nodes > 1:
            process.jump_if_positive(state.asked, leaving, by=block)
        process.jump_if_positive(state.pins, pinned, by=block)
        self._take_pin(block)
        process.jump(have)
        process.place(pinned)
        with process.wait("buffer busy waits"):
            self._take_pin(block)
        process.jump(decide)
        if state.nodes > 1:
            process.place(leaving)
            with process.wait("gc buffer busy release"):
                process.acquire(state.gate, shared=True, by=block)
            process.release(state.gate, by=block)
            process.jump(again)
        process.place(wanted)
        with process.wait("gc buffer busy acquire" if state.nodes > 1 else "buffer busy waits"):
            process.acquire(self._mine(state.local), shared=True, by=block)
            process.release(self._mine(state.local), by=block)
            self._take_pin(block)
        process.place(decide)
        self._jump_if_exclusive_here(block, have)
        self.unpin(block)  # it has left again before this session's turn came
        process.jump(again)
        process.place(request)
        self._request(block)
        process.place(have)

    def _request(self, block: Number) -> None:
        """This node's one request for X: in its turn among the nodes that ask, and behind those that queue for the pin."""
        process, state = self.process, self._directory
        busy, calm, gate_is_free, granted = (Label() for _ in range(4))
        self._speak_for_node(block)
        process.add(state.asked, 1, by=block)
        process.jump_if_positive(state.pins, busy, by=block)
        process.jump_if_free(state.gate, 0, gate_is_free, by=block)
        process.place(busy)
        self._queue_at_holder(block, granted)
        process.jump(calm)
        process.place(gate_is_free)
        process.acquire(state.gate, by=block)
        self._take_pin(block)
        process.place(calm)
        self._get_exclusive(block)
        process.place(granted)
        self._become_holder(block, exclusive=True)
        process.add(state.asked, -1, by=block)
        process.release(state.gate, by=block)
        self._end_speaking(block)

    def _queue_at_holder(self, block: Number, granted: Label) -> None:
        """The request reaches a holder that has the block pinned, or others have asked before: it is served in its turn."""
        process, state = self.process, self._directory
        stay = Label()
        process.set(self._shipped, 0)
        with process.wait("gc current block busy" if state.nodes > 1 else "buffer busy waits"):
            process.acquire(state.gate, by=block)
            if state.nodes == 1:
                self._take_pin(block)
            else:
                self._reach_holder(block)
                self._take_pin(block)
                serve = Label()
                process.jump_if_home(state.pin, self.node, stay, by=block)
                process.jump_if_positive(state.held, serve, by=block)
                process.jump(stay)
                process.place(serve)
                self._serve(block, "current", flush=True)
                process.set(self._shipped, 1)
                process.place(stay)
        process.jump_if_positive(self._shipped, granted)

    def _get_exclusive(self, block: Number) -> None:
        """With the pin in hand: an upgrade from S, a transfer from the holder, or a read from disk."""
        process, state = self.process, self._directory
        disk, held, upgrade, done = (Label() for _ in range(4))
        process.jump_if_positive(state.held, held, by=block)
        process.place(disk)
        self._grant(block, "gc current grant 2-way")
        self._disk(block)
        process.jump(done)
        process.place(held)
        process.jump_if_home(state.pin, self.node, upgrade, by=block)
        if state.nodes > 1:
            process.jump_if_positive(self._mine(state.shared), upgrade, by=block)
            self._check_that_holder_has_it(block, disk, pinned=True)
            self._transfer(block, "current")
            process.jump(done)
        process.place(upgrade)
        if state.nodes > 1:
            others = Label()
            process.jump_if_positive(state.sharers, others, by=block)
        self._grant(block, "gc current grant 2-way")
        if state.nodes > 1:
            process.jump(done)
            process.place(others)
            with process.wait("gc current grant busy"):
                self._ask_master(block)
                self.fusion.cluster.send(process)  # the master tells the sharers
                self.fusion.cluster.send(process)  # and they tell the requester that they have let go
        process.place(done)

    def _become_holder(self, block: Number, *, exclusive: bool) -> None:
        process, state = self.process, self._directory
        if exclusive and state.nodes > 1:
            sharers, none = Label(), Label()
            process.jump_if_positive(state.sharers, sharers, by=block)
            process.jump(none)
            process.place(sharers)
            self._for_all_nodes(block, state.shared)
            process.set(state.sharers, 0, by=block)
            process.place(none)
        process.set(state.held, 1, by=block)
        process.set(state.exclusive, int(exclusive), by=block)
        process.set(state.holder, self.node, by=block)
        process.set_home(state.pin, self.node, by=block)
        process.set(state.credits, self.fusion.parameters.fairness, by=block)
        self._note("exclusive" if exclusive else "shared", block)

    def _speak_for_node(self, block: Number) -> None:
        """From now on this node's others wait for what this session gets, instead of asking themselves."""
        self.process.set(self._mine(self._directory.wanted), 1, by=block)
        self.process.acquire(self._mine(self._directory.local), by=block)

    def _end_speaking(self, block: Number) -> None:
        self.process.set(self._mine(self._directory.wanted), 0, by=block)
        self.process.release(self._mine(self._directory.local), by=block)

    def _jump_if_exclusive_here(self, block: Number, to: Label) -> None:
        process, state, here, no = self.process, self._directory, Label(), Label()
        process.jump_if_home(state.pin, self.node, here, by=block)
        process.jump(no)
        process.place(here)
        process.jump_if_positive(state.exclusive, to, by=block)
        process.place(no)

    def _take_pin(self, block: Number) -> None:
        self.process.add(self._directory.pins, 1, by=block)
        self.process.acquire(self._directory.pin, by=block)

    def _note(self, what: str, block: Number) -> None:
        if self.fusion.log:
            self.fusion.log.note(self.process, what, block, self._directory.committed)
