"""A notebook of the course in JupyterLab, in a real browser: opening it, running it, and waiting for what it shows.

Nothing here waits for a time to pass: each wait is for something that can be seen in the page.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

import course
from lab_server import LabServer
from playwright.sync_api import Browser, BrowserContext, Locator, Page, TimeoutError, ViewportSize, sync_playwright

import raclab
from raclab.myths.base import Myth

OPEN_MS, RUN_MS, ANSWER_MS = 60_000, 120_000, 15_000
VIEWPORT = ViewportSize(width=1280, height=900)
CHROMIUM_FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
_SOMETHING_RUNS = "() => [...document.querySelectorAll('.jp-CodeCell .jp-InputPrompt')].some(prompt => prompt.textContent.includes('*'))"
# The notebook's own indicator says idle before there is a kernel; the status bar names both.
_NOTHING_RUNS = """() => document.querySelector('#jp-main-statusbar')?.innerText.includes('Python 3 (ipykernel) | Idle')
    && ![...document.querySelectorAll('.jp-CodeCell .jp-InputPrompt')].some(prompt => prompt.textContent.includes('*'))"""
_CHARTS_DRAWN = """() => [...document.querySelectorAll('.raclab-chart, .jp-RenderedPlotly')].filter(chart => chart.offsetParent)
    .every(chart => chart.querySelector('.main-svg'))"""
# The answer to the last move is there, in chart and sentence, or an error in its place.
_ANSWERED = """([text, after]) => {
    const said = document.querySelector('.raclab-says [data-raclab-run]'), chart = document.querySelector('.raclab-chart');
    if (document.querySelector('.raclab-error')) return {text: said.textContent};
    return said.textContent === text && Number(said.dataset.raclabRun) > after
        && chart.dataset.raclabRun === said.dataset.raclabRun && chart.getAttribute('aria-label') === text && {text};
}"""


@contextmanager
def chromium(path: Path) -> Iterator[Browser]:
    """The browser at that path, without a window."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=list(CHROMIUM_FLAGS))
        try:
            yield browser
        finally:
            browser.close()


class CourseTab:
    """One notebook in one browser tab.

    page       Playwright's page
    name       file name of the notebook that is open
    myth       its myth
    problems   console errors, exceptions in the page and requests to other machines, in order
    """

    def __init__(self, context: BrowserContext, server: LabServer) -> None:
        self.problems: list[str] = []
        self.name = ""
        self._server = server
        context.on("request", lambda request: self._note_foreign(request.url))
        self.page: Page = context.new_page()
        self.page.set_default_timeout(ANSWER_MS)
        self.page.on("websocket", lambda socket: self._note_foreign(socket.url))
        self.page.on("pageerror", lambda error: self.problems.append(f"exception in the page: {error}"))
        self.page.on("console", lambda said: self.problems.append(f"console: {said.text}") if said.type == "error" else None)

    def _note_foreign(self, url: str) -> None:
        parts = urlsplit(url)
        if parts.scheme not in ("data", "blob") and parts.hostname not in ("127.0.0.1", "localhost"):
            self.problems.append(f"request to {url}")

    def open(self, name: str) -> None:
        """Open the notebook of that file name in a fresh workspace, its kernel started and nothing in the way."""
        self.name = name
        self.page.goto(f"{self._server.url}lab/tree/{name}?token={self._server.token}&reset")
        self.page.locator(".jp-Notebook .jp-Cell").first.wait_for(timeout=OPEN_MS)
        self.page.wait_for_function(_NOTHING_RUNS, timeout=OPEN_MS)

    @property
    def myth(self) -> Myth:
        """The myth of the notebook that is open."""
        return raclab.myth(Path(self.name).stem[3:])

    def run_all(self) -> None:
        """Run > Run All Cells, until nothing runs and every chart is drawn."""
        self._menu("Run", "Run All Cells")
        self._until_done()

    def restart_and_run_all(self) -> None:
        """Kernel > Restart Kernel and Run All Cells, confirmed, until nothing runs and every chart is drawn."""
        self._menu("Kernel", "Restart Kernel and Run All Cells…")
        self.page.locator(".jp-Dialog").get_by_role("button", name="Confirm Kernel Restart").click()
        self._until_done()

    def use_theme(self, name: str) -> None:
        """Settings > Theme > name, such as "JupyterLab Dark"."""
        self._menu("Settings", "Theme", name)
        self.page.wait_for_function(f"() => document.body.dataset.jpThemeName === '{name}'")

    def _menu(self, *path: str) -> None:
        self.page.get_by_role("menubar").get_by_role("menuitem", name=path[0], exact=True).click()
        for name in path[1:]:
            self.page.locator(".lm-Menu-itemLabel").get_by_text(name, exact=True).click()

    def _until_done(self) -> None:
        self.page.wait_for_function(_SOMETHING_RUNS, timeout=OPEN_MS)
        self.page.wait_for_function(_NOTHING_RUNS, timeout=RUN_MS)
        self.page.wait_for_function(_CHARTS_DRAWN)

    def dialogs(self) -> list[str]:
        """What the dialogs say that are open."""
        return self.page.locator(".jp-Dialog").all_inner_texts()

    def unfinished(self) -> list[str]:
        """Prompts of cells that did not run to their end."""
        prompts = self.page.locator(".jp-CodeCell .jp-InputPrompt").all_text_contents()
        return [prompt for prompt in prompts if not prompt.strip("[]:").isdigit()]

    def errors(self) -> list[str]:
        """Errors to be seen: tracebacks and what was written to stderr, and failures that a panel shows."""
        shown = self.page.locator("[data-mime-type='application/vnd.jupyter.stderr'], .raclab-error").all_inner_texts()
        return [text for text in shown if not text.startswith(course.COMPILING)]

    def run_number(self) -> int:
        """Number of the answer that the sentence under the chart gives."""
        return int(self.page.locator(".raclab-says [data-raclab-run]").get_attribute("data-raclab-run") or 0)

    def sentence(self) -> str:
        """The sentence under the chart that the levers move."""
        return self.page.locator(".raclab-says [data-raclab-run]").text_content() or ""

    def wait_for_answer(self, sentence: str, after: int) -> str:
        """Wait until chart and sentence say this, in an answer with a later number than ``after``, or an error is shown.

        Returns what the sentence then says: another one if that did not come, for the caller to compare.
        """
        try:
            seen = self.page.wait_for_function(_ANSWERED, arg=[sentence, after])
        except TimeoutError:
            return self.sentence()
        return str(seen.json_value()["text"])

    def screenfuls(self) -> Iterator[int]:
        """Scroll through the notebook, a screenful at a time, from 0 on; every chart in sight is drawn."""
        panel = self.page.locator(".jp-WindowedPanel-outer")
        panel.evaluate("panel => panel.scrollTo({top: 0, behavior: 'instant'})")
        for number in range(100):
            self.page.wait_for_function(_CHARTS_DRAWN)
            yield number
            if not panel.evaluate(
                """panel => {
                    const before = panel.scrollTop;
                    panel.scrollBy({top: panel.clientHeight - 60, behavior: 'instant'});
                    return panel.scrollTop > before;
                }"""
            ):
                return

    def panel(self, question: str) -> Locator:
        """The panel with that text in it."""
        return self.page.locator(".raclab-panel").filter(has_text=question)
