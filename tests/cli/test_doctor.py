"""``python -m raclab doctor``: each check on a good machine and on a broken one."""

import importlib.metadata
import shutil
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from raclab.cli import browser, check_database, check_install, check_machine, doctor, main
from raclab.cli.finding import Finding, Verdict, ok, warn
from raclab.database.serve import ServedCluster
from raclab.errors import LabError
from raclab.paths import ROOT


def test_all_is_well_here() -> None:
    done = subprocess.run([sys.executable, "-m", "raclab", "doctor"], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    lines = done.stdout.splitlines()
    assert lines[-1].startswith("10 checks: 0 failed")
    assert all(line.startswith(("OK", "WARN", "   ")) for line in lines[:-2])
    assert done.stderr == ""


def _run_with(monkeypatch: pytest.MonkeyPatch, *checks: object) -> int:
    monkeypatch.setattr(doctor, "checks", lambda: [(f"Check {number}", check) for number, check in enumerate(checks, 1)])
    return main(["doctor"])


def test_a_warning_is_no_failure_and_says_what_to_do(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    assert _run_with(monkeypatch, lambda: ok("fine"), lambda: warn("slow", "wait")) == 0
    assert capsys.readouterr().out.splitlines() == [
        "OK    Check 1           fine",
        "WARN  Check 2           slow",
        "                        -> wait",
        "",
        "2 checks: 0 failed, 1 with a warning.",
    ]


def test_an_error_in_one_check_does_not_keep_the_others_from_being_made(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def for_the_learner() -> Finding:
        raise LabError("It is off; switch it on.")

    def unforeseen() -> Finding:
        raise ZeroDivisionError("division by zero")

    assert _run_with(monkeypatch, for_the_learner, unforeseen, lambda: ok("fine")) == 1
    said = capsys.readouterr().out
    assert "FAIL  Check 1           It is off; switch it on." in said
    assert "FAIL  Check 2           ZeroDivisionError: division by zero" in said
    assert "OK    Check 3           fine" in said
    assert "3 checks: 2 failed" in said


def test_no_password_is_printed(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("RACLAB_PASSWORD", "tiger-77")
    monkeypatch.setenv("RACLAB_WALLET_PASSWORD", "lion-88")
    _run_with(monkeypatch, lambda: warn("scott/tiger-77 refused", "try lion-88"))
    said = capsys.readouterr().out
    assert "scott/**** refused" in said
    assert "try ****" in said
    assert "77" not in said
    assert "88" not in said


def test_python_that_the_package_does_not_support(monkeypatch: pytest.MonkeyPatch) -> None:
    assert check_install.python().verdict is Verdict.OK
    monkeypatch.setattr(sys, "version", "3.10.2 (main)")
    finding = check_install.python()
    assert finding.verdict is Verdict.FAIL
    assert "3.10.2" in finding.found
    assert "3.11" in finding.found


def test_lock_is_read_for_this_platform_only(tmp_path: Path) -> None:
    lock = tmp_path / "lock"
    lock.write_text(
        "# made by hand\n"
        "here==1.2 \\\n    --hash=sha256:00\n    # via other\n"
        "Dotted.Name==3.0 ; python_full_version >= '3.11' \\\n    --hash=sha256:00\n"
        "elsewhere==4.0 ; sys_platform == 'nowhere' \\\n    --hash=sha256:00\n"
    )
    assert list(check_install.pins(lock)) == [("here", "1.2"), ("dotted-name", "3.0")]


def test_packages_as_locked() -> None:
    assert check_install.packages().verdict is Verdict.OK


def test_a_package_that_is_not_as_locked_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    lock = tmp_path / "lock"
    lock.write_text("numpy==1.0 \\\n    --hash=sha256:00\nnot-installed==1.0 \\\n    --hash=sha256:00\n")
    monkeypatch.setattr(check_install, "LOCK", lock)
    finding = check_install.packages()
    assert finding.verdict is Verdict.WARN
    assert f"numpy {importlib.metadata.version('numpy')} for 1.0" in finding.found
    assert "not-installed" not in finding.found


def test_a_missing_or_old_requirement_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    needed = ["no-such-package>=2", "numpy>=99", "pandas", "nowhere; sys_platform == 'nowhere'"]
    monkeypatch.setattr(importlib.metadata, "requires", lambda name: needed)
    finding = check_install.packages()
    assert finding.verdict is Verdict.FAIL
    assert finding.found == "missing or too old or too new: no-such-package>=2, numpy>=99"


def test_a_kernel_that_was_not_compiled_beforehand_is_a_warning(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("raclab.sim.warm_up", lambda: 6.04)
    finding = check_install.simulator()
    assert finding.verdict is Verdict.WARN
    assert "6.0 s" in finding.found
    assert "NUMBA_CACHE_DIR" in finding.do


def test_a_switched_off_compiler_is_a_warning(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NUMBA_DISABLE_JIT", "1")
    assert check_install.simulator() == warn("NUMBA_DISABLE_JIT is set, so every run takes minutes", "unset NUMBA_DISABLE_JIT")


def test_a_notebook_kernel_of_another_python_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(check_install, "_prefix", lambda: "/another/python")
    finding = check_install.notebook_kernel()
    assert finding.verdict is Verdict.FAIL
    assert "/another/python" in finding.found
    assert sys.prefix in finding.found


def test_answers_are_counted(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    from raclab.ui.store import Store

    folder = tmp_path / "mine"
    monkeypatch.setenv("RACLAB_HOME", str(folder))
    Store(folder).record("nocache_sequences", "predictions", "elapsed", {"choice": "longer"})
    assert check_machine.answers() == ok(f"1 saved in {folder}")


def test_a_folder_that_cannot_be_written_fails(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("RACLAB_HOME", str(tmp_path / "file" / "folder"))  # root too can't make a folder in a file
    finding = check_machine.answers()
    assert finding.verdict is Verdict.FAIL
    assert "RACLAB_HOME" in finding.do


def test_damaged_answers_are_a_warning(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("RACLAB_HOME", str(tmp_path))
    (tmp_path / "progress.json").write_text('{"schema": 1, "my')
    assert check_machine.answers().verdict is Verdict.WARN


def test_published_data_are_valid() -> None:
    finding = check_machine.published_data()
    assert finding.verdict is Verdict.OK
    assert "nocache_sequences" in finding.found


def test_no_published_data_fails(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("RACLAB_DATA", str(tmp_path))
    assert check_machine.published_data().verdict is Verdict.FAIL


def test_a_damaged_figure_fails_and_names_the_file(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shutil.copytree(ROOT / "data", tmp_path / "data")
    damaged = tmp_path / "data" / "nocache_sequences" / "tkprof_waits.csv"
    damaged.write_text(damaged.read_text(encoding="utf-8").replace("62.86", "6x.86"), encoding="utf-8")
    monkeypatch.setenv("RACLAB_DATA", str(tmp_path / "data"))
    assert _run_with(monkeypatch, check_machine.published_data) == 1
    assert "tkprof_waits.csv, line " in capsys.readouterr().out


def test_loopback_works_and_taken_ports_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        monkeypatch.setattr(check_machine, "LISTENER_PORT", server.getsockname()[1])
        finding = check_machine.ports()
    assert finding.verdict is Verdict.OK
    assert f"{check_machine.LISTENER_PORT} is taken, serve needs --port" in finding.found


def test_a_machine_that_does_not_know_localhost_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    def unknown(*arguments: object) -> None:
        raise socket.gaierror("Name or service not known")

    monkeypatch.setattr(socket, "getaddrinfo", unknown)
    monkeypatch.setattr(socket, "create_connection", lambda *arguments, **options: socket.socket())
    finding = check_machine.ports()
    assert finding.verdict is Verdict.FAIL
    assert "hosts file" in finding.do


def test_blocked_loopback_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    def blocked(*arguments: object, **options: object) -> None:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(socket, "create_connection", blocked)
    finding = check_machine.ports()
    assert finding.verdict is Verdict.FAIL
    assert "Operation not permitted" in finding.found


def test_no_browser_is_a_warning(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("RACLAB_BROWSER", raising=False)
    monkeypatch.setattr(browser.shutil, "which", lambda name: None)
    monkeypatch.setattr(browser, "_PLACES", ())
    monkeypatch.setattr(check_machine.webbrowser, "get", _no_browser)
    finding = check_machine.browser()
    assert finding.verdict is Verdict.WARN
    assert "Install Chromium or Chrome" in finding.do


def _no_browser() -> None:
    import webbrowser

    raise webbrowser.Error("could not locate runnable browser")


def test_a_browser_named_wrongly_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RACLAB_BROWSER", "/nowhere/chrome")
    with pytest.raises(LabError, match="RACLAB_BROWSER is /nowhere/chrome"):
        check_machine.browser()


def test_a_browser_named_rightly_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RACLAB_BROWSER", sys.executable)
    assert browser.chromium() == Path(sys.executable)


def test_without_dsn_oracle_is_not_asked() -> None:
    finding = check_database.oracle()
    assert finding.verdict is Verdict.OK
    assert "RACLAB_DSN is not set" in finding.found


def test_an_oracle_that_does_not_listen_fails_in_one_sentence_without_the_password(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with socket.socket() as taken:  # and so nobody else's, but without a listener
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
        for name, value in (("DSN", f"127.0.0.1:{port}/FREEPDB1"), ("USER", "scott"), ("PASSWORD", "tiger-77")):
            monkeypatch.setenv(f"RACLAB_{name}", value)
        assert _run_with(monkeypatch, check_database.oracle) == 1
    said = capsys.readouterr().out
    assert f"127.0.0.1:{port}" in said
    assert "tiger-77" not in said
    assert said.startswith("FAIL  Check 1")
    assert "Error:" not in said


@pytest.mark.parametrize(("owned", "verdict", "found"), [("", Verdict.OK, "for reading only"), ("PROD", Verdict.WARN, "no live runs")])
def test_a_database_that_answers(owned: str, verdict: Verdict, found: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RACLAB_I_OWN_THIS_DATABASE", owned)
    with ServedCluster(port=0, password="for-the-class") as served:
        for name, value in (("DSN", served.dsn), ("USER", "lab"), ("PASSWORD", "for-the-class")):
            monkeypatch.setenv(f"RACLAB_{name}", value)
        finding = check_database.oracle()
    assert finding.verdict is verdict
    assert f"{served.dsn} answers" in finding.found
    assert found in finding.found


def test_the_simulated_cluster_answers() -> None:
    finding = check_database.simulated_cluster()
    assert finding.verdict is Verdict.OK
    assert "2" in finding.found
