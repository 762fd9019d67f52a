"""The messages of cache fusion: a request to the holder, by way of the master, LMS, LGWR, and the block back over the wire."""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from raclab.cluster.block_directory import Directory
from raclab.sim import Constant, Label, Number, Program, Uniform

if TYPE_CHECKING:
    from raclab.cluster.cache_fusion import CacheFusion


@dataclass
class BlockMessages:
    """Writes what processes send and get, each on its node. ``block`` is always a cell that holds the block's number."""

    fusion: "CacheFusion"
    process: Program
    node: Number
    _server: Number = field(init=False)
    _position: Number = field(init=False)
    _on_disk: Number = field(init=False)
    _shipped: Number = field(init=False)

    def __post_init__(self) -> None:
        cell = self.process.cell
        self._server, self._position, self._on_disk, self._shipped = cell(), cell(), cell(), cell()

    @property
    def _directory(self) -> Directory:
        return self.fusion.directory

    def _mine(self, first: int) -> Number:
        """The first of this node's cells of a kind that has one a node and block."""
        return first + self.node * self._directory.blocks

    def _transfer(self, block: Number, kind: str) -> None:
        """A block from its holder, "cr" or "current": busy if a flush is needed first, else by two or by three nodes."""
        process, state = self.process, self._directory
        busy, three, done = Label(), Label(), Label()
        self._jump_if_redo_not_on_disk(block, busy)
        self._jump_if_third_node_is_master(block, three)
        with process.wait(f"gc {kind} block 2-way"):
            self.fusion.cluster.send(process)
            self._serve(block, kind)
        process.jump(done)
        if state.nodes > 2:
            process.place(three)
            with process.wait(f"gc {kind} block 3-way"):
                self._ask_master(block)
                self.fusion.cluster.send(process)
                self._serve(block, kind)
            process.jump(done)
        process.place(busy)
        with process.wait(f"gc {kind} block busy"):
            self._reach_holder(block)
            self._serve(block, kind, flush=True)
        process.place(done)

    def _reach_holder(self, block: Number) -> None:
        """The request travels to the holder, by way of the master where that is a third node."""
        process, three, sent = self.process, Label(), Label()
        self._jump_if_third_node_is_master(block, three)
        self.fusion.cluster.send(process)
        if self._directory.nodes > 2:
            process.jump(sent)
            process.place(three)
            self._ask_master(block)
            self.fusion.cluster.send(process)
        process.place(sent)

    def _serve(self, block: Number, kind: str, *, flush: bool = False) -> None:
        """At the holder: LMS, with ``flush`` LGWR if it still must, and the block back over the wire."""
        process, state, cluster = self.process, self._directory, self.fusion.cluster
        process.fetch(self._server, state.holder, by=block)
        self._ask_lms()
        process.add(state.served_cr if kind == "cr" else state.served_current, 1, by=self._server)
        if flush:
            must, written = Label(), Label()
            self._jump_if_redo_not_on_disk(block, must)
            process.jump(written)
            process.place(must)
            process.add(state.flushed_cr if kind == "cr" else state.flushed_current, 1, by=self._server)
            process.call(cluster.lgwr, by=self._server)
            process.place(written)
        process.send(cluster.link, Constant(cluster.hardware.block_bytes), by=self._server)
        cluster.send(process)
        process.add((state.received_cr if kind == "cr" else state.received_current) + self.node, 1)

    def _ask_master(self, block: Number) -> None:
        process = self.process
        self.fusion.cluster.send(process)
        process.fetch(self._server, self._directory.master_node, by=block)
        self._ask_lms()

    def _ask_lms(self) -> None:
        cluster = self.fusion.cluster
        self.process.add(cluster.asked, 1, by=self._server)
        self.process.call(cluster.lms, by=self._server)

    def _grant(self, block: Number, event: str) -> None:
        """Leave of the master, without a block; where this node is the master it needs no message."""
        process, state = self.process, self._directory
        if state.nodes == 1:
            return
        local = Label()
        process.jump_if_home(state.master, self.node, local, by=block)
        with process.wait(event):
            self._ask_master(block)
            self.fusion.cluster.send(process)
        process.place(local)

    def _disk(self, block: Number) -> None:
        parameters = self.fusion.parameters
        with self.process.wait("db file sequential read"):
            self.process.delay(Uniform(parameters.disk_read_low_s, parameters.disk_read_high_s))

    def _jump_if_redo_not_on_disk(self, block: Number, to: Label) -> None:
        """The holder may ship a block only when the redo of its last change is on disk."""
        process, state, cluster = self.process, self._directory, self.fusion.cluster
        clean, in_x = Label(), Label()
        process.jump_if_positive(state.exclusive, in_x, by=block)
        process.jump(clean)
        process.place(in_x)
        process.fetch(self._server, state.holder, by=block)
        process.fetch(self._position, state.redo, by=block)
        process.fetch(self._on_disk, cluster.on_disk, by=self._server)
        process.subtract(self._position, self._on_disk)
        process.jump_if_positive(self._position, to)
        process.place(clean)

    def _jump_if_third_node_is_master(self, block: Number, to: Label) -> None:
        process, state = self.process, self._directory
        if state.nodes <= 2:
            return
        two = Label()
        process.jump_if_home(state.master, self.node, two, by=block)
        process.jump_if_same(state.holder, state.master_node, two, by=block)
        process.jump(to)
        process.place(two)
