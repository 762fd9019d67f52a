"""Blocks that leave a buffer cache: noticed when somebody wants them, written if they had been changed."""

from raclab.cluster.block_messages import BlockMessages
from raclab.sim import Label, Number


class BlockEviction(BlockMessages):
    """Writes the looks into a node's buffer cache, and what follows where a block has left it."""

    def _for_all_nodes(self, block: Number, first: int) -> None:
        """Set a block's cell to 0 on every node."""
        process, state = self.process, self._directory
        process.copy(self._position, block)
        with process.loop(state.nodes):
            process.set(first, 0, by=self._position)
            process.add(self._position, state.blocks)

    def _look_into_cache(self, block: Number) -> None:
        """The block becomes the one used last. If it had left this node's cache, so had the node's mode."""
        process, state = self.process, self._directory
        if not state.evicts:
            return
        cached, gone = Label(), Label()
        process.jump_if_cached(state.cache + self.node, block, cached)
        process.jump_if_positive(state.pins, cached, by=block)  # a pinned block can't have left
        only_shared = Label()
        process.jump_if_positive(self._mine(state.shared), only_shared, by=block)
        process.jump_if_home(state.pin, self.node, gone, by=block)
        process.jump(cached)
        process.place(only_shared)
        process.set(self._mine(state.shared), 0, by=block)
        process.add(state.sharers, -1, by=block)
        process.jump(cached)
        process.place(gone)
        self._leave_to_disk(block, cached)
        process.place(cached)

    def _check_that_holder_has_it(self, block: Number, otherwise: Label, *, pinned: bool) -> None:
        """Where blocks leave caches, the holder may have it no more: then go to ``otherwise``, where the disk is asked."""
        process, state = self.process, self._directory
        if not state.evicts:
            return
        there = Label()
        if not pinned:  # if others have it pinned, it can't have left; our own pin keeps nothing in the holder's cache
            process.jump_if_positive(state.pins, there, by=block)
        process.fetch(self._server, state.holder, by=block)
        process.jump_if_cached(state.cache, block, there, by=self._server)
        process.drop(state.cache, block, by=self._server)
        self._leave_to_disk(block, otherwise)
        process.jump(otherwise)
        process.place(there)

    def _leave_to_disk(self, block: Number, absent: Label) -> None:
        """A block that has left its holder's cache: written if it had been changed, and with that all past images are freed."""
        process, state = self.process, self._directory
        clean, held = Label(), Label()
        process.jump_if_positive(state.held, held, by=block)
        process.jump(absent)
        process.place(held)
        process.set(state.held, 0, by=block)
        dirty = Label()
        process.jump_if_positive(state.exclusive, dirty, by=block)
        process.jump(clean)
        process.place(dirty)
        process.set(state.exclusive, 0, by=block)
        process.fetch(self._server, state.holder, by=block)
        process.add(state.written, 1, by=self._server)
        self._for_all_nodes(block, state.image)
        process.place(clean)
