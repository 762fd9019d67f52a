"""Running models: threads, compilation, and the kernel without numba's compiler."""

import json
import os
import subprocess
import sys
import threading
import types
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from raclab.bench import simpy_stations as stations
from raclab.cluster import sequences
from raclab.cluster.parameters import Hardware
from raclab.sim import Exponential, Model, kernel, ops, run, run_seeds, warm_up

COSTS = sequences.StatementCosts(insert_cpu_s=0.5e-3, insert_other_s=0.1e-3, seq_cpu_s=0.1e-3, seq_other_s=0.1e-3)

runner = sys.modules["raclab.sim.run"]  # as an attribute of raclab.sim, run is the function

SOME = """
import json, sys
import numpy as np
from raclab.bench import simpy_chance, simpy_sharing, simpy_stations as stations
from raclab.cluster import sequences
from raclab.cluster.parameters import Hardware
from raclab.sim import kernel, run

COSTS = sequences.StatementCosts(insert_cpu_s=0.5e-3, insert_other_s=0.1e-3, seq_cpu_s=0.1e-3, seq_other_s=0.1e-3)

def digest(outcome):
    names = ("ended", "tally", "waits", "histogram", "cells", "homes", "used", "sent", "caches", "notes", "sampled", "samples")
    return [outcome.clock, outcome.events, *(str(getattr(outcome, name).tolist()) for name in names)]

models = [pair.build() for pair in (
    stations.first_come(2, 6, 5, quantum=0.05), stations.classes(2, [0, 1, 2, 2], 8, quantum=0.1), stations.lock(4, 6),
    stations.mailbox(5, 6, 1, 0), stations.moving_home(3, 6), simpy_sharing.shared_lock(3, 2, 6), simpy_sharing.semaphore(2, 5, 6),
    simpy_sharing.link(3, 6), simpy_sharing.spinning(2, 5, 6), simpy_chance.chance(0.3, 3, 6), simpy_chance.cache(3, 6, 2, 12))]
for cache, order in ((0, False), (5, True), (5, False)):
    case = sequences.TestCase(COSTS, Hardware(cores=1, quantum_s=1e-4), nodes=3, rows=5, sessions=2, cache=cache, order=order)
    models.append(sequences.build(case, notes=True, sampling_s=0.001).model)
results = [hasattr(kernel.interpret, "signatures"), [digest(run(model, 3)) for model in models]]
"""


def test_without_the_compiler_every_figure_is_the_same() -> None:
    alone = [sys.executable, "-W", "ignore", "-c", f"{SOME}print(json.dumps(results))"]
    done = subprocess.run(alone, env=os.environ | {"NUMBA_DISABLE_JIT": "1"}, capture_output=True, text=True, check=True)
    here: dict[str, Any] = {}
    exec(SOME, here)
    assert json.loads(done.stdout) == [False, here["results"][1]]
    assert (here["results"][0], len(here["results"][1])) == (True, 14)


def test_no_field_of_a_record_has_a_name_that_numpy_uses_itself() -> None:
    """Without the compiler, record.shape or record.size would be numpy's and not ours."""
    records = {name: value for name, value in vars(ops).items() if isinstance(value, np.dtype)}
    assert {"OP", "PROCESS", "CPU", "LOCK"} <= set(records)
    assert [(name, field) for name, record in records.items() for field in record.names or () if hasattr(np.record, field)] == []


def test_it_is_compiled_once_for_all_models() -> None:
    """A whole number for a time, or another type of seed, must not make numba compile the kernel again."""
    for horizon, sampling, seed in ((10, 1, 1), (10.0, 0.5, np.int32(7)), (10, 1, True), (float("inf"), 1.0, np.int64(7))):
        model = Model(horizon=horizon, sampling=sampling, notes=1)
        model.process("a", model.cpu(1)).delay(Exponential(1))
        run(model, seed)
    assert len(kernel.interpret.signatures) == 1


def test_seeds_run_on_threads_and_come_back_in_order() -> None:
    model = stations.first_come(2, 8, 50).build()
    seeds = list(range(1, 17))
    assert [one.clock for one in run_seeds(model, seeds)] == [run(model, seed).clock for seed in seeds]
    assert run_seeds(model, []) == []


def test_callers_on_several_threads_do_not_disturb_each_other() -> None:
    case = sequences.TestCase(COSTS, Hardware(), rows=100)
    model = sequences.build(case).model
    clocks: dict[int, list[float]] = {}

    def work(number: int) -> None:
        clocks[number] = [one.clock for one in run_seeds(model, [number, number + 1])]

    threads = [threading.Thread(target=work, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert clocks == {number: [run(model, number).clock, run(model, number + 1).clock] for number in range(6)}


def test_a_long_compilation_is_announced(monkeypatch: pytest.MonkeyPatch) -> None:
    told = threading.Event()
    sentences = []

    def compiling(*_: object) -> None:
        assert told.wait(30)

    def tell(sentence: str) -> None:
        sentences.append(sentence)
        told.set()

    monkeypatch.setattr(runner, "_interpret", compiling)
    assert warm_up(tell) >= 1
    assert sentences == ["Compiling the simulator, once; this takes up to half a minute ..."]


def test_a_short_one_is_not() -> None:
    sentences: list[str] = []
    warm_up()
    warm_up(sentences.append)
    assert sentences == []


def test_the_announcement_goes_to_stderr(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runner, "is_compiled", lambda: False)
    monkeypatch.setattr(runner, "warm_up", lambda tell: tell("Compiling ..."))
    model = Model()
    model.process("a", model.cpu(1)).delay(Exponential(1))
    run(model)
    captured = capsys.readouterr()
    assert (captured.out, captured.err) == ("", "Compiling ...\n")


def test_a_changed_source_of_the_kernel_throws_the_compiled_one_away(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """numba's own check covers kernel.py alone; op codes and variates are compiled into it too."""
    for name in runner.COMPILED:
        (tmp_path / name).write_text(name)
    cached = tmp_path / "__pycache__"
    cached.mkdir()
    compiled = [
        cached / name for name in ("kernel.interpret-1.py311.nbi", "kernel.interpret-1.py311.1.nbc", "variates.uniform-2.py311.nbi")
    ]
    stats = types.SimpleNamespace(cache_path=str(cached))
    monkeypatch.setattr(
        runner, "kernel", types.SimpleNamespace(__file__=str(tmp_path / "kernel.py"), interpret=types.SimpleNamespace(stats=stats))
    )

    def left_after(change: str | None) -> int:
        if change:
            (tmp_path / change).write_text("changed")
        for file in compiled:
            file.touch()
        runner._forget_stale()
        return sum(file.exists() for file in compiled)

    assert left_after(None) == 0  # nobody knows what they were compiled from
    assert left_after(None) == 3
    assert left_after("ops.py") == 0
    assert left_after(None) == 3
    assert left_after("variates.py") == 0
