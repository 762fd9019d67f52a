"""Says how far a long piece of work has come: a bar in a notebook, one line on a terminal, nothing where nobody looks on."""

import contextlib
import html
import shutil
import sys
from abc import ABC, abstractmethod
from typing import Any, TextIO


class Gauge(ABC):
    """Where progress is shown. Nothing is to be seen before the first ``show``."""

    @abstractmethod
    def show(self, share: float | None, text: str) -> None:
        """Show a text, and how much of the work is done: 0 to 1, or None where that is not known."""

    @abstractmethod
    def say(self, sentence: str) -> None:
        """Show a sentence that stays until ``close``."""

    @abstractmethod
    def close(self, text: str = "") -> None:
        """Show this text last; without one everything disappears. If nothing was shown, nothing appears."""


class Silent(Gauge):
    """Shows nothing: no person would see it, and it would only fill a log."""

    def show(self, share: float | None, text: str) -> None:
        """Nothing."""

    def say(self, sentence: str) -> None:
        """Nothing."""

    def close(self, text: str = "") -> None:
        """Nothing."""


class Line(Gauge):
    """The last line of a terminal, written over again and again."""

    def __init__(self, terminal: TextIO) -> None:
        self._terminal = terminal
        self._shown = False

    def show(self, share: float | None, text: str) -> None:
        """The percentage and the text, cut to the terminal's width."""
        percent = "" if share is None else f"{100 * share:3.0f} %  "
        self._write(f"{percent}{text}"[: shutil.get_terminal_size().columns - 1])
        self._shown = True

    def say(self, sentence: str) -> None:
        """A line of its own, above the one that changes."""
        self._write(f"{sentence}\n")

    def close(self, text: str = "") -> None:
        """Clear the line, or leave the text in its place."""
        if self._shown:
            self._write(f"{text}\n" if text else "")
            self._shown = False

    def _write(self, text: str) -> None:
        with contextlib.suppress(OSError):  # a terminal that has gone must not end the work
            self._terminal.write(f"\r\x1b[K{text}")
            self._terminal.flush()


class Bar(Gauge):
    """A bar with text beside it in the output of the cell that runs."""

    def __init__(self) -> None:
        self._box: Any = None
        self._sentence = ""

    def _widgets(self) -> tuple[Any, Any]:
        import ipywidgets as widgets

        if self._box is None:
            from IPython.display import display

            bar = widgets.FloatProgress(min=0.0, max=1.0, layout={"width": "220px", "flex": "0 0 auto"})
            self._box = widgets.HBox([bar, widgets.HTML()])
            self._box.add_class("raclab-gauge")
            display(self._box)  # type: ignore[no-untyped-call]
        bar, text = self._box.children
        return bar, text

    def show(self, share: float | None, text: str) -> None:
        """The bar, where the share is known, and the text."""
        bar, words = self._widgets()
        bar.layout.display = "none" if share is None else None
        bar.value = share or 0.0
        words.value = " ".join(f"<div>{html.escape(one)}</div>" for one in (text, self._sentence) if one)

    def say(self, sentence: str) -> None:
        """Beside the bar, under the text."""
        self._sentence = sentence

    def close(self, text: str = "") -> None:
        """Take the bar away, or leave it with the text."""
        if self._box is None:
            return
        if text:
            self._widgets()[1].value = f"<div>{html.escape(text)}</div>"
        else:
            self._box.close()
            self._box = None


def gauge() -> Gauge:
    """The one that suits: a bar in a notebook's kernel, a line if standard error is a terminal, else a silent one."""
    if _in_kernel():
        return Bar()
    if sys.stderr is not None and sys.stderr.isatty():
        return Line(sys.stderr)
    return Silent()


def _in_kernel() -> bool:
    if "IPython" not in sys.modules:
        return False
    from IPython import get_ipython

    return getattr(get_ipython(), "kernel", None) is not None


def span(seconds: float) -> str:
    """A time for people: "0.4 s", "12 s", "3 min 20 s", "2 h 5 min"."""
    if seconds < 9.95:
        return f"{seconds:.1f} s"
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    minutes, left = divmod(whole, 60)
    if minutes < 60:
        return f"{minutes} min {left} s" if left else f"{minutes} min"
    return f"{minutes // 60} h {minutes % 60} min"
