import pytest

from raclab.evidence.compare import value
from raclab.evidence.figures import CPU, ELAPSED
from raclab.myths.start_here import MYTH, JobLevers


@pytest.mark.parametrize("jobs", [1, 2, 3, 5, 8, 16])
@pytest.mark.parametrize("cores", [1, 2, 4])
def test_elapsed_time_is_what_one_computes_by_hand(jobs: int, cores: int) -> None:
    levers = JobLevers(jobs=jobs, cores=cores)
    measured = MYTH.simulate(levers)
    assert value(measured, ELAPSED).mean == pytest.approx(levers.formula_s(), rel=0.03)
    assert value(measured, CPU).mean == pytest.approx(levers.cpu_s, rel=0.02)


def test_waiting_for_a_core_is_on_cpu_in_ash_and_not_in_cpu_time() -> None:
    measured = MYTH.simulate(JobLevers(jobs=4), [1])
    stats = measured.stats.set_index("name")["value"]
    assert stats["DB time"] == pytest.approx(2 * stats["CPU used by this session"], rel=0.02)
    history = measured.views["ACTIVE_SESSION_HISTORY"]
    assert set(history["SESSION_STATE"]) == {"ON CPU"}
    assert len(history) * 0.1 == pytest.approx(stats["DB time"] / 100, rel=0.02)


def test_the_sentence_shows_the_formula() -> None:
    assert "By hand: 15 s." in MYTH.sentence([MYTH.simulate(JobLevers(jobs=3))])
