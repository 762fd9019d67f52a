"""The benchmark runs, compares, and says so when something is amiss. Nothing here asserts how fast anything is."""

import contextlib
import io
import json
import re
import sys
from collections.abc import Callable, Sequence
from types import SimpleNamespace
from typing import Any

import pytest

from raclab.bench import cases, command, database, main, report, scale, simpy_sequence, timing, validation
from raclab.bench.cases import Case, Figures
from raclab.bench.queues import one_core
from raclab.bench.timing import Race, Spread
from raclab.errors import LabError

NAMES = ["M/M/1, 2,000 customers", "sequence, NOCACHE, 2 x 500 rows", "two priority classes, 2,000 bursts"]
TIMES = r"[\d.,]+ ms +[\d.,]+ to [\d.,]+ +"


@pytest.fixture
def in_this_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is timed in fresh processes runs here, so that this takes no longer than it must."""

    def run(program: str, times: int) -> list[dict[str, float]]:
        told = io.StringIO()
        with contextlib.redirect_stdout(told):
            exec(program, {})
        return [json.loads(told.getvalue())] * times

    for module in (command, scale, database):
        monkeypatch.setattr(module, "in_fresh_processes", run)


@pytest.fixture
def only_the_races(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scale, "CASES", {})
    monkeypatch.setattr(command, "_lever_move", lambda rounds: {})
    monkeypatch.setattr(command, "_time_database", lambda rounds, quick: None)
    monkeypatch.setattr(command, "in_fresh_processes", lambda program, times: [{"import": 0.1, "myth": 0.2, "call": 0.3}] * times)


@pytest.fixture
def no_cimba(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "cimba", None)
    for name in [name for name in sys.modules if name.startswith("raclab.bench.cimba_")]:
        monkeypatch.delitem(sys.modules, name)


def stands_in_for_cimba(monkeypatch: pytest.MonkeyPatch, change: Callable[[float], float]) -> None:
    """For cimba's peers: the kernel itself with other seeds, and its figures changed."""

    def changed(figures: Callable[[Sequence[int]], Figures]) -> Any:
        def simulate(seed: int, replications: int = 1) -> Figures:
            return {name: [*map(change, values)] for name, values in figures(range(1_000 + seed, 1_000 + seed + replications)).items()}

        return SimpleNamespace(simulate=simulate)

    def all_cases(size: int) -> list[Case]:
        return [Case(one.name, one.ours, one.simpy, one.figures, lambda one=one: changed(one.figures)) for one in cases.all_cases(size)]  # type: ignore[misc]

    monkeypatch.setattr(command, "all_cases", all_cases)
    monkeypatch.setattr(command, "without_cimba", lambda: "")


@pytest.mark.usefixtures("in_this_process", "no_cimba")
def test_quick_runs_without_cimba_and_the_makespans_are_equal(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    timed: list[tuple[int, bool]] = []
    monkeypatch.setattr(command, "_time_database", lambda rounds, quick: timed.append((rounds, quick)))
    assert main(["--quick"]) == 0
    lines = capsys.readouterr().out.splitlines()
    machine = r".+, \d+ cores(, load [\d.]+)?; Python 3\.\d+\.\d+, numpy [\d.]+, numba [\d.]+, simpy [\d.]+, (no cimba|cimba [\d.]+)"
    assert re.fullmatch(machine, lines[0])
    assert "bench.lock" in lines[3]
    kernel = [line for line in lines if re.search(rf"  kernel +{TIMES}1$", line)]
    simpy = [
        line for line in lines if re.search(rf"  SimPy +{TIMES}[\d.,]+ +[\d.,]+ to [\d.,]+ +>= 100 +- +the same in all 2 rounds$", line)
    ]
    assert [[line.split("  ")[0] for line in part] for part in (kernel, simpy)] == [NAMES, NAMES]
    assert not any(re.search("  cimba  |standard errors", line) for line in lines)
    large = [line for line in lines if line.startswith(("sequence  ", "batch  "))]
    of_each = ["build, run and frames", "of that, build", "of that, run", "of that, frames", "peak memory of the process", "events",
               "CPU an event, 8 nodes", "CPU an event, 2 nodes", "8 nodes over 2, pair by pair"]  # fmt: skip
    if sys.platform == "win32":
        of_each.remove("peak memory of the process")
    assert [re.split("  +", line)[1] for line in large] == 2 * of_each
    waits = [line for line in lines if line.startswith(("8 seeds", "one lever move", "of that, building", "fresh process"))]
    assert [line.split("  ")[0] for line in waits] == [
        "8 seeds x 20,000 inserts",
        "one lever move: build, 8 seeds, frames",
        "of that, building the model",
        "fresh process: import raclab",
        "fresh process: then import of the myth (numba, pandas, plotly)",
        "fresh process: then its first call, 8 seeds",
    ]
    assert timed == [(2, True)]


@pytest.mark.usefixtures("in_this_process")
def test_the_lab_database_is_timed_beside_a_trivial_statement(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--database", "--quick", "--rounds", "1"]) == 0
    out = capsys.readouterr().out
    figure = r"[\d.,]+"
    spread = rf"{figure} ms \({figure} to {figure}\) +{figure} x \({figure} to {figure}\)"
    fresh = ["import raclab and connect", "then its first statement", "later its first INSERT"]
    assert re.findall(rf"^fresh process: (.+?)  +{spread}$", out, re.MULTILINE) == fresh
    assert len(re.findall(rf"^a further client connects +{spread} +< 20 ms +-$", out, re.MULTILINE)) == 1
    assert re.findall(rf"^loading (\w+) +{spread} +< 100 ms +-$", out, re.MULTILINE) == ["start_here"]
    asked = [("the first time", "150"), ("once seen", "50")]
    shares = rf"{figure} ms +{figure} ms +{figure} ms"
    assert re.findall(rf"^(the first time|once seen) +{shares} +< (\d+) ms +-$", out, re.MULTILINE) == asked
    assert len(re.findall(rf"^{figure} ms +{figure} x +{figure} ms +(?i:select|with) ", out, re.MULTILINE)) == report.SLOWEST


def test_the_statements_are_those_of_the_tests() -> None:
    texts = database.statements()
    assert len(texts) == len(set(texts)) >= 190
    assert texts[1].splitlines()[0] == "select inst_id, event, round(time_waited_micro/1000000,2) secs"
    assert not any("=>" in text or "=~" in text or text.startswith("#") for text in texts)


@pytest.mark.parametrize(("share", "value"), [(0.01, 1), (0.5, 3), (0.61, 4), (0.8, 4), (0.95, 5), (1.0, 5)])
def test_a_share_of_values_is_below(share: float, value: float) -> None:
    assert database.below(share, [5, 1, 4, 2, 3]) == value


@pytest.mark.usefixtures("only_the_races")
@pytest.mark.parametrize(("factor", "code"), [(1.0, 0), (3.0, 1)])
def test_means_are_compared_with_those_of_cimba(
    factor: float, code: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    stands_in_for_cimba(monkeypatch, lambda value: factor * value)
    assert main(["--quick", "--rounds", "1"]) == code
    out = capsys.readouterr().out
    raced = re.findall(rf"^(.+?)  +cimba +{TIMES}[\d.,]+ +[\d.,]+ to [\d.,]+ +>= 4 +- +(.+)$", out, re.MULTILINE)
    assert raced == [(name, "DIFFERENT" if code else "the same on average") for name in NAMES]
    interval = r"[\d.]+ \([\d.]+ to [\d.]+\)"
    compared = re.findall(rf"^.+?  +(\S.+ \(s\)) +{interval} +{interval} +[+-][\d.]+ +(yes|NO)", out, re.MULTILINE)
    figures = ["time in the system (s)", "makespan (s)", "row cache lock (s)", "burst of the better class (s)", "burst of the other (s)"]
    assert [name.strip() for name, _ in compared] == figures
    assert {verdict for _, verdict in compared} == {"NO" if code else "yes"}
    assert ("The kernel's means and cimba's are too far apart: M/M/1" in out) == bool(code)


@pytest.mark.usefixtures("only_the_races", "no_cimba")
def test_a_peer_that_disagrees_by_a_nanosecond_is_reported(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    simulate = simpy_sequence.simulate

    def wrong(*arguments: object) -> simpy_sequence.Outcome:
        outcome = simulate(*arguments)
        outcome.makespan += 1e-9
        return outcome

    monkeypatch.setattr(simpy_sequence, "simulate", wrong)
    assert main(["--quick", "--rounds", "1"]) == 1
    out = capsys.readouterr().out
    assert "DIFFERENT" in out
    assert "The kernel and SimPy disagree on: sequence, NOCACHE, 2 x 500 rows." in out


def test_help_tells_the_options(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["--help"])
    assert ended.value.code == 0
    out = capsys.readouterr().out
    assert all(option in out for option in ("--quick", "--rounds", "--validation"))


@pytest.mark.parametrize("rounds", ["0", "-1", "many", "1.5"])
def test_rounds_that_are_none(rounds: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main([f"--rounds={rounds}"])
    assert ended.value.code == 2
    assert f"'{rounds}' is no number of rounds; give 1 or more" in capsys.readouterr().err


def test_without_simpy_it_says_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "simpy", None)
    for name in [name for name in sys.modules if name.startswith("raclab.bench.simpy_")]:
        monkeypatch.delitem(sys.modules, name)
        monkeypatch.delattr(sys.modules["raclab.bench"], name.rpartition(".")[2], raising=False)
    with pytest.raises(LabError, match=r"SimPy, which is not installed; install it with: pip install simpy$"):
        main(["--quick"])


def test_the_validation_table(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(validation, "all_queues", lambda: [one_core()])
    assert main(["--validation"]) == 0
    begin, head, rule, row, end = capsys.readouterr().out.splitlines()
    assert (begin, end) == (validation.BEGIN, validation.END)
    assert head.count("|") == rule.count("|") == row.count("|")
    assert row.startswith("| M/M/1: one core | wait for CPU (s) | Erlang C")


def test_turns_are_taken_and_seeds_are_shared() -> None:
    called: list[tuple[str, int]] = []

    def noted(name: str) -> Callable[[int], Callable[[], int]]:
        def call(seed: int) -> Callable[[], int]:
            called.append((name, seed))
            return lambda: seed

        return call

    race = timing.in_turns({name: noted(name) for name in "abc"}, 4)
    rounds = [("abc", 1), ("bca", 2), ("cab", 3), ("abc", 4)]
    assert called == [("a", 0)] + [(name, seed) for names, seed in rounds for name in names]
    assert {name: len(spread.values) for name, spread in race.times.items()} == {"a": 4, "b": 4, "c": 4}
    assert race.answers["b"] == (1, 2, 3, 4)
    assert race.equal("a", "c")


def test_ratios_are_of_rounds() -> None:
    race = Race({"ours": Spread((1.0, 2.0, 4.0)), "theirs": Spread((50.0, 200.0, 100.0))}, {"ours": (1, 2, 3), "theirs": (1, 2, 4)})
    assert race.ratio("theirs", "ours").values == (50.0, 100.0, 25.0)
    assert not race.equal("ours", "theirs")
    assert race.ratio("theirs", "ours").text("x") == "50 x (25 to 100)"


def test_a_spread_in_words() -> None:
    spread = Spread((0.0042, 0.0039, 1.5))
    assert spread.median == 0.0042
    assert spread.text("ms", 1000) == "4.2 ms (3.9 to 1,500)"
    assert spread.range(1000) == "3.9 to 1,500"


def test_the_first_call_does_not_count() -> None:
    calls = SimpleNamespace(made=0)

    def call() -> None:
        calls.made += 1

    assert len(timing.repeated(call, 4).values) == 4
    assert calls.made == 5


def test_a_fresh_process_gives_its_figures() -> None:
    program = 'import json, sys; print("talk"); print(json.dumps({"raclab": float("raclab" in sys.modules)}))'
    assert timing.in_fresh_processes(program, 2) == [{"raclab": 0.0}] * 2


def test_a_fresh_process_that_fails() -> None:
    with pytest.raises(LabError, match=r"^A fresh Python process, started to be timed, failed: ValueError: too hot$"):
        timing.in_fresh_processes("raise ValueError('too hot')", 1)
