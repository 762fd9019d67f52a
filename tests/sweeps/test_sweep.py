"""``raclab.sweep``: a tidy frame with its provenance, resumable, interruptible."""

import os
import signal
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pandas as pd
import plotly.express as px
import pytest
from fake_myth import FakeLevers, FakeMyth

import raclab
from raclab.errors import LabError
from raclab.evidence.compare import value
from raclab.evidence.figures import figures_of
from raclab.gauge import Gauge
from raclab.sim.run import SimulationError
from raclab.sweeps import sweep as module
from raclab.sweeps.sweep import SweepStopped, sweep


@dataclass
class Noted(Gauge):
    """A gauge that remembers what it was told."""

    shown: list[tuple[float | None, str]] = field(default_factory=list)
    said: list[str] = field(default_factory=list)
    last: str | None = None

    def show(self, share: float | None, text: str) -> None:
        self.shown.append((share, text))

    def say(self, sentence: str) -> None:
        self.said.append(sentence)

    def close(self, text: str = "") -> None:
        self.last = text


@pytest.fixture
def noted(monkeypatch: pytest.MonkeyPatch) -> Noted:
    """The gauge of the sweeps to come, which are shown from the start."""
    made = Noted()
    monkeypatch.setattr(module, "gauge", lambda: made)
    monkeypatch.setattr(module, "SHOW_S", 0.0)
    return made


def test_every_figure_of_every_setting_is_that_of_the_myth() -> None:
    myth = raclab.myth("start_here")
    result = raclab.sweep("start_here", {"jobs": [1, 4], "cores": [1, 2]}, seeds=3, measurements=True)
    assert result.levers == ("jobs", "cores")
    assert len(result.measurements) == 4
    settings = [(jobs, cores) for jobs in (1, 4) for cores in (1, 2)]
    for (jobs, cores), measured in zip(settings, result.measurements, strict=True):
        direct = myth.simulate(myth.levers(jobs=jobs, cores=cores), range(1, 4))
        assert measured.sessions.equals(direct.sessions)
        rows = result.frame[(result.frame["jobs"] == jobs) & (result.frame["cores"] == cores)].set_index("figure")
        for figure in figures_of(direct):
            wanted = value(direct, figure)
            assert tuple(rows.loc[figure.label, ["mean", "low", "high", "runs"]]) == (wanted.mean, wanted.low, wanted.high, 3)
    assert set(result.frame["evidence"]) == {"SIMULATED"}
    assert (result.frame["events"] > 0).all() and (result.frame["seconds"] > 0).all()
    assert "seeds 1 to 3" in result.source and f"raclab {raclab.__version__}" in result.source and "cpu_s = 10" in result.source


def test_a_wait_that_a_setting_does_not_have_is_zero_there() -> None:
    result = sweep("nocache_sequences", {"nodes": [1, 2], "commit_every": 10_000}, seeds=2)
    waits = result.of("row cache lock: waits")
    assert waits.loc[waits["nodes"] == 1, "mean"].tolist() == [0.0]
    assert waits.loc[waits["nodes"] == 2, "mean"].item() > 1000


def test_plotly_express_takes_it_and_the_chart_says_what_it_is(fake_myth: FakeMyth) -> None:
    result = sweep(fake_myth, {"nodes": range(1, 5), "cache": [0, 20]})
    assert len(px.line(result.of("elapsed"), x="nodes", y="mean", color="cache").data) == 2
    chart = result.chart("nodes", colour="cache")
    assert [trace.name for trace in chart.data] == ["CACHE = NOCACHE", "CACHE = 20"]
    assert list(chart.data[0].x) == [1, 2, 3, 4] and chart.data[0].y[1] == pytest.approx(2 * 4 * 1.045)
    assert "SIMULATED" in chart.layout.title.text and chart.layout.yaxis.title.text == "elapsed (s)"
    assert list(result.chart("cache", colour="nodes").data[0].x) == ["NOCACHE", "20"]
    with pytest.raises(LabError, match="cache varies too; name it as colour"):
        result.chart("nodes")
    with pytest.raises(LabError, match="There is no figure 'speed' here; there are: elapsed, CPU, calls"):
        result.of("speed")
    with pytest.raises(LabError, match="There is no lever nodez here"):
        sweep(fake_myth, {}).chart("nodez")


def test_it_shows_itself_with_badge_and_source(fake_myth: FakeMyth) -> None:
    result = sweep(fake_myth, {"nodes": [7, 8], "order": [False, True]})
    assert "[SIMULATED] fake model, raclab" in repr(result) and "raclab-simulated" in result._repr_html_()
    assert "1 skipped that can't be had, such as: ORDER can't be had on 8 nodes." in repr(result)
    assert result.skipped.to_dict("records") == [{"nodes": 8, "order": True, "reason": "ORDER can't be had on 8 nodes."}]


def test_a_setting_that_the_model_refuses_is_skipped_with_the_reason(fake_myth: FakeMyth) -> None:
    def refuse(levers: FakeLevers) -> None:
        if levers.nodes == 2:
            raise SimulationError("The simulation is stuck.")

    fake_myth.before = refuse
    result = sweep(fake_myth, {"nodes": [1, 2, 3]})
    assert result.of("elapsed")["nodes"].tolist() == [1, 3]
    assert result.skipped.to_dict("records") == [{"nodes": 2, "reason": "The simulation is stuck."}]


def test_a_fault_of_the_model_names_its_setting(fake_myth: FakeMyth) -> None:
    def fail(levers: FakeLevers) -> None:
        if levers.nodes == 2:
            raise ZeroDivisionError("planted")

    fake_myth.before = fail
    with pytest.raises(ZeroDivisionError, match="planted") as caught:
        sweep(fake_myth, {"nodes": [1, 2, 3]})
    assert "nodes=2" in caught.value.__notes__[0]


def test_remarks_of_the_levers_are_in_the_frame() -> None:
    result = sweep("parallel_across_instances", {"dop": [4, 64], "max_servers": 4}, seeds=2)
    remarks = result.of("elapsed")["remark"]
    assert remarks[0] == "" and remarks[1].startswith("DOP 64 was lowered to 4")


def without_cost(frame: pd.DataFrame) -> pd.DataFrame:
    return frame.drop(columns="seconds")


def test_what_is_in_the_file_is_not_simulated_again(fake_myth: FakeMyth, tmp_path: Path) -> None:
    keep = tmp_path / "kept.jsonl"
    first = sweep(fake_myth, {"nodes": [1, 2]}, keep=keep)
    fake_myth.calls.clear()
    second = sweep(fake_myth, {"nodes": [1, 2, 3], "cache": [0]}, keep=keep)
    assert [levers.nodes for levers, _ in fake_myth.calls] == [3]
    assert f"2 of them taken from {keep}" in second.summary
    fresh = sweep(fake_myth, {"nodes": [1, 2, 3]})
    assert without_cost(second.frame).equals(without_cost(fresh.frame))
    assert without_cost(first.frame).equals(without_cost(fresh.frame[fresh.frame["nodes"] < 3]))
    fake_myth.calls.clear()
    sweep(fake_myth, {"nodes": [1, 2]}, seeds=4, keep=keep)
    assert len(fake_myth.calls) == 2, "other seeds are other results"


def test_results_of_another_version_are_not_used(fake_myth: FakeMyth, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    keep = tmp_path / "kept.jsonl"
    sweep(fake_myth, {"nodes": [1, 2]}, keep=keep)
    fake_myth.calls.clear()
    monkeypatch.setattr(module, "version", lambda myth: "another")
    monkeypatch.setattr("raclab.sweeps.outcome.version", lambda myth: "another")
    sweep(fake_myth, {"nodes": [1, 2]}, keep=keep)
    assert len(fake_myth.calls) == 2


def interrupt_at(fake: FakeMyth, nodes: int) -> None:
    """Ctrl-C while that setting is simulated."""

    def before(levers: FakeLevers) -> None:
        if levers.nodes == nodes:
            fake.before = lambda _: None
            os.kill(os.getpid(), signal.SIGINT)  # Python hands it to the main thread

    fake.before = before


@pytest.mark.skipif(os.name == "nt", reason="a signal of one's own ends the process there")
@pytest.mark.parametrize("in_file", [True, False], ids=["file", "memory"])
def test_interrupted_and_called_again_it_is_the_same_as_in_one_go(fake_myth: FakeMyth, tmp_path: Path, in_file: bool, noted: Noted) -> None:
    arguments: dict[str, Any] = {"keep": tmp_path / "kept.jsonl"} if in_file else {}
    grid = {"nodes": range(1, 9), "cache": [0, 20, 1000]}
    interrupt_at(fake_myth, 4)
    with pytest.raises(SweepStopped) as stopped:
        sweep(fake_myth, grid, **arguments)
    done = stopped.value.partial.of("elapsed")
    assert 0 < len(done) < 24
    assert str(stopped.value).startswith(f"Stopped after {len(done)} of 24 settings.")
    assert ("the same call goes on from there" if in_file else "The same call goes on from there") in str(stopped.value)
    fake_myth.calls.clear()
    result = sweep(fake_myth, grid, **arguments)
    assert len(fake_myth.calls) == 24 - len(done)
    assert f"{len(done)} of them taken from" in result.summary
    fake_myth.calls.clear()
    fresh = sweep(FakeMyth(), grid)
    assert without_cost(result.frame).equals(without_cost(fresh.frame))


SLOW = """
import sys, raclab
from raclab.gauge import Silent
from raclab.sweeps import sweep as module

class Telling(Silent):
    def show(self, share, text):
        print("under way", flush=True)

module.gauge, module.SHOW_S = Telling, 0.0
try:
    raclab.sweep("nocache_sequences", {"nodes": [7, 8], "redo_write_ms": range(1, 20)}, seeds=100, keep=sys.argv[1])
except raclab.errors.LabError as stopped:
    print(stopped, flush=True)
print(raclab.sweep("start_here", {"jobs": [1, 2]}, seeds=2).summary)
"""


@pytest.mark.skipif(os.name == "nt", reason="SIGINT can't be sent to another process there")
def test_ctrl_c_returns_at_once_and_leaves_everything_usable(tmp_path: Path) -> None:
    """With settings of a hundred runs each, minutes together: they are stopped, not waited for."""
    with subprocess.Popen([sys.executable, "-c", SLOW, tmp_path / "kept.jsonl"], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        assert process.stdout.readline() == "under way\n"
        process.send_signal(signal.SIGINT)
        told = [line for line in process.communicate(timeout=200)[0].splitlines() if line != "under way"]
    assert len(told) == 2
    assert told[0].startswith("Stopped after ") and told[0].endswith("and the same call goes on from there.")
    assert told[1].startswith("2 settings x 2 seeds")
    assert process.returncode == 0


def test_progress_has_count_rate_and_time_left(fake_myth: FakeMyth, noted: Noted) -> None:
    sweep(fake_myth, {"nodes": range(1, 8), "redo_ms": [1, 2, 3, 4]})
    shares = [share for share, _ in noted.shown]
    assert shares == sorted(shares) and shares[-1] == 1.0
    assert any("of 28 settings, about " in text and " left, " in text and " a second" in text for _, text in noted.shown)
    assert noted.last and noted.last.startswith("28 settings x 8 seeds, ")
    assert noted.said == []


def test_a_large_grid_says_how_long_it_will_take(fake_myth: FakeMyth, noted: Noted, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MANY", 20)
    sweep(fake_myth, {"nodes": range(1, 8), "redo_ms": [1, 2, 3, 4]}, seeds=2)
    [sentence] = noted.said
    assert sentence.startswith("28 settings take about ") and "going by the first " in sentence


def test_an_unknown_myth_is_one_sentence() -> None:
    with pytest.raises(LabError, match=r"^There is no myth 'nonsense'; there are: "):
        sweep("nonsense", {})
