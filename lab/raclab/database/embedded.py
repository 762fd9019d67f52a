"""The embedded lab: a simulated cluster in this process, with a listener on the loopback address."""

import contextlib
import os
import secrets
import threading
from typing import TYPE_CHECKING, Any, ClassVar

from raclab.database.engine import Engine
from raclab.database.errors import ConnectError
from raclab.database.lab import Lab, Simulates, levers_of
from raclab.database.listener import USER, Listener
from raclab.database.loader import load
from raclab.database.provenance import provenance
from raclab.database.remembered import Origin, Session, Sessions, trace_report
from raclab.database.snapshots import Snapshots
from raclab.database.views import BANNER
from raclab.evidence.measurement import Kind, Measurement

if TYPE_CHECKING:
    import oracledb

    from raclab.reports.report import Report

HOST = "127.0.0.1"


class EmbeddedLab(Lab):
    """A simulated cluster of two instances or more, as a python-oracledb client sees it.

    ``user`` and ``password`` are for further clients on this machine; the password is made anew for each lab.
    """

    kind: ClassVar[Kind] = Kind.SIMULATED
    shows_simulations: ClassVar[bool] = True

    def __init__(self) -> None:
        self.user = USER
        self.password = secrets.token_urlsafe(24)
        self._process = os.getpid()
        self._lock = threading.RLock()
        self._connections: dict[int, oracledb.Connection] = {}
        self._engine = Engine()
        self._sessions = Sessions()
        try:
            self._listener = Listener(self._engine, self.password, HOST)
        except BaseException:
            self._engine.close()
            raise
        super().__init__(f"{HOST}:{self._listener.port}/RAC1")
        self.instance(1)

    def instance(self, number: int) -> "oracledb.Connection":
        """The connection to instance ``number``; made anew if the last one is gone."""
        self._in_this_process()
        with self._lock:
            kept = self._connections.get(number)
            if kept is not None and kept.is_healthy():
                return kept
            self._connections[number] = self._connect(number)
            return self._connections[number]

    def _connect(self, number: int) -> "oracledb.Connection":
        import oracledb

        if self._engine.closed:
            raise ConnectError("This lab is closed; start another with raclab.connect().")
        if not 1 <= number <= self._engine.instances:
            raise ConnectError(f"The simulated cluster has instances 1 to {self._engine.instances}, and no instance {number}.")
        dsn = f"{HOST}:{self._listener.port}/RAC{number}"
        return oracledb.connect(user=self.user, password=self.password, dsn=dsn)

    def _in_this_process(self) -> None:
        if os.getpid() != self._process:
            raise ConnectError("This lab lives in the process that started it; call raclab.connect() here to start another.")

    def source(self, text: str) -> tuple[Kind | tuple[Kind, ...], str]:
        """Badge and source of a statement's rows: simulated, published, or both."""
        return provenance(self._engine, text)

    def run(self, myth: Simulates, levers: Any = None, seed: int = 1) -> Measurement:
        """Simulate the myth's test case with one seed and load it; its sessions have the slug as module and the case as action."""
        self._in_this_process()
        chosen = levers_of(myth, levers)
        measurement = myth.simulate(chosen, seeds=[seed])
        self._load(measurement, myth.slug, Origin(myth, chosen, seed))
        self.remember(myth.slug, measurement)
        return measurement

    def load(self, measurement: Measurement, module: str = "") -> None:
        """Add every run of a simulated measurement to the counters. Raises LoadError for one that was not simulated."""
        self._in_this_process()
        self._load(measurement, module)

    def _load(self, measurement: Measurement, module: str, origin: Origin | None = None) -> None:
        for run in load(self._engine, measurement, module):
            self._sessions.add(run.sids, run.module, run.action, run.began, origin)

    @property
    def _history(self) -> Snapshots:
        self._in_this_process()
        return self._engine.snapshots

    def _origin(self) -> str:
        return BANNER

    def trace(self, session: Session) -> "Report":
        """As Lab.trace."""
        self._in_this_process()
        return trace_report(*self._sessions.find(session))

    def reset(self) -> None:
        """Restart the cluster: counters at zero, two instances. Connections and learners' tables stay."""
        self._in_this_process()
        self._engine.reset()
        self._sessions.clear()

    def _close(self) -> None:
        if os.getpid() != self._process:
            return
        for connection in self._connections.values():
            _close_quietly(connection)
        self._connections.clear()
        self._listener.close()
        self._engine.close()


def _close_quietly(connection: "oracledb.Connection") -> None:
    import oracledb

    with contextlib.suppress(oracledb.Error):  # it may be gone already
        connection.close()
