"""What the model says of the levers, and that the one-node run gives back the figures that its costs come from."""

import itertools

import pytest

from raclab.cluster import frames, sequences
from raclab.cluster.parameters import Hardware
from raclab.cluster.sequences import StatementCosts
from raclab.cluster.sequences import TestCase as Case
from raclab.evidence import published

SEEDS = list(range(1, 9))


def elapsed(case: Case) -> float:
    """Mean elapsed time of the insert of one session: without the commits, as tkprof gives it."""
    built = sequences.build(case)
    runs = sequences.simulate(built, SEEDS)
    commits = frames.waits(built, runs).query("event == 'log file sync'")["time_s"].sum()
    sessions = frames.sessions(built, runs)
    return float((sessions["elapsed_s"].sum() - commits) / len(sessions))


def waits(case: Case, event: str) -> float:
    """Mean number of waits of one session for an event."""
    built = sequences.build(case)
    found = frames.waits(built, sequences.simulate(built, SEEDS))
    return float(found.loc[found["event"] == event, "total_waits"].sum() / len(SEEDS) / len(built.sessions))


def test_one_node_gives_back_the_published_run(costs: StatementCosts) -> None:
    """A test of consistency, not a prediction: the costs are taken from this very run."""
    calls = published.load("nocache_sequences").frame("tkprof_calls")
    insert = calls.query("case == 'one node nocache' and statement == 'insert'")
    assert insert["elapsed_s"].sum() == 7.66
    assert elapsed(Case(costs, Hardware(), nodes=1)) == pytest.approx(insert["elapsed_s"].sum(), rel=0.01)
    built = sequences.build(Case(costs, Hardware(), nodes=1))
    cpu = frames.sessions(built, sequences.simulate(built, SEEDS))["cpu_s"].mean()
    assert cpu == pytest.approx(insert["cpu_s"].sum(), rel=0.01)


def test_costs_are_the_published_times_a_row(costs: StatementCosts) -> None:
    parts = (costs.insert_cpu_s, costs.insert_other_s, costs.seq_cpu_s, costs.seq_other_s)
    assert sum(parts) == pytest.approx(7.66 / 10_000)
    assert costs.insert_cpu_s + costs.seq_cpu_s == pytest.approx(5.28 / 10_000)
    assert costs.seq_cpu_s + costs.seq_other_s == pytest.approx((0.30 + 3.04) / 10_000)


def test_two_nodes_fare_alike(costs: StatementCosts) -> None:
    built = sequences.build(Case(costs, Hardware()))
    runs = sequences.simulate(built, SEEDS)
    for event in ("row cache lock", "gc current block 2-way"):
        waited = frames.waits(built, runs)
        found = waited[waited["event"] == event].groupby("inst_id")[["total_waits", "time_s"]].mean()
        one, two = found.loc[1], found.loc[2]
        assert two["total_waits"] == pytest.approx(one["total_waits"], rel=0.01)
        assert two["time_s"] == pytest.approx(one["time_s"], rel=0.01)


@pytest.mark.parametrize("nodes", [3, 5, 8])
def test_no_node_starves(costs: StatementCosts, nodes: int) -> None:
    built = sequences.build(Case(costs, Hardware(), nodes=nodes, rows=1_000))
    sessions = frames.sessions(built, sequences.simulate(built, SEEDS))
    by_node = sessions.groupby("inst_id")["elapsed_s"].mean()
    assert by_node.max() < 1.05 * by_node.min()


class TestLevers:
    """Each lever moves the figures the way in which it does in a real cluster."""

    def test_a_bigger_cache_waits_less(self, costs: StatementCosts) -> None:
        cases = [Case(costs, Hardware(), cache=cache, rows=2_000) for cache in (0, 2, 5, 20, 100, 1000)]
        times = [elapsed(case) for case in cases]
        counts = [waits(case, "row cache lock") for case in cases]
        assert all(later < earlier for earlier, later in itertools.pairwise(times))
        assert all(later < earlier for earlier, later in itertools.pairwise(counts))

    def test_slower_redo_makes_nocache_slower_by_a_write_a_change(self, costs: StatementCosts) -> None:
        slow, slower = (elapsed(Case(costs, Hardware(redo_write_s=ms / 1000), rows=2_000)) for ms in (4, 5))
        assert slower - slow == pytest.approx(4_000 * 0.001, rel=0.05)

    def test_more_nodes_make_nocache_slower_and_a_cache_hardly(self, costs: StatementCosts) -> None:
        nocache = [elapsed(Case(costs, Hardware(), nodes=nodes, rows=500)) for nodes in (1, 2, 4, 8)]
        cached = [elapsed(Case(costs, Hardware(), nodes=nodes, rows=500, cache=1000)) for nodes in (1, 2, 4, 8)]
        assert all(later > 1.8 * earlier for earlier, later in itertools.pairwise(nocache))
        assert max(cached) < 1.5 * min(cached)

    def test_order_waits_for_dfs_lock_handle_and_only_with_a_cache(self, costs: StatementCosts) -> None:
        ordered = Case(costs, Hardware(), cache=1000, order=True, rows=2_000)
        assert waits(ordered, "DFS lock handle") > 1_000
        assert waits(ordered, "row cache lock") < 10
        for cache, order in ((0, True), (0, False), (1000, False)):
            assert waits(Case(costs, Hardware(), cache=cache, order=order, rows=200), "DFS lock handle") == 0

    def test_sessions_of_one_node_wait_for_sq_only_with_a_cache_of_its_own(self, costs: StatementCosts) -> None:
        sq = "enq: SQ - contention"
        assert waits(Case(costs, Hardware(), cache=20, sessions=4, rows=500), sq) > 5
        assert waits(Case(costs, Hardware(), cache=20, sessions=1, rows=500), sq) == 0
        assert waits(Case(costs, Hardware(), cache=0, sessions=4, rows=100), sq) == 0
        assert waits(Case(costs, Hardware(), cache=20, order=True, sessions=4, rows=100), sq) == 0

    def test_committing_every_row_costs_a_write_each(self, costs: StatementCosts) -> None:
        assert waits(Case(costs, Hardware(), nodes=1, rows=300, commit_every=1), "log file sync") == 300
        assert waits(Case(costs, Hardware(), nodes=1, rows=300, commit_every=1000), "log file sync") == 1

    def test_sessions_far_apart_do_not_wait_for_each_other(self, costs: StatementCosts) -> None:
        together = waits(Case(costs, Hardware(), rows=1_000), "row cache lock")
        apart = waits(Case(costs, Hardware(), rows=1_000, start_gap_s=60.0), "row cache lock")
        assert apart == 0.5  # once, by the second session
        assert together > 900
