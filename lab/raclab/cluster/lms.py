"""LMS: how many there are by default, and what one does between two messages, in real time and in time-share."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from raclab.cluster.parameters import Hardware
from raclab.sim import Constant, Label, Model, Number, Process, Program

REAL_TIME, TIME_SHARE = 0, 1


def default_count(release: str, cpus: int, sga_gb: float = 0.0) -> int:
    """How many LMS an instance starts by itself.

    release  as in "10.2", "11.1", "11.2", "12.1", "12.2", "18", "19" or "21"
    cpus     CPU_COUNT of the instance
    sga_gb   SGA in GB; only 21 and later look at it

    Raises ValueError for a release before 10, of which no rule is known here, and for less than one CPU.
    """
    if cpus < 1:
        raise ValueError(f"An instance has at least one CPU, not {cpus}.")
    major, _, minor = release.partition(".")
    version = (int(major), int(minor or 0))
    if version < (10, 0):
        raise ValueError(f"No rule for the number of LMS in release {release} is known here; the first known is that of 10g.")
    if version < (11, 0):
        return 2
    if version < (11, 2):
        return 1 if cpus == 1 else 2 if cpus <= 8 else cpus // 4
    if version >= (21, 0) and cpus >= 128 and sga_gb >= 100:
        return cpus // 6
    return 1 if cpus <= 3 else 2 if cpus <= 15 else 2 + cpus // 32


@dataclass(frozen=True)
class Messenger:
    """The processes of one LMS: itself, and in time-share the rest of its slice, None in real time."""

    server: Process
    rest: Process | None


def make(model: Model, name: str, cpu: int, priority: int) -> Messenger:
    """One LMS on a CPU, still without its program."""
    server = model.process(name, cpu, priority, essential=False)
    if priority == REAL_TIME:
        return Messenger(server, None)
    return Messenger(server, model.process(f"{name}, rest of its slice", cpu, REAL_TIME, essential=False))


def write(model: Model, group: Sequence[Messenger], yields: int, mailbox: Number, asked: Number, hardware: Hardware) -> None:
    """The program of LMS of one priority, each with the mailbox that it serves; several may serve the same.

    asked   cell with the number of requests that no LMS has put itself down for: whoever asks adds 1 (Cluster.ask_lms), an
            LMS takes 1 away before it takes a request or sleeps until one comes. Above 0: there is more to do at once
    yields  in real time: how often it gives the CPU away and looks again before it sleeps. Nobody else is in its
            class as a rule, so it gets the CPU straight back, and the core has burnt yield_cpu_s each time.
    """
    server = model.together([one.server for one in group])
    rests = [one.rest for one in group if one.rest]
    if rests:
        _time_share(model, server, model.together(rests), mailbox, asked, hardware)
    else:
        _real_time(server, yields, mailbox, asked, hardware)


def _real_time(server: Program, yields: int, mailbox: Number, asked: Number, hardware: Hardware) -> None:
    with server.forever():
        server.add(asked, -1)
        server.take(mailbox, 1)
        server.run(hardware.varied(hardware.lms_cpu_s))
        server.done()
        if yields:
            more = Label()
            with server.loop(yields):
                server.jump_if_positive(asked, more)
                server.run(Constant(hardware.yield_cpu_s))
            server.place(more)


def _time_share(model: Model, server: Program, rest: Program, mailbox: Number, asked: Number, hardware: Hardware) -> None:
    """Woken, it queues for a core like everybody; once on one, it serves all that has come meanwhile.

    The kernel gives a core away at the end of each burst, even to go on with the next one at once. So the rest of the time slice
    is a process of its own, which takes the core back by its priority and hands it on when no request is left.
    """
    go, over = (np.array([model.semaphore() for _ in server.processes]) for _ in range(2))
    with server.forever():
        server.add(asked, -1)
        server.take(mailbox, 1)
        server.run(hardware.varied(hardware.lms_cpu_s))
        server.done()
        more, asleep = Label(), Label()
        server.jump_if_positive(asked, more)
        server.jump(asleep)
        server.place(more)
        server.post(go)
        server.wait_for(over)
        server.place(asleep)
    with rest.forever():
        rest.wait_for(go)
        again, serve, empty = Label(), Label(), Label()
        rest.place(again)
        rest.jump_if_positive(asked, serve)
        rest.jump(empty)
        rest.place(serve)
        rest.add(asked, -1)
        rest.take(mailbox, 1)
        rest.run(hardware.varied(hardware.lms_cpu_s))
        rest.done()
        rest.jump(again)
        rest.place(empty)
        rest.post(over)
