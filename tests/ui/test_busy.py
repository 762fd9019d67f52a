"""A long answer to a lever: it says how far it is, can be stopped, and gives way to a newer position."""

import threading
from typing import Any

import pytest
from fake_myth import FakeLevers, FakeMyth

from raclab.errors import LabError
from raclab.sim import Constant, Model, run_seeds, warm_up
from raclab.ui import busy as module
from raclab.ui.context import Context
from raclab.ui.explore import Explorer
from raclab.ui.interruptible import Interrupted, interruptible
from raclab.ui.page import Page

PATIENCE_S = 60.0


def endless() -> None:
    """A run that does not end by itself, as a slow one seems not to."""
    model = Model()
    process = model.process("on and on", model.cpu(1))
    with process.loop(2_000_000_000):
        process.run(Constant(1.0))
    run_seeds(model, [1])


class Slow:
    """With 5 nodes a setting takes for ever; ``begun`` tells that it is under way."""

    def __init__(self, fake: FakeMyth) -> None:
        self.begun = threading.Event()
        fake.before = self.before

    def before(self, levers: FakeLevers) -> None:
        if levers.nodes == 5:
            self.begun.set()
            endless()


@pytest.fixture
def explorer(context: Context, fake_myth: FakeMyth, monkeypatch: pytest.MonkeyPatch) -> Explorer:
    monkeypatch.setattr(module, "PATIENCE_S", 0.0)
    monkeypatch.setattr(module, "HOLD_S", 0.0)
    monkeypatch.setattr(module, "EVERY_S", 0.01)
    warm_up()
    made = Explorer(context)
    fake_myth.calls.clear()
    return made


def said(explorer: Explorer) -> str:
    return str(explorer.busy.children[0].value)


def test_a_newer_position_stops_the_run_under_way_and_is_answered(explorer: Explorer, fake_myth: FakeMyth, context: Context) -> None:
    slow = Slow(fake_myth)
    explorer.controls["nodes"].value = 5
    assert slow.begun.wait(PATIENCE_S)
    explorer.controls["nodes"].value = 6
    assert explorer.settle(PATIENCE_S)
    assert "6 nodes" in explorer.chart.figure and explorer.chart.run == 3
    assert context.failures == [] and explorer.busy.layout.display == "none"


def test_stop_ends_the_run_keeps_the_chart_and_the_levers_go_on(explorer: Explorer, fake_myth: FakeMyth, context: Context) -> None:
    slow, shown = Slow(fake_myth), threading.Event()
    explorer.busy.stop.layout.observe(lambda change: change["new"] is None and shown.set(), "display")
    explorer.controls["nodes"].value = 5
    assert slow.begun.wait(PATIENCE_S) and shown.wait(PATIENCE_S)
    assert said(explorer).startswith("<p>Simulating: ") and "so far" in said(explorer)
    explorer.busy.stop.click()
    assert explorer.settle(PATIENCE_S)
    assert said(explorer) == "<p>Stopped. The chart still shows 2 nodes, from 8 seeds. Move a lever to go on.</p>"
    assert explorer.busy.stop.layout.display == "none" and explorer.chart.run == 1
    assert context.failures == []
    explorer.controls["nodes"].value = 7
    assert explorer.settle(PATIENCE_S)
    assert "7 nodes" in explorer.chart.figure and said(explorer) == ""


def test_an_interrupted_cell_is_one_sentence(context: Context, fake_myth: FakeMyth) -> None:
    def interrupted(_: Any) -> None:
        raise KeyboardInterrupt

    page = Page(fake_myth, context.parameters, context.store)
    fake_myth.before = interrupted
    for cell in (page.run, page.explore, page.compare):
        with pytest.raises(Interrupted, match=r"^Stopped\..* Run the cell again to start anew\.$") as stopped:
            cell()
        assert isinstance(stopped.value, LabError) and stopped.value.__suppress_context__
    fake_myth.before = lambda _: None
    assert "8.08 s over 1 runs" in page.run().text
    page.lab.close()


def test_nothing_else_is_taken_for_an_interruption() -> None:
    with pytest.raises(ZeroDivisionError), interruptible():
        _ = 1 / 0


def test_page_run_refuses_an_unknown_lever_in_one_sentence(context: Context, fake_myth: FakeMyth) -> None:
    page = Page(fake_myth, context.parameters, context.store)
    with pytest.raises(LabError, match=r"^There is no lever nodez here; there are: cache, order, nodes, redo_ms\.$"):
        page.run(nodez=3)
