"""A notebook's one object: ``page = raclab.open(slug)``, and each of its methods shows one thing."""

import asyncio
import html
import os
import threading
from collections.abc import Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any

import pandas as pd

from raclab.database.lab import Lab, connect
from raclab.errors import LabError
from raclab.evidence import published
from raclab.evidence.measurement import Kind, Measurement
from raclab.evidence.table import Table
from raclab.myths.base import Myth
from raclab.myths.levers import Levers
from raclab.myths.registry import myth as find_myth
from raclab.myths.replay import of_myth
from raclab.paths import learner_folder
from raclab.ui.context import Context
from raclab.ui.exercise import ExercisePanel
from raclab.ui.exhibit import Exhibit, caption, markup, sentence, static_chart
from raclab.ui.explore import Explorer, seeds_text
from raclab.ui.frame import Frame
from raclab.ui.interruptible import interruptible
from raclab.ui.live import LivePanel, shown_dsn
from raclab.ui.markup import sources
from raclab.ui.panel import Failure
from raclab.ui.parameters import Parameters, check, refuse_unknown
from raclab.ui.predict import Outcome, PredictionPanel, warning
from raclab.ui.progress import ProgressPanel
from raclab.ui.recorded import beside_simulation
from raclab.ui.store import Store


class Page:
    """What a notebook calls. Every method returns one thing for the cell to show.

    myth     the myth of this notebook
    errors   everything that went wrong in a callback, in order; each was also shown where it happened
    """

    def __init__(self, myth: Myth, parameters: Parameters, store: Store) -> None:
        self.myth = myth
        self.parameters = parameters
        self.store = store
        self._context = Context(myth, parameters, store)
        self._lab: Lab | None = None
        self._opening = threading.Lock()
        self._explorer: Explorer | None = None
        self._live: LivePanel | None = None
        self._recorded: list[Measurement] = []

    @property
    def errors(self) -> list[Failure]:
        """Everything that went wrong in a callback, in order."""
        return self._context.failures

    @property
    def lab(self) -> Lab:
        """The lab database: opened when first asked for, and ``%%sql`` asks it from then on."""
        with self._opening:  # a live run asks from its own thread
            if self._lab is None:
                self._lab = connect(self.parameters.dsn)
                if _shell() is not None:
                    self._lab.register_magic()
            return self._lab

    @property
    def levers(self) -> Levers:
        """The setting that the levers show, or the defaults before they are shown."""
        return self._explorer.levers if self._explorer else self.myth.levers()

    def predict(self, name: str) -> PredictionPanel:
        """Ask for a prediction; recorded at once. LabError if the myth has none of that name."""
        return PredictionPanel(self._context, _named(self.myth.predictions, name, "prediction"))

    def published(self) -> Exhibit:
        """The published figures as a chart, with badge, source, the same in words, and the learner's predictions beside them."""
        measurements = self.myth.published()
        said = self.myth.sentence(measurements)
        chart = static_chart(self.myth.figure(measurements), said)
        return Exhibit([caption(measurements), chart, sentence(said), Outcome(self._context)], said)

    def published_table(self) -> Table:
        """The published figures: calls, CPU and elapsed time of each session, and its waits (counts and seconds)."""
        measurements = self.myth.published()
        frame = pd.concat([_figures(m) for m in measurements], ignore_index=True)
        return Table(frame, _kinds(m.source.kind for m in measurements), sources(measurements))

    def diagram(self) -> Exhibit:
        """How it works, as a drawing with a text alternative."""
        file = files("raclab.ui") / "diagrams" / f"{self.myth.slug}.svg"
        if not file.is_file():
            raise LabError(f"There is no diagram of {self.myth.slug}.")
        drawing = f'<figure class="raclab-diagram">{file.read_text(encoding="utf-8")}</figure>'
        return Exhibit([markup(drawing, "[Diagram: shown in JupyterLab]")], "[Diagram]")

    def explore(self) -> Explorer:
        """The levers and the chart that follows them."""
        with interruptible():
            self._explorer = Explorer(self._context, self._recorded)
        return self._explorer

    def run(self, **levers: Any) -> Exhibit:
        """Run the test case once on the simulated lab, at these levers and the defaults for the rest, so that its views show it.

        On another database nothing is run from here: the case is simulated all the same, and the text says that the views don't show it.
        """
        setting = self.myth.levers.at(levers)
        with interruptible("The views are as they were before."):
            shown = self.lab.shows_simulations
            seed = self.parameters.seed
            measured = self.lab.run(self.myth, levers, seed) if shown else self.myth.simulate(setting, [seed])
        note = ""
        if not shown:
            note = f" SQL goes to {self.lab.dsn}, whose views know nothing of this run: they show what happened there."
        said = self.myth.sentence([measured]) + note
        return Exhibit([caption([measured]), sentence(said)], said)

    def evidence(self, name: str) -> Table:
        """One CSV of the published figures, by its name without ".csv"; LabError if there is none of that name."""
        return published.load(self.myth.slug).table(name)

    def sql(self, text: str, **binds: Any) -> Table:
        """One statement on the lab's instance 1, with its binds by name."""
        return self.lab.sql(text, binds or None)

    def live(self, *, run: bool = False) -> LivePanel:
        """The experiment on a real database: a button if one is set, else what it takes. ``run`` runs it at once, in this cell."""
        if self.myth.live is None:
            raise LabError(f"{self.myth.slug} has nothing to run on a real database. {self.myth.not_live}".rstrip())
        dsn = self.parameters.dsn or _dsn_from_environment()
        self._live = LivePanel(self._context, self.myth.live, dsn, lambda: self.lab, lambda: self.levers)
        if run:
            self._live.run()
        return self._live

    def replay(self, path: str | Path) -> Exhibit:
        """Show what ``lab.record(path)`` has written of this myth, as a chart and in words.

        From then on ``explore`` shows it beside the others, and ``compare`` beside the simulation at the same setting. The same run is
        taken once. Raises RecordingError for what is no recording, damaged, from a newer lab, or of other myths only.
        """
        found = of_myth(path, self.myth.slug)
        known = {(one.case, one.source) for one in self._recorded}
        self._recorded += [one for one in found if (one.case, one.source) not in known]
        said = self.myth.sentence(found)
        return Exhibit([caption(found), static_chart(self.myth.figure(found), said), sentence(said)], said)

    def exercise(self, name: str) -> ExercisePanel:
        """An exercise with its check, hints and solution. LabError if the myth has none of that name."""
        return ExercisePanel(self._context, _named(self.myth.exercises, name, "exercise"))

    def compare(self) -> Table:
        """Every published figure, and every recorded one, beside the simulated one, with the error in percent."""
        seeds = self.parameters.seeds
        with interruptible():
            frame = self.myth.compare(seeds)
        frame["error_pct"] = frame["error_pct"].round(1) + 0.0  # no minus before a zero
        if self._recorded:
            beside = pd.concat([beside_simulation(self.myth, one, seeds) for one in self._recorded], ignore_index=True)
            beside["error_pct"] = beside["error_pct"].round(1) + 0.0
            frame = pd.concat([frame, beside], ignore_index=True)
            frame.insert(list(frame.columns).index("simulated"), "recorded", frame.pop("recorded"))
        kinds = _kinds([*(m.source.kind for m in [*self.myth.published(), *self._recorded]), Kind.SIMULATED])
        return Table(frame, kinds, f"{self._both_sources(self._recorded)}, mean of {seeds_text(seeds, len(seeds))}")

    def verdict(self) -> Table:
        """The verdict: the same table whatever the parameters are."""
        with interruptible():
            frame = self.myth.verdict()
        text = frame.to_csv()
        kinds = tuple(kind for kind in Kind if kind in text) or (Kind.PUBLISHED, Kind.SIMULATED)
        return Table(frame, kinds, self._both_sources())

    def progress(self) -> ProgressPanel:
        """The learner's predictions and answers so far, with export and reset."""
        return ProgressPanel(self._context)

    def settle(self, timeout_s: float | None = None) -> bool:
        """Wait until no move of a lever and no live run is under way; False if ``timeout_s`` went by first."""
        parts = [part for part in (self._explorer, self._live) if part]
        return all([part.settle(timeout_s) for part in parts])

    async def settled(self) -> None:
        """Like ``settle``, without blocking the event loop."""
        await asyncio.to_thread(self.settle)

    def _both_sources(self, further: Sequence[Measurement] = ()) -> str:
        simulated = self.myth.simulate(self.myth.levers(), self.parameters.seeds[:1])
        return sources([*self.myth.published(), *further, simulated])

    def __repr__(self) -> str:
        return f"<Page {self.myth.slug}: “{self.myth.claim}”>"


def open(slug: str, *, dsn: str | None = None, seed: int = 1, quick: bool = False) -> Page:
    """Open a notebook's page.

    dsn     an Oracle database; None for RACLAB_DSN or else the simulated lab
    seed    the first seed of the simulation
    quick   2 seeds rather than 8

    Raises ParameterError for a wrong or unknown parameter, LabError for an unknown myth; each with one sentence.
    """
    shell = _shell()
    if shell is not None:
        refuse_unknown(shell.user_ns.get("In", []))
    parameters = check(dsn, seed, quick)
    try:
        myth = find_myth(slug)
    except KeyError as error:
        raise LabError(str(error.args[0])) from None
    page = Page(myth, parameters, Store(learner_folder()))
    if shell is not None:
        from IPython.display import display

        _register_sql(shell, page)
        display(_frame(page))  # type: ignore[no-untyped-call]
    return page


def _register_sql(shell: Any, page: Page) -> None:
    """Make ``%sql`` and ``%%sql`` open the lab when first used: a notebook that asks no SQL starts no database."""

    def sql(line: str, cell: str | None = None) -> Any:
        _ = page.lab  # opening it puts the lab's own magic in the place of this one
        return shell.run_line_magic("sql", line) if cell is None else shell.run_cell_magic("sql", line, cell)

    shell.register_magic_function(sql, "line_cell", "sql")


def _frame(page: Page) -> Frame:
    parameters = page.parameters
    dsn = parameters.dsn or _dsn_from_environment()
    database = f"the database at {shown_dsn(dsn)}" if dsn else "the simulated lab"
    text = f"RAC Myths Lab: SQL runs on {database}; simulations use {seeds_text(parameters.seeds, len(parameters.seeds))}."
    problem = page.store.warning
    line = f'<div class="raclab-frame"><p>{html.escape(text)}</p>{warning(problem)}</div>'
    return Frame(line, f"{text} {problem}".strip())


def _shell() -> Any:
    from IPython import get_ipython

    return get_ipython()


def _dsn_from_environment() -> str | None:
    return os.environ.get("RACLAB_DSN") or None


def _named(offered: Any, name: str, what: str) -> Any:
    for one in offered:
        if one.name == name:
            return one
    names = ", ".join(one.name for one in offered) or "none"
    raise LabError(f"There is no {what} {name!r} here; there are: {names}.")


def _kinds(kinds: Any) -> tuple[Kind, ...]:
    return tuple(dict.fromkeys(kinds))


def _figures(measurement: Measurement) -> pd.DataFrame:
    """One row a session and figure: elapsed time and CPU first, then the waits, longest first."""
    rows: list[dict[str, object]] = []
    for one in measurement.sessions.to_dict("records"):
        where = {"case": measurement.case, "inst_id": one["inst_id"], "session": one["session"]}
        rows.append({**where, "figure": "elapsed", "count": one["calls"], "time_s": one["elapsed_s"]})
        rows.append({**where, "figure": "CPU", "count": one["calls"], "time_s": one["cpu_s"]})
    for one in measurement.waits.sort_values("time_s", ascending=False).to_dict("records"):
        where = {"case": measurement.case, "inst_id": one["inst_id"], "session": one["session"]}
        rows.append({**where, "figure": one["event"], "count": one["total_waits"], "time_s": one["time_s"]})
    return pd.DataFrame(rows)
