"""Levers and chart: every move is answered, by the newest setting, and by nothing that hides an error."""

import asyncio
import json
import math
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from fake_myth import FakeLevers, FakeMyth

from raclab.sim import Constant, Model, run_seeds, warm_up
from raclab.ui import busy, explore
from raclab.ui.chart import Chart
from raclab.ui.context import Context
from raclab.ui.explore import Explorer, all_s, seeds_text, spread_text
from raclab.ui.parameters import Parameters

PATIENCE_S = 20.0


@pytest.fixture
def explorer(context: Context, fake_myth: FakeMyth, monkeypatch: pytest.MonkeyPatch) -> Explorer:
    """However slow the machine: what all seeds take is no reason to show the first ones before."""
    monkeypatch.setattr(explore, "AT_ONCE_S", math.inf)
    made = Explorer(context)
    fake_myth.calls.clear()
    return made


def texts(explorer: Explorer) -> str:
    return "".join(child.value for child in explorer.children if hasattr(child, "value"))


def bars(explorer: Explorer) -> Any:
    return json.loads(explorer.chart.figure)["data"][0]["y"]


def button(explorer: Explorer, name: str) -> Any:
    buttons = [one for box in explorer.children for one in getattr(box, "children", ()) if getattr(one, "description", "") == name]
    assert len(buttons) == 1
    return buttons[0]


def test_it_opens_with_the_defaults_from_all_seeds(context: Context, fake_myth: FakeMyth) -> None:
    explorer = Explorer(context)
    assert fake_myth.calls == [(FakeLevers(), list(range(1, 9)))]
    assert bars(explorer) == ["2 nodes", "2 nodes"], "published first, simulation beside it"
    assert 'data-raclab-run="1" data-raclab-seeds="8"' in texts(explorer)
    assert explorer.chart.run == 1
    assert "SIMULATED: 8.36 s over 8 runs" in texts(explorer) and "SIMULATED: 8.36 s" in explorer.chart.alt
    assert sum(isinstance(child, Chart) for child in explorer.children) == 1


def test_badges_seeds_and_spread_stand_beside_the_chart(explorer: Explorer) -> None:
    assert "raclab-published" in texts(explorer) and "raclab-simulated" in texts(explorer)
    assert "seeds 1 to 8; elapsed time of a session: 8.08 s in the lowest run, 8.64 s in the highest" in texts(explorer)


@pytest.mark.parametrize(("name", "value"), [("cache", 20), ("order", True), ("nodes", 5), ("redo_ms", 0.7)])
def test_every_lever_moves_the_model(explorer: Explorer, fake_myth: FakeMyth, name: str, value: Any) -> None:
    explorer.controls[name].value = value
    assert explorer.settle(PATIENCE_S)
    wanted = FakeLevers(**{name: value})
    assert fake_myth.calls[-1] == (wanted, list(range(1, 9)))
    assert explorer.levers == wanted
    assert explorer.chart.run == 2 and 'data-raclab-run="2"' in texts(explorer)


def test_a_slider_that_adds_up_its_steps_gives_the_value_that_it_shows(explorer: Explorer) -> None:
    explorer.controls["redo_ms"].value = 0.1 + 0.2
    assert explorer.settle(PATIENCE_S)
    assert explorer.levers == FakeLevers(redo_ms=0.3)


def test_reset_moves_all_levers_back_with_one_answer(explorer: Explorer, fake_myth: FakeMyth) -> None:
    explorer.controls["nodes"].value = 5
    explorer.controls["cache"].value = 1000
    assert explorer.settle(PATIENCE_S)
    fake_myth.calls.clear()
    button(explorer, "Reset levers").click()
    assert explorer.settle(PATIENCE_S)
    assert {levers for levers, _ in fake_myth.calls} == {FakeLevers()}
    assert {name: control.value for name, control in explorer.controls.items()} == FakeLevers().as_dict()


def test_presets_are_buttons(explorer: Explorer, fake_myth: FakeMyth) -> None:
    preset = button(explorer, "Eight nodes")
    assert preset.tooltip == "CACHE = 20, ORDER = no, Nodes = 8, Redo write = 4.0 ms"
    preset.click()
    assert explorer.settle(PATIENCE_S)
    assert {levers for levers, _ in fake_myth.calls} == {fake_myth.presets["Eight nodes"]}
    assert bars(explorer)[-1] == "8 nodes"


class Held:
    """Holds the simulation until it is let go."""

    def __init__(self, fake: FakeMyth) -> None:
        self.begun, self.go = threading.Semaphore(0), threading.Semaphore(0)
        fake.before = self.wait

    def wait(self, _: FakeLevers) -> None:
        self.begun.release()
        assert self.go.acquire(timeout=PATIENCE_S)


@pytest.fixture
def held(explorer: Explorer, fake_myth: FakeMyth) -> Iterator[Held]:
    hold = Held(fake_myth)
    yield hold
    hold.go.release(1000)
    assert explorer.settle(PATIENCE_S)


def test_a_drag_never_queues(explorer: Explorer, fake_myth: FakeMyth, held: Held) -> None:
    explorer.controls["redo_ms"].value = 5.0
    assert held.begun.acquire(timeout=PATIENCE_S)
    for step in range(60):
        explorer.controls["redo_ms"].value = 6 + step / 10
    held.go.release(1000)
    assert explorer.settle(PATIENCE_S)
    settings = list(dict.fromkeys(levers.redo_ms for levers, _ in fake_myth.calls))
    assert settings == [5.0, 11.9]
    assert explorer.chart.run == 62, "the number counts moves, so a repaint tells which move it belongs to"


@pytest.fixture
def slow(explorer: Explorer, monkeypatch: pytest.MonkeyPatch) -> None:
    """All seeds always take too long to wait for them."""
    monkeypatch.setattr(explore, "AT_ONCE_S", 0.0)


@pytest.mark.usefixtures("slow")
def test_slow_model_is_answered_from_two_seeds_first_and_says_so(explorer: Explorer, fake_myth: FakeMyth, held: Held) -> None:
    explorer.controls["nodes"].value = 5
    assert held.begun.acquire(timeout=PATIENCE_S)
    held.go.release()
    assert held.begun.acquire(timeout=PATIENCE_S), "all seeds follow"
    assert 'data-raclab-run="2" data-raclab-seeds="2"' in texts(explorer)
    assert "seeds 1 to 2 so far, of 8" in texts(explorer)
    assert "over 2 runs" in explorer.chart.alt and explorer.chart.run == 2
    held.go.release()
    assert explorer.settle(PATIENCE_S)
    assert [seeds for _, seeds in fake_myth.calls] == [[1, 2], list(range(1, 9))]
    assert 'data-raclab-run="2" data-raclab-seeds="8"' in texts(explorer)


def overtake(explorer: Explorer, fake_myth: FakeMyth, held: Held) -> None:
    """Move to 5 nodes, and to 6 before those are through; 5 then gets its first seeds only."""
    explorer.controls["nodes"].value = 5
    assert held.begun.acquire(timeout=PATIENCE_S)
    explorer.controls["nodes"].value = 6
    held.go.release(1000)
    assert explorer.settle(PATIENCE_S)
    assert [len(seeds) for levers, seeds in fake_myth.calls if levers.nodes == 5] == [2]


@pytest.mark.usefixtures("slow")
def test_slow_model_gives_up_the_rest_of_its_seeds_for_a_newer_value(explorer: Explorer, fake_myth: FakeMyth, held: Held) -> None:
    overtake(explorer, fake_myth, held)
    assert fake_myth.calls[-1] == (FakeLevers(nodes=6), list(range(1, 9)))


def test_quick_model_shows_what_it_has_when_a_newer_value_waits(explorer: Explorer, fake_myth: FakeMyth, held: Held) -> None:
    shown: list[int] = []
    explorer.chart.observe(lambda change: shown.append(change["new"]), "run")
    overtake(explorer, fake_myth, held)
    assert shown == [2, 3], "a drag moves the chart all along"


@pytest.mark.usefixtures("slow")
def test_runs_behind_a_first_answer_are_stopped_by_the_next_move_itself(
    explorer: Explorer, fake_myth: FakeMyth, context: Context, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nobody looks after them meanwhile: what looks from time to time would be too late for a drag."""
    monkeypatch.setattr(busy, "HOLD_S", 1000 * PATIENCE_S)
    warm_up()
    begun = threading.Event()

    def before(levers: FakeLevers) -> None:
        if levers.nodes == 5 and len(fake_myth.calls[-1][1]) == 8:
            begun.set()
            model = Model()
            process = model.process("on and on", model.cpu(1))
            with process.loop(2_000_000_000):
                process.run(Constant(1.0))
            run_seeds(model, [1])

    fake_myth.before = before
    explorer.controls["nodes"].value = 5
    assert begun.wait(PATIENCE_S)
    assert "5 nodes" in explorer.chart.figure
    explorer.controls["nodes"].value = 6
    assert explorer.settle(PATIENCE_S)
    assert "6 nodes" in explorer.chart.figure and 'data-raclab-seeds="8"' in texts(explorer)
    assert context.failures == []


def test_all_seeds_take_the_rest_of_the_first_ones_time_once_and_their_runs_four_times() -> None:
    assert all_s(first_s=0.030, of_that_runs_s=0.010, seeds=8) == pytest.approx(0.020 + 0.040)
    assert all_s(first_s=0.030, of_that_runs_s=0.010, seeds=2) == pytest.approx(0.030)


def test_exception_in_the_model_is_shown_with_its_setting_and_the_levers_go_on_working(
    explorer: Explorer, context: Context, fake_myth: FakeMyth
) -> None:
    def fail(levers: FakeLevers) -> None:
        if levers.nodes == 5:
            raise RuntimeError("planted")

    fake_myth.before = fail
    explorer.controls["nodes"].value = 5
    assert explorer.settle(PATIENCE_S)
    assert "At CACHE = NOCACHE, ORDER = no, Nodes = 5, Redo write = 4.0 ms: RuntimeError: planted." in texts(explorer)
    assert "raclab-error" in texts(explorer)
    assert [str(failure.exception) for failure in context.failures] == ["planted"]
    assert bars(explorer)[-1] == "2 nodes", "the chart still shows the last good setting"
    explorer.controls["nodes"].value = 6
    assert explorer.settle(PATIENCE_S)
    assert bars(explorer)[-1] == "6 nodes"
    assert "raclab-error" in texts(explorer), "what failed stays to be seen"


@pytest.mark.parametrize("part", ["figure", "sentence"])
def test_exception_in_chart_or_sentence_is_shown(
    explorer: Explorer, context: Context, fake_myth: FakeMyth, monkeypatch: pytest.MonkeyPatch, part: str
) -> None:
    def fail(_: object) -> None:
        raise RuntimeError(f"planted in {part}")

    monkeypatch.setattr(fake_myth, part, fail)
    explorer.controls["nodes"].value = 5
    assert explorer.settle(PATIENCE_S)
    assert f"planted in {part}" in texts(explorer)
    assert len(context.failures) == 1


def test_setting_that_the_myth_refuses_is_a_sentence(explorer: Explorer, context: Context, fake_myth: FakeMyth) -> None:
    explorer.controls["order"].value = True
    assert explorer.settle(PATIENCE_S)
    fake_myth.calls.clear()
    explorer.controls["nodes"].value = 8
    assert explorer.settle(PATIENCE_S)
    assert fake_myth.calls == []
    assert "Nodes = 8, Redo write = 4.0 ms: ORDER can&#x27;t be had on 8 nodes." in texts(explorer)
    assert len(context.failures) == 1
    assert explorer.levers == FakeLevers(order=True)


def test_first_simulation_that_fails_fails_the_cell(context: Context, fake_myth: FakeMyth) -> None:
    def fail(_: FakeLevers) -> None:
        raise RuntimeError("planted")

    fake_myth.before = fail
    with pytest.raises(RuntimeError, match="planted"):
        Explorer(context)


def test_quick_mode_runs_two_seeds_and_says_so(fake_myth: FakeMyth, context: Context) -> None:
    context.parameters = Parameters(None, 5, True)
    explorer = Explorer(context)
    explorer.controls["nodes"].value = 3
    assert explorer.settle(PATIENCE_S)
    assert [seeds for _, seeds in fake_myth.calls] == [[5, 6], [5, 6]]
    assert "seeds 5 to 6 (quick mode: 2 seeds rather than 8)" in texts(explorer)


def test_settled_waits_in_an_event_loop(explorer: Explorer) -> None:
    async def use() -> None:
        explorer.controls["nodes"].value = 5
        await explorer.settled()

    asyncio.run(use())
    assert bars(explorer)[-1] == "5 nodes"


def test_one_move_is_one_small_message_for_the_chart(explorer: Explorer, monkeypatch: pytest.MonkeyPatch) -> None:
    sent: list[dict[str, Any]] = []
    monkeypatch.setattr(explorer.chart, "_send", lambda message, buffers=None: sent.append(message))
    explorer.controls["nodes"].value = 5
    assert explorer.settle(PATIENCE_S)
    assert [sorted(message["state"]) for message in sent] == [["alt", "figure", "run"]]
    assert len(json.dumps(sent)) < 20_000


def test_state_that_a_notebook_would_keep_is_small(explorer: Explorer) -> None:
    state = explorer.chart.get_state()
    assert len(json.dumps(state, default=str)) < 50_000


def test_browser_gets_plotly_from_the_kernel_when_it_asks(explorer: Explorer, monkeypatch: pytest.MonkeyPatch) -> None:
    sent: list[tuple[dict[str, Any], list[bytes]]] = []
    monkeypatch.setattr(explorer.chart, "send", lambda content, buffers: sent.append((content, buffers)))
    explorer.chart._handle_custom_msg({"want": "something else"}, [])
    assert sent == []
    explorer.chart._handle_custom_msg({"want": "plotly"}, [])
    [(content, [script])] = sent
    assert content == {"plotly": explorer.chart.plotly_version}
    assert script.startswith(b"/**\n* plotly.js v")


def test_a_quick_move_costs_two_simulations_one_chart_and_one_sentence(
    explorer: Explorer, fake_myth: FakeMyth, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []
    for name in ("simulate", "published", "figure", "sentence"):
        whole = getattr(fake_myth, name)
        monkeypatch.setattr(fake_myth, name, lambda *given, name=name, whole=whole: asked.append(name) or whole(*given))
    explorer.controls["redo_ms"].value = 5.0
    assert explorer.settle(PATIENCE_S)
    assert asked == ["simulate", "simulate", "figure", "sentence"]


def test_seeds_in_words() -> None:
    assert seeds_text([3], 1) == "seed 3 (quick mode: 1 seeds rather than 8)"
    assert seeds_text([1, 2], 8) == "seeds 1 to 2 so far, of 8"
    assert seeds_text(range(1, 9), 8) == "seeds 1 to 8"


def test_no_spread_of_a_single_run(fake_myth: FakeMyth) -> None:
    assert spread_text(fake_myth.published()[0]) == ""


def test_nothing_is_fetched_from_a_network(explorer: Explorer) -> None:
    for file in (Path(__file__).parents[2] / "lab/raclab/ui/static").iterdir():
        text = file.read_text(encoding="utf-8")
        assert "http://" not in text and "https://" not in text and "@import" not in text
