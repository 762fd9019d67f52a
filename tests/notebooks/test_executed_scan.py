"""The scan of executed notebooks finds what it is there for: each kind of fault, made on purpose in one notebook."""

from pathlib import Path

import course
import executed
import nbformat
import pytest

SET_UP = """
import warnings
import pandas as pd
import plotly.graph_objects as go
import ipywidgets as widgets
from IPython.display import HTML
from raclab.evidence.measurement import Kind
from raclab.evidence.table import Table, badge_html
from raclab.ui.chart import Chart
"""

FAULTY = {
    "hidden in an Output widget": "out = widgets.Output()\nwith out:\n    1 / 0\nout",
    "hidden in interact": "widgets.interact(lambda x: 1 / x, x=widgets.IntSlider(0));",
    "shown by a panel": "widgets.HTML('<div class=\"raclab-error raclab-alarm\"><p>At Jobs = 3: wrong.</p></div>')",
    "shown in an output": "HTML('<p class=\"raclab-error\">wrong</p>')",
    "table": "pd.DataFrame({'elapsed_s': [81.23]})",
    "chart": "display({'application/vnd.plotly.v1+json': {'data': [], 'layout': {}}, 'text/plain': 'chart'}, raw=True)",
    "chart widget": "widgets.VBox([Chart(), widgets.HTML('<p>81.23 s, measured by somebody</p>')])",
    "stderr": "warnings.warn('this will go away in the next release')",
}
SOUND = {
    "table": "Table(pd.DataFrame({'elapsed_s': [81.23]}), Kind.PUBLISHED, 'source')",
    "chart widget": "widgets.VBox([Chart(), widgets.HTML(badge_html(Kind.SIMULATED))])",
    "no figure": "widgets.HTML('<p>PUBLISHED</p>')",
}
EXPECTED = (
    "holds ZeroDivisionError: division by zero",
    "holds ZeroDivisionError: division by zero",
    "a widget shows an error: At Jobs = 3: wrong.",
    "shows an error: wrong",
    "shows a table without PUBLISHED, SIMULATED or LIVE: elapsed_s 0 81.23",
    "shows a chart without PUBLISHED, SIMULATED or LIVE",
    "shows a chart without PUBLISHED, SIMULATED or LIVE",
    "wrote to stderr: ",
)


def _notebook(*sources: str) -> nbformat.NotebookNode:
    cells = [nbformat.v4.new_code_cell(source) for source in (SET_UP, *sources)]
    notebook: nbformat.NotebookNode = nbformat.v4.new_notebook(
        cells=cells, metadata={"kernelspec": {"name": "python3", "display_name": "Python 3"}}
    )
    return notebook


def test_finds_every_kind_of_fault_and_nothing_else(tmp_path: Path) -> None:
    done = course.execute(_notebook(*FAULTY.values(), *SOUND.values()), {}, tmp_path)
    found = executed.faults(done, course.CELL_BOUND_S)
    left = list(found)
    for expected in EXPECTED:
        matching = [fault for fault in left if expected in fault]
        assert matching, (expected, left)
        left.remove(matching[0])
    assert left == []


def test_finds_a_cell_that_failed_or_took_too_long() -> None:
    failed = nbformat.v4.new_code_cell(
        "1 / 0", outputs=[nbformat.v4.new_output("error", ename="ZeroDivisionError", evalue="division by zero", traceback=[])]
    )
    slow = nbformat.v4.new_code_cell("page.run()", metadata={"papermill": {"duration": 31.0}})
    found = executed.faults(nbformat.v4.new_notebook(cells=[failed, slow]), 30.0)
    assert found == ["cell 0 (1 / 0): failed with ZeroDivisionError: division by zero", "cell 1 (page.run()): took 31 s, above 30 s"]


def test_a_kernel_that_reaches_beyond_loopback_is_noticed(tmp_path: Path) -> None:
    swallowed = "import contextlib, socket\nwith contextlib.suppress(OSError):\n    socket.create_connection(('192.0.2.1', 9), timeout=1)"
    with pytest.raises(AssertionError, match=r"tried to leave the machine.*192\.0\.2\.1"):
        course.execute(_notebook(swallowed), {}, tmp_path)
