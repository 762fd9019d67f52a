"""The same experiment on a real database: what it takes, and a button where there is one."""

import html
import os
from collections.abc import Callable, Mapping, Sequence

import ipywidgets as widgets

from raclab.database.lab import Lab
from raclab.errors import LabError
from raclab.evidence.measurement import Measurement
from raclab.myths.base import Live
from raclab.myths.levers import Levers
from raclab.ui.chart import Chart
from raclab.ui.context import Context
from raclab.ui.controls import setting_text
from raclab.ui.markup import badges, prose, sources
from raclab.ui.panel import Panel
from raclab.ui.worker import LatestWins

VARIABLES: Mapping[str, str] = {
    "RACLAB_DSN": "where: dbhost:1521/service, of instance 1",
    "RACLAB_USER": "the lab's own user, made by python -m raclab oracle init",
    "RACLAB_PASSWORD": "its password, or a wallet instead",
    "RACLAB_WALLET": "folder of the wallet",
    "RACLAB_WALLET_PASSWORD": "password of the wallet",
    "RACLAB_I_OWN_THIS_DATABASE": "the database's db_unique_name, to say that load may run there",
}


class LivePanel(Panel):
    """What the live run does and needs; with a database, a button that runs it at the levers' setting.

    dsn      the database, or None where none is set
    lab      opens the lab, or gives the open one
    levers   the setting at the moment of the run
    """

    def __init__(self, context: Context, live: Live, dsn: str | None, lab: Callable[[], Lab], levers: Callable[[], Levers]) -> None:
        super().__init__(f"{context.myth.slug} on a real database", context.failures)
        self._myth = context.myth
        self._seed = context.parameters.seed
        self._dsn = dsn
        self._lab = lab
        self._levers = levers
        self._worker: LatestWins[Levers] = LatestWins(lambda setting, _: self._guarded_run(setting))
        self.start = widgets.Button(description="Run it on the database", tooltip="Runs the workload at the setting of the levers.")
        self.start.on_click(self.guarded("Starting the live run", self._start))
        self.state = widgets.HTML()
        self.state.add_class("raclab-says")
        self.chart = Chart()
        self.chart.layout.display = "none"
        explained = widgets.HTML(_explained(live, dsn))
        self.fill(*([explained, self.start, self.state, self.chart] if dsn else [explained]))

    def run(self) -> Measurement:
        """Run it now, in this cell, and show the result. Raises what the database says, as a LabError with one sentence."""
        if not self._dsn:
            raise LabError("There is no database to run on; set RACLAB_DSN, or give the notebook the parameter dsn.")
        self.start.disabled = True
        try:
            return self._run(self._levers())
        finally:
            self.start.disabled = False

    def settle(self, timeout_s: float | None = None) -> bool:
        """Wait for a run that the button started; False if ``timeout_s`` went by first."""
        return self._worker.settle(timeout_s)

    def _start(self) -> None:
        self.start.disabled = True
        self._worker.submit(self._levers())

    def _guarded_run(self, levers: Levers) -> None:
        try:
            self._run(levers)
        except Exception as exception:
            self.fail(f"At {self._setting(levers)}", exception)
        finally:
            self.start.disabled = False

    def _setting(self, levers: Levers) -> str:
        return setting_text(self._myth.levers.specs(), levers.as_dict())

    def _run(self, levers: Levers) -> Measurement:
        from raclab.database.live import LiveRunError
        from raclab.database.oracle import OracleLab

        remarks: list[str] = []

        def tell(now: object) -> None:
            said = "".join(f"<p>{prose(remark)}</p>" for remark in remarks)
            self.state.value = f"<p>At {html.escape(self._setting(levers))}: {html.escape(str(now))} …</p>{said}"

        tell("connecting")
        try:
            lab = self._lab()
            if not isinstance(lab, OracleLab):
                raise LabError("This notebook has already opened the simulated lab; restart its kernel to run on the database.")
            measured = lab.run(self._myth, levers, self._seed, progress=tell, say=remarks.append)
        except Exception as error:
            unfinished = "The run did not come to its end."
            if isinstance(error, LiveRunError) and error.partial is not None:
                self._show(error.partial, [f"{unfinished} This is what it had measured.", *remarks])
            else:
                self.state.value = f"<p>{unfinished}</p>"
            raise
        self._show(measured, remarks)
        return measured

    def _show(self, measured: Measurement, remarks: Sequence[str]) -> None:
        said = self._myth.sentence([measured])
        self.chart.show(self._myth.figure([measured]), self.chart.run + 1, said)
        self.chart.layout.display = None
        told = "".join(f"<p>{prose(text)}</p>" for text in (said, *remarks))
        self.state.value = f"<p>{badges([measured.source.kind])} {html.escape(sources([measured]))}</p>{told}"


def shown_dsn(dsn: str) -> str:
    """A connect string without the user and password that may stand before its @."""
    return dsn.rpartition("@")[2]


def _explained(live: Live, dsn: str | None) -> str:
    needs = f"<p>Needs RAC: {prose(live.needs_rac)}</p>" if live.needs_rac else "<p>One instance is enough.</p>"
    what = f"<p>{prose(live.explains)}</p>{needs}<p>The workload is <code>lab/oracle/{html.escape(live.script)}</code>.</p>"
    if dsn:
        return f"{what}<p>Database: <code>{html.escape(shown_dsn(dsn))}</code>. Nothing runs before you press the button.</p>"
    rows = "".join(
        f"<tr><td><code>{name}</code></td><td>{html.escape(text)}</td><td>{'set' if os.environ.get(name) else 'not set'}</td></tr>"
        for name, text in VARIABLES.items()
    )
    head = '<tr><th scope="col">variable</th><th scope="col">what it says</th><th scope="col">now</th></tr>'
    return (
        f"{what}<p>No database is set, so nothing runs here. Set these in the environment and start JupyterLab again:</p>"
        f'<table class="raclab-table"><thead>{head}</thead><tbody>{rows}</tbody></table>'
    )
