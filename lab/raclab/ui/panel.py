"""The box that every interactive part sits in: shows what fails in a callback instead of losing it."""

import functools
import html
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import ipywidgets as widgets

from raclab.errors import LabError

SHOWN_FAILURES = 3


@dataclass(frozen=True)
class Failure:
    """Something that went wrong in a callback.

    doing      what was being done, with the setting: "at CACHE = 20, ORDER = no"
    sentence   what the learner is shown
    """

    doing: str
    sentence: str
    exception: Exception


class Panel(widgets.VBox):  # type: ignore[misc]
    """A vertical box with an area for errors at its end.

    title      what the box is, for its text form and for screen readers
    failures   all that went wrong in its callbacks, in order; ``log`` (the page's) gets each as well
    """

    def __init__(self, title: str, log: list[Failure], **traits: Any) -> None:
        self.title = title
        self.failures: list[Failure] = []
        self._log = log
        self._alarm = widgets.HTML()
        super().__init__(**traits)
        self.add_class("raclab-panel")

    def fill(self, *children: widgets.Widget) -> None:
        """Show these widgets, and the area for errors after them."""
        self.children = (*children, self._alarm)

    def fail(self, doing: str, exception: Exception) -> None:
        """Show an exception as a sentence that names what was being done, and record it."""
        if isinstance(exception, LabError):
            sentence = f"{doing}: {exception}"
        else:
            sentence = f"{doing}: {type(exception).__name__}: {exception}. This is a fault of the course, not yours; please report it."
        failure = Failure(doing, sentence, exception)
        self.failures.append(failure)
        self._log.append(failure)
        recent = {f.sentence: f for f in self.failures}
        shown = list(recent.values())[-SHOWN_FAILURES:]
        # Scans of executed notebooks look for the class raclab-error, so it must stand nowhere but here: the stylesheet, which is
        # part of the widget state, uses raclab-alarm.
        self._alarm.value = "".join(
            f'<div class="raclab-error raclab-alarm" role="alert"><p>{html.escape(f.sentence)}</p>{_details(f)}</div>' for f in shown
        )

    def guarded(self, doing: str, callback: Callable[[], None]) -> Callable[[Any], None]:
        """A button's callback that shows what it raises rather than losing it in the kernel's log."""

        @functools.wraps(callback)
        def guarded_callback(_: Any) -> None:
            try:
                callback()
            except Exception as exception:
                self.fail(doing, exception)

        return guarded_callback

    def __repr__(self) -> str:
        return f"[{self.title}: shown in JupyterLab]"


def _details(failure: Failure) -> str:
    if isinstance(failure.exception, LabError):
        return ""
    trace = "".join(traceback.format_exception(failure.exception))
    return f"<details><summary>For the report</summary><pre>{html.escape(trace)}</pre></details>"
