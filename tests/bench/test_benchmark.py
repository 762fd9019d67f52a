"""The benchmark runs, compares, and says so when something is amiss. Nothing here asserts how fast anything is."""

import re
import sys
from types import SimpleNamespace

import pytest

from raclab.bench import command, main, simpy_sequence, timing, validation
from raclab.bench.queues import one_core
from raclab.bench.timing import Duel, Spread
from raclab.errors import LabError


@pytest.fixture
def no_fresh_processes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(command, "in_fresh_processes", lambda program, times: [{"import": 0.1, "myth": 0.2, "call": 0.3}] * times)


def test_quick_runs_and_the_makespans_are_equal(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--quick"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert re.fullmatch(r".+, \d+ cores; Python 3\.\d+\.\d+, numpy [\d.]+, numba [\d.]+, simpy [\d.]+", lines[0])
    equal = [line for line in lines if line.endswith("equal in all 2 pairs")]
    assert [line.split(",")[0] for line in equal] == ["sequence", "queue for one core", "two priority classes"]
    assert all(
        re.search(r"[\d.,]+ ms \([\d.,]+ to [\d.,]+\) +[\d.,]+ ms \([\d.,]+ to [\d.,]+\) +[\d.,]+ x \([\d.,]+ to [\d.,]+\)", line)
        for line in equal
    )
    waits = [line for line in lines if " ms (" in line and line not in equal]
    assert [line.split("  ")[0] for line in waits] == [
        "8 seeds x 20,000 inserts",
        "one lever move: build, 8 seeds, frames",
        "of that, building the model",
        "fresh process: import raclab",
        "fresh process: then import of the myth (numba, pandas, plotly)",
        "fresh process: then its first call, 8 seeds",
    ]


@pytest.mark.usefixtures("no_fresh_processes")
def test_a_peer_that_disagrees_by_a_nanosecond_is_reported(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    simulate = simpy_sequence.simulate

    def wrong(*arguments: object) -> simpy_sequence.Outcome:
        outcome = simulate(*arguments)
        outcome.makespan += 1e-9
        return outcome

    monkeypatch.setattr(simpy_sequence, "simulate", wrong)
    assert main(["--quick", "--pairs", "1"]) == 1
    out = capsys.readouterr().out
    assert "DIFFERENT" in out
    assert "The kernel and SimPy disagree on: sequence, NOCACHE, 2 x 500 rows." in out


def test_help_tells_the_options(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["--help"])
    assert ended.value.code == 0
    out = capsys.readouterr().out
    assert all(option in out for option in ("--quick", "--pairs", "--validation"))


@pytest.mark.parametrize("pairs", ["0", "-1", "many", "1.5"])
def test_pairs_that_are_none(pairs: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main([f"--pairs={pairs}"])
    assert ended.value.code == 2
    assert f"'{pairs}' is no number of pairs; give 1 or more" in capsys.readouterr().err


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


def test_pairs_are_taken_in_turns_and_seeds_are_shared() -> None:
    called: list[tuple[str, int]] = []
    duel = timing.in_turns(lambda seed: called.append(("ours", seed)), lambda seed: called.append(("theirs", seed)), 3)
    assert called == [("ours", 0), ("ours", 1), ("theirs", 1), ("theirs", 2), ("ours", 2), ("ours", 3), ("theirs", 3)]
    assert len(duel.ours.values) == len(duel.theirs.values) == 3
    assert duel.equal


def test_ratios_are_of_pairs() -> None:
    duel = Duel(Spread((1.0, 2.0, 4.0)), Spread((50.0, 200.0, 100.0)), ((1, 1), (2, 2), (3, 4)))
    assert duel.ratio.values == (50.0, 100.0, 25.0)
    assert not duel.equal
    assert duel.ratio.text("x") == "50 x (25 to 100)"


def test_a_spread_in_words() -> None:
    spread = Spread((0.0042, 0.0039, 1.5))
    assert spread.median == 0.0042
    assert spread.text("ms", 1000) == "4.2 ms (3.9 to 1,500)"


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
