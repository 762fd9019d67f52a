"""Watching, stopping and interrupting runs; and runs that get nowhere."""

import os
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

from raclab.bench import simpy_stations as stations
from raclab.sim import Constant, Exponential, Model, SimulationError, Stopped, Watch, kernel, run, run_seeds, watching


def endless() -> Model:
    model = Model()
    process = model.process("endless", model.cpu(1))
    with process.forever():
        process.delay(Exponential(1))
        process.run(Exponential(1))
    return model


def short() -> Model:
    return stations.first_come(2, 6, 40).build()


def stop_when_it_runs(watch: Watch, runs: int) -> None:
    while sum(clock > 0 for clock in watch.clock) < runs:
        time.sleep(0.001)
    watch.stop()


@pytest.mark.parametrize("seeds", [[1], [1, 2]])
def test_a_run_is_stopped_from_another_thread_and_the_next_one_works(seeds: list[int]) -> None:
    watch = Watch()
    stopper = threading.Thread(target=stop_when_it_runs, args=(watch, 1))
    stopper.start()
    with watching(watch), pytest.raises(Stopped, match="stopped before its end"):
        run_seeds(endless(), seeds)
    stopper.join()
    assert watch.stopped
    assert (watch.runs, watch.done) == (len(seeds), len(seeds))
    assert watch.events > 1000
    assert max(watch.clock) > 0
    assert run(short(), 3).clock > 0


def test_under_a_stopped_watch_nothing_runs_any_more() -> None:
    watch = Watch()
    watch.stop()
    with watching(watch), pytest.raises(Stopped):
        run(short())
    assert (watch.runs, watch.done, watch.events) == (1, 1, 0)


def test_a_watch_knows_what_has_been_done() -> None:
    watch = Watch()
    assert (watch.runs, watch.done, watch.events, watch.clock, watch.stopped) == (0, 0, 0, (), False)
    with watching(watch):
        runs = [*run_seeds(short(), [1, 2, 3]), run(short(), 4)]
    run(short(), 5)  # nobody watches this one
    assert (watch.runs, watch.done) == (4, 4)
    assert watch.events == sum(one.events for one in runs)
    assert watch.clock == tuple(one.clock for one in runs)
    assert watch.run_s > 0 and Watch().run_s == 0


def test_both_watches_see_a_run_and_either_stops_it() -> None:
    outer, inner = Watch(), Watch()
    with watching(outer):
        with watching(inner):
            run(short())
        assert (outer.runs, inner.runs) == (1, 1)
        run(short())
        assert (outer.runs, inner.runs) == (2, 1)
        outer.stop()
        with watching(inner), pytest.raises(Stopped):
            run(short())


def test_a_watch_is_this_threads_alone() -> None:
    watch = Watch()
    with watching(watch):
        other = threading.Thread(target=run, args=(short(),))
        other.start()
        other.join()
    assert watch.runs == 0


def test_watching_changes_no_figure() -> None:
    with watching(Watch()):
        watched = run(short(), 7)
    alone = run(short(), 7)
    assert (watched.clock, watched.tally.tobytes()) == (alone.clock, alone.tally.tobytes())


INTERRUPTED = """
import os, signal, sys, threading, time
from raclab.sim import Exponential, Model, Watch, run, run_seeds, warm_up, watching

model = Model()
process = model.process("endless", model.cpu(1))
with process.forever():
    process.delay(Exponential(1))
short = Model()
short.process("short", short.cpu(1)).delay(Exponential(1))
warm_up()

def interrupt(watch, runs):
    while sum(clock > 0 for clock in watch.clock) < runs:
        time.sleep(0.001)
    if os.name == "posix":
        os.kill(os.getpid(), signal.SIGINT)
    else:
        signal.raise_signal(signal.SIGINT)

for seeds in ([1], [1, 2, 3, 4, 5]):
    watch = Watch()
    threading.Thread(target=interrupt, args=(watch, 1), daemon=True).start()
    try:
        with watching(watch):
            run_seeds(model, seeds)
    except KeyboardInterrupt:
        at = watch.events
        time.sleep(0.05)
        print("interrupted", watch.done == watch.runs == len(seeds), watch.events == at, run(short).clock > 0)
"""


def test_ctrl_c_ends_the_runs_and_leaves_everything_usable() -> None:
    """In a process of its own, as the signal goes to the main thread."""
    done = subprocess.run([sys.executable, "-c", INTERRUPTED], capture_output=True, text=True, check=True, timeout=280)
    assert done.stdout.splitlines() == ["interrupted True True True"] * 2


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
def test_a_forked_process_can_simulate_too() -> None:
    """Its parent's threads are not there."""
    run(short())
    program = f"""
import os, sys
from raclab.sim import Exponential, Model, run
model = Model()
model.process("a", model.cpu(1)).delay(Exponential(1))
clock = run(model).clock
child = os.fork()
if child == 0:
    os._exit(0 if run(model).clock == clock else 1)
for _ in range(600):
    ended, status = os.waitpid(child, os.WNOHANG)
    if ended:
        sys.exit(os.waitstatus_to_exitcode(status))
    __import__("time").sleep(0.1)
os.kill(child, {int(signal.SIGTERM)})
sys.exit(2)
"""
    assert subprocess.run([sys.executable, "-W", "ignore", "-c", program], check=False, timeout=280).returncode == 0


class TestNowhere:
    """Runs that would never end, and say so."""

    def test_a_loop_in_which_no_time_passes(self) -> None:
        model = Model()
        cpu = model.cpu(1)
        model.process("innocent", cpu).delay(Constant(5))
        looping = model.process("looping", cpu)
        cell = model.cell()
        looping.delay(Constant(2.5))
        with looping.activity("counting"), looping.forever():
            looping.add(cell, 1)
        with pytest.raises(SimulationError, match=r"stuck at 2\.5 s: looping goes round in counting without time passing"):
            run(model)

    def test_two_that_wake_each_other_without_time_passing(self) -> None:
        model = Model()
        cpu = model.cpu(1)
        mine, yours = model.semaphore(1), model.semaphore()
        for name, waits, posts in (("ping", mine, yours), ("pong", yours, mine)):
            process = model.process(name, cpu)
            with process.forever():
                process.wait_for(waits)
                process.post(posts)
        with pytest.raises(SimulationError, match=r"stuck at 0 s: p[io]ng goes round without time passing"):
            run(model)

    def test_a_delay_too_short_for_the_clock(self) -> None:
        model = Model(horizon=2e9)
        process = model.process("hasty", model.cpu(1))
        process.delay(Constant(1e9))
        with process.forever():
            process.delay(Constant(1e-12))
        with pytest.raises(SimulationError, match="hasty goes round without time passing"):
            run(model)

    def test_bursts_of_no_length_in_turns(self) -> None:
        model = Model()
        cpu = model.cpu(1, quantum=0.1)
        for name in ("a", "b"):
            process = model.process(name, cpu)
            with process.forever():
                process.run(Constant(0))
        with pytest.raises(SimulationError, match="without time passing"):
            run(model)

    def test_much_at_one_instant_is_no_loop(self) -> None:
        model = Model()
        process = model.process("busy", model.cpu(1))
        cell = model.cell()
        with process.loop(5):
            process.delay(Constant(1))
            with process.loop(400_000):
                process.add(cell, 1)
        outcome = run(model)
        assert (outcome.clock, outcome.cells[cell]) == (5, 2_000_000)
        assert kernel.MOST_STEPS_AT_ONCE > 2 * 400_000

    @pytest.mark.parametrize("blocks", ["lock", "semaphore", "mailbox", "idle"])
    def test_nothing_but_a_background_loop_can_happen(self, blocks: str) -> None:
        model = Model()
        cpu, other = model.cpu(1), model.cpu(1)
        lock, semaphore, box = model.lock(), model.semaphore(), model.mailbox()
        background = model.process("background", other, essential=False)
        with background.forever():
            background.delay(Constant(1))
        model.process("done before", other).delay(Constant(1))
        stuck = model.process("stuck", cpu)
        stuck.delay(Constant(0.25))
        if blocks == "lock":
            stuck.acquire(lock)
            stuck.acquire(lock)
        elif blocks == "semaphore":
            stuck.wait_for(semaphore)
        elif blocks == "mailbox":
            stuck.call(box)
        else:
            stuck.take(box)
        with pytest.raises(SimulationError, match=r"stuck have waited since 0\.25 s, while others handled 10,000,000 events"):
            run(model)
        model.horizon = 1000.0
        outcome = run(model)
        assert outcome.clock == 1000
        assert np.isnan(outcome.ended[stuck.number])

    def test_whoever_waits_long_for_the_background_is_not_stuck(self) -> None:
        """The post comes after more looks around than one."""
        model = Model()
        cpu, semaphore = model.cpu(1), model.semaphore()
        background = model.process("background", cpu, essential=False)
        with background.loop(200_000):
            background.delay(Constant(1))
        background.post(semaphore)
        model.process("patient", cpu).wait_for(semaphore)
        assert run(model).clock == 200_000

    def test_a_long_delay_is_not_stuck(self) -> None:
        model = Model()
        cpu = model.cpu(1)
        background = model.process("background", cpu, essential=False)
        with background.forever():
            background.delay(Constant(1))
        model.process("sleeper", cpu).delay(Constant(kernel.MOST_EVENTS_WITHOUT + 1e6))
        assert run(model).clock == kernel.MOST_EVENTS_WITHOUT + 1e6
