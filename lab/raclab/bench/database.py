"""The lab database, timed as its client sees it: connecting, loading runs, and diagnostic statements; a trivial statement beside each."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from math import ceil
from typing import TYPE_CHECKING, Any

from raclab.bench.timing import Spread, in_fresh_processes, repeated, seconds
from raclab.database.embedded import EmbeddedLab
from raclab.errors import LabError
from raclab.myths.registry import myth
from raclab.paths import ROOT

if TYPE_CHECKING:
    import oracledb

CONNECTS = 20
PEER = "select 1 from dual"
_PEERS = 5
_CORPUS = ROOT / "tests" / "database" / "diagnostic_queries.txt"

_STARTED = f"""
import json, time
times = [time.perf_counter()]
def done(*_):
    times.append(time.perf_counter())
import raclab
from raclab.database.embedded import EmbeddedLab
lab = EmbeddedLab()  # whatever RACLAB_DSN says
done()
for text in ("{PEER}", "create table bench (n number)", "insert into bench values (1)", "{PEER}"):
    done(lab.sql(text))
connect, first, create, change, peer = (after - before for before, after in zip(times, times[1:]))
print(json.dumps({{"connect": connect, "first": first, "change": change, "peer": peer}}))
lab.close()
"""


@dataclass(frozen=True)
class Beside:
    """Seconds of one thing, and what they are times those of the trivial statement right after it."""

    times: Spread
    ratios: Spread


@dataclass(frozen=True)
class Asked:
    """A statement: seconds the first time, and once seen; ``ratio`` is that over the trivial statement, medians."""

    text: str
    first: float
    seen: float
    ratio: float


def started(processes: int) -> dict[str, Beside]:
    """In fresh processes: ``connect`` with its imports, the ``first`` statement, and the first one that is a ``change`` of data."""
    told = in_fresh_processes(_STARTED, processes)
    return {name: _beside([(one[name], one["peer"]) for one in told]) for name in ("connect", "first", "change")}


def loading(slugs: Sequence[str], rounds: int) -> dict[str, Beside]:
    """Loading a run of each myth at its defaults, all of them one after the other into a new cluster each round."""
    runs = {slug: myth(slug).simulate(myth(slug).levers(), seeds=[1]) for slug in slugs}
    pairs: dict[str, list[tuple[float, float]]] = {slug: [] for slug in slugs}
    for number in range(rounds + 1):
        with EmbeddedLab() as lab, closing(lab.connection.cursor()) as cursor:
            for slug, run in runs.items():
                took, _ = seconds(lambda lab=lab, run=run, slug=slug: lab.load(run, slug))  # type: ignore[misc]
                if number:  # the first round does not count
                    pairs[slug].append((took, _trivial(cursor)))
    return {slug: _beside(both) for slug, both in pairs.items()}


def connecting(times: int) -> Beside:
    """A further client that connects to a cluster that runs, so many times; and asks the trivial statement."""
    import oracledb

    pairs = []
    with EmbeddedLab() as lab:
        for number in range(times + 1):
            took, connection = seconds(lambda: oracledb.connect(user=lab.user, password=lab.password, dsn=lab.dsn))
            with closing(connection), closing(connection.cursor()) as cursor:
                if number:  # the first one does not count
                    pairs.append((took, _trivial(cursor)))
    return _beside(pairs)


def asked(slugs: Sequence[str], texts: Sequence[str], rounds: int) -> list[Asked]:
    """Each statement once, which translates it and creates the views that it is the first to name, and so many times once seen."""
    with EmbeddedLab() as lab, closing(lab.connection.cursor()) as cursor:
        for slug in slugs:
            lab.load(myth(slug).simulate(myth(slug).levers(), seeds=[1]), slug)
        cursor.execute("select event from v$system_event").fetchall()
        return [_asked(cursor, text, rounds) for text in texts]


def statements() -> list[str]:
    """The diagnostic statements of the tests. Raises LabError if they are not there."""
    if not _CORPUS.is_file():
        raise LabError(f"{_CORPUS} is not there, and it holds the statements to time; copy it again from the project's repository.")
    found, lines = [], list[str]()
    for line in _CORPUS.read_text(encoding="utf-8").splitlines():
        if line.startswith(("=>", "=~")):
            found.append("\n".join(lines))
            lines = []
        elif line and not line.startswith("#"):
            lines.append(line)
    return found


def below(share: float, values: Sequence[float]) -> float:
    """The smallest of the values that such a share of all, above 0 and up to 1, are not above."""
    return sorted(values)[ceil(share * len(values)) - 1]


def _asked(cursor: "oracledb.Cursor", text: str, rounds: int) -> Asked:
    ask = _asks(cursor, text)
    first, _ = seconds(ask)
    seen = Spread(tuple(seconds(ask)[0] for _ in range(rounds))).median
    return Asked(text, first, seen, seen / _trivial(cursor))


def _trivial(cursor: "oracledb.Cursor") -> float:
    return repeated(_asks(cursor, PEER), _PEERS).median


def _asks(cursor: "oracledb.Cursor", text: str) -> Callable[[], Any]:
    return lambda: cursor.execute(text).fetchall()


def _beside(pairs: Sequence[tuple[float, float]]) -> Beside:
    return Beside(Spread(tuple(took for took, _ in pairs)), Spread(tuple(took / peer for took, peer in pairs)))


@dataclass(frozen=True)
class Timed:
    """All of it: see ``started``, ``connecting``, ``loading`` and ``asked``."""

    started: Mapping[str, Beside]
    connecting: Beside
    loading: Mapping[str, Beside]
    asked: Sequence[Asked]


def measured(slugs: Sequence[str], texts: Sequence[str], rounds: int, processes: int) -> Timed:
    """All of it, with so many rounds and fresh processes."""
    return Timed(started(processes), connecting(CONNECTS), loading(slugs, rounds), asked(slugs, texts, rounds))
