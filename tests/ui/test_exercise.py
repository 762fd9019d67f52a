"""Exercises: an answer is read, checked, recorded at once; hints come one by one."""

from typing import Any

import pytest
from fake_myth import FakeMyth

from raclab.ui.context import Context
from raclab.ui.exercise import AnswerError, ExercisePanel, parse_answer
from raclab.ui.store import Store


@pytest.fixture
def panel(context: Context, fake_myth: FakeMyth) -> ExercisePanel:
    return ExercisePanel(context, fake_myth.exercises[0])


def texts(panel: ExercisePanel) -> list[str]:
    return [child.value for child in panel.children if isinstance(getattr(child, "value", None), str)]


@pytest.mark.parametrize(
    ("typed", "example", "read"),
    [
        ("62.86", 1.0, 62.86),
        ("62,86", 1.0, 62.86),
        (" 5,413 ", 1.0, 5413.0),
        ("1,234,567.5", 1.0, 1234567.5),
        ("5 413", 1.0, 5413.0),
        ("-.5", 1.0, -0.5),
        ("1e3", 1.0, 1000.0),
        ("5,413", 1, 5413),
        ("-3", 1, -3),
        ("row cache lock", "event", "row cache lock"),
    ],
)
def test_answers_as_people_type_them(typed: str, example: Any, read: Any) -> None:
    answer = parse_answer(typed, example)
    assert answer == read and type(answer) is type(read)


@pytest.mark.parametrize(
    ("typed", "example", "wanted"),
    [
        ("", 1.0, "Type an answer first."),
        ("  ", "event", "Type an answer first."),
        ("abc", 1.0, "type a number such as 12.5."),
        ("nan", 1.0, "type a number such as 12.5."),
        ("inf", 1.0, "type a number such as 12.5."),
        ("12 ms", 1.0, "type a number such as 12.5."),
        ("1.5", 1, "type a whole number such as 1200."),
        ("9" * 400, 1.0, "type a number such as 12.5."),
        ("1e999", 1.0, "type a number such as 12.5."),
    ],
)
def test_what_is_no_answer_is_said_in_one_sentence(typed: str, example: Any, wanted: str) -> None:
    with pytest.raises(AnswerError) as caught:
        parse_answer(typed, example)
    assert str(caught.value).endswith(wanted)


def test_wrong_then_right_answer_is_recorded_with_attempts(panel: ExercisePanel, store: Store) -> None:
    panel.answer.value = "3"
    panel.check.click()
    assert "3 is wrong. (attempt 1, " in panel.result.value and "✗" in panel.result.value
    panel.answer.value = "2"
    panel.check.click()
    assert "That is it. (attempt 2, " in panel.result.value and "✓" in panel.result.value
    entry = Store(store.folder).entries("fake_myth", "exercises")["average"]
    assert {name: entry[name] for name in ("answer", "right", "attempts", "hints")} == {
        "answer": "2",
        "right": True,
        "attempts": 2,
        "hints": 0,
    }


def test_enter_checks_too(panel: ExercisePanel, store: Store) -> None:
    panel.answer.value = "2"
    panel.answer._handle_custom_msg({"event": "something else"}, [])
    assert store.everything() == {}
    panel.answer._handle_custom_msg({"event": "submit"}, [])
    assert store.entries("fake_myth", "exercises")["average"]["right"] is True


def test_what_cannot_be_read_is_not_recorded(panel: ExercisePanel, store: Store) -> None:
    panel.answer.value = "<b>two</b>"
    panel.check.click()
    assert panel.result.value == "<p>“&lt;b&gt;two&lt;/b&gt;” can&#x27;t be read; type a number such as 12.5.</p>"
    assert store.everything() == {}


def test_hints_come_one_by_one_and_are_remembered(panel: ExercisePanel, context: Context, fake_myth: FakeMyth, store: Store) -> None:
    assert panel.hint.description == "Hint 1 of 2" and not any("think" in text for text in texts(panel))
    panel.hint.click()
    assert "<p>Hint 1: think</p>" in texts(panel)
    assert panel.hint.description == "Hint 2 of 2"
    panel.hint.click()
    assert "<p>Hint 1: think</p><p>Hint 2: 2</p>" in texts(panel)
    assert panel.hint.disabled
    panel.answer.value = "3"
    panel.check.click()
    again = ExercisePanel(Context(fake_myth, context.parameters, Store(store.folder)), fake_myth.exercises[0])
    assert "<p>Hint 1: think</p><p>Hint 2: 2</p>" in texts(again)
    assert again.answer.value == "3" and "3 is wrong." in again.result.value


def test_solution_unfolds(panel: ExercisePanel) -> None:
    assert "<details><summary>Solution</summary><p>2 of <code>it</code></p></details>" in texts(panel)


def test_exercise_without_hints_has_no_button_for_them(context: Context, fake_myth: FakeMyth) -> None:
    panel = ExercisePanel(context, fake_myth.exercises[1])
    buttons = [one.description for child in panel.children for one in getattr(child, "children", ())]
    assert buttons == ["Check"]


def test_text_answers_are_taken_as_typed_and_shown_without_markup(context: Context, fake_myth: FakeMyth) -> None:
    panel = ExercisePanel(context, fake_myth.exercises[1])
    panel.answer.value = "<script>"
    panel.check.click()
    assert "You said &lt;script&gt;." in panel.result.value


def test_unit_stands_beside_the_input(panel: ExercisePanel, context: Context, fake_myth: FakeMyth) -> None:
    assert panel.answer.description == "Your answer (s)"
    assert ExercisePanel(context, fake_myth.exercises[1]).answer.description == "Your answer"


def test_what_is_typed_elsewhere_stays_when_an_answer_is_checked(context: Context, fake_myth: FakeMyth) -> None:
    first, second = (ExercisePanel(context, exercise) for exercise in fake_myth.exercises)
    second.answer.value = "half an ans"
    first.answer.value = "2"
    first.check.click()
    assert second.answer.value == "half an ans"


def test_reset_empties_it(panel: ExercisePanel, context: Context, store: Store) -> None:
    panel.hint.click()
    panel.answer.value = "2"
    panel.check.click()
    store.forget()
    context.answers_changed()
    assert panel.answer.value == "" and panel.result.value == "" and panel.hint.description == "Hint 1 of 2"


def test_check_that_fails_is_shown(panel: ExercisePanel, context: Context, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(_: float) -> tuple[bool, str]:
        raise RuntimeError("planted")

    object.__setattr__(panel, "_exercise", type(panel._exercise)(**{**vars(panel._exercise), "check": fail}))
    panel.answer.value = "2"
    panel.check.click()
    assert "Checking your answer: RuntimeError: planted." in panel.children[-1].value
    assert len(context.failures) == 1
