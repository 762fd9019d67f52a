"""What the benchmark times is the same model for everybody: equal to SimPy's to the last bit, and to cimba's in its means."""

import json
import subprocess
import sys
from dataclasses import replace

import pytest

from raclab.bench import cases, closed_forms
from raclab.bench.agreement import Agreement, mean_and_interval
from raclab.bench.cases import BETWEEN_S, SERVICE_S, Case
from raclab.cluster import sequences
from raclab.cluster.parameters import Hardware
from raclab.myths.nocache_sequences import costs

CASES = cases.all_cases(20)


@pytest.mark.parametrize("seed", [1, 2, 77])
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_the_kernel_computes_what_simpy_does(case: Case, seed: int) -> None:
    assert case.ours(seed)() == case.simpy(seed)()
    assert case.ours(seed)() != case.ours(seed + 1)()


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_figures_are_of_single_runs(case: Case) -> None:
    both, second = case.figures([1, 2]), case.figures([2])
    assert {name: values[1:] for name, values in both.items()} == second
    assert all(values[0] != values[1] for values in both.values())


def test_the_open_queue_is_an_m_m_1() -> None:
    """With 40,000 customers that it begins without any hardly matters."""
    (queue,) = (case for case in cases.all_cases() if case.name.startswith("M/M/1"))
    (times,) = queue.figures(range(1, 21)).values()
    exact = closed_forms.wait_with_servers(1 / BETWEEN_S, SERVICE_S, 1) + SERVICE_S
    assert Agreement("exact", (exact, exact), tuple(times)).holds


def test_cimba_computes_the_same_on_average() -> None:
    pytest.importorskip("cimba", reason="only `make bench` installs cimba")
    alone = """
import json
from raclab.bench.cases import all_cases, without_cimba

assert not without_cimba()
print(json.dumps({case.name: [case.cimba().simulate(1, 20), case.figures(range(1, 21))] for case in all_cases(20)}))
"""  # cimba has to be imported before numba compiles anything, which it has here
    done = subprocess.run([sys.executable, "-c", alone], capture_output=True, text=True, check=True)
    told = json.loads(done.stdout)
    assert list(told) == [case.name for case in CASES]
    for theirs, ours in told.values():
        assert ours.keys() == theirs.keys()
        for figure, values in ours.items():
            agreement = Agreement(figure, tuple(values), tuple(theirs[figure]))
            assert len(set(agreement.theirs)) == 20
            assert agreement.holds, f"{agreement.figure}: {agreement.standard_errors_off:+.1f} standard errors"


def test_cimba_has_no_other_sequence_case() -> None:
    pytest.importorskip("cimba", reason="only `make bench` installs cimba")
    from raclab.bench.cimba_sequence import Peer

    case = sequences.TestCase(costs(), Hardware())
    for other in (replace(case, nodes=3), replace(case, cache=20), replace(case, sessions=2), replace(case, start_gap_s=1.0)):
        with pytest.raises(ValueError, match="two nodes with a session each that start together, and NOCACHE"):
            Peer(other)


def test_means_that_are_close_agree_and_others_do_not() -> None:
    ours = (1.0, 2.0, 3.0)
    assert Agreement("time", ours, ours).standard_errors_off == 0
    near, far = (Agreement("time", ours, tuple(value + apart for value in ours)) for apart in (2.4, 2.5))
    assert near.holds  # the standard error of the difference is the root of 2/3
    assert not far.holds
    assert mean_and_interval(ours) == "2 (-0.48434 to 4.4843)"
