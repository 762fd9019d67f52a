"""A page in a real kernel, without a person and without a browser: what papermill runs and what the executed notebook keeps."""

import json
from pathlib import Path

import nbformat
import papermill
import pytest

OPEN = 'import raclab\npage = raclab.open("nocache_sequences", dsn=dsn, seed=seed, quick=quick)'
MOVE = "explorer.controls['nodes'].value = 3\npage.settle()"
PLANT = "type(page.myth).simulate = lambda *_: 1 / 0"


def notebook(path: Path, *sources: str) -> Path:
    made = nbformat.v4.new_notebook(metadata={"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}})
    made.cells = [nbformat.v4.new_code_cell(source) for source in ("dsn = None\nseed = 1\nquick = False", OPEN, *sources)]
    made.cells[0].metadata["tags"] = ["parameters"]
    nbformat.write(made, path / "made.ipynb")
    return path / "made.ipynb"


def run(path: Path, *sources: str, **parameters: object) -> nbformat.NotebookNode:
    return papermill.execute_notebook(
        notebook(path, *sources), path / "executed.ipynb", parameters=parameters, progress_bar=False, start_timeout=120
    )


def test_misspelt_parameter_stops_the_notebook_with_one_sentence(tmp_path: Path, plain_environment: pytest.MonkeyPatch) -> None:
    with pytest.raises(papermill.PapermillExecutionError) as caught:
        run(tmp_path, sede=3)
    assert caught.value.evalue == "This notebook has no parameter sede; it takes dsn, seed, quick."
    assert len(caught.value.traceback) == 1, "the sentence alone, no traceback"


def test_levers_answer_unattended_and_the_notebook_stays_small(tmp_path: Path, plain_environment: pytest.MonkeyPatch) -> None:
    executed = run(
        tmp_path,
        "page.predict('elapsed')",
        "page.published()",
        "explorer = page.explore()\nexplorer",
        MOVE,
        "page.errors, page.levers.nodes",
        "page.verdict()",
        quick=True,
        seed=5,
    )
    state = json.dumps(executed.metadata.widgets)
    assert len(state) < 300_000
    assert "raclab-error" not in state
    assert "seeds 5 to 6 (quick mode: 2 seeds rather than 8)" in state
    assert 'data-raclab-run=\\"2\\"' in state, "the answer to the move, not the first chart"
    assert executed.cells[-2].outputs[0].data["text/plain"] == "([], 3)"
    assert "PUBLISHED" in executed.cells[-1].outputs[0].data["text/plain"]


def test_exception_behind_a_lever_is_in_the_executed_notebook(tmp_path: Path, plain_environment: pytest.MonkeyPatch) -> None:
    executed = run(tmp_path, "explorer = page.explore()", PLANT, MOVE, "page.errors")
    state = json.dumps(executed.metadata.widgets)
    assert "raclab-error" in state
    assert "Nodes = 3" in state and "ZeroDivisionError: division by zero" in state
    assert "ZeroDivisionError" in executed.cells[-1].outputs[0].data["text/plain"]
