"""Which numbers a sequence hands out: to whom, in which order, and which are lost."""

import itertools
import math
import re

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from raclab.cluster import sequences
from raclab.cluster.parameters import Hardware
from raclab.cluster.sequences import Built, StatementCosts
from raclab.cluster.sequences import TestCase as Case
from raclab.evidence import published
from raclab.sim import Run


@pytest.fixture(scope="module")
def facts() -> dict[str, str]:
    """The published walk-through."""
    frame = published.load("nocache_sequences").frame("test_case")
    return dict(zip(frame["item"], frame["value"].astype(str), strict=True))


def drawn(case: Case, seed: int = 1) -> tuple[Built, Run, list[tuple[int, int]]]:
    """The built case, its run, and (node, number) in order of time, nodes from 1."""
    built = sequences.build(case, notes=True)
    run = sequences.simulate(built, [seed])[0]
    node = {process.number: at + 1 for at, _, process in built.sessions}
    return built, run, [(node[note["process"]], int(note["value"])) for note in run.notes]


def block_changes(built: Built, run: Run) -> int:
    return int(run.cells[built.cluster.changed : built.cluster.changed + built.case.nodes].sum())


class TestPublishedWalkThrough:
    def test_ranges_handed_out(self, costs: StatementCosts, facts: dict[str, str]) -> None:
        """Node 1 10-29, node 2 30-49, node 1 50-69: while both draw, each takes the next range when its own is used up."""
        stated = re.findall(r"node (\d) (\d+)-(\d+)", facts["cached: ranges handed out"])
        ranges = [(int(node), int(first), int(last)) for node, first, last in stated]
        assert len(ranges) == 3
        size = int(facts["cached variant in the walk-through"].removeprefix("CACHE "))
        case = Case(costs, Hardware(), cache=size, first_number=int(facts["sequence start"]), rows=40)
        _, _, numbers = drawn(case)
        assert numbers[0] == (1, int(facts["sequence start"]))
        for node, first, last in ranges:
            assert [number for at, number in numbers if first <= number <= last and at == node] == list(range(first, last + 1))

    @pytest.mark.parametrize("name", ["cached", "nocache"])
    def test_accesses_and_block_changes(self, costs: StatementCosts, facts: dict[str, str], name: str) -> None:
        accesses, changes = map(
            int, re.fullmatch(r"(\d+) accesses make (\d+) block changes", facts[f"{name}: accesses and block changes"]).groups()
        )
        cache = int(facts["cached variant in the walk-through"].removeprefix("CACHE ")) if name == "cached" else 0
        built, run, numbers = drawn(Case(costs, Hardware(), nodes=1, cache=cache, rows=accesses))
        assert len(numbers) == accesses
        assert block_changes(built, run) == changes


cases = st.builds(
    lambda **levers: levers,
    nodes=st.integers(1, 4),
    cache=st.sampled_from([0, 1, 2, 3, 7, 20, 100]),
    order=st.booleans(),
    rows=st.integers(1, 60),
    commit_every=st.integers(1, 25),
    start_gap_s=st.sampled_from([0.0, 0.01, 0.5]),
    sessions=st.integers(1, 3),
    first_number=st.sampled_from([1, 10, 1_000_000]),
)
often = settings(max_examples=60, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.function_scoped_fixture])


@often
@given(levers=cases, seed=st.integers(0, 2**31), crowded=st.booleans())
def test_no_number_twice_none_skipped_but_what_a_cache_still_holds(costs: StatementCosts, levers: dict, seed: int, crowded: bool) -> None:
    hardware = Hardware(cores=1, quantum_s=1e-4) if crowded else Hardware()
    case = Case(costs, hardware, **levers)
    built, run, numbers = drawn(case, seed)
    values = [number for _, number in numbers]
    outcome = sequences.numbers(built, run)
    assert len(values) == len(set(values)) == outcome.used == case.rows * case.nodes * case.sessions
    missing = sorted(set(range(case.first_number, outcome.high_water)) - set(values))
    assert min(values) == case.first_number
    assert max(values) < outcome.high_water
    assert len(missing) == outcome.unused
    caches = 1 if case.shared_range else case.nodes
    assert outcome.unused <= caches * (case.range_size - 1)
    assert (outcome.high_water - case.first_number) % case.range_size == 0
    # what is missing is the end of a range, of which the beginning was drawn
    for number in missing:
        last_of_range = case.first_number + ((number - case.first_number) // case.range_size + 1) * case.range_size - 1
        assert set(range(number, last_of_range + 1)) <= set(missing)
    assert block_changes(built, run) == (outcome.high_water - case.first_number) / case.range_size


@often
@given(levers=cases, seed=st.integers(0, 2**31))
def test_order_and_nocache_are_in_order_of_time_over_all_nodes(costs: StatementCosts, levers: dict, seed: int) -> None:
    case = Case(costs, Hardware(), **(levers | {"order": levers["order"] or levers["cache"] > 1}))
    assert case.order or case.range_size == 1
    _, run, numbers = drawn(case, seed)
    values = [number for _, number in numbers]
    assert values == sorted(values)
    assert (np.diff(run.notes["time"]) >= 0).all()


@often
@given(levers=cases, seed=st.integers(0, 2**31))
def test_within_a_node_numbers_rise_in_any_case(costs: StatementCosts, levers: dict, seed: int) -> None:
    _, _, numbers = drawn(Case(costs, Hardware(), **levers), seed)
    for node in {node for node, _ in numbers}:
        mine = [number for at, number in numbers if at == node]
        assert mine == sorted(mine)


def test_a_cache_without_order_is_not_in_order(costs: StatementCosts) -> None:
    _, _, numbers = drawn(Case(costs, Hardware(), cache=20, rows=200))
    values = [number for _, number in numbers]
    assert sum(late < early for early, late in itertools.pairwise(values)) > 40


def test_without_order_a_range_belongs_to_one_node(costs: StatementCosts) -> None:
    _, _, numbers = drawn(Case(costs, Hardware(), cache=20, nodes=3, rows=200))
    owners: dict[int, set[int]] = {}
    for node, number in numbers:
        owners.setdefault((number - 1) // 20, set()).add(node)
    assert all(len(nodes) == 1 for nodes in owners.values())
    assert {next(iter(nodes)) for nodes in owners.values()} == {1, 2, 3}


def test_with_order_nodes_share_a_range(costs: StatementCosts) -> None:
    _, _, numbers = drawn(Case(costs, Hardware(), cache=100, order=True, rows=100))
    assert {node for node, number in numbers if number <= 100} == {1, 2}


@pytest.mark.parametrize(
    ("cache", "order", "ranges"), [(0, False, 200), (20, False, 10), (20, True, 10), (1000, False, 2), (1000, True, 1)]
)
def test_block_changes_are_the_ranges_fetched(costs: StatementCosts, cache: int, order: bool, ranges: int) -> None:
    built, run, _ = drawn(Case(costs, Hardware(), cache=cache, order=order, rows=100))
    assert block_changes(built, run) == ranges
    assert sequences.numbers(built, run).unused == ranges * max(1, cache) - 200


def test_one_and_none_are_the_same_cache(costs: StatementCosts) -> None:
    none, one = (drawn(Case(costs, Hardware(), cache=cache, order=True, rows=50))[1] for cache in (0, 1))
    assert none.notes.tolist() == one.notes.tolist()
    assert math.isfinite(none.clock)
