"""What the semaphore model predicts, against what was published."""

import pytest

from raclab.evidence import figures
from raclab.evidence.compare import value
from raclab.myths.kernel_time_semaphores import (
    AFTER,
    BEFORE,
    FEW_MESSAGES,
    IDLE_BOX,
    MYTH,
    SPINNING,
    SemaphoreLevers,
    cpu_shares,
    kernel_share,
)


def _share(levers: SemaphoreLevers) -> float:
    return kernel_share(MYTH.simulate(levers, [1, 2]))


def test_published_shares_are_those_of_the_profile() -> None:
    before, after = MYTH.published()
    assert kernel_share(before) == pytest.approx(76.4)
    assert cpu_shares(before)[SPINNING] == pytest.approx(67.8)
    assert kernel_share(after) != kernel_share(after), "no profile was published after the cure"


def test_every_figure_missed_by_more_than_25_percent_says_why() -> None:
    table = MYTH.compare([1, 2])
    missed = table[~(table["error_pct"].abs() <= 25)]
    assert len(missed) and (missed["why"].str.len() > 20).all()


def test_direction_and_order_of_magnitude_are_predicted() -> None:
    """Much of the CPU time before, hardly any after."""
    assert 40 < _share(BEFORE) < 90
    assert _share(AFTER) < 10
    assert MYTH.compare([1, 2])["error_pct"].dropna().abs().max() < 80


@pytest.mark.parametrize("levers", [IDLE_BOX, FEW_MESSAGES])
def test_few_servers_or_messages_need_no_more_sets(levers: SemaphoreLevers) -> None:
    assert _share(levers) < 15


def test_more_sets_never_cost_more_kernel_time() -> None:
    shares = [_share(SemaphoreLevers(sets=sets)) for sets in (1, 2, 4, 8, 16, 32)]
    assert shares == sorted(shares, reverse=True)


def test_too_few_semaphores_lower_the_servers_and_it_says_so() -> None:
    measured = MYTH.simulate(SemaphoreLevers(semaphores_per_set=16), [1])
    assert measured.session_count == 48
    assert "48 servers start and do the work of the 512" in MYTH.sentence([measured])
    assert value(measured, figures.ELAPSED).mean > value(MYTH.simulate(BEFORE, [1]), figures.ELAPSED).mean


def test_a_single_seed_brings_the_operating_systems_times() -> None:
    box = MYTH.simulate(BEFORE, [1]).views["OSSTAT"].set_index("STAT_NAME")["VALUE"]
    assert box["NUM_CPUS"] == 128 and 0.4 < box["SYS_TIME"] / box["BUSY_TIME"] < 0.9
    assert box["BUSY_TIME"] > 0.95 * (box["BUSY_TIME"] + box["IDLE_TIME"])
    assert MYTH.simulate(BEFORE, [1, 2]).views == {}


def test_what_was_not_published_is_not_drawn_as_nothing() -> None:
    figure = MYTH.figure(MYTH.published())
    assert "no profile published" in figure.data[-1].text[1]
    assert "it was cured, no profile was published" in MYTH.sentence(MYTH.published())


def test_sensitivity_moves_with_the_assumptions() -> None:
    before = MYTH.sensitivity([1]).frame["before: kernel %"]
    assert before.min() < 10 and before.max() > 80


@pytest.mark.parametrize(("name", "right", "wrong"), [("cpus_that_spin", 87.0, 64.0), ("semaphores_after", 3162, 4506)])
def test_exercises(name: str, right: float, wrong: float) -> None:
    exercise = next(one for one in MYTH.exercises if one.name == name)
    assert exercise.check(right)[0] and not exercise.check(wrong)[0]


def test_enough_sets_has_one_right_answer_on_the_lever() -> None:
    check = next(one for one in MYTH.exercises if one.name == "enough_sets").check
    assert sum(check(sets)[0] for sets in range(1, 20)) == 1
    assert "not on the lever" in check(99)[1]
