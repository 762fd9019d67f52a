"""``raclab.sweep``: a myth's test case over a grid of levers, with progress, resumable."""

import os
from collections.abc import Mapping, Sequence
from time import monotonic
from typing import Any

from raclab.evidence.measurement import Measurement
from raclab.gauge import Gauge, gauge, span
from raclab.myths.base import Myth
from raclab.myths.registry import myth as find_myth
from raclab.sim.run import is_compiled, warm_up
from raclab.sweeps.grid import Grid, SweepError, grid_of, seeds_of
from raclab.sweeps.kept import InFile, InMemory, Store, key_of
from raclab.sweeps.outcome import Job, Outcome
from raclab.sweeps.result import Sweep, result_of
from raclab.sweeps.threads import Threads
from raclab.sweeps.version import version

SHOW_S = 0.5  # so long nobody wonders
EVERY_S = 0.25
MANY = 2_000  # settings from which on a sentence says how long it will take
FIRST = 8  # settings that such an estimate rests on

_interrupted = InMemory()


class SweepStopped(SweepError):
    """A sweep was interrupted; the message says how to go on.

    partial   what was done until then
    """

    def __init__(self, sentence: str, partial: Sweep) -> None:
        super().__init__(sentence)
        self.partial = partial


def sweep(
    myth: Myth | str,
    levers: Mapping[str, Any],
    *,
    seeds: int | Sequence[int] = 8,
    keep: str | os.PathLike[str] | None = None,
    scheduler: str | None = None,
    measurements: bool = False,
) -> Sweep:
    """Simulate a myth's test case at every combination of the given levers' values.

    myth          the myth or its slug
    levers        by name one value, or several: a list, a range, an array; all others are at their defaults
    seeds         how many (8 are seeds 1 to 8), or which
    keep          a file for what has been simulated: the same call goes on there after an interruption, and any other takes from it what
                  it needs. Results of another version of the models are not taken. Without a file they are kept in memory until the
                  sweep is complete.
    scheduler     address of a Dask scheduler ("tcp://host:8786"), whose workers then simulate; otherwise threads of this process do
    measurements  give each setting's whole Measurement too; nothing is then taken from ``keep``

    Shows how far it is, in a notebook and on a terminal. Combinations that can't be had are skipped and reported with the reason. Raises
    LeverError and SweepError with one sentence for what can't be swept, and SweepStopped, which has what was done, after Ctrl-C.
    """
    if isinstance(myth, str):
        try:
            myth = find_myth(myth)
        except KeyError as error:
            raise SweepError(str(error.args[0])) from None
    grid, seed_list = grid_of(myth, levers), seeds_of(seeds)
    work = _Work(myth, grid, seed_list, InFile(keep) if keep is not None else _interrupted, measurements)
    jobs = [(place, Job(myth, one, seed_list, measurements)) for place, one in enumerate(grid.settings) if place not in work.outcomes]
    shown = gauge()
    try:
        if jobs:
            work.simulate(jobs, scheduler, shown)
    except KeyboardInterrupt:
        raise SweepStopped(work.stopped_sentence(), work.result()) from None
    finally:
        shown.close(work.summary() if len(work.outcomes) == len(grid.settings) else "")
    _interrupted.forget(work.keys)
    return work.result()


class _Work:
    """A sweep under way."""

    def __init__(self, myth: Myth, grid: Grid, seeds: list[int], store: Store, measurements: bool) -> None:
        self._myth, self._grid, self._seeds, self._store = myth, grid, seeds, store
        self._version = version(myth)
        self._measured: dict[int, Measurement] = {}
        self._began = monotonic()
        self.keys = [key_of(myth.slug, levers, seeds, self._version) for levers in grid.settings]
        kept = {} if measurements else {place: store.get(key) for place, key in enumerate(self.keys)}
        self.outcomes: dict[int, Outcome] = {place: outcome for place, outcome in kept.items() if outcome is not None}
        self._taken = len(self.outcomes)

    def simulate(self, jobs: Sequence[tuple[int, Job]], scheduler: str | None, shown: Gauge) -> None:
        """Do the jobs and keep what comes of them. An interruption passes on when everything under way has been stopped."""
        if scheduler is None:
            if not is_compiled():
                warm_up(lambda sentence: shown.show(None, sentence))
            runner: Any = Threads(jobs)
        else:
            from raclab.sweeps.dask import Dask

            runner = Dask(scheduler, jobs)
        self._began = monotonic()
        try:
            while not runner.over:
                self._take(runner, EVERY_S)
                self._show(shown)
        except KeyboardInterrupt:
            runner.stop()
            self._take(runner, 0.0)
            raise
        finally:
            runner.stop()

    def _take(self, runner: Any, within_s: float) -> None:
        for place, done in runner.finished(within_s):
            if done.outcome.version != self._version:
                raise SweepError(
                    f"The workers have another version of the models ({done.outcome.version}) than this machine ({self._version}); "
                    "install the same there."
                )
            self.outcomes[place] = done.outcome
            if done.measurement is not None:
                self._measured[place] = done.measurement
            self._store.add(self.keys[place], done.outcome)

    def _show(self, shown: Gauge) -> None:
        took_s, done = monotonic() - self._began, len(self.outcomes) - self._taken
        if took_s < SHOW_S:
            return
        every, left = len(self._grid.settings), len(self._grid.settings) - len(self.outcomes)
        words = [f"{len(self.outcomes):,} of {every:,} settings"]
        if done:
            each_s = took_s / done
            words += [f"about {span(left * each_s)} left", f"{1 / each_s:.3g} a second" if each_s < 1 else f"{span(each_s)} each"]
            if every >= MANY and done >= FIRST and not self._said:
                self._said = True
                shown.say(
                    f"{left + done:,} settings take about {span((left + done) * each_s)}, going by the first {done}. "
                    "Ctrl-C or the interrupt button stops the sweep, and what is done stays."
                )
        if self._taken:
            words.append(f"{self._taken:,} of them from {self._store.place}")
        shown.show(len(self.outcomes) / every, f"{self._myth.slug}: {', '.join(words)}")

    _said = False

    def summary(self) -> str:
        """How many settings came from where."""
        done = len(self.outcomes)
        text = f"{done:,} setting{'s' if done != 1 else ''} x {len(self._seeds)} seed{'s' if len(self._seeds) != 1 else ''}"
        if done < len(self._grid.settings):
            text = f"{done:,} of {len(self._grid.settings):,} settings x {len(self._seeds)} seeds, then stopped"
        if self._taken:
            text += f", {self._taken:,} of them taken from {self._store.place}"
        if self._taken < done:
            text += f", {span(monotonic() - self._began)}"
        refused = [outcome.refused for outcome in self.outcomes.values() if outcome.refused]
        reasons = [reason for _, reason in self._grid.skipped] + refused
        if reasons:
            text += f"; {len(reasons):,} skipped that can't be had, such as: {reasons[0]}"
        return text.rstrip(".") + "."

    def stopped_sentence(self) -> str:
        """What is there after an interruption, and how to go on."""
        done = f"Stopped after {len(self.outcomes):,} of {len(self._grid.settings):,} settings."
        if self._store is _interrupted:
            return f'{done} The same call goes on from there while this session lives; with keep="sweep.jsonl" it does so later too.'
        return f"{done} They are in {self._store.place}, and the same call goes on from there."

    def result(self) -> Sweep:
        """What is done so far."""
        return result_of(self._myth, self._grid, self._seeds, self.outcomes, self._measured, self.summary())
