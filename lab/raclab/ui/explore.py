"""The levers and the chart that follows them, with the sentence and the badges under it."""

import itertools
from collections.abc import Callable, Mapping, Sequence
from time import perf_counter
from typing import Any

import ipywidgets as widgets

from raclab.evidence.measurement import Measurement
from raclab.myths.levers import LeverError, Levers
from raclab.sim.run import Stopped
from raclab.ui.busy import Busy
from raclab.ui.chart import Chart
from raclab.ui.context import Context
from raclab.ui.controls import control, setting_text
from raclab.ui.markup import badges, prose
from raclab.ui.panel import Panel
from raclab.ui.parameters import SEEDS
from raclab.ui.worker import LatestWins

FIRST_SEEDS = 2  # what two cores run at once; a single one would bring rows for V$ views, which no chart needs
AT_ONCE_S = 0.06


class Explorer(Panel):
    """One chart of the published figures and of the simulation at the levers' setting.

    A move of a lever is simulated with FIRST_SEEDS seeds first, and what they took says how long all seeds will take. If all can be
    there within AT_ONCE_S, nothing is shown before; otherwise the first ones are, and then all unless the lever has moved on. What is
    shown says how many seeds it comes from. A run that takes long shows how far it is and can be stopped; a newer position of a lever
    stops it by itself: at once, if its own position is shown already.

    recorded   recorded runs that the chart also shows
    controls   the lever widgets by lever name
    levers     the setting asked for last
    busy       how far a long run is, with the button that stops it
    """

    def __init__(self, context: Context, recorded: Sequence[Measurement] = ()) -> None:
        super().__init__(f"Levers and chart of {context.myth.slug}", context.failures)
        self._myth = context.myth
        self._parameters = context.parameters
        self._published = [*context.myth.published(), *recorded]
        self._specs = context.myth.levers.specs()
        self._moving_many = False
        self._run = itertools.count(1)
        self._worker: LatestWins[tuple[Levers, int]] = LatestWins(self._answer)
        self.levers = context.myth.levers()
        self.controls = {name: control(spec, getattr(self.levers, name)) for name, spec in self._specs.items()}
        self.chart = Chart()
        self._badges = widgets.HTML()
        self._sentence = widgets.HTML()
        self._sentence.add_class("raclab-says")
        self.busy = Busy()
        self._show(self._simulated(self.levers), next(self._run))
        for lever in self.controls.values():
            lever.observe(self._moved, "value")
        levers_box = widgets.Box(list(self.controls.values()))
        levers_box.add_class("raclab-levers")
        self.fill(levers_box, self._buttons(), self.chart, self.busy, self._badges, self._sentence)

    def move(self, levers: Levers) -> None:
        """Set all levers at once; one answer follows."""
        self._moving_many = True
        try:
            for name, lever in self.controls.items():
                lever.value = getattr(levers, name)
        finally:
            self._moving_many = False
        self._moved()

    def settle(self, timeout_s: float | None = None) -> bool:
        """Wait until the chart shows the setting asked for last; False if ``timeout_s`` went by first."""
        return self._worker.settle(timeout_s)

    async def settled(self) -> None:
        """Like ``settle``, without blocking the event loop."""
        await self._worker.settled()

    def _buttons(self) -> widgets.Box:
        presets: Mapping[str, Levers] = {"Reset levers": self._myth.levers(), **getattr(self._myth, "presets", {})}
        made = []
        for name, levers in presets.items():
            button = widgets.Button(description=name, tooltip=setting_text(self._specs, levers.as_dict()))
            button.on_click(self.guarded(name, lambda levers=levers: self.move(levers)))  # type: ignore[misc]
            made.append(button)
        box = widgets.Box(made)
        box.add_class("raclab-buttons")
        return box

    def _values(self) -> dict[str, Any]:
        values = {name: lever.value for name, lever in self.controls.items()}
        # A slider adds up its steps: 0.1 three times is 0.30000000000000004.
        return {name: round(value, 9) if isinstance(value, float) else value for name, value in values.items()}

    def _moved(self, _: object = None) -> None:
        if self._moving_many:
            return
        values = self._values()
        try:
            self.levers = self._myth.levers(**values)
        except LeverError as error:
            self.fail(f"At {setting_text(self._specs, values)}", error)
            return
        self._worker.submit((self.levers, next(self._run)))
        self.busy.give_way()

    def _answer(self, asked: tuple[Levers, int], overtaken: Callable[[], bool]) -> None:
        levers, run = asked
        seeds = self._parameters.seeds
        try:
            shown = False
            if len(seeds) > FIRST_SEEDS:
                with self.busy.attend(overtaken) as watch:
                    begun = perf_counter()
                    first = self._simulated(levers, FIRST_SEEDS)
                    took_s = perf_counter() - begun
                if overtaken() or took_s + all_s(took_s, watch.run_s, len(seeds)) > AT_ONCE_S:
                    self._show(first, run)
                    shown = True
                if overtaken():
                    return
            with self.busy.attend(overtaken, shown=shown):
                simulated = self._simulated(levers, len(seeds))
            if not (shown and overtaken()):
                self._show(simulated, run)
        except Stopped:
            if not overtaken():
                self.busy.say(f"Stopped. The chart still shows {self._shown}. Move a lever to go on.")
        except Exception as exception:
            self.fail(f"At {setting_text(self._specs, levers.as_dict())}", exception)

    def _simulated(self, levers: Levers, seeds: int | None = None) -> Measurement:
        return self._myth.simulate(levers, list(self._parameters.seeds[:seeds]))

    def _show(self, simulated: Measurement, run: int) -> None:
        """Chart and words at once: neither may stand beside a number of seeds that is not its own."""
        measurements = [*self._published, simulated]
        figure = self._myth.figure(measurements)
        sentence = self._myth.sentence([simulated, *self._published])  # what the levers changed comes first
        seeds = self._parameters.seeds[: simulated.runs]
        self._shown = f"{simulated.case}, from {len(seeds)} seeds"
        kinds = badges(m.source.kind for m in measurements)
        beside = f"{kinds} {seeds_text(seeds, len(self._parameters.seeds))}{spread_text(simulated)}"
        self.chart.show(figure, run, sentence)
        self._badges.value = beside
        # Tests and timings tell by the number which move of a lever this text answers.
        self._sentence.value = f'<p data-raclab-run="{run}" data-raclab-seeds="{len(seeds)}">{prose(sentence)}</p>'


def all_s(first_s: float, of_that_runs_s: float, seeds: int) -> float:
    """How long all seeds will take where the first FIRST_SEEDS took ``first_s``: the runs grow with the seeds, the rest does not."""
    return first_s + of_that_runs_s * (seeds / FIRST_SEEDS - 1)


def seeds_text(seeds: Sequence[int], wanted: int) -> str:
    """Which seeds figures come from: "seeds 1 to 8", and what is still missing or was left out."""
    text = f"seed {seeds[0]}" if len(seeds) == 1 else f"seeds {seeds[0]} to {seeds[-1]}"
    if len(seeds) < wanted:
        return f"{text} so far, of {wanted}"
    return f"{text} (quick mode: {wanted} seeds rather than {SEEDS})" if wanted < SEEDS else text


def spread_text(simulated: Measurement) -> str:
    """How far the runs lie apart: elapsed time of a session in the lowest and the highest run. Empty for a single run."""
    elapsed = simulated.sessions.groupby("run")["elapsed_s"].mean()
    if len(elapsed) < 2:
        return ""
    low, high = (f"{number:,.1f}" if number >= 10 else f"{number:.3g}" for number in (elapsed.min(), elapsed.max()))
    return f"; elapsed time of a session: {low} s in the lowest run, {high} s in the highest"
