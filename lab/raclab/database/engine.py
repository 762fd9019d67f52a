"""The simulated cluster's database: one DuckDB in memory with counters, views, functions, published figures and learners' tables.

Schemas: ``cluster`` (counters, hidden from clients), ``ora`` (Oracle's functions), SYS (views), PUBLISHED, LAB. Each session works
on a cursor of its own, which is a connection of its own to DuckDB. The engine reads no file and opens no connection once it is set
up; statements that run too long, or need too much memory, are stopped.
"""

import datetime
import itertools
import threading
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import duckdb

from raclab.database import background, published, snapshot_tables, views
from raclab.database.constraints import literal
from raclab.database.definitions import definitions
from raclab.database.dialect.catalog import Catalog
from raclab.database.foreign_keys import Commits
from raclab.database.parsed import Parsed
from raclab.database.snapshots import EngineSnapshots
from raclab.database.view_shape import DESCRIBED, Definition
from raclab.database.wait_classes import STATISTICS, stable_id
from raclab.database.wait_classes import WAIT_CLASSES as CLASS_NUMBERS
from raclab.oracle_names import EVENT_PARAMETERS, WAIT_CLASSES

FOLDER = Path(__file__).parent
FIRST_INSTANCES = 2
FIRST_SID = 21
MEMORY = "256MB"
DATE_FORMAT = "DD-MON-RR"

_CONFIG: dict[str, str | bool | int | float | list[str]] = {
    "threads": 1,  # a statement runs in its session's own thread; row order is then that of the data
    "memory_limit": MEMORY,
    "temp_directory": "",
    "autoinstall_known_extensions": False,
    "autoload_known_extensions": False,
    "python_enable_replacements": False,
}


class Engine:
    """One simulated cluster.

    Its clock runs with the computer's, and further by the simulated time of every run, so that a run has always just ended and
    two runs never overlap. ``runs`` are those since its start, ``loads`` counts those of all starts, ``sampled`` has the number of
    samples in ASH by load. ``published`` says what is in the schema PUBLISHED, ``starts`` how often the cluster was started again,
    ``snapshots`` are those of its counters: at its start, before what is loaded and after each run, and when asked for.
    """

    def __init__(self) -> None:
        self._kept: duckdb.DuckDBPyConnection | None = duckdb.connect(":memory:", config=_CONFIG)
        self._lock = threading.RLock()
        self._ahead = datetime.timedelta()
        self._sids = itertools.count(FIRST_SID)
        self.instances = 0
        self.starts = 0
        self.runs: list[str] = []
        self.loads = 0
        self.sampled: dict[int, int] = {}
        self.snapshots = EngineSnapshots(self)
        self.published = published.Published()
        self.catalog = Catalog()
        self.commits = Commits()
        self.parsed = Parsed()
        self._missing = definitions().copy()
        self._events: set[str] = set()
        self._statistics = set(STATISTICS)
        self._set_up()

    def _set_up(self) -> None:
        self._root.execute("SET enable_external_access = false")
        self.prepare(self._root, {"INSTANCE": "1", "SID": "0"}, DATE_FORMAT)
        self._root.execute((FOLDER / "oracle_functions.sql").read_text(encoding="utf-8"))
        self._root.execute("BEGIN")  # one transaction for all of it is quicker than one each
        self._root.execute((FOLDER / "counters.sql").read_text(encoding="utf-8"))
        for statement in (*views.tables(), *snapshot_tables.tables()):
            self._root.execute(statement)
        self._root.execute("CREATE SCHEMA LAB")
        self.published = published.create(self._root)
        self._insert("statistic", [[name, number, kind, stable_id(name)] for number, (name, kind) in enumerate(STATISTICS.items())])
        self.know_events(WAIT_CLASSES)
        self.ensure_instances(FIRST_INSTANCES)
        self._root.execute("COMMIT")
        self.snapshots.take("start")
        self._root.execute("SET lock_configuration = true")

    # -- views

    def need(self, names: Iterable[str]) -> None:
        """Create the views of SYS among these names that are not there yet, and those that they rest on."""
        wanted = list(names)
        if not self._missing.keys().isdisjoint(wanted):
            self._create(wanted)

    def unseen(self) -> Mapping[str, Definition]:
        """The views that a transaction which begins now won't see: those that are not there yet."""
        if DESCRIBED in self._missing:
            self._create([DESCRIBED])  # a table, which can't be written into a statement
        return self._missing

    def _create(self, wanted: list[str]) -> None:
        with self._lock:
            made: dict[str, None] = {}
            with self.writing() as root:
                for name in wanted:
                    self._create_one(root, name, made)
            self._missing = {name: view for name, view in self._missing.items() if name not in made}

    def _create_one(self, root: duckdb.DuckDBPyConnection, name: str, made: dict[str, None]) -> None:
        """Create a view, unless it is there or among those just made, after those that it rests on."""
        view = self._missing.get(name)
        if view is None or name in made:
            return
        for other in view.needs:
            self._create_one(root, other, made)
        root.execute(view.sql, list(view.values))
        made[name] = None

    @property
    def _root(self) -> duckdb.DuckDBPyConnection:
        if self._kept is None:
            raise duckdb.ConnectionException("the engine is closed")
        return self._kept

    @property
    def closed(self) -> bool:
        """Whether the engine was closed."""
        return self._kept is None

    # -- clock, instances, sessions

    def now(self) -> datetime.datetime:
        """The cluster's clock, without a time zone."""
        return datetime.datetime.now() + self._ahead

    def advance(self, seconds: float) -> None:
        """Let the clock run on by simulated time."""
        with self._lock:
            self._ahead += datetime.timedelta(seconds=seconds)

    def ensure_instances(self, number: int) -> None:
        """Start instances until there are ``number``."""
        with self._lock:
            further = range(self.instances + 1, number + 1)
            if further:
                started = self.now().replace(microsecond=0)
                self._root.execute("INSERT INTO cluster.instance SELECT unnest($1), $2, $2", [list(further), started])
                processes = [(instance, name, self.next_sid()) for instance in further for name in background.AT_START]
                background.start(self._root, processes, started)
                self.instances = number

    def next_sid(self) -> int:
        """A session number that was not used before on any instance."""
        return next(self._sids)

    def cursor(self) -> duckdb.DuckDBPyConnection:
        """A connection of one's own to the engine."""
        with self._lock:
            return self._root.cursor()

    @staticmethod
    def prepare(cursor: duckdb.DuckDBPyConnection, userenv: dict[str, str], date_format: str) -> None:
        """Set what the views and functions know of the session: its instance, its SID, USERENV, and how dates become text."""
        from raclab.database.dialect.dates import strftime_format

        cursor.execute("SET VARIABLE userenv = MAP($1::VARCHAR[], $2::VARCHAR[])", [list(userenv), list(userenv.values())])
        cursor.execute(f"SET VARIABLE inst_id = {int(userenv['INSTANCE'])}")
        cursor.execute(f"SET VARIABLE sid = {int(userenv['SID'])}")
        cursor.execute(f"SET VARIABLE nls_date_format = {literal(strftime_format(date_format))}")

    # -- counters

    @contextmanager
    def writing(self) -> Iterator[duckdb.DuckDBPyConnection]:
        """The root connection inside one transaction, for whoever adds to the counters; undone if the block fails."""
        with self._lock:
            self._root.execute("BEGIN")
            try:
                yield self._root
            except BaseException:
                self._root.execute("ROLLBACK")
                raise
            self._root.execute("COMMIT")

    def ensure_background(self, wanted: set[tuple[int, str]]) -> dict[tuple[int, str], int]:
        """Start the background processes, by (instance, name), that do not run yet; the SIDs of all."""
        with self._lock:
            known = background.sids(self._root)
            new = {process: self.next_sid() for process in sorted(wanted - set(known))}
            processes = [(instance, name, sid) for (instance, name), sid in new.items()]
            background.start(self._root, processes, self.now().replace(microsecond=0))
            return known | new

    def know_events(self, classes: Mapping[str, str]) -> None:
        """Give an EVENT# to events, with their wait class, that have none yet."""
        with self._lock:
            rows = []
            for place, event in enumerate(sorted(set(classes) - self._events), len(self._events)):
                number, class_id = CLASS_NUMBERS[classes[event]]
                texts = [text or None for text in EVENT_PARAMETERS.get(event, ("", "", ""))]
                rows.append([event, classes[event], stable_id(event), class_id, number, place, *texts])
            self._insert("event", rows)
            self._events.update(classes)

    def know_statistics(self, names: set[str]) -> None:
        """Give a STATISTIC# to statistics that have none yet."""
        with self._lock:
            new = enumerate(sorted(names - self._statistics), len(self._statistics))
            self._insert("statistic", [[name, number, None, stable_id(name)] for number, name in new])
            self._statistics |= names

    def _insert(self, table: str, rows: list[list[Any]]) -> None:
        """Insert rows in one statement, which is quicker than one each."""
        if rows:
            columns = [list(column) for column in zip(*rows, strict=True)]
            values = ", ".join(f"unnest(${place + 1})" for place in range(len(columns)))
            self._root.execute(f"INSERT INTO cluster.{table} SELECT {values}", columns)

    def reset(self) -> None:
        """Restart the cluster: counters to zero, two instances, only the connected sessions; learners' tables stay."""
        with self._lock:
            with self.writing() as root:
                self.snapshots.restart(root)
                for table in ("session_event", "session_sql", "sysstat", "sesstat", "time_model", *views.TABLES):
                    root.execute(f'DELETE FROM cluster."{table}"')
                root.execute("DELETE FROM cluster.session WHERE NOT connected")
                for table in ("instance", "background"):
                    root.execute(f"DELETE FROM cluster.{table} WHERE inst_id > $1", [FIRST_INSTANCES])
                restarted = self.now().replace(microsecond=0)
                root.execute("UPDATE cluster.instance SET startup_time = $1", [restarted])
                root.execute("UPDATE cluster.background SET started = $1, idle_since = $1", [restarted])
            self.instances = FIRST_INSTANCES
            self.runs.clear()
            self.sampled.clear()
            self.starts += 1
            self.snapshots.take("restart")

    def close(self) -> None:
        """Close DuckDB. Closing twice does nothing; cursors that are still open fail from now on."""
        with self._lock:
            if self._kept is not None:
                self._kept.close()
                self._kept = None  # an object of DuckDB's that outlives the process's end makes it print a warning

    def rows(self, sql: str, *parameters: Any) -> list[tuple[Any, ...]]:
        """Rows of an internal query."""
        with self._lock:
            return self._root.execute(sql, list(parameters)).fetchall()
