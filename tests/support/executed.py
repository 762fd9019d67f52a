"""What may be wrong with a notebook that ran to its end: errors that no cell reports, and figures that don't say what they are."""

import re
from collections.abc import Iterator
from typing import Any

import course
from nbformat import NotebookNode

BADGES = ("PUBLISHED", "SIMULATED", "LIVE")
WIDGET_STATE = "application/vnd.jupyter.widget-state+json"
WIDGET_VIEW = "application/vnd.jupyter.widget-view+json"
PLOTLY = "application/vnd.plotly.v1+json"
_TABLE = re.compile(r"<table\b.*?</table>", re.DOTALL)
_CLASS_ERROR = re.compile(r'class="[^"]*\braclab-error\b')

Models = dict[str, dict[str, Any]]


def faults(notebook: NotebookNode, cell_bound_s: float) -> list[str]:
    """Everything that is wrong with an executed notebook, a sentence each."""
    models: Models = notebook.metadata.get("widgets", {}).get(WIDGET_STATE, {}).get("state", {})
    found = list(_hidden_errors(models))
    for number, cell in enumerate(notebook.cells):
        if cell.cell_type == "code":
            found += [f"cell {number} ({_first_line(cell)}): {what}" for what in _cell_faults(cell, models, cell_bound_s)]
    return found


def _hidden_errors(models: Models) -> Iterator[str]:
    """Exceptions in the widgets' saved state: they leave every cell green."""
    for name, model in models.items():
        state = model.get("state", {})
        for output in state.get("outputs") or ():
            if output.get("output_type") == "error":
                yield f"the Output widget {name} holds {output['ename']}: {output['evalue']}"
        if _CLASS_ERROR.search(str(state.get("value", ""))):
            yield f"a widget shows an error: {_plain(state['value'])[:400]}"


def _cell_faults(cell: NotebookNode, models: Models, cell_bound_s: float) -> Iterator[str]:
    duration = cell.metadata.get("papermill", {}).get("duration")
    if duration is not None and duration > cell_bound_s:
        yield f"took {duration:.0f} s, above {cell_bound_s:.0f} s"
    shows_chart = shows_badge = False
    for output in cell.outputs:
        if output.output_type == "error":
            yield f"failed with {output.ename}: {output.evalue}"
        if output.output_type == "stream" and output.name == "stderr" and not output.text.startswith(course.COMPILING):
            yield f"wrote to stderr: {output.text.strip()[-300:]}"
        data = output.get("data", {})
        markup = str(data.get("text/html", ""))
        if _CLASS_ERROR.search(markup):
            yield f"shows an error: {_plain(markup)[:400]}"
        for table in _TABLE.findall(markup):
            if not _has_badge(table):
                yield f"shows a table without {', '.join(BADGES[:-1])} or {BADGES[-1]}: {_plain(table)[:80]}"
        shown = list(_tree(data.get(WIDGET_VIEW, {}).get("model_id", ""), models))
        shows_chart |= PLOTLY in data or any("figure" in state for state in shown)
        shows_badge |= _has_badge(markup) or any(_has_badge(str(state.get("value", ""))) for state in shown)
    if shows_chart and not shows_badge:
        yield f"shows a chart without {', '.join(BADGES[:-1])} or {BADGES[-1]}"


def _tree(name: str, models: Models) -> Iterator[dict[str, Any]]:
    """The states of a widget and of everything in it, but for what is not displayed."""
    state = models.get(name.removeprefix("IPY_MODEL_"), {}).get("state")
    if state is None or _layout(state, models).get("display") == "none":
        return
    yield state
    for child in state.get("children", ()):
        yield from _tree(child, models)


def _layout(state: dict[str, Any], models: Models) -> dict[str, Any]:
    reference = str(state.get("layout") or "").removeprefix("IPY_MODEL_")
    layout: dict[str, Any] = models.get(reference, {}).get("state", {})
    return layout


def _has_badge(markup: str) -> bool:
    text = _plain(markup)
    return "raclab-badge" in markup and any(badge in text for badge in BADGES)


def _plain(markup: str) -> str:
    return " ".join(re.sub(r"<[^>]*>", " ", markup).split())


def _first_line(cell: NotebookNode) -> str:
    lines = [line for line in cell.source.splitlines() if line.strip() and not line.startswith("#")]
    return lines[0][:60] if lines else "empty"
