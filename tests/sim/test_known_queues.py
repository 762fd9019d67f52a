"""The kernel against queues with a known answer, each within three standard errors of independent replications."""

import functools

import pytest

from raclab.bench import closed_forms, validation
from raclab.bench.queues import STANDARD_ERRORS, Estimate, Queue, all_queues, one_core
from raclab.paths import ROOT

QUEUES = {queue.name: queue for queue in all_queues()}


@functools.cache
def simulated(name: str) -> Estimate:
    return QUEUES[name].simulate()


@pytest.fixture(params=QUEUES)
def queue(request: pytest.FixtureRequest) -> Queue:
    return QUEUES[request.param]


def test_the_kernel_agrees_with_theory(queue: Queue) -> None:
    estimate = simulated(queue.name)
    assert estimate.agrees_with(queue.exact), f"{estimate.mean} +- {estimate.standard_error} against {queue.exact}"


def test_the_comparison_is_sharp(queue: Queue) -> None:
    """A model that is off by two percent would be found out."""
    estimate = simulated(queue.name)
    assert estimate.standard_error < 0.005 * estimate.mean
    assert not estimate.agrees_with(1.02 * queue.exact)
    assert not estimate.agrees_with(0.98 * queue.exact)


def test_a_planted_bias_is_found() -> None:
    biased = one_core(mean=1.01)
    assert not biased.simulate().agrees_with(one_core().exact)


def test_the_documents_table_is_what_the_kernel_gives() -> None:
    text = (ROOT / "docs" / "kernel.md").read_text(encoding="utf-8")
    table = text[text.index(validation.BEGIN) : text.index(validation.END)]
    lines = [line for line in table.splitlines() if line.startswith("| ")][2:]
    assert lines == [validation.row(queue, simulated(name)) for name, queue in QUEUES.items()]


def test_replications_differ_and_repeat() -> None:
    estimate = simulated("M/M/1: one core")
    assert len(set(estimate.values)) == len(estimate.values) == 20
    assert one_core().simulate(range(1, 3)).values == estimate.values[:2]


class TestClosedForms:
    """The formulas themselves, against textbook figures and each other."""

    def test_one_server_is_the_simple_formula(self) -> None:
        assert closed_forms.wait_with_servers(0.7, 1.0, 1) == pytest.approx(0.7 / (1 - 0.7))

    def test_two_servers(self) -> None:
        # M/M/2 has Wq = S rho^2 / (1 - rho^2)
        assert closed_forms.wait_with_servers(1.5, 1.0, 2) == pytest.approx(0.75**2 / (1 - 0.75**2))

    def test_constant_service_halves_the_wait(self) -> None:
        exponential, constant = (closed_forms.wait_with_any_service(0.7, 1.0, square) for square in (2.0, 1.0))
        assert exponential == pytest.approx(closed_forms.wait_with_servers(0.7, 1.0, 1))
        assert constant == pytest.approx(exponential / 2)

    def test_the_better_class_does_not_notice_the_other(self) -> None:
        alone = closed_forms.times_with_preemption([(0.3, 0.5, 0.5)])
        both = closed_forms.times_with_preemption([(0.3, 0.5, 0.5), (0.3, 1.5, 4.5)])
        assert both[0] == alone[0] == pytest.approx(0.5 + closed_forms.wait_with_servers(0.3, 0.5, 1))

    def test_equal_classes_share_the_mean_of_one_queue(self) -> None:
        times = closed_forms.times_with_preemption([(0.35, 1.0, 2.0), (0.35, 1.0, 2.0)])
        assert sum(times) / 2 == pytest.approx(1 / (1 - 0.7))

    def test_one_class_is_pollaczek_and_khinchine(self) -> None:
        assert closed_forms.waits_without_preemption([(0.7, 1.0, 1.3)]) == [
            pytest.approx(closed_forms.wait_with_any_service(0.7, 1.0, 1.3))
        ]

    def test_who_comes_first_shifts_the_work_that_waits_and_does_not_change_it(self) -> None:
        """Kleinrock's conservation law: the waits, weighted with the loads, add up to the same in any order."""
        one, other = (0.3, 0.5, 0.5), (0.3, 1.0, 1 + 1 / 12)
        there, back = (closed_forms.waits_without_preemption(order) for order in ([one, other], [other, one]))
        assert there[0] < there[1]
        assert 0.15 * there[0] + 0.3 * there[1] == pytest.approx(0.3 * back[0] + 0.15 * back[1])

    def test_a_machine_with_a_repairer_of_its_own_never_waits(self) -> None:
        assert closed_forms.wait_for_repair(3, 3, 4.0, 1.0) == 0

    def test_two_machines_one_repairer(self) -> None:
        # states 0, 1, 2 down with weights 1, 2 r, 2 r^2 (r = repair / up): the queue is p2, failures 2 p0 + p1 over up
        up, repair = 4.0, 1.0
        r = repair / up
        assert closed_forms.wait_for_repair(2, 1, up, repair) == pytest.approx(2 * r**2 / ((2 + 2 * r) / up))

    def test_machine_repair_is_a_closed_network_too(self) -> None:
        """One customer alone goes round in the sum of the demands."""
        assert closed_forms.rounds_of_a_closed_network((1.0, 0.8), 1) == pytest.approx(1 / 1.8)

    def test_many_customers_wear_out_the_slowest_station(self) -> None:
        assert closed_forms.rounds_of_a_closed_network((1.0, 0.8), 200) == pytest.approx(1.0, rel=1e-6)

    def test_a_session_alone_waits_for_its_own_write(self) -> None:
        assert closed_forms.time_of_a_group_commit(1, 4.0, 1.5) == pytest.approx(1.5)

    def test_two_sessions_commit_together_half_the_time(self) -> None:
        """Two sessions that never think: each asks during the other's write and waits for two."""
        assert closed_forms.time_of_a_group_commit(2, 1e-9, 1.0) == pytest.approx(2.0, rel=1e-6)

    @pytest.mark.parametrize(
        "overloaded",
        [
            lambda: closed_forms.wait_with_servers(2.0, 1.0, 2),
            lambda: closed_forms.wait_with_any_service(1.0, 1.0, 2.0),
            lambda: closed_forms.times_with_preemption([(0.5, 1.0, 2.0), (0.5, 1.0, 2.0)]),
            lambda: closed_forms.waits_without_preemption([(0.5, 1.0, 2.0), (0.5, 1.0, 2.0)]),
        ],
    )
    def test_no_answer_without_an_equilibrium(self, overloaded) -> None:
        with pytest.raises(ValueError, match="grows without end"):
            overloaded()


def test_three_standard_errors() -> None:
    assert STANDARD_ERRORS == 3
    estimate = Estimate((1.0, 2.0, 3.0))
    assert estimate.standard_error == pytest.approx(1 / 3**0.5)
    assert estimate.agrees_with(2 + 2.99 / 3**0.5)
    assert not estimate.agrees_with(2 - 3.01 / 3**0.5)
