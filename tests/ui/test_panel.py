"""What fails in a callback is shown and recorded, never swallowed."""

from pathlib import Path

import pytest

import raclab.ui
from raclab.errors import LabError
from raclab.ui.panel import SHOWN_FAILURES, Failure, Panel

STATIC = Path(raclab.ui.__file__).parent / "static"


@pytest.fixture
def log() -> list[Failure]:
    return []


@pytest.fixture
def panel(log: list[Failure]) -> Panel:
    made = Panel("A panel", log)
    made.fill()
    return made


def shown(panel: Panel) -> str:
    return "".join(child.value for child in panel.children)


def test_nothing_is_shown_while_nothing_fails(panel: Panel) -> None:
    assert shown(panel) == ""


def test_fault_of_ours_is_shown_with_setting_kind_and_trace(panel: Panel, log: list[Failure]) -> None:
    def fail() -> None:
        raise ZeroDivisionError("by <nothing>")

    panel.guarded("At CACHE = 20", fail)(None)
    assert 'class="raclab-error' in shown(panel) and 'role="alert"' in shown(panel)
    assert "At CACHE = 20: ZeroDivisionError: by &lt;nothing&gt;." in shown(panel)
    assert "in fail" in shown(panel), "the trace names the function that failed"
    assert [(f.doing, type(f.exception)) for f in log] == [("At CACHE = 20", ZeroDivisionError)]
    assert panel.failures == log


def test_learners_own_mistake_is_one_sentence_without_trace(panel: Panel) -> None:
    panel.fail("At CACHE = 20", LabError("ORDER can't be had."))
    assert "<p>At CACHE = 20: ORDER can&#x27;t be had.</p>" in shown(panel)
    assert "details" not in shown(panel)


def test_same_failure_again_is_recorded_but_shown_once_and_the_list_stays_short(panel: Panel, log: list[Failure]) -> None:
    for number in range(10):
        panel.fail(f"At {number // 2}", LabError("no"))
    assert len(log) == 10
    assert shown(panel).count("raclab-error") == SHOWN_FAILURES
    assert "At 4: no" in shown(panel)


def test_interrupt_is_not_taken_for_a_failure(panel: Panel) -> None:
    def interrupt() -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        panel.guarded("Running", interrupt)(None)
    assert panel.failures == []


def test_style_and_scripts_do_not_name_the_class_that_scans_look_for() -> None:
    files = sorted(STATIC.iterdir())
    assert {file.suffix for file in files} == {".css", ".js"}
    for file in files:
        assert "raclab-error" not in file.read_text(encoding="utf-8")


def test_text_form_is_short(panel: Panel) -> None:
    assert repr(panel) == "[A panel: shown in JupyterLab]"
