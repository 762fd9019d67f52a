"""The suite is not green by accident: defects planted in a copy of the checkout turn the suite of that copy red, each where it is."""

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
PRACTICE, MYTH = "notebooks/00_start_here.ipynb", "notebooks/05_nocache_sequences.ipynb"
FIGURES = "tests/evidence/test_nocache_sequences_figures.py"
RUN_PRACTICE, RUN_MYTH = (
    f"tests/notebooks/test_notebooks_run.py::test_runs_and_every_lever_and_button_answers[seed_3_quick-{Path(path).stem}]"
    for path in (PRACTICE, MYTH)
)
DRAG = f"tests/browser/test_in_jupyterlab.py::test_each_lever_by_pointer[{Path(PRACTICE).stem}]"
RAISING = """

_drawn = StartHere.figure


def _planted(self, measurements):
    if measurements[-1].levers["jobs"] == 16:
        raise ValueError("planted in the figure")
    return _drawn(self, measurements)


StartHere.figure = _planted
"""


@pytest.fixture(scope="module")
def spoilt(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the checkout with four defects, each where no other one is tested: both notebooks shortened, to be quick."""
    copy = tmp_path_factory.mktemp("planted") / "checkout"
    copy.mkdir()
    for name in COPIED:
        source = ROOT / name
        if source.is_dir():
            # With the compiled simulator, or it would be compiled anew; without what another test's program is about to write and rename.
            shutil.copytree(source, copy / name, ignore=shutil.ignore_patterns(".ipynb_checkpoints", "secrets", "*.pyc.*"))
        else:
            shutil.copy2(source, copy / name)
    _shorten(copy / PRACTICE, "page.explore()", "page.verdict()", "page.progress()")
    _plant_changed_verdict(copy / PRACTICE)
    _plant_error_in_callback(copy / "lab" / "raclab" / "myths" / "start_here.py")
    _shorten(copy / MYTH, "page.explore()", "page.verdict()")
    _plant_wrong_figure(copy / "data" / "nocache_sequences" / "tkprof_calls.csv")
    _plant_failing_cell(copy / MYTH)
    return copy


def _shorten(path: Path, *calls: str) -> None:
    """Leave only the notebook's first two code cells and those with one of these calls.

    The verdict is not the first to use the simulator: on a busy machine that one also says that it is being made ready.
    """
    notebook = course.read(path)
    cells = course.code_cells(notebook)
    notebook.cells = [*cells[:2], *(cell for cell in cells[2:] if any(call in cell.source for call in calls))]
    assert len(notebook.cells) == 2 + len(calls)
    nbformat.write(notebook, path)


def _plant_changed_verdict(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert "20 s for 10 s of CPU" in text
    path.write_text(text.replace("20 s for 10 s of CPU", "21 s for 10 s of CPU"), encoding="utf-8")


def _plant_error_in_callback(module: Path) -> None:
    """The chart of the practice myth can't be drawn at one end of a lever."""
    module.write_text(module.read_text(encoding="utf-8") + RAISING, encoding="utf-8")


def _plant_wrong_figure(figures: Path) -> None:
    text = figures.read_text(encoding="utf-8")
    assert text.count("81.23") == 1
    figures.write_text(text.replace("81.23", "18.23"), encoding="utf-8")


def _plant_failing_cell(path: Path) -> None:
    notebook = course.read(path)
    notebook.cells.append(nbformat.v4.new_code_cell("planted = 1 / 0"))
    nbformat.write(notebook, path)


def _red(checkout: Path, *arguments: str) -> dict[str, str]:
    """Run these tests of that checkout, against its own package and data: what is reported of each that failed, by its name."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    environment["PYTHONPATH"] = str(checkout / "lab")
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-rf", "--tb=short", *arguments]
    done = subprocess.run(command, cwd=checkout, env=environment, capture_output=True, text=True, timeout=SUITE_S, check=False)
    # It must have ended as a run with failures, not with a fault of its own.
    assert done.returncode == pytest.ExitCode.TESTS_FAILED, done.stdout + done.stderr
    failures, summary = done.stdout.partition("= FAILURES =")[2].split("short test summary info")
    _, *reported = re.split(r"^_+ ([^_\s].*) _+$", failures, flags=re.MULTILINE)
    titles, texts = reported[::2], reported[1::2]
    names = re.findall(r"^FAILED ([^\n]*?)(?: - [^\n]*)?$", summary, re.MULTILINE)
    assert [name.removeprefix(f"{name.partition('::')[0]}::") for name in names] == [title.split("::")[-1] for title in titles]
    return dict(zip(names, texts, strict=True))


@pytest.fixture(scope="module")
def red(spoilt: Path) -> dict[str, str]:
    """What is red of both notebooks, under nbval and in the tests that run them, and of the figures that one of them is about."""
    return _red(spoilt, "--nbval-lax", PRACTICE, MYTH, RUN_PRACTICE, RUN_MYTH, FIGURES)


def _verdict(spoilt: Path, path: str) -> str:
    """What nbval calls the notebook's cell with the verdict."""
    (number,) = (number for number, cell in enumerate(course.read(spoilt / path).cells) if "page.verdict()" in cell.source)
    return f"{path}::Cell {number}"


def _planted_cell(spoilt: Path) -> str:
    return f"{MYTH}::Cell {len(course.read(spoilt / MYTH).cells) - 1}"


def test_nothing_else_is_red(spoilt: Path, red: dict[str, str]) -> None:
    cells = {_verdict(spoilt, PRACTICE), _verdict(spoilt, MYTH), _planted_cell(spoilt)}
    assert {name for name in red if not name.startswith(FIGURES)} == {*cells, RUN_PRACTICE, RUN_MYTH}


def test_a_failing_cell_turns_the_notebook_tests_red(red: dict[str, str]) -> None:
    assert "planted = 1 / 0" in red[RUN_MYTH]
    assert "ZeroDivisionError: division by zero" in red[RUN_MYTH]


def test_a_failing_cell_turns_nbval_red(spoilt: Path, red: dict[str, str]) -> None:
    assert "Cell execution caused an exception" in red[_planted_cell(spoilt)]


def test_an_error_in_a_callback_turns_the_notebook_tests_red(red: dict[str, str]) -> None:
    assert "ValueError: planted in the figure" in red[RUN_PRACTICE]


@pytest.mark.browser
def test_an_error_in_a_callback_turns_the_browser_tests_red(spoilt: Path) -> None:
    found = _red(spoilt, DRAG)
    assert list(found) == [DRAG]
    assert "ValueError: planted in the figure" in found[DRAG]


def test_a_wrong_published_figure_turns_the_evidence_tests_red(red: dict[str, str]) -> None:
    assert f"{FIGURES}::test_file_is_as_published[tkprof_calls]" in red


def test_a_wrong_published_figure_turns_the_verdict_red(spoilt: Path, red: dict[str, str]) -> None:
    assert "Cell outputs differ" in red[_verdict(spoilt, MYTH)]


def test_a_changed_verdict_turns_nbval_red(spoilt: Path, red: dict[str, str]) -> None:
    """What is stored is compared, cell by cell: without this nbval would pass whatever is shown."""
    assert "Cell outputs differ" in red[_verdict(spoilt, PRACTICE)]
