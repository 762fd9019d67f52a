"""``run``: runs a notebook from top to bottom with parameters, and refuses those that it does not have."""

import argparse
import ast
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from raclab.cli.commands import Commands
from raclab.errors import LabError


class NotebookError(LabError):
    """A notebook can't be run, or failed; the message says which cell and where the result is."""


def add_to(commands: Commands) -> None:
    """Add this command to the command line."""
    parser = commands.add_parser(
        "run",
        help="run a notebook with parameters",
        description="Run a notebook from top to bottom, with other parameters if you like, and keep the result.",
        epilog="Example: python -m raclab run notebooks/05_nocache_sequences.ipynb -p seed 7 -p quick True",
    )
    parser.add_argument("notebook", type=Path, metavar="NOTEBOOK", help="the notebook's file")
    parser.add_argument(
        "-p", nargs=2, action="append", default=[], metavar=("NAME", "VALUE"), dest="parameters", help="a parameter; as often as needed"
    )
    parser.add_argument("-o", "--output", type=Path, help="where the result goes (default: NOTEBOOK-run.ipynb in this folder)")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Run the notebook and say where the result is."""
    output = arguments.output or Path(f"{arguments.notebook.stem}-run.ipynb")
    run_notebook(arguments.notebook, dict(arguments.parameters), output)
    print(f"{arguments.notebook} ran to its end; the result is in {output}.")
    return 0


def run_notebook(notebook: Path, parameters: dict[str, str], output: Path) -> None:
    """Run ``notebook`` into ``output``, its kernel started in the notebook's folder.

    ``parameters`` are texts, read as Python literals where they are such. Raises NotebookError, one sentence, for a file that is no
    notebook, an unknown parameter, a place that can't be written, a cell that fails and an exception hidden in a widget; in the
    last two cases the output is there to be looked at.
    """
    if not notebook.is_file():
        raise NotebookError(f"There is no notebook {notebook}; {_known()}.")
    if output.resolve() == notebook.resolve():
        raise NotebookError(f"The result would replace {notebook} itself; give another file after -o.")

    import nbformat
    import papermill
    from papermill.exceptions import PapermillExecutionError

    from raclab.cli.kernel import AttentiveKernelManager

    try:
        nbformat.read(notebook, as_version=4)
        takes = list(papermill.inspect_notebook(notebook))
    except (nbformat.ValidationError, ValueError, TypeError, AttributeError, KeyError):  # nbformat meets JSON of any other shape so
        raise NotebookError(f"{notebook} is not a Jupyter notebook.") from None
    if unknown := sorted(set(parameters) - set(takes)):
        raise NotebookError(f"{notebook} has no parameter {', '.join(unknown)}; it has {', '.join(takes) or 'none'}.")
    values = {name: _value(text) for name, text in parameters.items()}
    try:
        papermill.execute_notebook(
            notebook, output, values, cwd=notebook.parent, log_output=False, kernel_manager_class=AttentiveKernelManager
        )
    except PapermillExecutionError as error:
        raise NotebookError(f"Cell {error.exec_count} of {notebook} failed with {error.ename}: {error.evalue} See {output}.") from None
    except OSError as error:
        raise NotebookError(f"{output} can't be written ({error.strerror}); give another file after -o.") from None
    done = nbformat.read(output, as_version=4)
    hidden = hidden_errors(done)
    # A figure that can be moved is saved with megabytes of widget state, and is dead without its kernel anyway.
    done.metadata.pop("widgets", None)
    nbformat.write(done, output)
    if hidden:
        raise NotebookError(f"{notebook} ran to its end, but a widget shows {hidden[0]} See {output}.")


def hidden_errors(notebook: Any) -> list[str]:
    """Exceptions that no cell reports: those which ended up in an Output widget's saved state. One text "Name: message" each."""
    state = notebook.metadata.get("widgets", {}).get("application/vnd.jupyter.widget-state+json", {}).get("state", {})
    outputs = [output for model in state.values() for output in model.get("state", {}).get("outputs") or ()]
    return [f"{output['ename']}: {output['evalue']}" for output in outputs if output.get("output_type") == "error"]


def _value(text: str) -> Any:
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return text


def _known() -> str:
    from raclab.paths import NOTEBOOKS

    names: Sequence[str] = sorted(path.name for path in NOTEBOOKS.glob("*.ipynb"))
    return f"{NOTEBOOKS} has {', '.join(names)}" if names else f"{NOTEBOOKS} has none"
