"""``python -m raclab``: help, exit codes, and what a learner sees when something is wrong."""

import os
import subprocess
import sys
from types import SimpleNamespace

import pytest

from raclab.cli import main

COMMANDS = ("doctor", "serve", "run", "bench", "compile", "oracle")


def test_help_lists_every_command(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as end:
        main(["--help"])
    listed = capsys.readouterr().out
    assert end.value.code == 0
    assert [command for command in COMMANDS if f"\n    {command} " not in listed] == []


@pytest.mark.parametrize("command", COMMANDS)
def test_each_command_has_help(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as end:
        main([command, "--help"])
    assert end.value.code == 0
    assert "usage:" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("action", "options", "handed_over"),
    [
        ("init", [], {"diagnostics_pack": False}),
        ("init", ["--diagnostics-pack"], {"diagnostics_pack": True}),
        ("drop", [], {"everything": False}),
        ("drop", ["--everything"], {"everything": True}),
    ],
)
def test_oracle_prints_what_was_done(
    action: str, options: list[str], handed_over: dict[str, bool], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(f"raclab.database.oracle_admin.{action}", lambda *_, **given: f"{action} with {given}")
    assert main(["oracle", action, *options]) == 0
    assert capsys.readouterr().out == f"{action} with {handed_over}\n"


@pytest.mark.parametrize(
    ("options", "readable", "runnable", "status"),
    [([], True, True, 0), ([], True, False, 1), (["--for-reading"], True, False, 0), (["--for-reading"], False, False, 1)],
)
def test_oracle_check_ends_with_what_is_missing(
    options: list[str], readable: bool, runnable: bool, status: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    found = SimpleNamespace(told="what was found", readable=readable, runnable=runnable)
    monkeypatch.setattr("raclab.database.oracle_admin.check", lambda dsn: found)
    assert main(["oracle", "check", *options]) == status
    assert capsys.readouterr().out == "what was found\n"


def test_oracle_without_a_database_says_what_to_set(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["oracle", "check"]) == 1
    assert "RACLAB_DSN is not set" in capsys.readouterr().err


def test_help_is_instant_because_it_imports_nothing_heavy() -> None:
    asked = "import sys, raclab.cli\ntry: raclab.cli.main(['doctor', '--help'])\nexcept SystemExit: pass\nprint(*sys.modules)"
    loaded = set(subprocess.run([sys.executable, "-c", asked], capture_output=True, text=True, check=True).stdout.split())
    assert loaded & {"numpy", "numba", "pandas", "plotly", "oracledb", "duckdb", "sqlglot", "papermill", "ipywidgets", "IPython"} == set()


@pytest.mark.parametrize("wrong", [[], ["dokter"], ["doctor", "--now"], ["oracle"], ["serve", "--port", "many"]])
def test_wrong_usage_is_exit_2_with_usage(wrong: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as end:
        main(wrong)
    assert end.value.code == 2
    assert "usage: python -m raclab" in capsys.readouterr().err


def test_an_error_for_the_learner_is_one_line_on_stderr_and_exit_1() -> None:
    done = subprocess.run([sys.executable, "-m", "raclab", "run", "nowhere.ipynb"], capture_output=True, text=True)
    assert done.returncode == 1
    assert done.stdout == ""
    assert done.stderr.startswith("There is no notebook nowhere.ipynb;")
    assert done.stderr.count("\n") == 1


def test_ctrl_c_is_one_line_and_exit_130(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def interrupted(*arguments: object) -> float:
        raise KeyboardInterrupt

    monkeypatch.setattr("raclab.sim.warm_up", interrupted)
    assert main(["compile"]) == 130
    assert capsys.readouterr().err == "Stopped.\n"


@pytest.mark.skipif(os.name == "nt", reason="a closed pipe is another error on Windows")
@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_a_closed_pipe_is_no_traceback(unbuffered: str) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    compiled = "import raclab.sim\nraclab.sim.warm_up = lambda tell: 1.0\nimport sys, raclab.cli\nsys.exit(raclab.cli.main(['compile']))"
    command = [sys.executable, "-c", compiled]
    environment = {**os.environ, "PYTHONUNBUFFERED": unbuffered}
    done = subprocess.run(command, env=environment, stdout=writing, stderr=subprocess.PIPE, text=True)
    os.close(writing)
    assert done.returncode == 1
    assert done.stderr == ""


def test_compile_says_how_long_it_took(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr("raclab.sim.warm_up", lambda tell: 1.26)
    assert main(["compile"]) == 0
    assert capsys.readouterr().out == "The simulator is ready after 1.3 s.\n"


def test_bench_hands_its_options_over(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[list[str]] = []

    def benchmark(options: list[str]) -> int:
        seen.append(options)
        return 3

    monkeypatch.setattr("raclab.bench.main", benchmark)
    assert main(["bench", "--rounds", "2"]) == 3
    assert seen == [["--rounds", "2"]]
