"""``raclab.open`` and what each method of a page shows."""

import asyncio
import json
from typing import Any

import pytest
from fake_myth import FakeLevers, FakeMyth
from IPython.core.formatters import DisplayFormatter

import raclab
from raclab.errors import LabError
from raclab.evidence.measurement import Kind
from raclab.evidence.table import Table
from raclab.ui import page as page_module
from raclab.ui.exhibit import Exhibit
from raclab.ui.page import Page
from raclab.ui.parameters import ParameterError

PLOTLY = "application/vnd.plotly.v1+json"


@pytest.fixture
def fake_registry(monkeypatch: pytest.MonkeyPatch, fake_myth: FakeMyth, plain_environment: Any) -> FakeMyth:
    monkeypatch.setattr(page_module, "find_myth", lambda slug: fake_myth)
    return fake_myth


@pytest.fixture
def page(fake_registry: FakeMyth) -> Page:
    return raclab.open("fake_myth")


class Shell:
    """As much of IPython's shell as a page uses."""

    def __init__(self, *history: str) -> None:
        self.user_ns = {"In": ["", *history]}
        self.magics: dict[str, Any] = {}

    def register_magic_function(self, function: Any, kind: str, name: str) -> None:
        self.magics[name] = function

    def run_line_magic(self, name: str, line: str) -> Any:
        return self.magics[name](line)

    def run_cell_magic(self, name: str, line: str, cell: str) -> Any:
        return self.magics[name](line, cell)


@pytest.fixture
def in_shell(monkeypatch: pytest.MonkeyPatch, fake_registry: FakeMyth) -> Any:
    def use(shell: Shell) -> list[Any]:
        shown: list[Any] = []
        monkeypatch.setattr(page_module, "_shell", lambda: shell)
        monkeypatch.setattr("IPython.display.display", lambda *things, **_: shown.extend(things))
        return shown

    return use


def html_of(exhibit: Exhibit) -> str:
    return "".join(part.get("text/html", "") for part in exhibit.parts if isinstance(part, dict))


def test_wrong_parameter_and_unknown_myth_are_one_sentence_each(plain_environment: Any) -> None:
    with pytest.raises(ParameterError, match="seed is 'x'"):
        raclab.open("nocache_sequences", seed="x")  # type: ignore[arg-type]
    with pytest.raises(LabError) as caught:
        raclab.open("no_such_myth")
    assert str(caught.value).startswith("There is no myth 'no_such_myth'; there are: ")
    assert "nocache_sequences" in str(caught.value) and not str(caught.value).startswith('"')


def test_unknown_papermill_parameter_is_refused(in_shell: Any) -> None:
    in_shell(Shell("seed = 1", "# Parameters\nsede = 3\n"))
    with pytest.raises(ParameterError, match="no parameter sede"):
        raclab.open("fake_myth")


def test_opening_says_what_it_runs_on_and_starts_no_database(in_shell: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(page_module, "connect", lambda dsn: pytest.fail("a database was opened"))
    shown = in_shell(Shell())
    raclab.open("fake_myth", quick=True)
    assert [repr(one) for one in shown] == [
        "RAC Myths Lab: SQL runs on the simulated lab; simulations use seeds 1 to 2 (quick mode: 2 seeds rather than 8)."
    ]


def test_opening_shows_the_stores_warning_and_no_password(in_shell: Any, plain_environment: pytest.MonkeyPatch, tmp_path: Any) -> None:
    (tmp_path / "learner").write_text("in the way")
    shown = in_shell(Shell())
    raclab.open("fake_myth", dsn="scott/tiger@dbhost/X")
    assert "the database at dbhost/X" in repr(shown[0]) and "RACLAB_HOME" in repr(shown[0])
    assert "tiger" not in repr(shown[0]) + shown[0].html and "raclab-warning" in shown[0].html


class FakeLab:
    def __init__(self, shell: Shell | None = None) -> None:
        self.shell = shell
        self.shows_simulations = True
        self.dsn = "dbhost:1521/X"
        self.asked: list[tuple[Any, ...]] = []

    def register_magic(self) -> None:
        assert self.shell is not None
        self.shell.magics["sql"] = lambda line, cell=None: ("the lab's own", line, cell)

    def sql(self, text: str, binds: Any = None) -> str:
        self.asked.append((text, binds))
        return "rows"

    def run(self, myth: FakeMyth, levers: Any, seed: int) -> Any:
        self.asked.append((levers, seed))
        return myth.simulate(FakeLevers(**levers), [seed])


def test_sql_magic_opens_the_lab_when_first_used(in_shell: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    shell = Shell()
    in_shell(shell)
    opened: list[str | None] = []
    monkeypatch.setattr(page_module, "connect", lambda dsn: opened.append(dsn) or FakeLab(shell))
    raclab.open("fake_myth", dsn="dbhost/X")
    assert opened == []
    assert shell.run_cell_magic("sql", "", "select 1 from dual") == ("the lab's own", "", "select 1 from dual")
    assert shell.run_line_magic("sql", "select 2 from dual") == ("the lab's own", "select 2 from dual", None)
    assert opened == ["dbhost/X"]


def test_sql_and_run_ask_the_lab(page: Page, monkeypatch: pytest.MonkeyPatch) -> None:
    lab = FakeLab()
    monkeypatch.setattr(page_module, "connect", lambda dsn: lab)
    assert page.sql("select :n from dual", n=1) == "rows"
    shown = page.run(nodes=3)
    assert lab.asked == [("select :n from dual", {"n": 1}), ({"nodes": 3}, 1)]
    assert "SIMULATED: 12.12 s over 1 runs" in html_of(shown)


def test_on_another_database_a_run_is_simulated_and_nothing_is_sent(page: Page, monkeypatch: pytest.MonkeyPatch) -> None:
    lab = FakeLab()
    lab.shows_simulations = False
    monkeypatch.setattr(page_module, "connect", lambda dsn: lab)
    shown = page.run(nodes=3)
    assert lab.asked == []
    assert "SIMULATED: 12.12 s over 1 runs" in html_of(shown)
    assert "SQL goes to dbhost:1521/X, whose views know nothing of this run" in html_of(shown)


def test_evidence_is_one_table_of_the_published_figures() -> None:
    table = raclab.open("nocache_sequences").evidence("tkprof_waits")
    assert table.badges == (Kind.PUBLISHED,) and 62.86 in set(table.frame["total_waited_s"])


def test_published_shows_badge_source_chart_words_and_predictions(page: Page, fake_myth: FakeMyth) -> None:
    shown = page.published()
    assert "raclab-published" in html_of(shown)
    assert "A. Nobody, slides, 2008, version not stated, machine not stated" in html_of(shown)
    assert "PUBLISHED: 81.23 s over 1 runs" in html_of(shown)
    [chart] = [
        part["application/vnd.plotly.v1+json"]
        for part in shown.parts
        if isinstance(part, dict) and len(part) > 1 and "text/html" not in part
    ]
    assert chart["layout"]["meta"]["alt"] == "PUBLISHED: 81.23 s over 1 runs"
    assert chart["data"][0]["y"] == ["2 nodes"]
    assert fake_myth.calls == [], "nothing is simulated for it"
    assert "You have made no prediction." in shown.parts[-1].value
    assert repr(shown) == "PUBLISHED: 81.23 s over 1 runs"


def test_published_chart_is_plain_json_and_names_no_address(page: Page) -> None:
    text = json.dumps([part for part in page.published().parts if isinstance(part, dict)])
    assert "http" not in text


def test_published_table_lists_sessions_then_waits_longest_first(page: Page) -> None:
    table = page.published_table()
    assert isinstance(table, Table) and table.badges == (Kind.PUBLISHED,)
    assert table.frame["figure"].tolist() == ["elapsed", "CPU", "row cache lock", "log file sync"]
    assert table.frame["time_s"].tolist() == [81.23, 8.02, 62.86, 0.22]
    assert table.frame["count"].tolist() == [10_000, 10_000, 5413, 3]


def test_diagram_of_the_first_myth_and_none_of_the_fake(page: Page) -> None:
    with pytest.raises(LabError, match="no diagram of fake_myth"):
        page.diagram()
    page.myth.__class__.slug = "nocache_sequences"
    try:
        text = html_of(page.diagram())
    finally:
        page.myth.__class__.slug = "fake_myth"
    assert text.startswith('<div class="raclab-text mathjax_ignore"><figure class="raclab-diagram"><svg ') and "<desc" in text


def test_unknown_names_are_answered_with_those_that_there_are(page: Page) -> None:
    with pytest.raises(LabError, match=r"There is no prediction 'x' here; there are: elapsed, wait\."):
        page.predict("x")
    with pytest.raises(LabError, match=r"There is no exercise 'elapsed' here; there are: average, name\."):
        page.exercise("elapsed")


def test_levers_of_the_page_follow_the_explorer(page: Page) -> None:
    assert page.levers == FakeLevers()
    explorer = page.explore()
    explorer.controls["nodes"].value = 5
    assert page.settle(20)
    assert page.levers == FakeLevers(nodes=5) and page.errors == []


def test_errors_of_every_part_are_the_pages(page: Page, fake_myth: FakeMyth) -> None:
    explorer = page.explore()

    def fail(_: FakeLevers) -> None:
        raise RuntimeError("planted")

    fake_myth.before = fail
    explorer.controls["nodes"].value = 5
    asyncio.run(page.settled())
    assert [str(failure.exception) for failure in page.errors] == ["planted"]


def test_compare_says_error_seeds_and_both_sources(page: Page) -> None:
    table = page.compare()
    assert table.badges == (Kind.PUBLISHED, Kind.SIMULATED)
    assert table.frame["error_pct"].tolist() == [-89.7]
    assert "A. Nobody" in table.source and "fake model" in table.source and "mean of seeds 1 to 8" in table.source


def test_compare_in_quick_mode_says_so(fake_registry: FakeMyth) -> None:
    assert "seeds 4 to 5 (quick mode: 2 seeds rather than 8)" in raclab.open("fake_myth", seed=4, quick=True).compare().source


def test_verdict_is_the_same_plain_text_whatever_the_parameters(page: Page, fake_registry: FakeMyth) -> None:
    text = repr(page.verdict())
    assert text == repr(raclab.open("fake_myth", seed=7, quick=True).verdict())
    assert "all of it" in text and "[PUBLISHED]" in text


def test_live_without_and_with_a_database(page: Page, plain_environment: pytest.MonkeyPatch) -> None:
    assert "RACLAB_DSN" in page.live().children[0].value
    plain_environment.setenv("RACLAB_DSN", "dbhost/X")
    assert page.live().start.description == "Run it on the database"
    with pytest.raises(LabError):
        page.live(run=True)


def test_myth_without_live_part(page: Page, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(FakeMyth, "live", None)
    with pytest.raises(LabError, match="nothing to run on a real database"):
        page.live()


def test_every_part_can_be_shown_in_ipython(page: Page) -> None:
    """Through IPython's own display machinery, as a cell's last line is."""
    formatter = DisplayFormatter()
    for shown in (page.predict("elapsed"), page.explore(), page.exercise("average"), page.live(), page.progress()):
        data, _ = formatter.format(shown)
        assert "application/vnd.jupyter.widget-view+json" in data and data["text/plain"].startswith("[")
    for table in (page.published_table(), page.compare(), page.verdict()):
        data, _ = formatter.format(table)
        assert "<table" in data["text/html"] and data["text/plain"] == repr(table)
