"""What the learner has predicted and answered so far; taken along as a file, or forgotten."""

import html
from base64 import b64encode

import ipywidgets as widgets

from raclab.ui.context import Context
from raclab.ui.markup import clock
from raclab.ui.panel import Panel
from raclab.ui.predict import warning
from raclab.ui.store import Myths


class ProgressPanel(Panel):
    """A list of all entries, a button to export them and one to forget them, which asks again first."""

    def __init__(self, context: Context) -> None:
        super().__init__("Your predictions and answers so far", context.failures)
        self._context = context
        self.listing = widgets.HTML()
        self.export = _button("Export", "Offers your predictions and answers as a JSON file.")
        self.reset = _button("Reset …", "Asks which predictions and answers to forget.")
        self.forget_here = _button("Forget those of this notebook", "Can't be undone.")
        self.forget_all = _button("Forget those of all notebooks", "Can't be undone.")
        self.keep = _button("Keep them", "Forgets nothing.")
        self.said = widgets.HTML()
        self.said.add_class("raclab-says")
        self.export.on_click(self.guarded("Exporting your answers", self._export))
        self.reset.on_click(self.guarded("Asking", self._ask))
        self.keep.on_click(self.guarded("Keeping your answers", lambda: self._close("Nothing was forgotten.")))
        self.forget_here.on_click(self.guarded("Forgetting your answers", lambda: self._forget(context.myth.slug)))
        self.forget_all.on_click(self.guarded("Forgetting your answers", lambda: self._forget(None)))
        self._question = widgets.Box([self.forget_here, self.forget_all, self.keep])
        self._question.add_class("raclab-buttons")
        self._close("")
        self.refresh()
        context.listeners.append(self.refresh)
        buttons = widgets.Box([self.export, self.reset])
        buttons.add_class("raclab-buttons")
        self.fill(self.listing, buttons, self.said, self._question)

    def refresh(self) -> None:
        """Show what stands in the learner's file."""
        store = self._context.store
        everything = store.everything()
        rows = _rows(everything)
        if rows:
            head = "".join(f'<th scope="col">{name}</th>' for name in ("notebook", "what", "name", "yours", "result", "when"))
            body = "".join("<tr>" + "".join(f"<td>{html.escape(cell)}</td>" for cell in row) + "</tr>" for row in rows)
            shown = f'<table class="raclab-table"><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>'
        else:
            shown = "<p>You have made no prediction and answered no exercise yet.</p>"
        self.listing.value = f"{shown}<p>Kept in {html.escape(str(store.path))}.</p>{warning(store.warning)}"
        self.export.disabled = self.reset.disabled = not rows

    def _export(self) -> None:
        data = b64encode(self._context.store.export().encode()).decode()
        link = f'<a download="raclab-progress.json" href="data:application/json;base64,{data}">Download raclab-progress.json</a>'
        self.said.value = f"<p>{link}</p>"

    def _ask(self) -> None:
        self._question.layout.display = None
        self.said.value = "<p>Which predictions and answers shall be forgotten? This can't be undone; export them first to keep a copy.</p>"

    def _close(self, said: str) -> None:
        self._question.layout.display = "none"
        self.said.value = f"<p>{said}</p>" if said else ""

    def _forget(self, slug: str | None) -> None:
        self._context.store.forget(slug)
        self._close("Forgotten.")
        self._context.answers_changed()


def _button(description: str, tooltip: str) -> widgets.Button:
    return widgets.Button(description=description, tooltip=tooltip)


def _rows(everything: Myths) -> list[tuple[str, ...]]:
    rows: list[tuple[str, ...]] = []
    for slug, sections in sorted(everything.items()):
        for name, entry in sections.get("predictions", {}).items():
            rows.append((slug, "prediction", name, str(entry.get("answer", "")), "", clock(entry["at"])))
        for name, entry in sections.get("exercises", {}).items():
            result = f"{'right' if entry.get('right') else 'not yet right'}, attempt {entry.get('attempts', 1)}"
            rows.append((slug, "exercise", name, str(entry.get("answer", "")), result, clock(entry["at"])))
    return rows
