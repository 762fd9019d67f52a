"""The live runner: the workload of a myth on a real database, in sessions of their own that start together.

Nothing is sent that writes before the interlock (interlock.py) is open. Whatever happens afterwards, sessions are rolled back and
closed, the workload's objects are dropped, and what was measured is kept.
"""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field

import oracledb
import pandas as pd

from raclab.database.connect_errors import call_sentence, ora_code
from raclab.database.guarded import GuardedConnection, close_quietly
from raclab.database.instance_figures import Reading, grown, read
from raclab.database.interlock import NOT_SENT, READ_MARK, require_open
from raclab.database.live_instances import Opens, open_instances, open_on
from raclab.database.live_plan import LiveRun
from raclab.database.live_result import live_measurement, live_source, machine_of, version_of
from raclab.database.live_session import Finished, LiveSession, Load, Snapshot, execute, identity
from raclab.database.together import Job, Together
from raclab.errors import LabError
from raclab.evidence.measurement import NOT_STATED, Measurement

CLAIM = f"{READ_MARK} for update nowait"
RESOURCE_BUSY = 54
NOTHING_TO_DROP = frozenset({942, 2289})
CANCEL_GRACE_S = 10.0
MODULE = "raclab"


class LiveRunError(LabError):
    """A live run did not come to its end.

    ``partial`` is the measurement of the sessions that did finish, or None if none did.
    """

    def __init__(self, message: str, partial: Measurement | None = None) -> None:
        super().__init__(message)
        self.partial = partial


class LiveRunStoppedError(LiveRunError):
    """A live run was stopped with Ctrl-C; ``partial`` as in LiveRunError."""


@dataclass(frozen=True)
class Progress:
    """How far a run has come: ``step`` in words, ``done`` of ``total`` (sessions or statements), seconds since it began."""

    step: str
    done: int
    total: int
    elapsed_s: float

    def __str__(self) -> str:
        return f"{self.step}: {self.done} of {self.total}, {self.elapsed_s:.0f} s"


def run_live(
    connector: Opens,
    run: LiveRun,
    owned: str,
    progress: Callable[[Progress], None] = lambda _: None,
    say: Callable[[str], None] = print,
) -> Measurement:
    """Run a workload and return what its sessions measured.

    ``owned`` is what RACLAB_I_OWN_THIS_DATABASE says. ``progress`` is called several times a second, in the calling thread;
    ``say`` gets what the learner should know, a sentence at a time. Raises InterlockError, ConnectError, LiveRunError,
    and LiveRunStoppedError after Ctrl-C.
    """
    runner = _Runner(connector, run, owned, progress, say)
    with runner.connected() as control:
        runner.unlock(control)
        with runner.claimed():
            runner.connect_sessions(control)
            return runner.measure(control)


@dataclass
class _Runner:
    connector: Opens
    run: LiveRun
    owned: str
    progress: Callable[[Progress], None]
    say: Callable[[str], None]
    began: float = field(default_factory=time.monotonic)
    version: str = ""
    machine: str = NOT_STATED
    sessions: list[LiveSession] = field(default_factory=list)
    places: Sequence[int] = ()
    grown: Mapping[str, pd.DataFrame] = field(default_factory=dict)
    together: Together[Snapshot, Finished] = field(default_factory=lambda: Together([]))

    @contextmanager
    def connected(self) -> Iterator[GuardedConnection]:
        """A connection of the runner's own, with the time limit of calls."""
        connection = self.connector.open()
        try:
            connection.call_timeout = self._call_timeout_ms
            yield connection
        finally:
            close_quietly(connection)

    def unlock(self, connection: GuardedConnection) -> None:
        """Let a connection write if its interlock is open: asked on each, for each may have led somewhere else."""
        require_open(connection, self.owned)
        connection.guard = _interlock_is_open

    @contextmanager
    def claimed(self) -> Iterator[None]:
        """A row lock on the lab's mark, in a session of its own because DDL would end it: one run at a time in a schema."""
        with self.connected() as connection:
            self.unlock(connection)
            try:
                with connection.cursor() as cursor:
                    cursor.execute(CLAIM)
            except oracledb.Error as error:
                if ora_code(error) == RESOURCE_BUSY:
                    raise LiveRunError("Another run is under way in this schema (ORA-00054): wait until it has ended.") from None
                raise LiveRunError(f"{self._sentence(error, 'Claiming the schema')}; nothing was written.") from None
            yield
            with suppress(oracledb.Error, OSError):
                connection.rollback()

    def connect_sessions(self, control: GuardedConnection) -> None:
        """Find the instances and connect every session, before anything is written."""
        try:
            self.version, self.machine = version_of(control), machine_of(control)
            instances, database = open_instances(control), identity(control).database
        except oracledb.Error as error:
            sentence = self._sentence(error, "Reading V$VERSION and GV$INSTANCE")
            raise LiveRunError(f"{sentence}: python -m raclab oracle check shows what may be read.") from None
        if not instances:
            raise LiveRunError("GV$INSTANCE shows no open instance: python -m raclab oracle check shows what may be read.")
        if len(instances) < self.run.least_instances:
            raise LiveRunError(
                f"{self.run.slug} needs {self.run.least_instances} open instances and GV$INSTANCE shows {len(instances)}, so {NOT_SENT}: "
                f"connect to a RAC database. {self.run.needs_rac}".rstrip()
            )
        self.places = self.run.places(len(instances))
        self._tell_where(len(instances))
        numbers: dict[int, int] = {}
        try:
            for position, place in enumerate(self.places):
                self._report("connecting", position, len(self.places))
                instance = instances[place]
                connection = open_on(self.connector, instance, database) if len(instances) > 1 else self.connector.open()
                connection.call_timeout = self._call_timeout_ms
                self.unlock(connection)
                connection.module, connection.action = MODULE, self.run.slug
                numbers[place] = numbers.get(place, 0) + 1
                self.sessions.append(LiveSession(instance, numbers[place], connection, identity(connection).sid))
        except BaseException as error:
            self._close_sessions()
            if isinstance(error, oracledb.Error):
                raise LiveRunError(f"{self._sentence(error, 'Connecting a session')}; nothing was written.") from None
            raise

    def measure(self, control: GuardedConnection) -> Measurement:
        """Set up, run, clean up; the measurement, or LiveRunError with what there is of it."""
        trouble: BaseException | None = None
        try:
            self._drop(control)
            self._set_up(control)
            self.together = Together([self._job(position) for position in range(len(self.sessions))])
            before = read(control, self.run.views)
            self.together.run(lambda ended: self._report("running", ended, len(self.sessions)))
            self._read_instances(control, before)
        except BaseException as error:
            trouble = error
            with suppress(KeyboardInterrupt):  # a second Ctrl-C only cuts the waiting short
                self.together.cancel(CANCEL_GRACE_S)
        self._close_sessions()
        left = self._tear_down(control)
        measurement = self._measurement() if self.together.done else None
        if measurement is not None and trouble is None and not left and not self.together.failed:
            return measurement
        raise self._story(trouble, left, measurement) from None

    def _read_instances(self, control: GuardedConnection, before: Reading) -> None:
        """What the instances counted since ``before``; where the control session is lost by now, the sessions' figures still stand."""
        try:
            self.grown = grown(before, read(control, self.run.views))
        except (oracledb.Error, OSError) as error:
            self.say(
                f"{self._sentence(error, 'Reading the counters of the instances')}: the figures of the sessions are kept without them."
            )
        if self.grown:
            shown = ", ".join(f"V${view}" for view in self.grown)
            self.say(f"{shown}: counted for whole instances, so what others did there meanwhile is in it.")

    def _job(self, position: int) -> Job[Snapshot, Finished]:
        session = self.sessions[position]
        script = self.run.script
        load = Load(() if script.array else script.section("workload"), script.array, self.run.session_views)
        values = {
            **self.run.values,
            "my_number": position + 1,
            "all_sessions": len(self.sessions),
            "my_instance": self.places[position] + 1,
        }
        return Job(
            session.snapshot,
            lambda before: session.work(load, values, before),
            session.connection.cancel,
            position * self.run.start_gap_s,
        )

    def _story(self, trouble: BaseException | None, left: str, measurement: Measurement | None) -> BaseException:
        kept = f"the figures of {len(self.together.done)} of {len(self.sessions)} sessions are in .partial" if measurement else ""
        ending = "; ".join(part for part in (kept, left or "all that the run made is removed") if part) + "."
        if isinstance(trouble, KeyboardInterrupt):
            return LiveRunStoppedError(f"The run was stopped; {ending}", measurement)
        if isinstance(trouble, oracledb.Error):
            return LiveRunError(f"{self._sentence(trouble, f'Setting up {self.run.slug}')}; {ending}", measurement)
        if isinstance(trouble, LabError):
            return LiveRunError(f"{str(trouble).rstrip('.')}; {ending}", measurement)
        if trouble is not None:
            return trouble
        if not self.together.failed:
            return LiveRunError(f"The run is measured, but {ending}", measurement)
        position, error = min(self.together.failed.items())
        others = len(self.together.failed) - 1
        what = f"The workload in {self.sessions[position]}" + (f" (and in {others} more)" if others else "")
        return LiveRunError(f"{self._sentence(error, what)}; {ending}", measurement)

    def _close_sessions(self) -> None:
        """Roll back, reset MODULE and ACTION, close; a session whose call would not end is left to the database."""
        busy = self.together.busy()
        for position, session in enumerate(self.sessions):
            if position not in busy:
                with suppress(oracledb.Error, OSError):
                    session.connection.module, session.connection.action = "", ""
                    session.connection.rollback()
                close_quietly(session.connection)

    def _set_up(self, control: GuardedConnection) -> None:
        statements = self.run.script.sections.get("setup", ())
        for done, statement in enumerate(statements):
            self._report("setting up", done, len(statements))
            execute(control, statement, {**self.run.values, "all_sessions": len(self.sessions)})

    def _drop(self, connection: GuardedConnection) -> None:
        """Drop the workload's objects, those of a run that was cut off included. Raises oracledb.Error."""
        for statement in self.run.script.sections.get("teardown", ()):
            try:
                execute(connection, statement, self.run.values)
            except oracledb.Error as error:
                if ora_code(error) not in NOTHING_TO_DROP:
                    raise

    def _tear_down(self, control: GuardedConnection) -> str:
        """Drop what the run made, over a new connection if need be; "" or what is left and what to do about it."""
        try:
            with suppress(oracledb.Error, OSError):
                self._drop(control)
                return ""
            with self.connected() as connection:
                self.unlock(connection)
                self._drop(connection)
                return ""
        except (oracledb.Error, OSError, LabError, KeyboardInterrupt) as error:
            what = "dropping its objects"
            sentence = f"{what} was interrupted" if isinstance(error, KeyboardInterrupt) else self._sentence(error, what)
            return f"{sentence}: the next run removes them, or python -m raclab oracle drop does"

    def _measurement(self) -> Measurement:
        instances = len({session.instance.inst_id for session in self.sessions})
        finished, sessions = len(self.together.done), len(self.sessions)
        count = f"{sessions}" if finished == sessions else f"{finished} of {sessions}"
        where = f"{count} session{'s' if sessions > 1 else ''} on {instances} instance{'s' if instances > 1 else ''}"
        source = live_source(self.run.kind, self.run.slug, self.version, self.machine)
        case = f"{self.run.case(instances)} ({where})"
        return live_measurement(source, case, self.run.levers(instances), list(self.together.done.values()), self.grown)

    def _tell_where(self, instances: int) -> None:
        sessions = len(self.places)
        if instances == 1 and sessions > 1:
            self.say(f"One instance is open: all {sessions} sessions run there. {self.run.needs_rac}".rstrip())
        elif 1 < instances < sessions and len(set(self.places)) > 1:
            self.say(f"{instances} instances are open: the {sessions} sessions share them.")

    def _report(self, step: str, done: int, total: int) -> None:
        self.progress(Progress(step, done, total, time.monotonic() - self.began))

    def _sentence(self, error: BaseException, what: str) -> str:
        return call_sentence(error, what, self.run.call_timeout_s)

    @property
    def _call_timeout_ms(self) -> int:
        return max(1, round(1000 * self.run.call_timeout_s))


def _interlock_is_open(statement: str) -> None:
    """The guard of connections that the runner uses once the interlock has been found open."""
