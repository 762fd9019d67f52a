"""A myth's simulation says how far it is, unless somebody watches it already."""

from dataclasses import dataclass, field

import numpy as np
import pytest
from fake_myth import FakeLevers, FakeMyth

from raclab.gauge import Gauge
from raclab.myths import attended
from raclab.myths.attended import Pace, long_sentence, pace
from raclab.sim import Constant, Model, run_seeds
from raclab.sim.ops import WATCH
from raclab.sim.watch import Watch, watches, watching


@dataclass
class Noted(Gauge):
    shown: list[tuple[float | None, str]] = field(default_factory=list)
    said: list[str] = field(default_factory=list)
    closed: int = 0

    def show(self, share: float | None, text: str) -> None:
        self.shown.append((share, text))

    def say(self, sentence: str) -> None:
        self.said.append(sentence)

    def close(self, text: str = "") -> None:
        self.closed += 1


@pytest.fixture
def noted(monkeypatch: pytest.MonkeyPatch) -> Noted:
    made = Noted()
    monkeypatch.setattr(attended, "gauge", lambda: made)
    monkeypatch.setattr(attended, "PATIENCE_S", 0.0)
    monkeypatch.setattr(attended, "EVERY_S", 0.001)
    return made


def until_shown(noted: Noted) -> None:
    """Some work that lasts until the gauge has shown it."""
    model = Model()
    model.process("one", model.cpu(1)).run(Constant(1.0))
    while not any("events" in text for _, text in noted.shown):
        run_seeds(model, [1, 2])


def test_it_shows_runs_events_and_simulated_time(noted: Noted) -> None:
    myth = FakeMyth(before=lambda _: until_shown(noted))
    measured = myth.simulate(FakeLevers(), [1, 2])
    assert measured.runs == 2
    text = next(text for _, text in noted.shown if "events" in text)
    assert text.startswith("fake_myth: ") and "runs" in text and "simulated" in text
    assert noted.closed == 1


def test_under_a_watch_of_the_caller_s_it_keeps_still(noted: Noted) -> None:
    seen: list[int] = []
    myth = FakeMyth(before=lambda _: seen.append(len(watches())))
    with watching(Watch()):
        myth.simulate(FakeLevers())
    myth.simulate(FakeLevers())
    assert seen == [1, 1] and noted.closed == 1


@pytest.mark.parametrize("error", [KeyboardInterrupt, ZeroDivisionError])
def test_what_ends_the_simulation_passes_on_and_the_gauge_is_closed(noted: Noted, error: type[BaseException]) -> None:
    def end(_: object) -> None:
        raise error

    with pytest.raises(error):
        FakeMyth(before=end).simulate(FakeLevers())
    assert noted.closed == 1 and watches() == ()


def watched(clocks: list[float], over: list[bool]) -> Watch:
    tracks = np.zeros(len(clocks), dtype=WATCH)
    tracks["clock"], tracks["over"], tracks["events"] = clocks, over, 500_000
    watch = Watch()
    watch.follow(tracks)
    return watch


def test_the_share_counts_runs_under_way_by_their_clocks() -> None:
    now = pace(watched([10.0, 5.0, 5.0, 0.0], [True, False, False, False]), 6.0)
    assert now.share == 0.5 and now.in_all_s == 12.0
    assert now.text == "about 6.0 s left, 6.0 s so far, 1 of 4 runs, 2.0 million events, 10 s simulated"
    assert long_sentence(now, 6.0) == "This takes about 12 s in all."


def test_before_a_first_run_is_over_there_is_no_estimate() -> None:
    now = pace(watched([5.0, 5.0], [False, False]), 2.0)
    assert (now.share, now.in_all_s) == (None, None)
    assert now.text == "2.0 s so far, 0 of 2 runs, 1,000,000 events, 5.0 s simulated"
    assert long_sentence(now, 2.0) == "" and long_sentence(now, 5.5) == "This takes more than 5 s."


def test_a_single_run_and_a_model_under_construction() -> None:
    assert pace(watched([5.0], [False]), 1.0).text == "1.0 s so far, 500,000 events, 5.0 s simulated"
    assert pace(Watch(), 1.0) == Pace(None, "building the model, 1.0 s so far", None)


def test_the_sentence_of_a_long_one_is_said_once(noted: Noted, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(attended, "LONG_S", 0.0)

    def work(_: object) -> None:
        while len(noted.shown) < 3:
            until_shown(noted)

    FakeMyth(before=work).simulate(FakeLevers())
    assert len(noted.said) == 1 and noted.said[0].endswith("The interrupt button, or Ctrl-C, stops it.")
