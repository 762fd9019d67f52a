"""``python -m raclab run``: parameters, and every way in which a run can go wrong."""

from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_notebook

from raclab.cli import main
from raclab.cli.run import NotebookError, hidden_errors, run_notebook


def _notebook(folder: Path, *sources: str, parameters: str = "seed = 1\nquick = False\nname = 'none'") -> Path:
    cells = [new_code_cell(parameters, metadata={"tags": ["parameters"]}), *(new_code_cell(source) for source in sources)]
    kernelspec = {"name": "python3", "display_name": "Python 3", "language": "python"}
    path = folder / "small.ipynb"
    nbformat.write(new_notebook(cells=cells, metadata={"kernelspec": kernelspec, "language_info": {"name": "python"}}), path)
    return path


def _printed(path: Path) -> str:
    cells = nbformat.read(path, as_version=4).cells
    return "".join(output.get("text", "") for cell in cells for output in cell.get("outputs", ()))


def test_parameters_arrive_with_their_types(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    notebook = _notebook(tmp_path, "print((seed, quick, name, __import__('os').getcwd()))")
    monkeypatch.chdir(tmp_path.parent)
    given = ["-p", "seed", "7", "-p", "quick", "True", "-p", "name", "host:1521/RAC1", "-o", str(tmp_path / "out.ipynb")]
    assert main(["run", str(notebook), *given]) == 0
    assert _printed(tmp_path / "out.ipynb") == f"(7, True, 'host:1521/RAC1', {str(tmp_path)!r})\n"
    assert str(tmp_path / "out.ipynb") in capsys.readouterr().out


def test_unknown_parameters_are_refused_and_the_known_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    notebook = _notebook(tmp_path)
    output = tmp_path / "out.ipynb"
    assert main(["run", str(notebook), "-p", "sead", "7", "-o", str(output)]) == 1
    assert capsys.readouterr().err == f"{notebook} has no parameter sead; it has seed, quick, name.\n"
    assert not output.exists()


def test_a_failing_cell_is_one_sentence_and_what_ran_is_kept(tmp_path: Path) -> None:
    notebook = _notebook(tmp_path, "print('before')", "1 / 0")
    with pytest.raises(NotebookError, match=r"failed with ZeroDivisionError: division by zero.* See .*out\.ipynb"):
        run_notebook(notebook, {}, tmp_path / "out.ipynb")
    assert "before" in _printed(tmp_path / "out.ipynb")


def test_an_exception_hidden_in_a_widget_is_found(tmp_path: Path) -> None:
    notebook = _notebook(tmp_path, "import ipywidgets\nout = ipywidgets.Output()\nwith out:\n    1 / 0\nout")
    with pytest.raises(NotebookError, match="a widget shows ZeroDivisionError: division by zero"):
        run_notebook(notebook, {}, tmp_path / "out.ipynb")
    assert "widgets" not in nbformat.read(tmp_path / "out.ipynb", as_version=4).metadata


def test_a_widget_without_error_hides_none(tmp_path: Path) -> None:
    notebook = _notebook(tmp_path, "import ipywidgets\nout = ipywidgets.Output()\nwith out:\n    print('fine')\nout")
    run_notebook(notebook, {}, tmp_path / "out.ipynb")
    assert hidden_errors(nbformat.read(tmp_path / "out.ipynb", as_version=4)) == []


@pytest.mark.parametrize("content", ["not JSON", "{}", '{"cells": 3}', "\xff"])
def test_a_file_that_is_no_notebook(tmp_path: Path, content: str) -> None:
    path = tmp_path / "text.ipynb"
    path.write_bytes(content.encode("latin-1"))
    with pytest.raises(NotebookError, match="is not a Jupyter notebook"):
        run_notebook(path, {}, tmp_path / "out.ipynb")


def test_the_result_does_not_replace_the_notebook(tmp_path: Path) -> None:
    notebook = _notebook(tmp_path)
    before = notebook.read_bytes()
    with pytest.raises(NotebookError, match="would replace"):
        run_notebook(notebook, {}, notebook)
    assert notebook.read_bytes() == before


def test_a_place_that_cannot_be_written(tmp_path: Path) -> None:
    notebook = _notebook(tmp_path)
    with pytest.raises(NotebookError, match="can't be written"):
        run_notebook(notebook, {}, notebook / "out.ipynb")


def test_names_the_notebooks_that_there_are() -> None:
    with pytest.raises(NotebookError, match=r"00_start_here\.ipynb"):
        run_notebook(Path("nowhere.ipynb"), {}, Path("out.ipynb"))


def test_widget_state_without_outputs_is_read() -> None:
    state: dict[str, Any] = {"a": {"state": {"outputs": None}}, "b": {"state": {}}, "c": {}}
    notebook = new_notebook(metadata={"widgets": {"application/vnd.jupyter.widget-state+json": {"state": state}}})
    assert hidden_errors(notebook) == []
