"""Who is who in a model: which of its processes are a database's sessions and background processes, and on which instance.

Everything that turns a run into V$ rows works from this, whatever the model is about.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from raclab.cluster.introduced import introduce
from raclab.cluster.parameters import Hardware
from raclab.sim import Model, Process, Run

CLIENT = "SQL*Net message from client"
_BACKGROUND = re.compile(r"(?P<name>LMS\d+|LCK\d|LMD\d|LGWR|DBW\d)\b")


@dataclass(frozen=True)
class Segment:
    """A table or index whose blocks a workload uses; ``kind`` as in OBJECT_TYPE."""

    owner: str
    name: str
    kind: str = "TABLE"


def _whole(_run: Run) -> float:
    return 1.0


def _nothing(_activity: str, _event: str) -> Segment | None:
    return None


def _unknown(_run: Run) -> Mapping[tuple[int, str], int]:
    return {}


@dataclass(frozen=True)
class Roster:
    """A model's processes as a database's.

    sessions     (node from 0, number within the node from 1, process) of each foreground session
    cpus         the model's CPU of each node
    statements   SQL text by activity; ``statement`` is that of all other activities ("" if they are no statement)
    recursive    those of the statements that the database issues by itself, as SYS
    executions   of a run: how often each statement was executed, by (node, text); what is missing there is not known
    start_gap_s  a session of node n begins n times that late (seconds)
    cores        of each node, where the model's CPUs are something else
    queueing     activities that are waiting for a core, where the model does not leave that to its CPU
    system       activities whose CPU is the operating system's own
    to_the_end   no session is ever idle, and the run ends by the clock: what is under way then counts, as waiting for a core
    scale        of a run: what its counts and times are multiplied with, where it is a sample of something longer
    segment      the segment that a wait for an event in an activity is about; None if it is about none
    read_blocks  blocks that one wait for a read brings
    hardware     of the nodes and their interconnect, if there is one
    """

    model: Model
    sessions: tuple[tuple[int, int, Process], ...]
    cpus: tuple[int, ...]
    statements: Mapping[str, str] = field(default_factory=dict)
    statement: str = ""
    recursive: frozenset[str] = frozenset()
    executions: Callable[[Run], Mapping[tuple[int, str], int]] = _unknown
    start_gap_s: float = 0.0
    cores: tuple[int, ...] = ()
    queueing: frozenset[str] = frozenset()
    system: frozenset[str] = frozenset()
    to_the_end: bool = False
    scale: Callable[[Run], float] = _whole
    segment: Callable[[str, str], Segment | None] = _nothing
    read_blocks: float = 1.0
    hardware: Hardware | None = None

    def __post_init__(self) -> None:
        introduce(self)

    @property
    def nodes(self) -> int:
        """How many instances there are."""
        return len(self.cpus)

    def cores_of(self, node: int) -> int:
        """Cores of a node."""
        return self.cores[node] if self.cores else self.model.cpus[self.cpus[node]][0]

    @cached_property
    def background(self) -> dict[tuple[int, str], list[int]]:
        """The process numbers of each background process, by (node, name), e.g. (0, "LMS0"); an LMS in time-share is two of them."""
        ours = {process.number for _, _, process in self.sessions}
        found: dict[tuple[int, str], list[int]] = {}
        for process in self.model.processes:
            match = _BACKGROUND.match(process.name)
            if match and process.number not in ours and process.cpu in self.cpus:
                found.setdefault((self.cpus.index(process.cpu), match["name"]), []).append(process.number)
        return found
