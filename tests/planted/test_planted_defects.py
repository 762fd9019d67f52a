"""The suite is not green by accident: a defect planted in a copy of the checkout turns the suite of that copy red, and says where."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import course
import nbformat
import pytest

from raclab.paths import ROOT

COPIED = ("lab", "data", "notebooks", "tests", "conftest.py", "pyproject.toml")
SUITE_S = 240
PRACTICE = "00_start_here.ipynb"
RUN_PRACTICE = ("tests/notebooks/test_notebooks_run.py", "-k", f"answers and seed_3_quick and {Path(PRACTICE).stem}")
RAISING = """

_drawn = StartHere.figure


def _planted(self, measurements):
    if measurements[-1].levers["jobs"] == 16:
        raise ValueError("planted in the figure")
    return _drawn(self, measurements)


StartHere.figure = _planted
"""


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A copy of the checkout, to be spoilt."""
    copy = tmp_path / "checkout"
    copy.mkdir()
    for name in COPIED:
        source = ROOT / name
        if source.is_dir():
            # With the compiled simulator, or each test would compile it anew.
            shutil.copytree(source, copy / name, ignore=shutil.ignore_patterns(".ipynb_checkpoints", "secrets"))
        else:
            shutil.copy2(source, copy / name)
    return copy


def _suite(checkout: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run these tests of that checkout, against its own package and data."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    environment["PYTHONPATH"] = str(checkout / "lab")
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-rf", "--tb=short", *arguments]
    return subprocess.run(command, cwd=checkout, env=environment, capture_output=True, text=True, timeout=SUITE_S, check=False)


def _failed(done: subprocess.CompletedProcess[str]) -> list[str]:
    """The tests that failed; the run must have ended as one with failures, not with a fault of its own."""
    assert done.returncode == pytest.ExitCode.TESTS_FAILED, done.stdout + done.stderr
    return re.findall(r"^FAILED ([^\n]*?)(?: - [^\n]*)?$", done.stdout, re.MULTILINE)


def _shorten(path: Path, *calls: str) -> int:
    """Leave only the notebook's first two code cells and those with one of these calls, to be quick; returns how many are left.

    The verdict is not the first to use the simulator: on a busy machine that one also says that it is being made ready.
    """
    notebook = course.read(path)
    cells = course.code_cells(notebook)
    notebook.cells = [*cells[:2], *(cell for cell in cells[2:] if any(call in cell.source for call in calls))]
    assert len(notebook.cells) == 2 + len(calls)
    nbformat.write(notebook, path)
    return len(notebook.cells)


def _plant_cell(path: Path, source: str) -> None:
    notebook = course.read(path)
    notebook.cells.append(nbformat.v4.new_code_cell(source))
    nbformat.write(notebook, path)


def _plant_wrong_figure(checkout: Path) -> None:
    figures = checkout / "data" / "nocache_sequences" / "tkprof_calls.csv"
    text = figures.read_text(encoding="utf-8")
    assert text.count("81.23") == 1
    figures.write_text(text.replace("81.23", "18.23"), encoding="utf-8")


def _plant_error_in_callback(checkout: Path) -> None:
    """The chart of the practice myth can't be drawn at one end of a lever."""
    module = checkout / "lab" / "raclab" / "myths" / "start_here.py"
    module.write_text(module.read_text(encoding="utf-8") + RAISING, encoding="utf-8")


def test_a_failing_cell_turns_the_notebook_tests_red(checkout: Path) -> None:
    path = checkout / "notebooks" / PRACTICE
    _shorten(path, "page.explore()")
    _plant_cell(path, "planted = 1 / 0")
    done = _suite(checkout, *RUN_PRACTICE)
    assert len(_failed(done)) == 1
    assert "planted = 1 / 0" in done.stdout
    assert "ZeroDivisionError: division by zero" in done.stdout


def test_a_failing_cell_turns_nbval_red(checkout: Path) -> None:
    path = checkout / "notebooks" / PRACTICE
    planted = _shorten(path, "page.explore()", "page.verdict()")
    _plant_cell(path, "planted = 1 / 0")
    assert _failed(_suite(checkout, "--nbval-lax", str(path))) == [f"notebooks/{PRACTICE}::Cell {planted}"]


def test_an_error_in_a_callback_turns_the_notebook_tests_red(checkout: Path) -> None:
    _shorten(checkout / "notebooks" / PRACTICE, "page.explore()")
    _plant_error_in_callback(checkout)
    done = _suite(checkout, *RUN_PRACTICE)
    assert len(_failed(done)) == 1
    assert "ValueError: planted in the figure" in done.stdout


@pytest.mark.browser
def test_an_error_in_a_callback_turns_the_browser_tests_red(checkout: Path) -> None:
    _shorten(checkout / "notebooks" / PRACTICE, "page.explore()", "page.progress()")
    _plant_error_in_callback(checkout)
    done = _suite(checkout, "tests/browser", "-k", f"test_each_lever_by_pointer and {Path(PRACTICE).stem}")
    assert len(_failed(done)) == 1
    assert "ValueError: planted in the figure" in done.stdout


def test_a_wrong_published_figure_turns_the_evidence_tests_red(checkout: Path) -> None:
    _plant_wrong_figure(checkout)
    assert any("test_file_is_as_published" in name for name in _failed(_suite(checkout, "tests/evidence")))


def test_a_wrong_published_figure_turns_the_verdict_red(checkout: Path) -> None:
    path = checkout / "notebooks" / "05_nocache_sequences.ipynb"
    verdict = _shorten(path, "page.explore()", "page.verdict()") - 1
    _plant_wrong_figure(checkout)
    done = _suite(checkout, "--nbval-lax", str(path))
    assert _failed(done) == [f"notebooks/{path.name}::Cell {verdict}"]
    assert "Cell outputs differ" in done.stdout


def test_a_changed_verdict_turns_nbval_red(checkout: Path) -> None:
    """What is stored is compared, cell by cell: without this nbval would pass whatever is shown."""
    path = checkout / "notebooks" / PRACTICE
    verdict = _shorten(path, "page.explore()", "page.verdict()") - 1
    text = path.read_text(encoding="utf-8")
    assert "20 s for 10 s of CPU" in text
    path.write_text(text.replace("20 s for 10 s of CPU", "21 s for 10 s of CPU"), encoding="utf-8")
    assert _failed(_suite(checkout, "--nbval-lax", str(path))) == [f"notebooks/{PRACTICE}::Cell {verdict}"]
