"""What the NFS model predicts, against what was published."""

import dataclasses

import pytest

from raclab.evidence import figures
from raclab.evidence.compare import value
from raclab.myths.nfs_throughput import DIRECT, EIGHT, KERNEL, KERNEL_32, MYTH, READS_S, NfsLevers, published_scan


def _elapsed(levers: NfsLevers) -> float:
    return value(MYTH.simulate(levers, [1, 2]), figures.ELAPSED).mean


def test_every_published_figure_is_met_within_25_percent() -> None:
    table = MYTH.compare([1, 2])
    assert len(table) == 7
    assert (table["error_pct"].abs() < 25).all(), table.to_string()


def test_figures_that_gave_a_parameter_are_not_called_predictions() -> None:
    table = MYTH.compare([1]).set_index(["case", "figure"])["why"]
    assert table[KERNEL.describe(), "elapsed"].startswith("not a prediction")
    assert "predicted is that the link" in table[DIRECT.describe(), "elapsed"]


def test_table_size_and_connection_rate_come_from_the_published_scan() -> None:
    scan = published_scan()
    assert scan.table_bytes == pytest.approx(1.14e9 * 6.36)
    assert scan.connection_bytes == pytest.approx(scan.table_bytes / 16.18, rel=0.01)


def test_eight_connections_close_the_gap_and_two_do_not() -> None:
    assert _elapsed(EIGHT) == pytest.approx(_elapsed(DIRECT), rel=0.02)
    assert _elapsed(NfsLevers(connections=2)) > 1.2 * _elapsed(DIRECT)


def test_more_users_than_32_bring_next_to_nothing_on_one_connection() -> None:
    reads = [value(MYTH.simulate(dataclasses.replace(KERNEL_32, sessions=users), [1]), READS_S).mean for users in (16, 32, 64, 128)]
    assert reads[1] > 1.7 * reads[0]
    assert reads[2] < 1.1 * reads[1] and reads[3] < 1.05 * reads[2]


def test_on_a_slow_link_the_connection_does_not_matter() -> None:
    slow = [_elapsed(dataclasses.replace(levers, link_gbit=1)) for levers in (KERNEL, DIRECT)]
    assert slow[0] == pytest.approx(slow[1], rel=0.01)


def test_direct_nfs_ignores_the_connections_and_says_so() -> None:
    assert _elapsed(dataclasses.replace(DIRECT, connections=8)) == _elapsed(DIRECT)
    assert "don't count" in MYTH.sentence([MYTH.simulate(dataclasses.replace(DIRECT, connections=8), [1])])


def test_what_was_not_published_is_not_drawn_as_nothing() -> None:
    told = MYTH.sentence(MYTH.published())
    assert "PUBLISHED, direct NFS, scan with DOP 32: 6.36 s." in told
    assert "no elapsed time was published, only that it matches direct NFS" in told


def test_sensitivity_moves_with_both_assumptions() -> None:
    knees = MYTH.sensitivity([1]).frame["users at the knee"]
    assert knees.min() < 20 and knees.max() > 50


def test_a_single_seed_brings_samples_of_the_wait() -> None:
    history = MYTH.simulate(KERNEL, [1]).views["ACTIVE_SESSION_HISTORY"]
    assert (history["EVENT"] == "direct path read").mean() > 0.8


@pytest.mark.parametrize(
    ("name", "right", "wrong"), [("connection_rate", 0.45, 1.14), ("enough_connections", 3, 4), ("faster_link", 0.0, 8.0)]
)
def test_exercises(name: str, right: float, wrong: float) -> None:
    exercise = next(one for one in MYTH.exercises if one.name == name)
    assert exercise.check(right)[0]
    assert not exercise.check(wrong)[0]
