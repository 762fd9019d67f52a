"""The lab database as a notebook sees it: one class, whether a simulated cluster or a real Oracle answers.

``connect()`` chooses. ``EmbeddedLab`` (embedded.py) starts a simulated cluster in this process; ``OracleLab`` (oracle.py) holds
connections to a real database. Both give python-oracledb connections in thin mode, so there is one code path.
"""

import atexit
import os
import weakref
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, Self

from raclab.database.reporting import Reporting
from raclab.evidence.measurement import Kind, Measurement
from raclab.evidence.table import Table

if TYPE_CHECKING:
    import oracledb

    from raclab.evidence.recording import Ran

Binds = Mapping[str, Any] | Sequence[Any] | None

MOST_REMEMBERED = 64
_PATIENCE_S = 0.5  # after so long somebody begins to wonder

_open_labs: "weakref.WeakSet[Lab]" = weakref.WeakSet()


class Simulates(Protocol):
    """What ``Lab.run`` needs of a myth: its slug, its levers' class and ``simulate(levers, seeds)``."""

    slug: ClassVar[str]
    levers: ClassVar[type[Any]]

    def simulate(self, levers: Any, seeds: Sequence[int] = ...) -> Measurement:
        """One run a seed, as a Measurement."""


class Lab(Reporting, ABC):
    """A lab database and the connections to it.

    kind   Kind.SIMULATED for the embedded cluster, Kind.LIVE for a real Oracle
    dsn    host:port/service of instance 1
    shows_simulations  whether a simulated run can be loaded into its views: true for the embedded cluster only

    A context manager; closed at the end of the process at the latest.
    """

    kind: ClassVar[Kind]
    shows_simulations: ClassVar[bool] = False

    def __init__(self, dsn: str) -> None:
        self.dsn = dsn
        self._ran: list[Ran] = []
        _open_labs.add(self)

    @property
    def connection(self) -> "oracledb.Connection":
        """The python-oracledb connection to instance 1."""
        return self.instance(1)

    @abstractmethod
    def instance(self, number: int) -> "oracledb.Connection":
        """The python-oracledb connection to instance ``number`` (1 is the first); ConnectError if there is none."""

    @abstractmethod
    def source(self, text: str) -> tuple[Kind | tuple[Kind, ...], str]:
        """Badge and source line for the rows that the statement ``text`` gives."""

    def sql(self, text: str, binds: Binds = None, instance: int = 1) -> Table:
        """Run one statement on an instance and return its rows.

        ``binds`` is a mapping for ``:name`` or a sequence for ``:1``. A statement that gives no rows returns a table of one row
        that says what was done. Raises SqlError with the database's own sentence.
        """
        from raclab.database.query import run_statement

        frame = run_statement(self.instance(instance), text, binds)
        badge, source = self.source(text)
        return Table(frame, badge, source)

    @abstractmethod
    def run(self, myth: Simulates, levers: Any = None, seed: int = 1) -> Measurement:
        """Run the myth's test case here and return what was measured.

        Embedded: simulated with ``seed`` and loaded into the views. Oracle: the live workload, behind the interlock.
        ``levers`` is the myth's levers, a mapping by lever name, or None for the defaults.
        """

    def record(self, path: str | Path, runs: Measurement | Sequence[Measurement] | None = None, *, overwrite: bool = False) -> Path:
        """Write runs of this lab into a new folder, a data package without names of hosts and people; the folder.

        ``runs`` are measurements that ``run`` has given, None for all of them (the last 64). ``overwrite`` replaces an earlier recording.
        ``raclab.replay(path)`` reads it. Raises RecordingError.
        """
        from raclab.evidence.recording import RecordingError, write

        chosen = self._ran
        if runs is not None:
            wanted = [runs] if isinstance(runs, Measurement) else list(runs)
            chosen = [one for one in self._ran if any(one.measurement is measured for measured in wanted)]
            if len(chosen) < len(wanted):
                raise RecordingError("Only what lab.run(...) of this lab has given can be recorded.")
        return write(Path(path), chosen, overwrite=overwrite)

    def remember(self, slug: str, measurement: Measurement) -> None:
        """Keep a run of this lab for ``record``."""
        from raclab.evidence.recording import Ran

        self._ran.append(Ran(slug, measurement, self.names()))
        del self._ran[:-MOST_REMEMBERED]

    def names(self) -> frozenset[str]:
        """Names of hosts and people that the lab knows of, which a recording must not hold: this machine's and its user's."""
        import getpass
        import platform

        found = {platform.node()}
        with suppress(OSError, KeyError):  # no such user in a container
            found.add(getpass.getuser())
        return frozenset(found)

    @abstractmethod
    def load(self, measurement: Measurement, module: str = "") -> None:
        """Add a simulated measurement to the counters of the views; its sessions show ``module`` and the case as action."""

    @abstractmethod
    def reset(self) -> None:
        """Restart the simulated cluster: every counter back to zero, no sessions but the connected ones."""

    def register_magic(self) -> None:
        """Make ``%sql`` and ``%%sql`` of the running IPython ask this lab."""
        from raclab.database.magic import register

        register(self)

    def close(self) -> None:
        """Close the connections and whatever serves them. Closing twice does nothing."""
        if self in _open_labs:
            _open_labs.discard(self)
            self._close()

    @abstractmethod
    def _close(self) -> None:
        """Release everything; called once."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.kind} {self.dsn}>"


def levers_of(myth: Simulates, levers: Any) -> Any:
    """The myth's levers from None (the defaults), a mapping by lever name, or the levers themselves.

    Raises LabError for a name that the myth does not have.
    """
    from raclab.errors import LabError

    if levers is None:
        return myth.levers()
    if not isinstance(levers, Mapping):
        return levers
    known = list(myth.levers.specs())
    if unknown := sorted(set(levers) - set(known)):
        raise LabError(f"{myth.slug} has no lever {', '.join(unknown)}; it has {', '.join(known)}.")
    return myth.levers(**levers)


def connect(dsn: str | None = None) -> Lab:
    """Connect to the lab database.

    Without ``dsn`` and without RACLAB_DSN a simulated cluster is started in this process; otherwise the Oracle database that
    the DSN names, as RACLAB_USER with RACLAB_PASSWORD or a wallet. Raises ConnectError with what to do.
    """
    dsn = dsn or os.environ.get("RACLAB_DSN")
    if dsn:
        from raclab.database.oracle import connect_oracle

        return connect_oracle(dsn)
    return _started()


def _started() -> Lab:
    """A simulated cluster. The first one of a process takes a second or more, and says so."""
    from raclab.gauge import gauge
    from raclab.looking import looking

    shown = gauge()
    try:
        with looking(lambda took_s: shown.show(None, "Starting the simulated cluster ..."), after_s=_PATIENCE_S, every_s=60.0):
            from raclab.database.embedded import EmbeddedLab

            return EmbeddedLab()
    finally:
        shown.close()


@atexit.register
def close_all() -> None:
    """Close every lab that is still open."""
    for lab in list(_open_labs):
        lab.close()
