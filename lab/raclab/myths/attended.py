"""Long simulations say how far they are: every myth's ``simulate`` runs attended (base.py), in a notebook as in a script."""

import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar, cast

from raclab.gauge import Gauge, gauge, span
from raclab.looking import looking
from raclab.sim.watch import Watch, watches, watching

PATIENCE_S = 1.0  # so long nobody wonders
EVERY_S = 0.25
LONG_S = 5.0  # what takes longer says so in a sentence

Simulate = TypeVar("Simulate", bound=Callable[..., Any])


@dataclass(frozen=True)
class Pace:
    """How far the runs under a watch are.

    share     of the work that is done, 0 to 1: of the runs, those under way counted by their clocks; None before a first one is over
    text      the same in words: runs, events, simulated time, time so far and left
    in_all_s  estimated seconds for everything, None where ``share`` is
    """

    share: float | None
    text: str
    in_all_s: float | None


def pace(watch: Watch, took_s: float) -> Pace:
    """How far the runs are after ``took_s`` seconds."""
    clocks, done, events = watch.clock, watch.done, watch.events
    if not clocks:
        return Pace(None, f"building the model, {span(took_s)} so far", None)
    reached, words = max(clocks), [f"{span(took_s)} so far"]
    share = sum(clocks) / (reached * len(clocks)) if done and reached and len(clocks) > 1 else None
    if share is not None:
        words = [f"about {span(took_s / share - took_s)} left", *words]
    if len(clocks) > 1:
        words.append(f"{done} of {len(clocks)} runs")
    words += [f"{events / 1e6:.1f} million events" if events > 1e6 else f"{events:,} events", f"{span(reached)} simulated"]
    return Pace(share, ", ".join(words), took_s / share if share else None)


def attended(simulate: Simulate) -> Simulate:
    """A myth's ``simulate`` that shows a gauge once it has taken PATIENCE_S, unless its caller watches the runs already."""

    @functools.wraps(simulate)
    def attended_simulate(self: Any, *arguments: Any, **named: Any) -> Any:
        if watches():
            return simulate(self, *arguments, **named)
        watch, shown = Watch(), gauge()
        teller = _Teller(self.slug, watch, shown)
        try:
            with watching(watch), looking(teller.look, after_s=PATIENCE_S, every_s=EVERY_S):
                return simulate(self, *arguments, **named)
        finally:
            shown.close()

    return cast(Simulate, attended_simulate)


class _Teller:
    def __init__(self, what: str, watch: Watch, shown: Gauge) -> None:
        self._what, self._watch, self._shown = what, watch, shown
        self._said = False

    def look(self, took_s: float) -> None:
        now = pace(self._watch, took_s)
        if not self._said and (sentence := long_sentence(now, took_s)):
            self._said = True
            self._shown.say(f"{sentence} The interrupt button, or Ctrl-C, stops it.")
        self._shown.show(now.share, f"{self._what}: {now.text}")


def long_sentence(now: Pace, took_s: float) -> str:
    """A sentence for what takes longer than LONG_S, "" for what does not."""
    if now.in_all_s is not None and now.in_all_s > LONG_S:
        return f"This takes about {span(now.in_all_s)} in all."
    return f"This takes more than {LONG_S:g} s." if took_s > LONG_S else ""
