"""The course's notebooks as the tests find them, and running one of them with papermill."""

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import nbformat
import papermill
from nbformat import NotebookNode

from raclab.cli.kernel import AttentiveKernelManager
from raclab.paths import NOTEBOOKS

PATHS = sorted(NOTEBOOKS.glob("*.ipynb"))
PARAMETER_NAMES = ("dsn", "seed", "quick")
CELL_BOUND_S = 30.0
COMPILING = "Compiling the simulator, once"  # a notice on stderr, where the kernel is the first to need it since it was changed
LOOPBACK_ONLY = Path(__file__).parent / "loopback_only"


def read(path: Path) -> NotebookNode:
    """The notebook in that file, as nbformat 4."""
    notebook: NotebookNode = nbformat.read(path, as_version=4)
    return notebook


def code_cells(notebook: NotebookNode) -> list[NotebookNode]:
    """Its code cells, in order."""
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def tags(cell: NotebookNode) -> list[str]:
    """The tags of a cell."""
    return list(cell.metadata.get("tags", ()))


def loopback_only(notes: Path) -> dict[str, str]:
    """Environment variables under which a Python program reaches nothing beyond loopback and notes in ``notes`` that it tried."""
    path = os.pathsep.join(part for part in (str(LOOPBACK_ONLY), os.environ.get("PYTHONPATH", "")) if part)
    return {"PYTHONPATH": path, "RACLAB_NOTE_CONNECTIONS": str(notes)}


def attempts(notes: Path) -> list[str]:
    """The connections beyond loopback that were tried, as noted."""
    return notes.read_text(encoding="utf-8").splitlines() if notes.exists() else []


def execute(notebook: NotebookNode, parameters: Mapping[str, Any], folder: Path, more_cells: Sequence[str] = ()) -> NotebookNode:
    """Run it from top to bottom in a kernel started in notebooks/, then ``more_cells`` in the same kernel.

    ``folder`` takes the files, executed.ipynb among them also if a cell fails. The kernel has this process' environment.
    Raises papermill's PapermillExecutionError for a cell that fails, and TimeoutError for one that takes above CELL_BOUND_S.
    """
    whole = nbformat.from_dict(notebook)
    whole.cells = [*whole.cells, *(nbformat.v4.new_code_cell(source) for source in more_cells)]
    given, result = folder / "given.ipynb", folder / "executed.ipynb"
    nbformat.write(whole, given)
    notes = folder / "connections.txt"
    with _environment(loopback_only(notes)):
        papermill.execute_notebook(
            given,
            result,
            dict(parameters),
            cwd=NOTEBOOKS,
            progress_bar=False,
            execution_timeout=int(CELL_BOUND_S),
            log_output=False,
            kernel_manager_class=AttentiveKernelManager,
        )
    if attempts(notes):
        raise AssertionError(f"the kernel tried to leave the machine: {attempts(notes)}")
    return read(result)


@contextmanager
def _environment(variables: Mapping[str, str]) -> Iterator[None]:
    before = {name: os.environ.get(name) for name in variables}
    os.environ.update(variables)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value
