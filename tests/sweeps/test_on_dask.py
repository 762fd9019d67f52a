"""Sweeps on a Dask cluster of real processes."""

from collections.abc import Iterator
from typing import Any

import pytest

from raclab.sim import warm_up
from raclab.sweeps import dask
from raclab.sweeps.grid import SweepError
from raclab.sweeps.sweep import sweep

distributed = pytest.importorskip("distributed")
HERE = {"processes": True, "host": "127.0.0.1", "dashboard_address": "127.0.0.1:0"}  # any free ports, and loopback only
GRID = {"jobs": [1, 2, 4, 8], "cores": [1, 2]}


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    warm_up()  # so that the workers find it compiled
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, **HERE) as made:
        yield made


def test_the_workers_give_what_threads_give(cluster: Any) -> None:
    there = sweep("start_here", GRID, seeds=3, scheduler=cluster.scheduler_address, measurements=True)
    here = sweep("start_here", GRID, seeds=3, measurements=True)
    assert there.frame.drop(columns="seconds").equals(here.frame.drop(columns="seconds"))
    assert all(one.sessions.equals(other.sessions) for one, other in zip(there.measurements, here.measurements, strict=True))


def test_it_did_run_in_the_workers(cluster: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Any) -> None:
    """Threads of this process can't be had; the workers' results are kept here."""
    monkeypatch.delattr("raclab.sweeps.sweep.Threads")
    first = sweep("start_here", GRID, seeds=2, scheduler=cluster.scheduler_address, keep=tmp_path / "kept.jsonl")
    again = sweep("start_here", GRID, seeds=2, keep=tmp_path / "kept.jsonl")  # simulates nothing
    assert first.frame.equals(again.frame) and "8 of them taken from" in again.summary


def test_workers_of_another_version_are_refused(cluster: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("raclab.sweeps.sweep.version", lambda myth: "000000000000")
    with pytest.raises(SweepError, match="The workers have another version of the models"):
        sweep("start_here", {"jobs": [1]}, seeds=2, scheduler=cluster.scheduler_address)


@pytest.mark.parametrize("address", ["tcp://127.0.0.1:1", "nonsense", "tcp://127.0.0.1:port", ""])
def test_no_scheduler_is_one_sentence(address: str) -> None:
    with pytest.raises(SweepError, match="No Dask scheduler answers at"):
        sweep("start_here", {"jobs": [1]}, scheduler=address)


def test_a_scheduler_without_workers_is_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dask, "WORKERS_S", 0.1)
    with (
        distributed.LocalCluster(n_workers=0, **HERE) as empty,
        pytest.raises(SweepError, match="has no workers; start some with `dask worker"),
    ):
        sweep("start_here", {"jobs": [1]}, scheduler=empty.scheduler_address)
