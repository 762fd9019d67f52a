"""Cache fusion: modes, versions, who serves whom, and what a wait is made of."""

import dataclasses
import itertools
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable

import numpy as np
import pytest

from raclab.cluster import block_log, cache_fusion, nodes
from raclab.cluster.block_directory import CacheParameters
from raclab.cluster.block_log import Step
from raclab.cluster.cache_fusion import BlockSession, CacheFusion
from raclab.cluster.nodes import NodeSetup, master_of
from raclab.cluster.parameters import Hardware
from raclab.sim import Constant, Empirical, Model, Process, Run, run

Script = Callable[[BlockSession, Process, int], None]


def together(count: int, script: Script, blocks: int, hardware: Hardware, sessions: int = 1, notes: int = 0, **cache: int) -> CacheFusion:
    """Sessions on so many nodes that all do the same; ``script`` gets the access, the process and the node."""
    model = Model(notes=notes)
    cluster = nodes.build(model, count, hardware)
    fusion = cache_fusion.build(cluster, blocks, CacheParameters(**cache), log=bool(notes))
    for node, number in itertools.product(range(count), range(sessions)):
        process = model.process(f"session {number + 1} on node {node + 1}", cluster.cpus[node], nodes.TIME_SHARE)
        script(fusion.session(process, node), process, node)
        process.end()
    return fusion


def busy_work(blocks: int, rounds: int = 30) -> Script:
    """Reads and changes of blocks drawn at random, with a commit now and then."""

    def script(access: BlockSession, process: Process, node: int) -> None:
        block = access.fusion.cluster.model.cell()
        with process.loop(rounds):
            with process.loop(3):
                process.draw(block, blocks)
                access.read(block)
                process.draw(block, blocks)
                access.change(block)
            access.commit()

    return script


def events(fusion: CacheFusion, outcome: Run) -> dict[str, tuple[int, float]]:
    """Waits and seconds of all sessions by event."""
    names = fusion.cluster.model.events
    return {
        name: (int(outcome.waits[:, place]["hits"].sum()), float(outcome.waits[:, place]["time"].sum()))
        for place, name in enumerate(names)
        if outcome.waits[:, place]["hits"].any() and name != "log file parallel write"  # LGWR's own
    }


def follow(fusion: CacheFusion, steps: Iterable[Step]) -> Counter[str]:
    """Follow what happened to the blocks; AssertionError where it breaks the rules. Returns how often each step occurred."""
    node_of = {process.number: process.cpu for process in fusion.cluster.model.processes}
    state = fusion.directory
    exclusive: dict[int, int | None] = defaultdict(lambda: None)
    shared = {block: set() if state.evicts else {master_of(block, state.nodes)} for block in range(state.blocks)}
    committed: Counter[int] = Counter()
    changed: dict[int, list[int]] = defaultdict(list)
    seen: Counter[str] = Counter()
    for step in steps:
        node, block = node_of[step.process], step.block
        seen[step.what] += 1
        if step.what == "exclusive":
            exclusive[block], shared[block] = node, set()
        elif step.what == "shared":
            shared[block] |= {node} | ({holder} if (holder := exclusive[block]) is not None else set())
            exclusive[block] = None
        elif step.what == "change":
            assert exclusive[block] == node, f"node {node} changes block {block}, which node {exclusive[block]} has in X"
            changed[step.process].append(block)
        elif step.what == "commit":
            changed[step.process].remove(block)
            committed[block] += 1
        else:
            if step.what == "read":
                assert exclusive[block] == node or node in shared[block], f"node {node} reads block {block} without a mode"
            assert step.version == committed[block], f"block {block} is read at {step.version}, committed are {committed[block]}"
    assert not any(changed.values())
    return seen


@pytest.fixture(scope="module", params=[(2, {}), (3, {}), (4, {}), (2, {"cache_blocks": 6}), (4, {"cache_blocks": 6})])
def logged(request: pytest.FixtureRequest) -> tuple[CacheFusion, list[Step]]:
    count, cache = request.param
    fusion = together(count, busy_work(20), 20, Hardware(), sessions=3, notes=200_000, **cache)
    return fusion, list(block_log.steps(run(fusion.cluster.model)))


def test_only_the_node_that_has_a_block_in_x_changes_it_and_readers_see_what_is_committed(
    logged: tuple[CacheFusion, list[Step]],
) -> None:
    fusion, steps = logged
    seen = follow(fusion, steps)
    assert seen["change"] == seen["commit"] == 30 * 3 * 3 * fusion.directory.nodes
    assert min(seen[what] for what in ("exclusive", "shared", "read", "copy")) > 3
    assert seen["exclusive"] < seen["change"], "some changes find the block in X"


def test_a_change_without_x_would_be_seen(logged: tuple[CacheFusion, list[Step]]) -> None:
    fusion, steps = logged
    taken = {(step.process, step.block): place for place, step in enumerate(steps) if step.what == "exclusive"}
    place = min(taken.values())
    with pytest.raises(AssertionError, match="which node"):
        follow(fusion, steps[:place] + steps[place + 1 :])


def test_a_wrong_version_would_be_seen(logged: tuple[CacheFusion, list[Step]]) -> None:
    fusion, steps = logged
    place = next(place for place, step in enumerate(steps) if step.what == "copy" and step.version > 0)
    wrong = dataclasses.replace(steps[place], version=steps[place].version - 1)
    with pytest.raises(AssertionError, match="committed are"):
        follow(fusion, [*steps[:place], wrong, *steps[place + 1 :]])


def test_no_two_sessions_have_a_block_pinned_at_once() -> None:
    """Each session counts itself in while it has the pin; the count is never above one."""
    model = Model(notes=10_000)
    cluster = nodes.build(model, 3, Hardware())
    fusion = cache_fusion.build(cluster, 1)
    inside, block = model.cell(), model.cell()
    for node in (0, 1, 2, 0, 1, 2):
        process = model.process(f"on node {node}", cluster.cpus[node])
        access = fusion.session(process, node)
        with process.loop(50):
            access.pin(block)
            process.add(inside, 1)
            process.note(inside)
            process.run(Constant(1e-4))
            access.write(block)
            process.add(inside, -1)
            access.unpin(block)
        process.end()
    values = run(model).notes["value"]
    assert len(values) == 300
    assert set(values) == {1}


@pytest.mark.parametrize("count", [2, 3, 4])
def test_blocks_received_are_blocks_served(count: int) -> None:
    fusion = together(count, busy_work(30), 30, Hardware(), sessions=2)
    outcome, state = run(fusion.cluster.model), fusion.directory
    waits = events(fusion, outcome)
    for kind, received, served in (
        ("cr", state.received_cr, state.served_cr),
        ("current", state.received_current, state.served_current),
    ):
        got, given = outcome.cells[received : received + count], outcome.cells[served : served + count]
        assert got.sum() == given.sum() > 100
        if count == 2:
            assert got.tolist() == given[::-1].tolist(), "what one has received the other has served"
        waited = sum(hits for event, (hits, _) in waits.items() if event.startswith(f"gc {kind} block"))
        assert waited == pytest.approx(got.sum(), abs=5), "each block is a wait, but for some that came with another session's"


@pytest.mark.parametrize("count", [1, 2, 3, 4])
def test_three_way_is_when_a_third_node_is_master(count: int) -> None:
    """Masters are spread evenly, so (n - 2) / n of the transfers go by way of a third node."""
    fusion = together(count, busy_work(60, rounds=120), 60, Hardware())
    waits = events(fusion, run(fusion.cluster.model))
    for kind in ("cr", "current"):
        two, three = (waits.get(f"gc {kind} block {way}-way", (0, 0.0))[0] for way in (2, 3))
        if count < 3:
            assert three == 0
        else:
            assert three / (two + three) == pytest.approx((count - 2) / count, abs=0.06)
        assert (two > 0) == (count > 1)


# ---- latencies, one access at a time ---------------------------------------------------------------------------------


def in_turn(*turns: tuple[int, str], count: int = 2, hardware: Hardware, block_number: int = 0, **cache: int) -> tuple[CacheFusion, Run]:
    """Accesses to one block, a second apart: (node, "read", "change" or "commit")."""
    model = Model()
    cluster = nodes.build(model, count, hardware)
    fusion = cache_fusion.build(cluster, block_number + 1, CacheParameters(**cache))
    block = model.cell(block_number)
    for number, (node, what) in enumerate(turns):
        process = model.process(f"turn {number} on node {node}", cluster.cpus[node])
        access = fusion.session(process, node)
        process.delay(Constant(1.0 + number))
        if what == "commit":
            access.commit()
        else:
            getattr(access, what)(block)
        process.end()
    return fusion, run(model)


def test_a_clean_block_comes_in_the_time_that_is_stated(steady: Hardware) -> None:
    fusion, outcome = in_turn((0, "change"), (0, "commit"), (1, "read"), (1, "change"), hardware=steady)
    waits = events(fusion, outcome)
    assert waits["gc cr block 2-way"] == (1, pytest.approx(steady.block_get_s))
    assert waits["gc current block 2-way"] == (1, pytest.approx(steady.block_get_s))
    assert outcome.cells[fusion.directory.flushed_cr] == outcome.cells[fusion.directory.flushed_current] == 0
    parts = 2 * steady.message_s + steady.lms_cpu_s + steady.block_bytes / steady.bandwidth
    assert parts == pytest.approx(steady.block_get_s)


@pytest.mark.parametrize(("what", "kind"), [("read", "cr"), ("change", "current")])
def test_a_busy_block_waits_for_a_redo_write_first(steady: Hardware, what: str, kind: str) -> None:
    fusion, outcome = in_turn((0, "change"), (1, what), hardware=steady)
    flush = steady.lgwr_cpu_s + steady.redo_write_s
    assert events(fusion, outcome)[f"gc {kind} block busy"] == (1, pytest.approx(steady.block_get_s + flush))
    flushed = fusion.directory.flushed_cr if kind == "cr" else fusion.directory.flushed_current
    assert outcome.cells[flushed] == 1


def test_only_the_first_copy_needs_the_flush(steady: Hardware) -> None:
    fusion, outcome = in_turn((0, "change"), (1, "read"), (1, "read"), hardware=steady)
    assert {event: hits for event, (hits, _) in events(fusion, outcome).items()} == {"gc cr block busy": 1, "gc cr block 2-way": 1}


@pytest.mark.parametrize("block_number", range(6))
def test_a_third_node_as_master_is_a_message_and_an_lms_more(steady: Hardware, block_number: int) -> None:
    master = master_of(block_number, 3)
    fusion, outcome = in_turn(
        (0, "change"), (0, "commit"), (1, "change"), (1, "commit"), (2, "read"), count=3, hardware=steady, block_number=block_number
    )
    hops = int(master not in (1, 2))
    event = f"gc cr block {2 + hops}-way"
    assert events(fusion, outcome)[event] == (1, pytest.approx(steady.block_get_s + hops * (steady.message_s + steady.lms_cpu_s)))


def test_from_disk_the_master_only_gives_leave(steady: Hardware) -> None:
    node = 1 - master_of(1, 2)
    fusion, outcome = in_turn((node, "read"), (node, "read"), hardware=steady, block_number=1, cache_blocks=1)
    waits = events(fusion, outcome)
    assert waits["gc cr grant 2-way"] == (1, pytest.approx(2 * steady.message_s + steady.lms_cpu_s))
    hits, seconds = waits["db file sequential read"]
    assert hits == 1 and 2e-3 <= seconds <= 4e-3
    fusion, outcome = in_turn((1 - node, "change"), hardware=steady, block_number=1, cache_blocks=1)
    assert set(events(fusion, outcome)) == {"db file sequential read"}, "the master itself needs no message"


def test_x_leaves_a_past_image_and_s_goes_when_somebody_wants_x(steady: Hardware) -> None:
    fusion, outcome = in_turn((0, "change"), (1, "change"), hardware=steady)
    assert fusion.directory.modes(outcome)[:, 0].tolist() == ["PI", "X"]
    fusion, outcome = in_turn((0, "read"), (1, "read"), hardware=steady)
    assert fusion.directory.modes(outcome)[:, 0].tolist() == ["S", "S"]
    fusion, outcome = in_turn((0, "read"), (1, "read"), (1, "change"), hardware=steady)
    assert fusion.directory.modes(outcome)[:, 0].tolist() == ["N", "X"]
    assert events(fusion, outcome)["gc current grant busy"][0] == 1


def test_after_four_copies_the_holder_steps_down(steady: Hardware) -> None:
    reads = [(1, "read")] * 7
    fusion, outcome = in_turn((0, "change"), (0, "commit"), *reads, hardware=steady)
    assert events(fusion, outcome)["gc cr block 2-way"][0] == 4
    assert outcome.cells[fusion.directory.stepped_down] == 1
    assert fusion.directory.modes(outcome)[:, 0].tolist() == ["S", "S"]


@pytest.mark.parametrize(("room", "reads"), [(2, 5), (3, 3)])
def test_the_least_recently_used_block_leaves(steady: Hardware, room: int, reads: int) -> None:
    """0 1 2 0 1: with room for two, each is read from disk; with room for all three, the last two are there."""

    def script(access: BlockSession, process: Process, node: int) -> None:
        block = access.fusion.cluster.model.cell()
        for number in (0, 1, 2, 0, 1):
            process.set(block, number)
            access.read(block)

    fusion = together(1, script, 4, steady, cache_blocks=room)
    assert events(fusion, run(fusion.cluster.model))["db file sequential read"][0] == reads


def test_a_changed_block_is_written_when_it_leaves_and_its_past_images_go(steady: Hardware) -> None:
    def script(access: BlockSession, process: Process, node: int) -> None:
        block = access.fusion.cluster.model.cell()
        process.delay(Constant(1.0 + node))
        access.change(block)
        if node == 1:
            for number in (1, 2, 0):
                process.set(block, number)
                access.read(block)

    fusion = together(2, script, 4, steady, cache_blocks=2)
    outcome = run(fusion.cluster.model)
    assert outcome.cells[fusion.directory.written + 1] == 1
    assert fusion.directory.modes(outcome)[:, 0].tolist() == ["N", "S"]


def test_two_blocks_share_a_link_one_after_the_other(steady: Hardware) -> None:
    slow = dataclasses.replace(steady, bandwidth=8192 / 0.25e-3)  # a quarter of a millisecond a block
    fusion = together(2, lambda access, process, node: None, 2, slow)
    model, cluster = fusion.cluster.model, fusion.cluster
    for number in (0, 1):
        process = model.process(f"reader {number}", cluster.cpus[1])
        first = model.process(f"writer {number}", cluster.cpus[0])
        block = model.cell(number)
        access = fusion.session(first, 0)
        access.change(block)
        access.commit()
        first.end()
        access = fusion.session(process, 1)
        process.delay(Constant(1.0))
        access.read(block)
        process.end()
    hits, seconds = events(fusion, run(model))["gc cr block 2-way"]
    assert hits == 2
    both = 2 * slow.block_get_s + slow.lms_cpu_s + (slow.wire_s - slow.lms_cpu_s)  # the second waits for LMS, then for the wire
    assert seconds == pytest.approx(both)


def test_redo_writes_may_be_as_they_were_measured(steady: Hardware) -> None:
    """Nine writes in ten take 1 ms, the slowest up to 50 ms: commits are quick or slow, as the writes are."""
    model = Model(notes=400)
    measured = Empirical([1e-3] * 10 + [50e-3])
    cluster = nodes.build(model, 1, steady, [NodeSetup(redo_write_s=measured)])
    fusion = cache_fusion.build(cluster, 1)
    process, block = model.process("session", cluster.cpus[0]), model.cell()
    access = fusion.session(process, 0)
    with process.loop(400):
        access.change(block)
        access.commit()
        process.note(block)
    process.end()
    times = np.diff(run(model).notes["time"]) - CacheParameters().change_cpu_s - steady.lgwr_cpu_s
    assert times.min() == pytest.approx(1e-3)
    assert 0.04 < np.mean(times > 1.01e-3) < 0.16
    assert 25e-3 < times.max() <= 50e-3


def test_events_of_an_access_do_not_grow_with_the_nodes() -> None:
    """At 64 nodes an access takes at most three times the events that it takes at 2."""
    cost = {}
    for count in (2, 64):
        fusion = together(count, busy_work(200, rounds=5), 200, Hardware())
        cost[count] = run(fusion.cluster.model).events / (count * 5 * 6)
    assert cost[64] < 3 * cost[2]


@pytest.mark.parametrize(("count", "blocks", "cache"), [(4, 20, 1), (2, 3, 2), (5, 8, 3), (8, 1, None), (1, 8, 2)])
def test_nobody_is_stuck_when_much_happens_at_one_instant(steady: Hardware, count: int, blocks: int, cache: int | None) -> None:
    """Constant times and next to no cache: sessions come to the same block at the same instant, again and again."""
    room = {} if cache is None else {"cache_blocks": cache}
    fusion = together(count, busy_work(blocks), blocks, steady, sessions=3, notes=100_000, fairness=1, **room)
    for seed in (1, 2, 3):
        outcome, state = run(fusion.cluster.model, seed), fusion.directory
        follow(fusion, block_log.steps(outcome))
        for first in (state.pins, state.asked, state.wanted):
            assert not outcome.cells[first : first + blocks].any(), "all is given back"


def test_same_seed_same_result() -> None:
    fusion = together(2, busy_work(10), 10, Hardware(), sessions=2)
    first, again, other = (run(fusion.cluster.model, seed) for seed in (1, 1, 2))
    assert np.array_equal(first.ended, again.ended, equal_nan=True)
    assert not np.array_equal(first.ended, other.ended, equal_nan=True)
