"""Stores anew what the verdict cells show, for nbval to compare with: python tests/support/keep_outputs.py [NOTEBOOK ...]

Runs each notebook with its defaults and writes back the outputs of the cells tagged keep_output, as plain text and HTML, and nothing
else. Look at the difference before you commit it: it is the course's verdict that changes.
"""

import argparse
import os
import sys
import tempfile
from pathlib import Path

import course
import nbformat
from nbformat import NotebookNode
from papermill.exceptions import PapermillExecutionError

STORED_AS = ("text/plain", "text/html")


def main(argv: list[str] | None = None) -> int:
    """Store anew the outputs of the notebooks named, or of all; returns the process' exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("notebooks", nargs="*", type=Path, metavar="NOTEBOOK", help="default: every notebook of the course")
    for path in parser.parse_args(argv).notebooks or course.PATHS:
        with tempfile.TemporaryDirectory() as folder:
            os.environ["RACLAB_HOME"] = folder  # the developer's own predictions are none of the notebook's business
            os.environ.pop("RACLAB_DSN", None)  # verdicts don't depend on it; a run must not either
            try:
                changed = keep_outputs(path, Path(folder))
            except PapermillExecutionError as error:
                print(f"{path.name} is left as it is: a cell failed with {error.ename}: {error.evalue}", file=sys.stderr)
                return 1
        print(f"{path.name}: {changed} kept output{'' if changed == 1 else 's'} changed")
    return 0


def keep_outputs(path: Path, folder: Path) -> int:
    """Run the notebook and write back what its kept cells show; ``folder`` takes the executed copy. Returns how many cells changed."""
    notebook = course.read(path)
    done = {cell.id: cell for cell in course.execute(notebook, {}, folder).cells}
    changed = 0
    for cell in course.code_cells(notebook):
        if "keep_output" in course.tags(cell):
            outputs = [_plain(output) for output in done[cell.id].outputs]
            changed += outputs != cell.outputs
            cell.outputs = outputs
    if changed:
        nbformat.write(notebook, path)
    return changed


def _plain(output: NotebookNode) -> NotebookNode:
    """The output without what differs from machine to machine or from run to run."""
    if output.output_type == "stream":
        return output
    data = {kind: output.data[kind] for kind in STORED_AS if kind in output.data}
    kept: NotebookNode = nbformat.v4.new_output(output.output_type, data=data)
    return kept


if __name__ == "__main__":
    sys.exit(main())
