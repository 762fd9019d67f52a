"""A prediction is recorded at once, and then stands."""

import pytest
from fake_myth import FakeMyth

from raclab.ui.context import Context
from raclab.ui.predict import Outcome, PredictionPanel
from raclab.ui.store import Store


@pytest.fixture
def panel(context: Context, fake_myth: FakeMyth) -> PredictionPanel:
    return PredictionPanel(context, fake_myth.predictions[0])


def test_before_an_answer_everything_is_open(panel: PredictionPanel) -> None:
    assert panel.choice.options == ("8 s", "80 s") and panel.choice.value is None
    assert not panel.choice.disabled and not panel.commit.disabled


def test_commit_without_a_choice_records_nothing(panel: PredictionPanel, store: Store) -> None:
    panel.commit.click()
    assert panel.status.value == "<p>Choose an answer first.</p>"
    assert store.everything() == {}


def test_choosing_alone_records_nothing(panel: PredictionPanel, store: Store) -> None:
    panel.choice.value = "8 s"
    assert store.everything() == {}


def test_committed_answer_is_saved_shown_with_its_time_and_locked(panel: PredictionPanel, store: Store) -> None:
    panel.choice.value = "8 s"
    panel.commit.click()
    entry = Store(store.folder).entries("fake_myth", "predictions")["elapsed"]
    assert entry["answer"] == "8 s"
    minute = entry["at"][:16].replace("T", " ")
    assert panel.status.value == f"<p>Your prediction: <strong>8 s</strong>, recorded at {minute}.</p>"
    assert panel.choice.disabled and panel.commit.disabled


def test_restored_after_a_kernel_restart(panel: PredictionPanel, fake_myth: FakeMyth, store: Store, context: Context) -> None:
    panel.choice.value = "80 s"
    panel.commit.click()
    again = PredictionPanel(Context(fake_myth, context.parameters, Store(store.folder)), fake_myth.predictions[0])
    assert again.choice.value == "80 s" and again.choice.disabled and again.commit.disabled
    assert "Your prediction: <strong>80 s</strong>" in again.status.value


def test_prediction_made_in_another_window_first_is_the_one_that_stands(panel: PredictionPanel, store: Store) -> None:
    Store(store.folder).record("fake_myth", "predictions", "elapsed", {"answer": "80 s"})
    panel.choice.value = "8 s"
    panel.commit.click()
    assert "<strong>80 s</strong>" in panel.status.value and panel.choice.value == "80 s"


def test_choice_not_yet_committed_stays_when_another_question_is_answered(context: Context, fake_myth: FakeMyth) -> None:
    first, second = (PredictionPanel(context, prediction) for prediction in fake_myth.predictions)
    second.choice.value = "CPU"
    first.choice.value = "8 s"
    first.commit.click()
    assert second.choice.value == "CPU" and not second.choice.disabled


def test_reset_opens_the_question_again(panel: PredictionPanel, context: Context, store: Store) -> None:
    panel.choice.value = "8 s"
    panel.commit.click()
    store.forget("fake_myth")
    context.answers_changed()
    assert panel.choice.value is None and not panel.choice.disabled and not panel.commit.disabled


def test_answer_that_is_no_longer_offered_is_still_shown(context: Context, fake_myth: FakeMyth, store: Store) -> None:
    store.record("fake_myth", "predictions", "elapsed", {"answer": "<i>17 s</i>"})
    panel = PredictionPanel(context, fake_myth.predictions[0])
    assert panel.choice.value is None and panel.choice.disabled
    assert "<strong>&lt;i&gt;17 s&lt;/i&gt;</strong>" in panel.status.value


def test_warning_of_the_store_is_shown(context: Context, fake_myth: FakeMyth, store: Store) -> None:
    store.folder.joinpath("progress.json").write_text("rubbish")
    panel = PredictionPanel(context, fake_myth.predictions[0])
    assert "raclab-warning" in panel.status.value and "damaged" in panel.status.value


def test_outcome_gives_nothing_away_before_the_prediction(context: Context) -> None:
    text = Outcome(context).value
    assert text.count("You have made no prediction.") == 2
    assert "80 s" not in text and "slow" not in text


def test_outcome_sets_prediction_and_measurement_side_by_side_as_soon_as_it_is_made(
    context: Context, panel: PredictionPanel, fake_myth: FakeMyth
) -> None:
    outcome = Outcome(context)
    panel.choice.value = "8 s"
    panel.commit.click()
    assert "You predicted: 8 s; measured: 80 s. The lock &lt;is&gt; slow." in outcome.value
    second = PredictionPanel(context, fake_myth.predictions[1])
    second.choice.value = "row cache lock"
    second.commit.click()
    assert "You predicted: row cache lock; as measured." in outcome.value


def test_failing_store_is_shown_not_swallowed(panel: PredictionPanel, context: Context, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> None:
        raise RuntimeError("planted")

    monkeypatch.setattr(context.store, "record", fail)
    panel.choice.value = "8 s"
    panel.commit.click()
    assert [failure.doing for failure in context.failures] == ["Recording your prediction"]
    assert "raclab-error" in panel.children[-1].value
