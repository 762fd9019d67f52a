"""The Makefile: what it lists, and what it says to a Python that is too old."""

import os
import re
import shutil
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from raclab.paths import ROOT

pytestmark = pytest.mark.skipif(os.name == "nt" or shutil.which("make") is None, reason="needs make; Windows does without")


def _make(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    outside = {name: value for name, value in os.environ.items() if not name.startswith(("MAKE", "MFLAGS"))}  # `make test` runs this
    return subprocess.run(["make", *arguments], cwd=folder, env=outside, capture_output=True, text=True)


@pytest.fixture
def fresh(tmp_path: Path) -> Path:
    """A folder with a space in its name, with the Makefile and no .venv."""
    folder = tmp_path / "my lab"
    folder.mkdir()
    for name in ("Makefile", "requirements.lock", "pyproject.toml", "lab/jupyter/default_setting_overrides.json"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, folder / name)
    return folder


def test_help_lists_all_commands_and_is_the_default(fresh: Path) -> None:
    done = _make(fresh)
    assert done.returncode == 0
    listed = re.findall(r"^  make (\w+) +(\w.*)$", done.stdout, re.MULTILINE)
    assert {"lab", "test", "bench", "lint", "format", "clean", "help"} <= {name for name, _ in listed}
    assert _make(fresh, "help").stdout == done.stdout
    assert not (fresh / ".venv").exists()


def _python_that_says(version: str, folder: Path) -> Path:
    program = folder / "python"
    program.write_text(f'#!/bin/sh\n[ "$1" = --version ] && echo "Python {version}" && exit 0\nexit 1\n')
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    return program


def test_an_old_python_is_refused_in_one_sentence(fresh: Path) -> None:
    old = _python_that_says("3.9.6", fresh)
    done = _make(fresh, "lab", f"PYTHON={old}")
    assert done.returncode != 0
    assert f"The lab needs Python 3.11 to 3.14, and '{old}' is Python 3.9.6." in done.stderr
    assert "make lab PYTHON=" in done.stderr
    assert not (fresh / ".venv").exists()


def test_no_python_is_told(fresh: Path) -> None:
    done = _make(fresh, "test", "PYTHON=no-such-python")
    assert done.returncode != 0
    assert "'no-such-python' is not there" in done.stderr


def test_supported_pythons_are_the_package_s() -> None:
    requires = re.search(r'requires-python = ">=3\.(\d+),<3\.(\d+)"', (ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    checked = re.search(r"\(3, (\d+)\) <= sys.version_info\[:2\] <= \(3, (\d+)\)", (ROOT / "Makefile").read_text(encoding="utf-8"))
    assert requires is not None
    assert checked is not None
    assert (int(requires[1]), int(requires[2]) - 1) == (int(checked[1]), int(checked[2]))


def test_lab_opens_the_first_notebook(fresh: Path) -> None:
    recipe = _make(fresh, "-n", "lab", "LAB_ARGS=--no-browser").stdout.splitlines()[-1]
    assert recipe.startswith(".venv/bin/jupyter lab notebooks/00_start_here.ipynb ")
    assert recipe.endswith(" --no-browser")
    assert (ROOT / "notebooks" / "00_start_here.ipynb").is_file()


def test_an_environment_of_another_place_is_made_anew(fresh: Path) -> None:
    (fresh / ".venv" / "bin").mkdir(parents=True)
    (fresh / ".venv" / "bin" / "python").symlink_to(sys.executable)
    for made in (".venv/bin/uv", ".venv/.ready"):
        (fresh / made).touch()
    (fresh / ".venv" / ".place").write_text(f"{fresh}\n")
    assert "-m venv" not in _make(fresh, "-n", ".venv/bin/uv").stdout
    (fresh / ".venv" / ".place").write_text("/another/place\n")
    assert "-m venv" in _make(fresh, "-n", ".venv/bin/uv").stdout


@pytest.mark.parametrize("there", [True, False])
def test_the_benchmark_goes_on_without_what_it_compares_with(fresh: Path, there: bool) -> None:
    """Everything is installed but bench.lock; uv and pip are scripts that succeed, or fail as they do without a network."""
    tools = fresh / ".venv" / "bin"
    tools.mkdir(parents=True)
    shutil.copy(ROOT / "bench.lock", fresh)
    for name, script in {"uv": f"exit {int(not there)}", "python": f'[ "$2" = raclab ] && echo "ran $*"; exit {int(not there)}'}.items():
        (tools / name).write_text(f"#!/bin/sh\n{script}\n")
        (tools / name).chmod(0o755)
    (tools / "pip").symlink_to("python")
    make = _make(fresh, "bench", "--assume-old=.venv/.ready", "--assume-old=.venv/bin/uv", "BENCH_ARGS=--quick")
    assert "ran -m raclab bench --quick" in make.stdout
    assert ("the benchmark goes on without cimba" in make.stderr) is not there
    assert (fresh / ".venv" / ".bench").exists() is there


def test_clean_leaves_nothing_of_its_own(fresh: Path) -> None:
    made = (".venv/bin", ".ruff_cache", "lab/raclab/__pycache__", "notebooks/.ipynb_checkpoints")
    for folder in (*made, "tests"):
        (fresh / folder).mkdir(parents=True)
    (fresh / "notebooks" / "00.ipynb").touch()
    assert _make(fresh, "clean").returncode == 0
    assert [folder for folder in made if (fresh / folder).exists()] == []
    assert (fresh / "notebooks" / "00.ipynb").exists()
