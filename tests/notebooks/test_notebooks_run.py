"""Every notebook runs from top to bottom, with its defaults and with other parameters, and hides no error in a widget."""

from pathlib import Path
from typing import Any

import course
import drive_page
import executed
import pytest
from papermill.exceptions import PapermillExecutionError

PARAMETER_SETS: tuple[dict[str, Any], ...] = ({}, {"seed": 3, "quick": True})
DRIVE = f"import sys; sys.path.insert(0, {str(Path(drive_page.__file__).parent)!r}); import drive_page; drive_page.drive(page)"

each_notebook = pytest.mark.parametrize("path", course.PATHS, ids=lambda path: path.stem)


def test_there_are_notebooks() -> None:
    assert {"00_start_here", "05_nocache_sequences"} <= {path.stem for path in course.PATHS}


@each_notebook
@pytest.mark.parametrize("parameters", PARAMETER_SETS, ids=("defaults", "seed_3_quick"))
def test_runs_and_every_lever_and_button_answers(path: Path, parameters: dict[str, Any], tmp_path: Path) -> None:
    done = course.execute(course.read(path), parameters, tmp_path, more_cells=[DRIVE])
    assert executed.faults(done, course.CELL_BOUND_S) == []
    assert " presses" in done.cells[-1].outputs[-1].data["text/plain"]


@each_notebook
@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [
        ({"sede": 3}, "This notebook has no parameter sede; it takes dsn, seed, quick."),
        ({"seed": "three"}, "seed is 'three'; it takes a whole number such as 1."),
    ],
    ids=("unknown", "wrong_type"),
)
def test_refuses_a_wrong_parameter_in_one_sentence(path: Path, parameters: dict[str, Any], sentence: str, tmp_path: Path) -> None:
    _refused(path, parameters, sentence, tmp_path)


@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [
        ({"seed": -1}, "seed is -1; it takes 0 to 2147483639."),
        ({"quick": "yes"}, "quick is 'yes'; it takes True or False."),
        ({"dsn": 1521}, 'dsn is 1521; it takes text such as "dbhost:1521/FREEPDB1", or None for the simulated lab.'),
    ],
    ids=("seed", "quick", "dsn"),
)
def test_refuses_a_wrong_value_in_one_sentence(parameters: dict[str, Any], sentence: str, tmp_path: Path) -> None:
    _refused(course.PATHS[0], parameters, sentence, tmp_path)


def _refused(path: Path, parameters: dict[str, Any], sentence: str, folder: Path) -> None:
    """The notebook stops in the cell that opens the page, and shows this sentence and nothing else."""
    with pytest.raises(PapermillExecutionError) as caught:
        course.execute(course.read(path), parameters, folder)
    assert (caught.value.ename, caught.value.evalue) == ("ParameterError", sentence)
    assert "raclab.open(" in caught.value.source
    assert caught.value.traceback == [f"ParameterError: {sentence}"]
