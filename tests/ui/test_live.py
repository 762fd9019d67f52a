"""The live part: what it takes where there is no database, a button where there is one."""

import threading
from collections.abc import Callable
from typing import Any

import pytest
from fake_myth import FakeLevers, FakeMyth

from raclab.database.live import LiveRunError
from raclab.database.oracle import OracleLab
from raclab.errors import LabError
from raclab.evidence.measurement import Kind, Measurement, Source
from raclab.ui.context import Context
from raclab.ui.live import LivePanel, shown_dsn

PATIENCE_S = 20.0
DSN = "dbhost:1521/RAC"


class RecordedLab(OracleLab):
    """Answers a live run with a measurement of its own, without a database."""

    def __init__(self, outcome: Callable[[], Measurement]) -> None:
        self.outcome = outcome
        self.asked: list[tuple[Any, Any]] = []

    def run(self, myth: Any, levers: Any = None, seed: int = 1, **hooks: Any) -> Measurement:
        self.asked.append((myth, levers))
        hooks["say"]("ORDER has no effect here.")
        hooks["progress"]("inserting: 1 of 2, 3 s")
        return self.outcome()


def measured(fake_myth: FakeMyth) -> Measurement:
    simulated = fake_myth.simulate(FakeLevers(), [1])
    return Measurement(Source(Kind.LIVE, "your database", 2026, "19c", "yours"), "2 nodes", {}, simulated.sessions)


def panel_of(context: Context, fake_myth: FakeMyth, lab: Any, dsn: str | None = DSN) -> LivePanel:
    def give() -> Any:
        if isinstance(lab, Exception):
            raise lab
        return lab

    return LivePanel(context, fake_myth.live, dsn, give, lambda: FakeLevers(nodes=3))


def texts(panel: LivePanel) -> str:
    return "".join(child.value for child in panel.children if isinstance(getattr(child, "value", None), str))


@pytest.fixture
def good(fake_myth: FakeMyth) -> RecordedLab:
    return RecordedLab(lambda: measured(fake_myth))


def test_without_a_database_it_says_what_it_would_do_and_needs(
    context: Context, fake_myth: FakeMyth, good: RecordedLab, plain_environment: pytest.MonkeyPatch
) -> None:
    plain_environment.setenv("RACLAB_PASSWORD", "tiger")
    panel = panel_of(context, fake_myth, good, None)
    text = texts(panel)
    assert "Runs <code>nothing</code> for a while." in text and "One instance shows less." in text and "lab/oracle/fake.sql" in text
    for name in ("RACLAB_DSN", "RACLAB_USER", "RACLAB_PASSWORD", "RACLAB_WALLET", "RACLAB_I_OWN_THIS_DATABASE"):
        assert f"<code>{name}</code>" in text
    assert "tiger" not in text and text.count("<td>set</td>") == 1
    assert panel.start not in panel.children
    with pytest.raises(LabError, match="no database to run on"):
        panel.run()


def test_nothing_runs_before_the_button_is_pressed(context: Context, fake_myth: FakeMyth, good: RecordedLab) -> None:
    panel = panel_of(context, fake_myth, good)
    assert good.asked == [] and panel.start in panel.children
    assert DSN in texts(panel) and panel.chart.layout.display == "none"


def test_button_runs_it_at_the_levers_setting_and_shows_what_was_measured(context: Context, fake_myth: FakeMyth, good: RecordedLab) -> None:
    panel = panel_of(context, fake_myth, good)
    panel.start.click()
    assert panel.settle(PATIENCE_S)
    assert good.asked == [(fake_myth, FakeLevers(nodes=3))]
    text = texts(panel)
    assert "raclab-live" in text and "your database, 2026, 19c, yours" in text
    assert "LIVE: 8.08 s over 1 runs" in text and "ORDER has no effect here." in text
    assert panel.chart.layout.display is None and panel.chart.run == 1 and "LIVE" in panel.chart.alt
    assert not panel.start.disabled and context.failures == []


def test_while_it_runs_the_button_rests_and_progress_shows(context: Context, fake_myth: FakeMyth) -> None:
    go, begun = threading.Event(), threading.Event()

    def wait() -> Measurement:
        begun.set()
        assert go.wait(PATIENCE_S)
        return measured(fake_myth)

    panel = panel_of(context, fake_myth, RecordedLab(wait))
    panel.start.click()
    assert begun.wait(PATIENCE_S)
    assert panel.start.disabled
    assert "Nodes = 3" in panel.state.value and "inserting: 1 of 2, 3 s" in panel.state.value
    go.set()
    assert panel.settle(PATIENCE_S)


def test_run_in_the_cell_raises_the_databases_own_sentence(context: Context, fake_myth: FakeMyth) -> None:
    panel = panel_of(context, fake_myth, LabError("Nothing listens at dbhost:1521."))
    with pytest.raises(LabError, match="Nothing listens"):
        panel.run()
    assert "did not come to its end" in panel.state.value and not panel.start.disabled


def test_error_of_a_run_by_button_is_a_sentence_with_its_setting(context: Context, fake_myth: FakeMyth) -> None:
    panel = panel_of(context, fake_myth, LabError("Nothing listens at dbhost:1521."))
    panel.start.click()
    assert panel.settle(PATIENCE_S)
    assert "At CACHE = NOCACHE, ORDER = no, Nodes = 3, Redo write = 4.0 ms: Nothing listens at dbhost:1521." in texts(panel)
    assert len(context.failures) == 1 and not panel.start.disabled


def test_run_that_was_cut_short_shows_what_it_had_measured(context: Context, fake_myth: FakeMyth) -> None:
    def cut() -> Measurement:
        raise LiveRunError("The session is lost.", measured(fake_myth))

    panel = panel_of(context, fake_myth, RecordedLab(cut))
    panel.start.click()
    assert panel.settle(PATIENCE_S)
    assert "The run did not come to its end. This is what it had measured." in texts(panel)
    assert "LIVE: 8.08 s" in texts(panel) and "The session is lost." in texts(panel)


def test_notebook_that_already_uses_the_simulated_lab_is_told(context: Context, fake_myth: FakeMyth) -> None:
    panel = panel_of(context, fake_myth, object())
    with pytest.raises(LabError, match="restart its kernel"):
        panel.run()


def test_password_in_a_connect_string_is_not_shown(context: Context, fake_myth: FakeMyth, good: RecordedLab) -> None:
    assert "tiger" not in texts(panel_of(context, fake_myth, good, f"scott/tiger@{DSN}"))
    assert shown_dsn(f'scott/"ti@ger"@{DSN}') == DSN
    assert shown_dsn(DSN) == DSN
