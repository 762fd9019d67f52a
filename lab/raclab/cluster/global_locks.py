"""Locks and blocks that move between nodes: row cache lock, DFS lock handle, and a block held current."""

from collections.abc import Sequence

import numpy as np

from raclab.cluster.nodes import Cluster, master_of
from raclab.sim import Label, Number, Program


def take_lock(cluster: Cluster, process: Program, node: Number, lock: int, event: str, servers: int, *, flush: bool) -> None:
    """Take a cluster-wide exclusive lock for a session on ``node``; give it back with process.release.

    ``servers`` is the mailbox of node 0's process that passes this kind of lock on (cluster.lck or cluster.lmd).

    The node that had it last owns it and takes it again without a message as long as nobody asks. Otherwise the session
    waits for ``event``: a message to the holder (by way of the master, where that is a third node), the holder's server
    lets go as soon as nobody there uses it (after LGWR has written the last change, with ``flush``), and a message back.
    """
    local, owned, got = Label(), Label(), Label()
    process.jump_if_free(lock, node, local)
    with process.wait(event):
        queue = Label()
        process.jump_if_home(lock, node, queue)
        cluster.send(process)
        _by_way_of_master(cluster, process, node, lock, servers)
        process.place(queue)
        process.acquire(lock)
        process.jump_if_home(lock, node, owned)
        process.call(servers, at=lock)
        if flush:
            cluster.flush_at(process, lock)
        process.set_home(lock, node)
        cluster.send(process)
        process.place(owned)
    process.jump(got)
    process.place(local)
    process.acquire(lock)
    process.place(got)


def get_current(cluster: Cluster, process: Program, node: Number, block: int) -> None:
    """Get a block in current mode for a session on ``node``, which must hold a lock that keeps others from doing the same.

    A request to the holder's LMS and the block back: "2-way"; by way of a third node that masters it: "3-way"; with a
    log flush at the holder, because the block's last change is not on disk yet: "busy".
    """
    quick, have = Label(), Label()
    process.jump_if_home(block, node, have)
    process.jump_if_same(cluster.changed, cluster.on_disk, quick, at=block)
    with process.wait("gc current block busy"):
        cluster.send(process)
        process.call(cluster.lms, at=block)
        cluster.flush_at(process, block)
        cluster.ship_block(process)
    process.jump(have)
    process.place(quick)
    if third_node_may_master(cluster, node, block):
        two_way = Label()
        process.jump_if_home(block, master_of(block, cluster.nodes), two_way)
        with process.wait("gc current block 3-way"):
            cluster.send(process)
            process.call(cluster.lms + master_of(block, cluster.nodes))
            cluster.send(process)
            process.call(cluster.lms, at=block)
            cluster.ship_block(process)
        process.jump(have)
        process.place(two_way)
    with process.wait("gc current block 2-way"):
        cluster.send(process)
        process.call(cluster.lms, at=block)
        cluster.ship_block(process)
    process.place(have)
    process.set_home(block, node)


def third_node_may_master(cluster: Cluster, node: Number, resource: int) -> bool:
    """Whether sessions on ``node`` may have to ask on a third one."""
    if cluster.nodes <= 2:
        return False
    elsewhere = np.atleast_1d(np.not_equal(node, master_of(resource, cluster.nodes)))
    if elsewhere.any() != elsewhere.all():
        raise ValueError("sessions on the master's node need a program of their own")
    return bool(elsewhere.all())


def masters_among(cluster: Cluster, node: int, resources: Sequence[int]) -> tuple[bool, ...]:
    """Of which resources a node is the master: sessions on nodes for which that differs can't share a program."""
    return tuple(not third_node_may_master(cluster, node, resource) for resource in resources)


def _by_way_of_master(cluster: Cluster, process: Program, node: Number, lock: int, servers: int) -> None:
    """Where a third node is the master, the request has one more hop."""
    if third_node_may_master(cluster, node, lock):
        direct, master = Label(), master_of(lock, cluster.nodes)
        process.jump_if_home(lock, master, direct)
        process.call(servers + master)
        cluster.send(process)
        process.place(direct)
