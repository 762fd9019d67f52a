"""A real Oracle database as a lab: read by anybody, loaded only behind the interlock."""

import datetime
from collections.abc import Callable, Mapping
from typing import Any, ClassVar

import oracledb

from raclab.database.connect_errors import CALL_TIMED_OUT, SESSION_LOST
from raclab.database.connecting import Connector
from raclab.database.errors import ConnectError, SqlError
from raclab.database.guarded import GuardedConnection, close_quietly
from raclab.database.interlock import Interlock, InterlockError, examine, require_open
from raclab.database.lab import Binds, Lab, Simulates, levers_of
from raclab.database.live import LiveRunError, Progress, run_live
from raclab.database.live_instances import open_instances, open_on
from raclab.database.live_plan import ignored, live_run
from raclab.database.live_result import version_of
from raclab.database.live_session import identity
from raclab.database.names import names_there
from raclab.database.settings import oracle_settings, owned_database
from raclab.database.workload import read_script
from raclab.errors import LabError
from raclab.evidence.measurement import Kind, Measurement
from raclab.evidence.table import Table
from raclab.paths import ORACLE_SCRIPTS

QUERY_TIMEOUT_S = 60.0
RUN_TIMEOUT_S = 600.0
SIMULATED_BANNER = "RAC Myths Lab"


class OracleLab(Lab):
    """Connections to a real database.

    Every connection reads only, until the interlock is open: RACLAB_I_OWN_THIS_DATABASE names the database, and the user is one that
    ``python -m raclab oracle init`` made. A connection that broke is made anew when it is next asked for.
    """

    kind: ClassVar[Kind] = Kind.LIVE

    def __init__(self, connector: Connector, first: GuardedConnection, version: str) -> None:
        super().__init__(connector.settings.dsn)
        self.connector = connector
        self.version = version
        self._names: frozenset[str] = frozenset()
        self._connections: dict[int, GuardedConnection] = {1: self._ready(first)}

    def instance(self, number: int) -> GuardedConnection:
        """The connection to the open instance whose INST_ID is ``number``; for 1 the one that the DSN leads to.

        Raises ConnectError if there is no such instance, or no way to it.
        """
        made = self._connections.get(number)
        if made is not None and made.is_healthy():
            return made
        if made is not None:
            close_quietly(made)
        self._connections[number] = self._ready(self._open(number))
        return self._connections[number]

    def _open(self, number: int) -> GuardedConnection:
        if number == 1:
            return self.connector.open()
        try:
            instances, database = open_instances(self.connection), identity(self.connection).database
        except oracledb.Error:
            raise ConnectError("GV$INSTANCE can't be read: python -m raclab oracle check shows what may be read.") from None
        for instance in instances:
            if instance.inst_id == number:
                return open_on(self.connector, instance, database)
        numbers = ", ".join(str(instance.inst_id) for instance in instances)
        raise ConnectError(f"There is no open instance {number}; open: {numbers}.")

    def _ready(self, connection: GuardedConnection) -> GuardedConnection:
        connection.call_timeout = round(1000 * QUERY_TIMEOUT_S)
        connection.guard = lambda statement: self._guard(connection)
        return connection

    def _guard(self, connection: GuardedConnection) -> None:
        require_open(connection, owned_database())

    @property
    def interlock(self) -> Interlock:
        """Whether the lab may write here, and if not, why not."""
        return examine(self.connection, owned_database())

    def source(self, text: str) -> tuple[Kind, str]:
        """LIVE, and the version and the day."""
        return self.kind, f"your database, {self.version}, read on {datetime.date.today().isoformat()}"

    def sql(self, text: str, binds: Binds = None, instance: int = 1) -> Table:
        """As Lab.sql. Anything but SELECT and WITH needs the open interlock; raises InterlockError without sending it."""
        try:
            return super().sql(text, binds, instance)
        except SqlError as error:
            if str(error).startswith(CALL_TIMED_OUT):
                raise SqlError(f"The statement took longer than {QUERY_TIMEOUT_S:g} s and was cancelled (DPY-4024).", error.code) from None
            if str(error).startswith(SESSION_LOST):
                raise SqlError(
                    "The session is lost: the database or the network closed the connection (DPY-4011). Run the cell again.", error.code
                ) from None
            raise

    def run(
        self,
        myth: Simulates,
        levers: Any = None,
        seed: int = 1,
        *,
        binds: Mapping[str, int] | None = None,
        progress: Callable[[Progress], None] = lambda _: None,
        say: Callable[[str], None] = print,
        call_timeout_s: float = RUN_TIMEOUT_S,
    ) -> Measurement:
        """Run the myth's workload on the database.

        ``seed`` means nothing to a real database. ``binds`` overrides the script's own figures, e.g. {"rows_per_session": 100}.
        ``progress``, ``say`` and ``call_timeout_s`` (seconds) as in live.run_live. Raises InterlockError where the lab may not write,
        and LiveRunError with ``.partial`` for a run that did not come to its end.
        """
        live = getattr(myth, "live", None)
        if live is None:
            why = getattr(myth, "not_live", "") or "unset RACLAB_DSN to run it on the simulated cluster."
            raise LabError(f"{myth.slug} has no workload for a real database: {why}")
        chosen = levers_of(myth, levers)
        script = read_script(ORACLE_SCRIPTS / live.script)
        self.names()  # while the database is there to be asked
        run = live_run(myth.slug, live, script, chosen, binds or {}, call_timeout_s, self.kind)
        idle = ignored(chosen, live, script)
        if idle:
            say(f"{', '.join(idle)} {'have' if len(idle) > 1 else 'has'} no effect here: that is the database's own.")
        try:
            measured: Measurement = live.reads(run_live(self.connector, run, owned_database(), progress, say))
        except LiveRunError as error:
            if error.partial is not None:
                error.partial = live.reads(error.partial)
                self.remember(myth.slug, error.partial)
            raise
        self.remember(myth.slug, measured)
        return measured

    def names(self) -> frozenset[str]:
        """As Lab.names, and all that the database and the settings call anything."""
        if not self._names:
            self._names = self.connector.names() | names_there(self.connection)
        return super().names() | self._names

    def load(self, measurement: Measurement, module: str = "") -> None:
        """Not on a real database: raises LabError."""
        raise LabError("A real database keeps its own counters: load a simulation into the simulated cluster (unset RACLAB_DSN).")

    def reset(self) -> None:
        """Not on a real database: raises LabError."""
        raise LabError("A real database is not restarted from here: reset() is for the simulated cluster (unset RACLAB_DSN).")

    def _close(self) -> None:
        for connection in self._connections.values():
            close_quietly(connection)
        self._connections.clear()


class ServedLab(OracleLab):
    """A simulated cluster that somebody serves (``python -m raclab serve``): reached as an Oracle is, but its figures are SIMULATED."""

    kind: ClassVar[Kind] = Kind.SIMULATED

    def source(self, text: str) -> tuple[Kind, str]:
        """SIMULATED, and where it is served."""
        return self.kind, f"simulated cluster served at {self.connector.place()}"

    def run(self, myth: Simulates, levers: Any = None, seed: int = 1, **options: Any) -> Measurement:
        """As OracleLab.run, behind the same interlock; a served cluster is for reading, so that is where it ends."""
        try:
            return super().run(myth, levers, seed, **options)
        except InterlockError:
            raise InterlockError(
                f"{self.connector.place()} is a simulated cluster that somebody serves to many, for reading only: only who serves it "
                f"puts runs into it (python -m raclab serve --run {myth.slug}); unset RACLAB_DSN to run {myth.slug} on one of your own."
            ) from None


def connect_oracle(dsn: str | None = None) -> OracleLab:
    """Connect to the database of RACLAB_DSN (or ``dsn``) with the other RACLAB_ variables. Raises ConnectError with what to do."""
    connector = Connector(oracle_settings(dsn))
    connection = connector.open()
    try:
        version = version_of(connection)
    except oracledb.Error:
        version = f"Oracle Database {connection.version}"
    lab = ServedLab if SIMULATED_BANNER in version else OracleLab
    return lab(connector, connection, version)
