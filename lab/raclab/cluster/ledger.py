"""The tallies of a run, by who they belong to: what each op's time was, and whose."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd

from raclab.cluster.roster import Roster
from raclab.oracle_names import wait_class
from raclab.sim import Run, ops

IDLE = "Idle"
AT_A_TIME = 2**18


@dataclass(frozen=True, eq=False)
class Ledger:
    """A roster's ops, looked at once for all runs; make it after the first run, which ends the last program."""

    roster: Roster

    @cached_property
    def owner(self) -> np.ndarray:
        """Per op: the number of its process."""
        return self.roster.model.where.process

    @cached_property
    def code(self) -> np.ndarray:
        """Per op: what it does (sim/ops.py)."""
        codes: np.ndarray = self.roster.model.program["code"]
        return codes

    @cached_property
    def activity(self) -> np.ndarray:
        """Per op: the activity that it is a part of."""
        return self.roster.model.where.activity

    @cached_property
    def event(self) -> np.ndarray:
        """Per op: the number of the event that it is a part of a wait for; -1 outside waits."""
        return self.roster.model.where.event_among(self.roster.model.events)

    @cached_property
    def parts(self) -> tuple[np.ndarray, list[tuple[str, str]]]:
        """Per op: its place in the list of (activity, event), "" being none; and that list."""
        activities, names = pd.factorize(self.activity)
        events = [*self.roster.model.events, ""]
        combined, which = np.unique(activities * len(events) + self.event % len(events), return_inverse=True)
        return which, [(str(names[both // len(events)]), events[both % len(events)]) for both in combined]

    @cached_property
    def idle(self) -> np.ndarray:
        """Per event of the model: whether it is in class Idle. One more, False, so that -1 means no event."""
        return np.array([*(wait_class(name) == IDLE for name in self.roster.model.events), False])

    @cached_property
    def numbers(self) -> np.ndarray:
        """Per session: the number of its process."""
        return np.array([process.number for _, _, process in self.roster.sessions])

    @cached_property
    def nodes(self) -> np.ndarray:
        """Per session: its node from 0."""
        return np.array([node for node, _, _ in self.roster.sessions])

    @cached_property
    def within(self) -> np.ndarray:
        """Per session: its number within its node."""
        return np.array([number for _, number, _ in self.roster.sessions])

    @cached_property
    def _queues(self) -> np.ndarray:
        waiting = self.roster.model.where.activity_is(*self.roster.queueing)
        queues: np.ndarray = waiting & (self.code == ops.WAIT)
        return queues

    @cached_property
    def on_core(self) -> np.ndarray:
        """Per op: whether it wants a core."""
        return np.isin(self.code, (ops.RUN, ops.SPIN))

    @cached_property
    def at_work(self) -> np.ndarray:
        """Per op: whether a background process that is at it is active: it wants a core, or waits for something that is not idle."""
        waiting: np.ndarray = (self.event >= 0) & ~self.idle[self.event]
        working: np.ndarray = self.on_core | waiting
        return working

    def of_processes(self, values: np.ndarray, ops_counted: np.ndarray | None = None) -> np.ndarray:
        """Sums of a figure of each op over the ops of each process, or over those of them that are marked."""
        sums = np.zeros(len(self.roster.model.processes))
        for first in range(0, len(values), AT_A_TIME):  # the whole, as numpy wants it, would be as large as the run itself
            piece = slice(first, first + AT_A_TIME)
            kept = slice(None) if ops_counted is None else ops_counted[piece]
            np.add.at(sums, self.owner[piece][kept], values[piece][kept].astype(float))
        return sums

    def cpu_s(self, run: Run) -> np.ndarray:
        """Per process: CPU seconds, those within waits too."""
        return self.of_processes(run.tally["cpu"])

    def queue_s(self, run: Run) -> np.ndarray:
        """Per process: seconds of waiting for a core outside its waits for events."""
        outside = self.event < 0
        at_cpu = self.of_processes(run.tally["time"] - run.tally["cpu"], outside & self.on_core)
        queued: np.ndarray = at_cpu + self.of_processes(run.tally["time"], outside & self._queues)
        if self.roster.to_the_end:
            queued[self.numbers] = (self.db_s(run) - self.cpu_s(run) - self._busy_waits_s(run))[self.numbers]
        return queued

    def db_s(self, run: Run) -> np.ndarray:
        """Per process: seconds that were not idle, from its own start on: whole non-idle waits, and all between the waits."""
        between = self.of_processes(run.tally["time"], self.event < 0)
        between[self.numbers] -= self.roster.start_gap_s * self.nodes
        spent: np.ndarray = between + self._busy_waits_s(run)
        if self.roster.to_the_end:
            spent[self.numbers] = run.clock
        return spent

    def _busy_waits_s(self, run: Run) -> np.ndarray:
        busy: np.ndarray = run.waits["time"][:, : len(self.idle) - 1][:, ~self.idle[:-1]].sum(axis=1)
        return busy

    def idle_s(self, run: Run) -> np.ndarray:
        """Per process: seconds of idle waits."""
        idle: np.ndarray = run.waits["time"][:, : len(self.idle) - 1][:, self.idle[:-1]].sum(axis=1)
        return idle

    def waited(self, run: Run, processes: np.ndarray | list[int], *starts: str) -> tuple[int, float]:
        """Waits and seconds of some processes for all events whose names begin so."""
        numbers = [number for number, event in enumerate(self.roster.model.events) if event.startswith(starts)]
        tally = run.waits[np.ix_(np.asarray(processes, dtype=int), np.array(numbers, dtype=int))]
        return int(tally["hits"].sum()), float(tally["time"].sum())

    def on(self, node: int) -> np.ndarray:
        """The process numbers of a node's sessions."""
        mine: np.ndarray = self.numbers[self.nodes == node]
        return mine
