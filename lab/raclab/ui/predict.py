"""A prediction: asked before anything runs, recorded at once, and then no longer to be changed."""

import html

import ipywidgets as widgets

from raclab.myths.base import Prediction
from raclab.ui.context import Context
from raclab.ui.markup import clock, prose
from raclab.ui.panel import Panel
from raclab.ui.store import Entry


class PredictionPanel(Panel):
    """Radio buttons and a button to commit. After that the answer stands until it is reset with all others."""

    def __init__(self, context: Context, prediction: Prediction) -> None:
        super().__init__(f"Prediction: {prediction.question}", context.failures)
        self._context = context
        self._prediction = prediction
        self.choice = widgets.RadioButtons(options=prediction.choices, value=None)
        self.choice.add_class("raclab-choice")
        self.commit = widgets.Button(description="Commit to this answer", tooltip="Records your prediction; it then stands.")
        self.commit.on_click(self.guarded("Recording your prediction", self._commit))
        self.status = widgets.HTML()
        self.status.add_class("raclab-says")
        self._shown: Entry | None = {}
        self.refresh()
        context.listeners.append(self.refresh)
        question = widgets.HTML(f'<p class="raclab-question">{prose(prediction.question)}</p>')
        self.fill(question, self.choice, self.commit, self.status)

    def refresh(self) -> None:
        """Show what stands in the learner's file."""
        store = self._context.store
        entry = store.entries(self._context.myth.slug, "predictions").get(self._prediction.name)
        if entry == self._shown:
            return  # an answer elsewhere has changed: a choice made here but not committed stays
        self._shown = entry
        self.choice.disabled = self.commit.disabled = entry is not None
        if entry is None:
            self.choice.value = None
            text = "Nothing depends on your answer, and nobody else sees it."
        else:
            answer = str(entry.get("answer", ""))
            self.choice.value = answer if answer in self._prediction.choices else None
            text = f"Your prediction: <strong>{html.escape(answer)}</strong>, recorded at {clock(entry['at'])}."
        self.status.value = f"<p>{text}</p>{warning(store.warning)}"

    def _commit(self) -> None:
        if self.choice.value is None:
            self.status.value = "<p>Choose an answer first.</p>"
            return
        entry = {"answer": self.choice.value}
        self._context.store.record(self._context.myth.slug, "predictions", self._prediction.name, entry, keep_first=True)
        self._context.answers_changed()


class Outcome(widgets.HTML):  # type: ignore[misc]
    """The learner's predictions beside what was measured; follows as predictions are made."""

    def __init__(self, context: Context) -> None:
        super().__init__()
        self._context = context
        self.add_class("raclab-panel")
        self.refresh()
        context.listeners.append(self.refresh)

    def refresh(self) -> None:
        """Show what stands in the learner's file. The answer to a question not yet answered is not given away."""
        entries = self._context.store.entries(self._context.myth.slug, "predictions")
        lines = []
        for prediction in self._context.myth.predictions:
            entry = entries.get(prediction.name)
            if entry is None:
                said = "You have made no prediction."
            else:
                right = "as measured" if entry.get("answer") == prediction.measured else f"measured: {prediction.measured}"
                said = f"You predicted: {entry.get('answer')}; {right}. {prediction.why}"
            lines.append(f"<li>{prose(prediction.question)}<br>{prose(said)}</li>")
        self.value = f"<ul>{''.join(lines)}</ul>" if lines else ""

    def __repr__(self) -> str:
        return "[Your predictions beside what was measured: shown in JupyterLab]"


def warning(text: str) -> str:
    """A warning as a paragraph, or nothing."""
    return f'<p class="raclab-warning" role="status">{html.escape(text)}</p>' if text else ""
