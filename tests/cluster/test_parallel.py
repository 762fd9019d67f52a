"""A parallel statement over instances: placement, rows on the wire, and what adds up."""

import dataclasses

import numpy as np
import pytest

from raclab.cluster import parallel_frames, parallel_run, parallel_views
from raclab.cluster.parallel import DONE, GROUP, JOIN, RESULT, START, PxHardware, Statement
from raclab.cluster.parallel_frames import Accounts
from raclab.sim import Run

PLAIN = Statement(rows=1_000_000, row_bytes=50.0, dop=4)


def _run(statement: Statement, seed: int = 1) -> tuple[Accounts, Run]:
    built = parallel_run.build(statement)
    return Accounts(built), parallel_run.simulate(built, [seed])[0]


def _sent(statement: Statement) -> dict[str, float]:
    accounts, run = _run(statement)
    totals = parallel_frames.traffic(accounts, [run]).groupby("kind")["bytes"].sum()
    return {str(kind): float(size) for kind, size in totals.items()}


@pytest.mark.parametrize(
    ("dop", "instances", "apart", "expected"),
    [(4, 2, False, [0, 0, 1, 1]), (4, 3, False, [0, 0, 1, 2]), (2, 4, False, [0, 1]), (4, 1, True, [1, 1, 1, 1])],
)
def test_servers_are_spread_over_the_instances(dop: int, instances: int, apart: bool, expected: list[int]) -> None:
    placed = dataclasses.replace(PLAIN, dop=dop, instances=instances, apart=apart)
    assert [placed.instance_of(server) for server in range(dop)] == expected
    assert sum(placed.servers_on(instance) for instance in range(placed.nodes)) == dop


@pytest.mark.parametrize(("join", "max_servers", "given"), [(True, 64, 32), (True, 16, 16), (False, 16, 32), (False, 4, 8), (True, 4, 4)])
def test_dop_is_lowered_to_what_parallel_max_servers_leaves(join: bool, max_servers: int, given: int) -> None:
    assert dataclasses.replace(PLAIN, dop=32, join=join, max_servers=max_servers).actual_dop == given


@pytest.mark.parametrize("instances", [1, 2, 4])
def test_the_share_of_rows_that_crosses(instances: int) -> None:
    """A row's consumer is on the producer's instance once in as many times as there are instances; the result goes to instance 1."""
    sent = _sent(dataclasses.replace(PLAIN, instances=instances))
    crossing = 50e6 * (1 - 1 / instances)
    assert sent[GROUP] == pytest.approx(crossing) and sent[RESULT] == pytest.approx(crossing)
    assert sent[JOIN] == 0
    assert sent[DONE] == 2 * (4 - 4 // instances) * PxHardware.message_bytes


def test_redistributed_both_tables_cross_as_well() -> None:
    sent = _sent(dataclasses.replace(PLAIN, partition_wise=False))
    assert sent[JOIN] == pytest.approx(2 * sent[GROUP]) == pytest.approx(50e6)


def test_an_aggregation_sends_a_buffer_to_each_remote_server_and_gets_a_row_back() -> None:
    sent = _sent(dataclasses.replace(PLAIN, join=False))
    assert sent == {START: 2 * 2152, RESULT: 2 * 4 * 22, DONE: 2 * 256, JOIN: 0, GROUP: 0}


def test_servers_on_one_instance_with_the_coordinator_elsewhere_send_only_the_result() -> None:
    sent = _sent(dataclasses.replace(PLAIN, instances=1, apart=True))
    assert sent[GROUP] == 0 and sent[RESULT] == pytest.approx(50e6)


@pytest.mark.parametrize("per_group", [1, 2, 10, 1000])
def test_rows_left_after_each_server_has_grouped_its_own(per_group: int) -> None:
    """The formula against rows that are dealt out at random."""
    dealt = np.random.default_rng(1).integers(4, size=(20_000, per_group))
    distinct = np.mean([len(set(group)) for group in dealt.tolist()])
    counted = dataclasses.replace(PLAIN, rows_per_group=per_group)
    assert counted.grouped_once / counted.groups == pytest.approx(distinct, rel=0.02)
    assert counted.grouped_once <= counted.rows * (1 + 1e-9)


@pytest.mark.parametrize(
    "statement", [PLAIN, dataclasses.replace(PLAIN, join=False), dataclasses.replace(PLAIN, partition_wise=False, instances=3, cores=1)]
)
def test_what_was_worked_and_waited_adds_up(statement: Statement) -> None:
    accounts, run = _run(statement)
    parts = parallel_frames.parts(accounts, [run]).set_index("part")["time_s"]
    assert parts.sum() == pytest.approx(run.clock) and (parts >= -1e-9).all()
    cpu = parallel_frames.sessions(accounts, [run])["cpu_s"].sum()
    assert cpu == pytest.approx(run.used.sum())
    messages = sum(_sent(statement).get(kind, 0.0) for kind in (JOIN, GROUP, RESULT)) / 2152 * 2 * 10e-6
    stages = sum(stage.work_s + stage.take_s for stage in statement.stages())
    assert cpu == pytest.approx(stages + messages, rel=0.1)
    assert run.sent.sum() == pytest.approx(sum(_sent(statement).values()))


def test_a_slow_interconnect_is_the_limit() -> None:
    """The result's half, on one link at 1 MB a second, is 25 s and everything else much less."""
    slow = dataclasses.replace(PLAIN, bandwidth=1e6)
    _, run = _run(slow)
    on_link = (25e6 + 12.5e6) / 1e6 + 25e6 / 1e6 / 2  # instance 2 sends half of its rows to consumers, then its result
    assert 37.5 <= run.clock <= on_link * 1.05


def test_views_have_each_server_once_and_the_rows_of_every_queue() -> None:
    accounts, _ = _run(dataclasses.replace(PLAIN, dop=8, max_servers=4))
    sessions = parallel_views.px_session(accounts)
    assert len(sessions) == 1 + 2 * 4 and set(sessions["REQ_DEGREE"].dropna()) == {8} and set(sessions["DEGREE"].dropna()) == {4}
    queues = parallel_views.pq_tqstat(accounts)
    totals = queues.groupby(["TQ_ID", "SERVER_TYPE"])["NUM_ROWS"].sum()
    assert set(totals) == {1_000_000}
    assert sorted(queues[(queues["TQ_ID"] == 0) & (queues["INSTANCE"] == 2)]["PROCESS"]) == ["P000", "P001", "P002", "P003"]
    assert queues.iloc[-1]["PROCESS"] == "QC"


def test_a_lowered_dop_is_counted() -> None:
    lowered = _run(dataclasses.replace(PLAIN, dop=8, max_servers=4))
    plain = _run(PLAIN)
    names = [set(parallel_frames.stats(accounts, [run])["name"]) for accounts, run in (lowered, plain)]
    assert "Parallel operations downgraded 25 to 50 pct" in names[0]
    assert "Parallel operations not downgraded" in names[1]
