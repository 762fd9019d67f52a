"""conftest.py keeps tests from the learner's folder, from RACLAB_DSN and from the network; and skips or insists."""

import os
import shutil
import socket
import subprocess
import sys
from pathlib import Path

import platformdirs
import pytest

from raclab.paths import ROOT, data_folder, learner_folder


def test_the_learner_s_own_folder_is_out_of_reach(tmp_path: Path) -> None:
    assert learner_folder() == tmp_path / "learner"
    assert data_folder() == ROOT / "data"
    assert not Path(os.environ["JUPYTER_CONFIG_DIR"]).is_relative_to(Path(platformdirs.user_data_dir()))


@pytest.mark.parametrize("address", [("192.0.2.1", 443), ("2001:db8::1", 443, 0, 0)])
def test_nothing_beyond_loopback_is_connected_to(address: tuple[str, int]) -> None:
    family = socket.AF_INET6 if ":" in address[0] else socket.AF_INET
    with socket.socket(family) as connection, pytest.raises(PermissionError, match="loopback only"):
        connection.connect(address)


def test_loopback_is_connected_to() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server, socket.create_connection(server.getsockname(), timeout=5):
        pass


INNER = """
import os, sys
import pytest

def test_plain():
    assert "RACLAB_DSN" not in os.environ
    assert "RACLAB_PASSWORD" not in os.environ

@pytest.mark.oracle
def test_oracle():
    assert os.environ["RACLAB_DSN"] == "192.0.2.1/X"
    assert os.environ["RACLAB_PASSWORD"] == "tiger"
    sys.audit("socket.connect", None, ("192.0.2.1", 1521))  # what Python does before it connects

def test_plain_after_oracle():
    assert "RACLAB_DSN" not in os.environ
    with pytest.raises(PermissionError):
        sys.audit("socket.connect", None, ("192.0.2.1", 1521))

@pytest.mark.browser
def test_browser(browser_path):
    assert browser_path.name == "my-chromium"
"""


def _pytest(folder: Path, *arguments: str, **environment: str) -> str:
    """Run INNER with the project's conftest.py, with no browser but those that ``environment`` names; the summary's lines."""
    for name in ("conftest.py", "pyproject.toml"):
        shutil.copy(ROOT / name, folder)
    (folder / "tests").mkdir(exist_ok=True)
    (folder / "tests" / "test_inner.py").write_text(INNER)
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("RACLAB_", "UNDER_TEST_", "PYTEST_"))}
    hide = "import raclab.cli.browser as b; b._COMMANDS = b._PLACES = ()\nimport sys, pytest\nsys.exit(pytest.main(sys.argv[1:]))"
    command = [sys.executable, "-c", hide, "-rsfE", "-p", "no:cacheprovider", "-p", "xdist.plugin", "-p", "pytest_timeout", *arguments]
    without_plugins = {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}  # quicker by seconds
    return subprocess.run(command, cwd=folder, env={**kept, **without_plugins, **environment}, capture_output=True, text=True).stdout


def test_without_oracle_and_browser_their_tests_are_skipped_with_the_reason(tmp_path: Path) -> None:
    said = _pytest(tmp_path)
    assert "2 passed, 2 skipped" in said
    assert "set RACLAB_DSN" in said
    assert "apt install chromium" in said


def test_who_insists_gets_failures(tmp_path: Path) -> None:
    said = _pytest(tmp_path, RACLAB_INSIST_BROWSER="1", RACLAB_INSIST_ORACLE="1")
    assert "RACLAB_INSIST_BROWSER is set, and this test was skipped. Skipped: no Chromium or Chrome is found" in said
    assert "RACLAB_INSIST_ORACLE is set, and this test was skipped. Skipped: needs a real Oracle" in said
    assert "2 passed, 2 errors" in said


@pytest.mark.skipif(os.name == "nt", reason="makes a program of a shell script")
def test_with_both_they_run_and_only_oracle_tests_see_the_database(tmp_path: Path) -> None:
    chromium = tmp_path / "my-chromium"
    chromium.write_text("#!/bin/sh\n")
    chromium.chmod(0o755)
    said = _pytest(tmp_path, "-n", "1", RACLAB_BROWSER=str(chromium), RACLAB_DSN="192.0.2.1/X", RACLAB_PASSWORD="tiger")
    assert "4 passed" in said, said
