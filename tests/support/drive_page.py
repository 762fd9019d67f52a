"""Runs in a notebook's kernel after its last cell: does to the widgets what a learner may do, and a bit more.

The kernel side only: what the browser adds is tested in tests/browser.
"""

from typing import Any

import ipywidgets as widgets
from ipywidgets.widgets.widget import _instances  # every live widget of this kernel; there is no public list of them

SETTLE_S = 60.0


def drive(page: Any) -> str:
    """Move each lever to both of its ends, press each button with nothing, something and rubbish filled in.

    ``page`` is the notebook's. Returns how much was done; raises AssertionError if the page has recorded a failure.
    """
    levers = [widget for widget in _shown() if "raclab-lever" in getattr(widget, "_dom_classes", ())]
    moves = 0
    for lever in levers:
        before = lever.value
        for value in (*_ends(lever), before):
            lever.value = value
            moves += 1
            _settle(page)
    presses = 0
    for choose, answer in ((False, ""), (True, "1"), (True, "12,5"), (False, "no number")):
        for widget in _shown():
            if isinstance(widget, widgets.RadioButtons):
                widget.value = widget.options[0] if choose else None
            elif isinstance(widget, widgets.Text):
                widget.value = answer
        for widget in _shown():
            if isinstance(widget, widgets.Button):
                widget.click()
                presses += 1
                _settle(page)
    failures = [failure.sentence for failure in page.errors]
    assert not failures, failures
    return f"{moves} moves of {len(levers)} levers, {presses} presses"


def _shown() -> list[widgets.Widget]:
    """Every widget that sits in a box, in the order in which they were made; a button that is in none can't be pressed."""
    boxed = {child.model_id for widget in list(_instances.values()) if isinstance(widget, widgets.Box) for child in widget.children}
    return [widget for name, widget in list(_instances.items()) if name in boxed]


def _ends(lever: widgets.ValueWidget) -> tuple[Any, Any]:
    if isinstance(lever, widgets.Checkbox):
        return True, False
    if isinstance(lever, widgets.SelectionSlider):
        values = [option[1] if isinstance(option, tuple) else option for option in lever.options]
        return values[0], values[-1]
    return lever.min, lever.max


def _settle(page: Any) -> None:
    assert page.settle(SETTLE_S), f"no answer within {SETTLE_S:.0f} s"
