"""Sessions that get a latch again and again: on one latch, or each on its own.

A get that finds the latch held is a miss: the session then looks again and again on its core, up to the spin count, and sleeps if that was
in vain. Whoever gets a latch that another session had last must first fetch the cache lines which that session has changed.

A run of the published query takes 33 million gets a session. The model runs a sample of them and multiplies counts and times; what it says
of rare things (sleeps) is as coarse as the sample.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from raclab.sim import Constant, Exponential, Label, Model, Number, Process, Program, Run, run_seeds

EVENT = "latch: cache buffers chains"
LATCH_NAME = "cache buffers chains"
WORK, LINES, SPINNING, SLEEPING, CORE = "work", "cache lines", "spinning", "sleeping", "waits for a core"
PARTS = (WORK, LINES, SPINNING, SLEEPING, CORE)

SAMPLE_EACH = 10_000
SAMPLE_ALL = 80_000
SAMPLES_OF_ASH_S = 1.0


@dataclass(frozen=True)
class LatchHardware:
    """What a get costs beside the session's own work. Times in seconds.

    line_s     one cache line that another core has changed: the high end of the published 10 to 100 ns for an access to the local SGA
               (data/nocache_sequences/access_latency.csv). The machines' own latency was not published
    lines      lines that change hands with the latch: the latch, the hash chain and the buffer's header. Assumed
    look_s     one look at the latch while spinning. Assumed: some 15 clock cycles at 1.6 GHz
    sleep_s    one sleep: a hundredth of a second, Oracle's first one in the versions of the test. Assumed not to grow
    quantum_s  time slice of the operating system. Assumed, as for the cluster
    """

    line_s: float = 100e-9
    lines: int = 3
    look_s: float = 10e-9
    sleep_s: float = 10e-3
    quantum_s: float = 10e-3


@dataclass(frozen=True)
class LatchLoad:
    """One run of the query by some sessions.

    gets        latch gets of each session
    cpu_s       CPU of a session that runs alone
    hold_share  share of it that is spent under the latch
    same        all sessions get one latch; else each its own
    spin_count  looks at a held latch before a sleep
    cores       of the machine; with more sessions than cores, time slices end under the latch too
    """

    gets: int
    cpu_s: float
    hold_share: float
    sessions: int = 2
    same: bool = True
    spin_count: int = 2000
    cores: int = 2
    hardware: LatchHardware = field(default_factory=LatchHardware)

    @property
    def sample(self) -> int:
        """Gets of each session that are simulated."""
        return min(self.gets, SAMPLE_EACH, SAMPLE_ALL // self.sessions)

    @property
    def scale(self) -> float:
        """What counts and times of the sample are multiplied with."""
        return self.gets / self.sample

    @property
    def hold_s(self) -> float:
        """Mean time under the latch, cache lines apart."""
        return self.hold_share * self.cpu_s / self.gets

    @property
    def outside_s(self) -> float:
        """Mean time of a session's work between giving the latch back and the next get."""
        return (1 - self.hold_share) * self.cpu_s / self.gets


@dataclass(frozen=True)
class Built:
    """A load as a model; misses, unspun and sleeps are cells: misses, those of them that slept, and all sleeps."""

    model: Model
    load: LatchLoad
    sessions: tuple[Process, ...]
    misses: int
    unspun: int
    sleeps: int


def build(load: LatchLoad, *, samples: bool = False) -> Built:
    """The load as a model. ``samples`` takes one sample a second of the whole run, in the sample's own time."""
    model = Model(sampling=SAMPLES_OF_ASH_S / load.scale if samples else math.inf)
    # a core each: who may run is settled by `cores`, so that a slice never ends between two bursts of a get but where the text says
    cpu = model.cpu(load.sessions, load.hardware.quantum_s)
    cores = model.semaphore(load.cores)
    count = 1 if load.same else load.sessions
    latch, held = model.lock_row([0] * count), model.cell_row([0] * count)
    counters = (model.cell(), model.cell(), model.cell())
    sessions = tuple(model.process(f"session {number + 1}", cpu) for number in range(load.sessions))
    numbers = np.arange(load.sessions)
    place = 0 if load.same else numbers
    _Writer(model.together(sessions), load, cores, numbers + 1, latch + place, held + place, counters).write()
    return Built(model, load, sessions, *counters)


def simulate(built: Built, seeds: Sequence[int]) -> list[Run]:
    """Run the sample once a seed."""
    return run_seeds(built.model, seeds)


@dataclass(frozen=True)
class _Writer:
    """Writes the program of the sessions; ``me`` is what a latch's home says when a session had it last."""

    process: Program
    load: LatchLoad
    cores: int
    me: Number
    latch: Number
    held: Number
    counters: tuple[int, int, int]

    def write(self) -> None:
        process = self.process
        self._take_core()
        with process.loop(self.load.sample):
            with process.activity(WORK):
                process.run(Exponential(self.load.outside_s))
            self._slice_may_end(self.load.outside_s)
            self._get()
            self._fetch_lines()
            with process.activity(WORK):
                process.run(Exponential(self.load.hold_s))
            self._slice_may_end(self.load.hold_s)
            process.set(self.held, 0)
            process.release(self.latch)
        process.post(self.cores)
        process.end()

    def _get(self) -> None:
        """At once, by spinning, or after sleeps."""
        process, (misses, unspun, sleeps) = self.process, self.counters
        missed, in_vain, sleep, got = Label(), Label(), Label(), Label()
        most = Constant(self.load.spin_count * self.load.hardware.look_s)
        process.jump_if_positive(self.held, missed)
        with process.activity(SPINNING):
            process.spin(self.latch, most, in_vain)
            process.jump(got)
            process.place(missed)
            process.add(misses, 1)
            process.spin(self.latch, most, in_vain)
            process.jump(got)
            process.place(in_vain)
            process.add(unspun, 1)
            process.place(sleep)
            process.add(sleeps, 1)
        with process.wait(EVENT):
            process.post(self.cores)
            with process.activity(SLEEPING):
                process.delay(Constant(self.load.hardware.sleep_s))
            self._take_core()
        with process.activity(SPINNING):
            process.spin(self.latch, most, sleep)
        process.place(got)
        process.set(self.held, 1)

    def _fetch_lines(self) -> None:
        process, hardware = self.process, self.load.hardware
        mine = Label()
        process.jump_if_home(self.latch, self.me, mine)
        with process.activity(LINES):
            process.run(Constant(hardware.lines * hardware.line_s))
        process.set_home(self.latch, self.me)
        process.place(mine)

    def _slice_may_end(self, seconds: float) -> None:
        """Where sessions share cores, a slice ends now and then; who is last in line may have the latch with him."""
        if self.load.sessions <= self.load.cores:
            return
        ends, goes_on = Label(), Label()
        self.process.jump_by_chance(min(1.0, seconds / self.load.hardware.quantum_s), ends)
        self.process.jump(goes_on)
        self.process.place(ends)
        self.process.post(self.cores)
        self._take_core()
        self.process.place(goes_on)

    def _take_core(self) -> None:
        with self.process.activity(CORE):
            self.process.wait_for(self.cores)
