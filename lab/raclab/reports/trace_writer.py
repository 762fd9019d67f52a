"""A followed session as a 10046-style trace: PARSING IN CURSOR, PARSE, EXEC, FETCH, WAIT and XCTEND lines, times in microseconds."""

import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field

from raclab.cluster.sql_ids import sql_id
from raclab.reports.traced_run import COMMIT, Step, TracedRun, is_recursive

_COMMANDS = {"INSERT": 2, "SELECT": 3, "UPDATE": 6, "DELETE": 7, "LOCK": 26, "COMMIT": 44, "BEGIN": 47, "MERGE": 189}
_QUERIES = (3,)
USER, SYS = 100, 0
MICROSECONDS = 1e6


@dataclass(frozen=True)
class Traced:
    """Whose trace it is: what stands at its head."""

    instance: int
    sid: int
    serial: int
    module: str
    action: str
    began: str
    origin: str


@dataclass
class _Execution:
    """A statement that is being executed; ``cpu`` is what the session had used when it began."""

    cursor: int
    text: str
    began: float
    cpu: float
    ended: float


@dataclass
class _Writer:
    run: TracedRun
    cursors: dict[str, int] = field(default_factory=dict)
    open: list[_Execution] = field(default_factory=list)
    cpu: float = 0.0
    waited: dict[str, float] = field(default_factory=dict)
    last: int = 0

    def lines(self) -> Iterator[str]:
        for step in self.run.steps:
            yield from self._turn_to(step)
            self.cpu += step.cpu
            for execution in self.open:
                execution.ended = step.ended
            if step.event:
                if step.text == COMMIT:
                    yield f"XCTEND rlbk=0, rd_only=0, tim={_micro(step.began)}"
                yield self._wait(step)
        yield from self._close(0)

    def _turn_to(self, step: Step) -> Iterator[str]:
        """End the executions that are over, and begin that of the step's statement."""
        if not step.text:
            if step.event:  # the client's turn
                yield from self._close(0)
            return
        depth = int(is_recursive(step.text))
        if depth and step.caller and (step.again or not self.open):
            yield from self._execute(step.caller, 0, step)
        there = self.open[depth] if len(self.open) > depth else None
        if there and there.text == step.text and not (step.again and not depth):
            yield from self._close(depth + 1)
        else:
            yield from self._execute(step.text, min(depth, len(self.open)), step)

    def _execute(self, text: str, depth: int, step: Step) -> Iterator[str]:
        yield from self._close(depth)
        if text not in self.cursors:
            yield from self._parse(text, step.began)
        self.last = self.cursors[text]
        self.open.append(_Execution(self.last, text, step.began, self.cpu, step.began))

    def _parse(self, text: str, began: float) -> Iterator[str]:
        number = self.cursors[text] = len(self.cursors) + 1
        depth = int(is_recursive(text))
        user = SYS if depth else USER
        command, now = _command(text), _micro(began)
        yield "====================="
        yield (
            f"PARSING IN CURSOR #{number} len={len(text)} dep={depth} uid={user} oct={command} lid={user} tim={now} "
            f"hv={zlib.crc32(text.encode())} ad='0' sqlid='{sql_id(text)}'"
        )
        yield text
        yield "END OF STMT"
        yield _call("PARSE", number, 0, 0, depth, now)

    def _close(self, depth: int) -> Iterator[str]:
        while len(self.open) > depth:
            done = self.open.pop()
            recursive = int(is_recursive(done.text))
            spent = _micro(self.cpu) - _micro(done.cpu), _micro(done.ended) - _micro(done.began)
            if _command(done.text) in _QUERIES:
                yield _call("EXEC", done.cursor, 0, 0, recursive, _micro(done.began))
                yield _call("FETCH", done.cursor, *spent, recursive, _micro(done.ended))
            else:
                yield _call("EXEC", done.cursor, *spent, recursive, _micro(done.ended))

    def _wait(self, step: Step) -> str:
        """Rounded so that the waits for an event add up to what the session waited for it."""
        before = self.waited.get(step.event, 0.0)
        self.waited[step.event] = before + (step.ended - step.began)
        took = _micro(self.waited[step.event]) - _micro(before)
        cursor = self.open[-1].cursor if self.open else self.last
        return f"WAIT #{cursor}: nam='{step.event}' ela= {took} p1=0 p2=0 p3=0 obj#=-1 tim={_micro(step.ended)}"


def trace_text(run: TracedRun, whose: Traced) -> str:
    """The trace as text. ``tim`` counts from the run's begin."""
    head = [
        "RAC Myths Lab: 10046-style trace of a simulated session (SIMULATED; no Oracle wrote it)",
        whose.origin,
        "Not simulated, and therefore 0: parse times, p, cr, cu, mis, r; and p1 to p3 of waits.",
    ]
    if run.scale != 1:
        head.append(
            f"The run is a sample: the views show counts and times {run.scale:.6g} times as large; this trace is the sample itself."
        )
    head += [
        f"Instance name: rac{whose.instance}",
        "",
        f"*** {whose.began}",
        f"*** SESSION ID:({whose.sid}.{whose.serial}) {whose.began}",
        f"*** SERVICE NAME:(RAC{whose.instance}) {whose.began}",
        f"*** MODULE NAME:({whose.module}) {whose.began}",
        f"*** ACTION NAME:({whose.action}) {whose.began}",
        "",
    ]
    return "\n".join([*head, *_Writer(run).lines(), ""])


def _command(text: str) -> int:
    return _COMMANDS.get(text.split()[0].upper(), 0)


def _micro(seconds: float) -> int:
    return round(MICROSECONDS * seconds)


def _call(kind: str, cursor: int, cpu: int, elapsed: int, depth: int, now: int) -> str:
    return f"{kind} #{cursor}:c={cpu},e={elapsed},p=0,cr=0,cu=0,mis=0,r=0,dep={depth},og=1,plh=0,tim={now}"
