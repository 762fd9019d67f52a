"""What a wait is made of: message, server, redo write, wire. With constant times and nobody else about, it adds up on paper."""

from dataclasses import replace

import pandas as pd
import pytest

from raclab.cluster import frames, sequences
from raclab.cluster.nodes import master_of
from raclab.cluster.parameters import Hardware
from raclab.cluster.sequences import StatementCosts
from raclab.cluster.sequences import TestCase as Case

APART_S = 5.0  # between the sessions' starts: each finds the cluster idle


def waits(case: Case) -> pd.DataFrame:
    built = sequences.build(case)
    frame = frames.waits(built, sequences.simulate(built, [1]))
    return frame.set_index(["inst_id", "event"])


def test_a_block_get_is_what_the_source_states(steady: Hardware) -> None:
    assert 2 * steady.message_s + steady.lms_cpu_s + steady.wire_s == pytest.approx(steady.block_get_s)


@pytest.mark.parametrize("hardware", [{}, {"block_bytes": 32768}, {"bandwidth": 12.5e6}, {"lms_cpu_s": 0.3e-3}, {"block_get_s": 3e-3}])
def test_two_way_is_message_lms_message_wire(costs: StatementCosts, steady: Hardware, hardware: dict[str, float]) -> None:
    machine = replace(steady, **hardware)
    event = waits(Case(costs, machine, rows=1, start_gap_s=APART_S)).loc[(2, "gc current block 2-way")]
    assert event["total_waits"] == 1
    assert event["time_s"] == pytest.approx(2 * machine.message_s + machine.lms_cpu_s + machine.wire_s)
    assert event["time_s"] == pytest.approx(machine.block_get_s)


def test_an_idle_row_cache_lock_is_two_messages_and_lck(costs: StatementCosts, steady: Hardware) -> None:
    event = waits(Case(costs, steady, rows=1, start_gap_s=APART_S)).loc[(2, "row cache lock")]
    assert event["time_s"] == pytest.approx(2 * steady.message_s + steady.lms_cpu_s)


def test_with_a_change_not_on_disk_lgwr_writes_first(costs: StatementCosts, steady: Hardware) -> None:
    """Node 1 has changed SEQ$ and is still inserting when node 2 asks: the lock waits for the write, the block no more."""
    inserting = replace(costs, insert_other_s=1.0)
    found = waits(Case(inserting, steady, rows=1, start_gap_s=0.1))
    flush = steady.lgwr_cpu_s + steady.redo_write_s
    assert found.loc[(2, "row cache lock"), "time_s"] == pytest.approx(2 * steady.message_s + steady.lms_cpu_s + flush)
    assert found.loc[(2, "gc current block 2-way"), "time_s"] == pytest.approx(steady.block_get_s)


def test_a_commit_alone_is_lgwr_and_the_write(costs: StatementCosts, steady: Hardware) -> None:
    event = waits(Case(costs, steady, nodes=1, rows=5, commit_every=1)).loc[(1, "log file sync")]
    assert event["total_waits"] == 5
    assert event["time_s"] == pytest.approx(5 * (steady.lgwr_cpu_s + steady.redo_write_s))


@pytest.mark.parametrize("nodes", [3, 4, 5])
def test_a_third_node_that_is_master_costs_a_message_and_a_server_more(costs: StatementCosts, steady: Hardware, nodes: int) -> None:
    """Session by session: the node before it has lock and block; who is master decides between two and three hops."""
    built = sequences.build(Case(costs, steady, nodes=nodes, rows=1, start_gap_s=APART_S))
    found = frames.waits(built, sequences.simulate(built, [1])).set_index(["inst_id", "event"])["time_s"]
    hop = steady.message_s + steady.lms_cpu_s
    seen = set()
    for node in range(1, nodes):
        lock_hops = int(master_of(built.rcl, nodes) not in (node, node - 1))
        block_hops = int(master_of(built.block, nodes) not in (node, node - 1))
        event = "gc current block 3-way" if block_hops else "gc current block 2-way"
        seen.add(event)
        assert found[node + 1, "row cache lock"] == pytest.approx(2 * steady.message_s + steady.lms_cpu_s + lock_hops * hop)
        assert found[node + 1, event] == pytest.approx(steady.block_get_s + block_hops * hop)
    assert "gc current block 3-way" in seen or nodes == 3
    assert "gc current block 2-way" in seen


def test_an_ordered_number_from_another_node_is_two_messages_and_lmd(costs: StatementCosts, steady: Hardware) -> None:
    event = waits(Case(costs, steady, cache=20, order=True, rows=1, start_gap_s=APART_S)).loc[(2, "DFS lock handle")]
    assert event["time_s"] == pytest.approx(2 * steady.message_s + steady.lms_cpu_s)


def test_alone_on_the_cluster_nothing_is_asked_for(costs: StatementCosts, steady: Hardware) -> None:
    for cache, order in ((0, False), (20, False), (20, True)):
        found = waits(Case(costs, steady, nodes=1, rows=50, cache=cache, order=order))
        assert set(found.index.get_level_values("event")) == {"log file sync"}


def test_sessions_that_commit_together_share_a_write(costs: StatementCosts) -> None:
    built = sequences.build(Case(costs, Hardware(cores=16), nodes=1, sessions=8, rows=50, commit_every=1, cache=1000))
    run = sequences.simulate(built, [1])[0]
    stats = frames.stats(built, [run]).set_index("name")["value"]
    assert stats["user commits"] == 400
    assert stats["redo writes"] < 0.5 * stats["user commits"]
    alone = sequences.build(Case(costs, Hardware(), nodes=1, rows=50, commit_every=1, cache=1000))
    single = frames.stats(alone, sequences.simulate(alone, [1])).set_index("name")["value"]
    assert single["redo writes"] == single["user commits"] == 50


def test_no_commit_waits_less_than_a_whole_write(costs: StatementCosts, steady: Hardware) -> None:
    """Who comes while LGWR writes waits for the next write as well: the longest takes up to two."""
    built = sequences.build(Case(costs, replace(steady, cores=16), nodes=1, sessions=8, rows=50, commit_every=1, cache=1000))
    run = sequences.simulate(built, [1])[0]
    syncs = run.waits[:, built.model.events.index("log file sync")]
    syncs = syncs[syncs["hits"] > 0]
    write = steady.lgwr_cpu_s + steady.redo_write_s
    assert (syncs["time"] / syncs["hits"] >= write * (1 - 1e-9)).all()
    assert write * 1.2 < syncs["longest"].max() <= 2 * write * (1 + 1e-9)
