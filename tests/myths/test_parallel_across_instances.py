"""What the parallel model predicts, against what was published."""

import pytest

from raclab.evidence import figures
from raclab.evidence.compare import value
from raclab.myths.parallel_across_instances import (
    FEW_GROUPS,
    JOIN_8,
    JOIN_16,
    MYTH,
    TO_COORDINATOR,
    TO_SERVERS,
    ParallelLevers,
    bytes_text,
    carried,
    published_bytes,
    row_bytes,
    rows,
)


def _elapsed(levers: ParallelLevers) -> float:
    return value(MYTH.simulate(levers, [1, 2]), figures.ELAPSED).mean


def test_every_published_figure_is_met_within_25_percent() -> None:
    table = MYTH.compare([1])
    assert len(table) == 8
    assert (table["error_pct"].abs() < 25).all(), table.to_string()


def test_the_width_of_a_row_is_inferred_from_instance_1_and_said_to_be() -> None:
    assert rows() == 85e6
    assert row_bytes() == pytest.approx(55.9, abs=0.05)
    why = MYTH.compare([1]).set_index("figure")["why"]
    assert why["bytes received by consumers on instance 1"].startswith("not a prediction")
    assert why["bytes received by consumers on instance 2"] == ""


def test_instance_2_is_predicted() -> None:
    predicted = value(MYTH.simulate(JOIN_16, [1]), carried(TO_SERVERS, 1)).mean
    assert predicted == pytest.approx(published_bytes("hash join, DOP 16", 2).sum(), rel=0.01)


def test_dop_8_on_one_instance_leaves_only_traffic_to_the_coordinator() -> None:
    measured = MYTH.simulate(JOIN_8, [1])
    assert value(measured, carried(TO_SERVERS)).mean == 0
    assert value(measured, carried(TO_COORDINATOR)).mean == pytest.approx(85e6 * row_bytes())


def test_a_second_instance_makes_the_join_slower_and_helps_where_cores_are_short() -> None:
    assert _elapsed(JOIN_16) > 1.1 * _elapsed(ParallelLevers(instances=1))
    two, one = (_elapsed(ParallelLevers(join=False, cores=4, instances=count)) for count in (2, 1))
    assert two < 0.6 * one


def test_on_1_gbit_the_wire_alone_costs_the_join_its_gain_and_on_10_the_cpu_of_messages_decides() -> None:
    (_, _, *slow), (_, _, *fast), *few_groups = MYTH.sensitivity([1]).frame.to_numpy(dtype=float).tolist()
    assert min(slow) > 1.1
    assert fast == sorted(fast) and fast[0] < 1 < fast[-1]
    assert max(ratio for _, _, *ratios in few_groups for ratio in ratios) < 1.1


def test_fewer_servers_than_instances_is_said() -> None:
    assert "Only 2 of the 8 instances get servers." in MYTH.sentence([MYTH.simulate(ParallelLevers(dop=2, instances=8), [1])])


def test_few_groups_leave_next_to_nothing_to_send() -> None:
    assert value(MYTH.simulate(FEW_GROUPS, [1]), carried(TO_SERVERS)).mean < 1e6


def test_a_lowered_dop_is_said() -> None:
    told = MYTH.sentence([MYTH.simulate(ParallelLevers(dop=64, max_servers=16), [1])])
    assert "DOP 64 was lowered to 16: 2 server sets find 32 servers (parallel_max_servers = 16 on each of 2)." in told
    assert "lowered" not in MYTH.sentence([MYTH.simulate(JOIN_16, [1])])


def test_published_bytes_are_told_in_words() -> None:
    told = MYTH.sentence(MYTH.published())
    assert "2,152 bytes at each of 8 remote servers, 3,314 bytes at the coordinator" in told
    assert "2,371,595,990 bytes received by 16 consumers; what the coordinator received was not published" in told


def test_bytes_in_words() -> None:
    assert [bytes_text(size) for size in (0, 512, 17_216, 2_371_595_990)] == ["0 bytes", "512 bytes", "17.2 KB", "2.37 GB"]


@pytest.mark.parametrize(("name", "right", "wrong"), [("row_width", 55.8, 27.9), ("four_instances", 3.56, 2.4), ("lowered", 16, 32)])
def test_exercises(name: str, right: float, wrong: float) -> None:
    exercise = next(one for one in MYTH.exercises if one.name == name)
    assert exercise.check(right)[0]
    assert not exercise.check(wrong)[0]
