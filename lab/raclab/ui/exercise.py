"""An exercise: an answer that is checked, hints that unfold one by one, and a solution."""

import html
import re
from typing import Any

import ipywidgets as widgets

from raclab.errors import LabError
from raclab.myths.base import Exercise
from raclab.ui.context import Context
from raclab.ui.markup import clock, prose
from raclab.ui.panel import Panel
from raclab.ui.predict import warning
from raclab.ui.store import Entry

_THOUSANDS = re.compile(r"[+-]?\d{1,3}(,\d{3})+(\.\d+)?")
_WHOLE = re.compile(r"[+-]?\d{1,18}")
_NUMBER = re.compile(r"[+-]?(\d{1,18}(\.\d*)?|\.\d+)([eE][+-]?\d{1,2})?")


class AnswerError(LabError, ValueError):
    """What was typed is no answer of the kind that is asked for."""


class ExercisePanel(Panel):
    """A task, an input, a check; every checked answer is recorded at once."""

    def __init__(self, context: Context, exercise: Exercise) -> None:
        super().__init__(f"Exercise: {exercise.task}", context.failures)
        self._context = context
        self._exercise = exercise
        self._hints_shown = 0
        unit = f" ({exercise.unit})" if exercise.unit else ""
        self.answer = widgets.Text(description=f"Your answer{unit}", style={"description_width": "initial"})
        self.answer.add_class("raclab-answer")
        self.check = widgets.Button(description="Check", tooltip="Checks and records your answer.")
        self.hint = widgets.Button(tooltip="Shows one more hint.")
        self.result = widgets.HTML()
        self.result.add_class("raclab-says")
        self._hints = widgets.HTML()
        self._hints.add_class("raclab-says")
        self._shown: Entry | None = {}
        self.check.on_click(self.guarded("Checking your answer", self._check))
        self.answer.on_msg(self._key_pressed)
        self.hint.on_click(self.guarded("Showing a hint", self._show_hint))
        self.refresh()
        context.listeners.append(self.refresh)
        task = widgets.HTML(f'<p class="raclab-question">{prose(exercise.task)}</p>')
        solution = widgets.HTML(f"<details><summary>Solution</summary><p>{prose(exercise.solution)}</p></details>")
        buttons = widgets.Box([self.check, self.hint] if exercise.hints else [self.check])
        buttons.add_class("raclab-buttons")
        self.fill(task, self.answer, buttons, self.result, self._hints, solution)

    def refresh(self) -> None:
        """Show what stands in the learner's file."""
        store = self._context.store
        entry = store.entries(self._context.myth.slug, "exercises").get(self._exercise.name)
        if entry == self._shown:
            return  # an answer elsewhere has changed: what is typed here stays
        self._shown = entry
        if entry is None:
            self.answer.value = ""
            self._hints_shown = 0
            text = ""
        else:
            self.answer.value = str(entry.get("answer", ""))
            self._hints_shown = max(self._hints_shown, int(entry.get("hints", 0)))
            sign = '<span aria-hidden="true">{}</span>'.format("✓" if entry.get("right") else "✗")
            text = f"<p>{sign} {prose(str(entry.get('said', '')))} (attempt {entry.get('attempts', 1)}, {clock(entry['at'])})</p>"
        self.result.value = f"{text}{warning(store.warning)}"
        self._draw_hints()

    def _check(self) -> None:
        try:
            answer = parse_answer(self.answer.value, self._exercise.example)
        except AnswerError as error:
            self.result.value = f"<p>{html.escape(str(error))}</p>"
            return
        right, said = self._exercise.check(answer)
        slug = self._context.myth.slug
        before = self._context.store.entries(slug, "exercises").get(self._exercise.name, {})
        entry = {
            "answer": self.answer.value.strip(),
            "right": bool(right),
            "said": said,
            "attempts": int(before.get("attempts", 0)) + 1,
            "hints": self._hints_shown,
        }
        self._context.store.record(slug, "exercises", self._exercise.name, entry)
        self._context.answers_changed()

    def _key_pressed(self, _: widgets.Text, content: dict[str, Any], __: object) -> None:
        if content.get("event") == "submit":  # the Enter key
            self.check.click()

    def _show_hint(self) -> None:
        self._hints_shown += 1
        self._draw_hints()

    def _draw_hints(self) -> None:
        count = len(self._exercise.hints)
        self._hints_shown = min(self._hints_shown, count)
        left = count - self._hints_shown
        self.hint.description = f"Hint {self._hints_shown + 1} of {count}" if left else "No more hints"
        self.hint.disabled = not left
        shown = self._exercise.hints[: self._hints_shown]
        self._hints.value = "".join(f"<p>Hint {number}: {prose(hint)}</p>" for number, hint in enumerate(shown, 1))


def parse_answer(text: str, example: Any) -> Any:
    """What was typed, as the type of ``example``. Raises AnswerError.

    Commas before groups of three digits part thousands ("5,413"); any other comma is a decimal one ("62,86").
    """
    typed = text.strip()
    if not typed:
        raise AnswerError("Type an answer first.")
    if isinstance(example, str):
        return typed
    whole = isinstance(example, int)
    plain = typed.replace(" ", "")
    plain = plain.replace(",", "") if _THOUSANDS.fullmatch(plain) else plain.replace(",", ".")
    if not (_WHOLE if whole else _NUMBER).fullmatch(plain):
        raise AnswerError(f"“{typed}” can't be read; type {'a whole number such as 1200' if whole else 'a number such as 12.5'}.")
    return int(plain) if whole else float(plain)
