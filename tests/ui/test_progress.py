"""Progress: what was entered so far; taken along, or forgotten after asking again."""

import json
from base64 import b64decode

import pytest
from fake_myth import FakeMyth

from raclab.ui.context import Context
from raclab.ui.predict import PredictionPanel
from raclab.ui.progress import ProgressPanel
from raclab.ui.store import Store


@pytest.fixture
def filled(context: Context, store: Store) -> ProgressPanel:
    store.record("fake_myth", "predictions", "elapsed", {"answer": "<b>8 s</b>"})
    store.record("fake_myth", "exercises", "average", {"answer": "3", "right": False, "attempts": 4})
    store.record("other_myth", "exercises", "sum", {"answer": "2", "right": True, "attempts": 1})
    return ProgressPanel(context)


def asks(panel: ProgressPanel) -> bool:
    return bool(panel._question.layout.display != "none")


def test_nothing_yet(context: Context, store: Store) -> None:
    panel = ProgressPanel(context)
    assert "no prediction" in panel.listing.value and str(store.path) in panel.listing.value
    assert panel.export.disabled and panel.reset.disabled and not asks(panel)


def test_all_entries_of_all_notebooks_are_listed(filled: ProgressPanel) -> None:
    cells = filled.listing.value
    assert "&lt;b&gt;8 s&lt;/b&gt;" in cells and "<b>" not in cells
    assert "not yet right, attempt 4" in cells and "<td>right, attempt 1</td>" in cells
    assert cells.count("<tr>") == 4


def test_follows_as_the_learner_goes_on(context: Context, fake_myth: FakeMyth) -> None:
    panel = ProgressPanel(context)
    prediction = PredictionPanel(context, fake_myth.predictions[0])
    prediction.choice.value = "80 s"
    prediction.commit.click()
    assert "<td>80 s</td>" in panel.listing.value and not panel.reset.disabled


def test_export_holds_what_the_file_holds(filled: ProgressPanel, store: Store) -> None:
    filled.export.click()
    assert 'download="raclab-progress.json"' in filled.said.value
    data = filled.said.value.split("base64,")[1].split('"')[0]
    assert json.loads(b64decode(data)) == json.loads(store.path.read_text(encoding="utf-8"))


def test_reset_asks_first_and_keeps_all_if_told_so(filled: ProgressPanel, store: Store) -> None:
    before = store.everything()
    filled.reset.click()
    assert asks(filled) and "can't be undone" in filled.said.value
    assert store.everything() == before
    filled.keep.click()
    assert not asks(filled) and store.everything() == before


def test_reset_of_this_notebook_leaves_the_others(filled: ProgressPanel, store: Store) -> None:
    filled.reset.click()
    filled.forget_here.click()
    assert set(Store(store.folder).everything()) == {"other_myth"}
    assert not asks(filled) and "Forgotten." in filled.said.value
    assert "fake_myth" not in filled.listing.value and "other_myth" in filled.listing.value


def test_reset_of_all_notebooks(filled: ProgressPanel, store: Store) -> None:
    filled.reset.click()
    filled.forget_all.click()
    assert Store(store.folder).everything() == {}
    assert filled.reset.disabled


def test_damaged_file_is_told(context: Context, store: Store) -> None:
    store.path.write_text("rubbish")
    assert "raclab-warning" in ProgressPanel(context).listing.value
