"""The line under a chart that says how far the answer to a lever is, with a button that stops it."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import monotonic

import ipywidgets as widgets

from raclab.looking import looking
from raclab.myths.attended import PATIENCE_S, long_sentence, pace
from raclab.sim.watch import Watch, watching
from raclab.ui.markup import prose

HOLD_S = 0.2  # a first answer so young may end although a newer position waits: a drag then still shows something on its way
EVERY_S = 0.2


class Busy(widgets.Box):  # type: ignore[misc]
    """Not to be seen until a run has taken PATIENCE_S.

    stop   the button; whoever presses it makes the run raise Stopped
    """

    def __init__(self) -> None:
        self._text = widgets.HTML()
        self.stop = widgets.Button(description="Stop", tooltip="Ends this simulation; the chart stays as it is.")
        self._watch = Watch()
        self._yield: Callable[[], None] = lambda: None
        self.stop.on_click(self._stop)
        super().__init__([self._text, self.stop])
        self.add_class("raclab-buttons")
        self.say("")

    def say(self, text: str) -> None:
        """Show a text without the button, or nothing."""
        self._text.value = f"<p>{prose(text)}</p>" if text else ""
        self.stop.layout.display = "none"
        self.layout.display = None if text else "none"

    @contextmanager
    def attend(self, overtaken: Callable[[], bool], *, shown: bool = False) -> Iterator[Watch]:
        """Show how far the runs inside are. They are stopped when ``overtaken()`` says that nobody waits for them.

        At once, if something of their position is ``shown`` already; otherwise when they are HOLD_S old.
        """
        self._watch = watch = Watch()
        held_until = monotonic() + (0.0 if shown else HOLD_S)

        def give_way() -> None:
            if overtaken() and monotonic() >= held_until:
                watch.stop()

        def look(took_s: float) -> None:
            give_way()
            if not watch.stopped and took_s > PATIENCE_S:
                now = pace(watch, took_s)
                self._show(f"Simulating: {now.text}. {long_sentence(now, took_s)}")

        self._yield = give_way
        give_way()
        try:
            with watching(watch), looking(look, after_s=HOLD_S, every_s=EVERY_S):
                yield watch
        finally:
            self.say("")

    def give_way(self) -> None:
        """A newer position of a lever waits: stop at once what is old enough."""
        self._yield()

    def _stop(self, _: object) -> None:
        self._watch.stop()

    def _show(self, text: str) -> None:
        self._text.value = f"<p>{prose(text)}</p>"
        self.stop.layout.display = None
        self.layout.display = None
