"""The checks before a commit are the tools of the lock, with the options of the Makefile."""

import re
import subprocess
import sys
from pathlib import Path

import nbformat
import yaml
from nbformat.v4 import new_code_cell, new_notebook, new_output

from raclab.paths import ROOT

CONFIG = ROOT / ".pre-commit-config.yaml"
HOOKS = {hook["id"]: hook for repo in yaml.safe_load(CONFIG.read_text(encoding="utf-8"))["repos"] for hook in repo["hooks"]}
STRIPPING = HOOKS["nbstripout"]["entry"].split()[1:]


def test_configuration_is_valid() -> None:
    done = subprocess.run([sys.executable, "-m", "pre_commit", "validate-config", str(CONFIG)], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def test_ruff_mypy_and_nbstripout_run_from_the_environment() -> None:
    assert {"ruff-check", "ruff-format", "mypy", "nbstripout"} <= set(HOOKS)
    assert all(hook["entry"].startswith(".venv/bin/") and hook["language"] == "system" for hook in HOOKS.values())


def test_notebooks_are_stripped_the_same_way_by_make() -> None:
    options = re.search(r"^stripped := (.*)$", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)
    assert options is not None
    assert options[1].split() == STRIPPING


def _strip(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-m", "nbstripout", *STRIPPING, *arguments], capture_output=True, text=True)


def test_stripping_keeps_tagged_outputs_names_of_cells_and_the_kernel(tmp_path: Path) -> None:
    printed = [new_output("stream", name="stdout", text="41\n")]
    cells = [
        new_code_cell("print(41)", id="gone", outputs=printed, execution_count=1),
        new_code_cell("print(41)", id="kept", outputs=printed, execution_count=2, metadata={"tags": ["keep_output"]}),
    ]
    metadata = {
        "kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"},
        "language_info": {"name": "python", "version": "3.11.7"},
        "widgets": {"application/vnd.jupyter.widget-state+json": {"state": {}}},
    }
    path = tmp_path / "some.ipynb"
    nbformat.write(new_notebook(cells=cells, metadata=metadata), path)
    assert _strip(str(path)).returncode == 0
    stripped = nbformat.read(path, as_version=4)
    assert [(cell.id, len(cell.outputs), cell.execution_count) for cell in stripped.cells] == [("gone", 0, None), ("kept", 1, None)]
    assert stripped.metadata == {"kernelspec": metadata["kernelspec"], "language_info": {"name": "python"}}


def test_the_course_is_stored_stripped() -> None:
    notebooks = sorted(str(path) for path in (ROOT / "notebooks").glob("*.ipynb"))
    assert notebooks
    done = _strip("--verify", *notebooks)
    assert done.returncode == 0, f"{done.stdout} make format strips them"
