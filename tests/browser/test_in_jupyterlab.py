"""Each notebook in JupyterLab, in a real browser, with keyboard and mouse: what a learner does, and what they must then see."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import course
import latency
import pytest
from course_tab import ANSWER_MS, VIEWPORT, CourseTab, chromium
from lab_server import LabServer, lab_server
from playwright.sync_api import Browser, Locator, expect

from raclab.myths.base import Myth
from raclab.myths.levers import Levers, LeverSpec
from raclab.paths import ROOT

pytestmark = pytest.mark.browser
expect.set_options(timeout=ANSWER_MS)

RESULTS = ROOT / "test-results"
SEEDS = range(1, 9)
NAMED_ROLES = "slider|radio|radiogroup|button|checkbox|textbox|link"
READABLE = 4.5  # contrast that WCAG 2 asks of text
CONTRASTS = Path(__file__).with_name("contrasts.js").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def browser(browser_path: Path) -> Iterator[Browser]:
    with chromium(browser_path) as found:
        yield found


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LabServer]:
    with lab_server(tmp_path_factory.mktemp("jupyterlab")) as started:
        yield started


@pytest.fixture(scope="module", params=course.PATHS, ids=lambda path: path.stem)
def notebook(request: pytest.FixtureRequest, browser: Browser, server: LabServer) -> Iterator[CourseTab]:
    """The notebook in a tab, run once from top to bottom by a learner who has answered nothing."""
    server.begin_again()
    with browser.new_context(viewport=VIEWPORT, accept_downloads=True) as context:
        tab = CourseTab(context, server)
        tab.open(request.param.name)
        tab.run_all()
        yield tab


@pytest.fixture
def tab(notebook: CourseTab, server: LabServer, request: pytest.FixtureRequest) -> Iterator[CourseTab]:
    """The notebook with its levers at their defaults and nothing answered; whatever a test does there, these never happen."""
    notebook.problems.clear()
    _forget_everything(notebook)
    _reset_levers(notebook)
    yield notebook
    RESULTS.mkdir(exist_ok=True)
    notebook.page.screenshot(path=RESULTS / f"{re.sub(r'[^a-z0-9]+', '_', request.node.name.lower()).strip('_')}.png")
    assert notebook.errors() == []
    assert notebook.dialogs() == []
    assert notebook.problems == []
    assert course.attempts(server.connections) == []


def _forget_everything(tab: CourseTab) -> None:
    reset = tab.page.get_by_role("button", name="Reset …")
    if reset.is_enabled():
        reset.click()
        tab.page.get_by_role("button", name="Forget those of all notebooks").click()
    expect(tab.page.get_by_text("You have made no prediction and answered no exercise yet.")).to_be_visible()


def _reset_levers(tab: CourseTab) -> None:
    before = tab.run_number()
    tab.page.get_by_role("button", name="Reset levers").click()
    _expect_setting(tab, tab.myth.levers(), before)


def _expect_setting(tab: CourseTab, levers: Levers, after: int) -> None:
    """The sentence becomes what the model says of this setting, with a later number than ``after``; the chart is that of the sentence."""
    said = tab.myth.sentence([tab.myth.simulate(levers, SEEDS), *tab.myth.published()]).replace("`", "")
    seen = tab.wait_for_answer(said, after)
    assert tab.errors() == []
    assert seen == said


def _values(spec: LeverSpec) -> list[Any]:
    """Every value that the lever can have, in order."""
    if spec.choices:
        return list(spec.choices)
    steps = round((spec.high - spec.low) / spec.step)
    return [round(spec.low + number * spec.step, 9) for number in range(steps + 1)]


def _lever(tab: CourseTab, spec: LeverSpec) -> Locator:
    page, label = tab.page, _label(spec)
    return page.get_by_role("checkbox", name=label) if spec.choices == (False, True) else page.get_by_role("slider", name=label, exact=True)


def _label(spec: LeverSpec) -> str:
    return f"{spec.label} ({spec.unit})" if spec.unit else spec.label


def _with(myth: Myth, **values: Any) -> Levers:
    return myth.levers(**{**myth.levers().as_dict(), **values})


def test_runs_without_error(tab: CourseTab) -> None:
    assert tab.unfinished() == []
    assert tab.errors() == []
    assert tab.dialogs() == []


def test_no_dollar_sign_is_taken_for_mathematics(tab: CourseTab) -> None:
    """JupyterLab typesets what stands between two dollar signs; V$ and SEQ$ have one each."""
    formulas = tab.page.locator("mjx-container").evaluate_all("all => all.map(one => one.parentElement.textContent.trim().slice(0, 200))")
    assert formulas == []


def test_every_figure_says_what_it_is(tab: CourseTab) -> None:
    """A badge beside each chart and in each table of figures."""
    bare = tab.page.evaluate(
        """() => {
            const shown = selector => [...document.querySelectorAll(selector)].filter(one => one.offsetParent);
            const charts = shown('.js-plotly-plot').filter(one => !one.closest('.jp-OutputArea').querySelector('.raclab-badge'));
            const tables = shown('.jp-RenderedHTML table').filter(one => !one.querySelector('caption .raclab-badge'));
            return [...charts, ...tables].map(one => one.textContent.slice(0, 100));
        }"""
    )
    assert bare == []
    assert tab.page.locator(".js-plotly-plot .raclab-badge, .jp-OutputArea .raclab-badge").count() > 2


def test_each_lever_by_keyboard(tab: CourseTab) -> None:
    """One step and back; the focus stays, and the notebook's own shortcuts stay away."""
    selected = tab.page.locator(".jp-Cell.jp-mod-selected")
    for name, spec in tab.myth.levers.specs().items():
        lever, values = _lever(tab, spec), _values(spec)
        at = values.index(getattr(tab.myth.levers(), name))
        step, there, back = (1, "ArrowRight", "ArrowLeft") if at + 1 < len(values) else (-1, "ArrowLeft", "ArrowRight")
        if spec.choices == (False, True):
            there = back = "Space"
        lever.focus()
        cells = selected.count()
        for key, value in ((there, values[at + step]), (back, values[at])):
            before = tab.run_number()
            tab.page.keyboard.press(key)
            _expect_setting(tab, _with(tab.myth, **{name: value}), before)
        expect(lever).to_be_focused()
        assert selected.count() == cells


def test_keys_pressed_faster_than_the_answers_end_at_the_last_one(tab: CourseTab) -> None:
    for name, spec in tab.myth.levers.specs().items():
        values = _values(spec)
        at = values.index(getattr(tab.myth.levers(), name)) + 4
        if at < len(values):
            before = tab.run_number()
            _lever(tab, spec).focus()
            for _ in range(4):
                tab.page.keyboard.press("ArrowRight")
            _expect_setting(tab, _with(tab.myth, **{name: values[at]}), before)
            _reset_levers(tab)


def test_each_lever_by_pointer(tab: CourseTab) -> None:
    """Dragged to both ends of its track; a checkbox is clicked twice."""
    for name, spec in tab.myth.levers.specs().items():
        lever, values, default = _lever(tab, spec), _values(spec), getattr(tab.myth.levers(), name)
        lever.scroll_into_view_if_needed()
        for value in (values[0], values[-1]) if default == values[-1] else (values[-1], values[0]):
            before = tab.run_number()
            if spec.choices == (False, True):
                lever.click()
            else:
                _drag(tab, lever, values.index(value) > 0)
            _expect_setting(tab, _with(tab.myth, **{name: value}), before)
        _reset_levers(tab)


def _drag(tab: CourseTab, handle: Locator, to_right: bool) -> None:
    """Drag the handle of a slider to the right or left end of its track, in ten steps."""
    box, track = handle.bounding_box(), handle.locator("xpath=ancestor::*[contains(@class, 'noUi-target')]").bounding_box()
    assert box
    assert track
    tab.page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    tab.page.mouse.down()
    tab.page.mouse.move(track["x"] + to_right * track["width"], track["y"] + track["height"] / 2, steps=10)
    tab.page.mouse.up()


def test_moves_can_be_timed(tab: CourseTab) -> None:
    """Whether they are quick enough depends on the machine: python tests/support/latency.py says."""
    timings = latency.measure(tab, moves=2)
    assert [timing.lever for timing in timings] == [_label(spec) for spec in tab.myth.levers.specs().values()]
    assert all(0 < chart <= whole for timing in timings for chart, whole in zip(timing.chart_ms, timing.whole_ms, strict=True))
    assert latency.report(timings).count("\n") == len(timings) + 2


def test_each_preset_sets_all_levers(tab: CourseTab) -> None:
    for name, levers in getattr(tab.myth, "presets", {}).items():
        before = tab.run_number()
        tab.page.get_by_role("button", name=name, exact=True).click()
        _expect_setting(tab, levers, before)


def test_each_prediction_is_committed_once(tab: CourseTab) -> None:
    for prediction in tab.myth.predictions:
        panel = tab.panel(prediction.question)
        commit = panel.get_by_role("button", name="Commit to this answer")
        commit.click()
        expect(panel.get_by_text("Choose an answer first.")).to_be_visible()
        panel.get_by_role("radio", name=prediction.choices[0], exact=True).check()
        commit.click()
        expect(panel.get_by_text(f"Your prediction: {prediction.choices[0]}, recorded")).to_be_visible()
        expect(commit).to_be_disabled()
        expect(panel.get_by_role("radio", name=prediction.choices[1], exact=True)).to_be_disabled()
        expect(tab.page.get_by_role("row").filter(has_text=prediction.choices[0]).first).to_be_visible()


def test_each_exercise_is_checked_hinted_and_solved(tab: CourseTab) -> None:
    for exercise in tab.myth.exercises:
        panel = tab.panel(exercise.task)
        answer, check = panel.get_by_role("textbox"), panel.get_by_role("button", name="Check", exact=True)
        check.click()
        expect(panel.get_by_text("Type an answer first.")).to_be_visible()
        answer.fill("no number")
        answer.press("Enter")
        expect(panel.get_by_text("“no number” can't be read")).to_be_visible()
        answer.fill("1000000")
        check.click()
        expect(panel.get_by_text("(attempt 1, ")).to_be_visible()
        for number, hint in enumerate(exercise.hints, 1):
            expect(panel.get_by_text(hint.replace("`", ""))).to_have_count(0)
            panel.get_by_role("button", name=f"Hint {number} of {len(exercise.hints)}").click()
            expect(panel.get_by_text(hint.replace("`", ""))).to_be_visible()
        expect(panel.get_by_role("button", name="No more hints")).to_be_disabled()
        solution = panel.get_by_text(exercise.solution.replace("`", ""))
        expect(solution).to_be_hidden()
        panel.get_by_text("Solution", exact=True).click()
        expect(solution).to_be_visible()
        panel.get_by_text("Solution", exact=True).click()


def test_answers_are_exported_kept_and_forgotten(tab: CourseTab, server: LabServer) -> None:
    prediction = tab.myth.predictions[0]
    panel = tab.panel(prediction.question)
    panel.get_by_role("radio", name=prediction.choices[-1], exact=True).check()
    panel.get_by_role("button", name="Commit to this answer").click()
    tab.page.get_by_role("button", name="Export", exact=True).click()
    with tab.page.expect_download() as download:
        tab.page.get_by_role("link", name="Download raclab-progress.json").click()
    exported = json.loads(download.value.path().read_text(encoding="utf-8"))
    assert exported["myths"][tab.myth.slug]["predictions"][prediction.name]["answer"] == prediction.choices[-1]
    assert json.loads((server.learner / "progress.json").read_text(encoding="utf-8")) == exported
    reset = tab.page.get_by_role("button", name="Reset …")
    reset.click()
    tab.page.get_by_role("button", name="Keep them").click()
    expect(tab.page.get_by_text("Nothing was forgotten.")).to_be_visible()
    expect(panel.get_by_text("Your prediction: ")).to_be_visible()
    reset.click()
    tab.page.get_by_role("button", name="Forget those of this notebook").click()
    expect(panel.get_by_text("Your prediction: ")).to_have_count(0)
    expect(panel.get_by_role("radio", name=prediction.choices[0], exact=True)).to_be_enabled()


def test_predictions_come_back_after_a_restart_of_the_kernel(tab: CourseTab) -> None:
    for prediction in tab.myth.predictions:
        panel = tab.panel(prediction.question)
        panel.get_by_role("radio", name=prediction.choices[1], exact=True).check()
        panel.get_by_role("button", name="Commit to this answer").click()
        expect(panel.get_by_text("Your prediction: ")).to_be_visible()
    tab.restart_and_run_all()
    assert tab.unfinished() == []
    for prediction in tab.myth.predictions:
        panel = tab.panel(prediction.question)
        expect(panel.get_by_text(f"Your prediction: {prediction.choices[1]}, recorded")).to_be_visible()
        expect(panel.get_by_role("radio", name=prediction.choices[1], exact=True)).to_be_checked()
        expect(panel.get_by_role("button", name="Commit to this answer")).to_be_disabled()


def test_every_control_has_a_name(tab: CourseTab) -> None:
    """As the browser tells it to a screen reader."""
    seen: list[str] = []
    for area in tab.page.locator(".jp-Cell-outputArea").all():
        seen += re.findall(rf"^\s*- (?:{NAMED_ROLES})\b.*$", area.aria_snapshot(), re.MULTILINE)
    assert [line for line in seen if not re.match(r'\s*- \w+ "[^"]', line)] == []
    roles = {line.split()[1] for line in seen}
    assert roles >= {"slider", "radio", "radiogroup", "button", "textbox"}, roles


def test_every_picture_has_a_text_beside_it(tab: CourseTab) -> None:
    """A chart its sentence, a drawing its title."""
    silent = tab.page.evaluate(
        """() => [...document.querySelectorAll('.jp-Cell svg, .jp-Cell img, .jp-Cell canvas')]
            .filter(one => one.getBoundingClientRect().width && one.closest('.jp-OutputArea-output, .jp-MarkdownOutput'))
            .filter(one => !one.closest('[aria-label]:not([aria-label=""]), [aria-hidden=true], [data-title]'))
            .filter(one => !one.alt && !one.querySelector(':scope > title'))
            .map(one => one.outerHTML.slice(0, 200))"""
    )
    assert silent == []
    said = tab.page.locator(".js-plotly-plot").evaluate_all("all => all.filter(one => one.offsetParent).map(one => one.ariaLabel)")
    assert said
    assert all(said)


@pytest.mark.parametrize("theme", ["JupyterLab Light", "JupyterLab Dark"])
def test_every_text_is_readable(tab: CourseTab, theme: str) -> None:
    """Contrast of text to what is behind it, in outputs and charts; pictures of every screenful are left in test-results/."""
    tab.use_theme(theme)
    try:
        _photograph(tab, f"{tab.myth.slug}-{theme.split()[-1].lower()}")
        faint = [found for found in tab.page.evaluate(CONTRASTS) if found["ratio"] < READABLE]
        assert faint == []
    finally:
        tab.use_theme("JupyterLab Light")


def _photograph(tab: CourseTab, name: str) -> None:
    RESULTS.mkdir(exist_ok=True)
    for number in tab.screenfuls():
        tab.page.screenshot(path=RESULTS / f"{name}-{number:02d}.png")
