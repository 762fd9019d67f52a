"""A recorded run as one more source in a notebook."""

from pathlib import Path

import pytest

import raclab
from raclab.errors import LabError
from raclab.evidence.measurement import Kind
from raclab.ui.page import Page

STORED = Path(__file__).parents[1] / "evidence" / "recordings" / "format_1"
CASE = "2 nodes, NOCACHE (2 sessions on 2 instances), recorded 2026-11-21"


@pytest.fixture
def page(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Page:
    """The page of the sequence notebook."""
    monkeypatch.setenv("RACLAB_HOME", str(tmp_path))
    return raclab.open("nocache_sequences", quick=True)


def test_a_replayed_run_stands_beside_the_others(page: Page) -> None:
    shown = page.replay(STORED)
    assert shown.text.startswith(f"LIVE, {CASE}: ")
    page.replay(STORED)  # a cell that runs twice shows it once
    explorer = page.explore()
    assert explorer.chart.alt.count(CASE) == 1
    table = page.compare()
    assert set(table.badges) == set(Kind) and "recorded 2026-11-21" in table.source
    rows = table.frame[table.frame["case"] == CASE].set_index("figure")
    assert rows.at["elapsed", "recorded"] == pytest.approx(80.875) and rows.at["elapsed", "simulated"] > 0
    assert list(table.frame.columns)[:6] == ["case", "figure", "unit", "published", "recorded", "simulated"]
    assert table.frame[table.frame["case"] != CASE]["recorded"].isna().all()
    assert CASE not in repr(page.verdict()), "the verdict stays as it is"


def test_a_recording_of_another_myth_says_whose_it_is(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("RACLAB_HOME", str(tmp_path))
    with pytest.raises(LabError, match="holds runs of nocache_sequences, none of start_here"):
        raclab.open("start_here").replay(STORED)


def test_a_myth_that_can_not_be_shown_live_says_why(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("RACLAB_HOME", str(tmp_path))
    with pytest.raises(LabError, match=r"nothing to run on a real database\. How many connections carry the reads"):
        raclab.open("nfs_throughput").live()
