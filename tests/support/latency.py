"""How long a learner waits for the chart after moving a lever, measured in the browser: python tests/support/latency.py

From the key going down to the first animation frame after the chart was drawn anew, for each lever of a notebook. "All seeds" is when
chart and sentence show the mean of all seeds; where that takes long the course shows the first seeds before.
"""

import argparse
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median, quantiles

import course
from course_tab import VIEWPORT, CourseTab, chromium
from lab_server import lab_server

from raclab.cli.browser import HOW_TO_GET
from raclab.cli.browser import chromium as find_chromium

MEDIAN_MS, P95_MS = 100, 200
SEEDS = 8
_INSTALL = Path(__file__).with_name("latency.js").read_text(encoding="utf-8")


@dataclass(frozen=True)
class Timing:
    """The moves of one lever.

    lever      its label
    kind       "slider" or "checkbox"
    chart_ms   milliseconds to the redrawn chart, one a move
    whole_ms   milliseconds to chart and sentence of all seeds, one a move
    """

    lever: str
    kind: str
    chart_ms: list[float]
    whole_ms: list[float]


def measure(tab: CourseTab, moves: int) -> list[Timing]:
    """Move each lever of the open notebook ``moves`` times by key, to and fro, one move after the other's whole answer."""
    tab.page.get_by_role("button", name="Reset levers").click()
    timings = []
    for control in tab.page.locator(".raclab-levers").locator("[role=slider], input[type=checkbox]").all():
        slider = control.get_attribute("role") == "slider"
        label = control.get_attribute("aria-label") or control.locator("xpath=..").inner_text()
        taken = []
        key = "ArrowRight"
        control.focus()
        for _ in range(moves):
            if slider and control.get_attribute("aria-valuenow") == control.get_attribute("aria-valuemax"):
                key = "ArrowLeft"
            elif slider and control.get_attribute("aria-valuenow") == control.get_attribute("aria-valuemin"):
                key = "ArrowRight"
            tab.page.evaluate(_INSTALL, SEEDS)
            tab.page.keyboard.press(key if slider else "Space")
            taken.append(tab.page.evaluate("() => globalThis.raclabMove"))
        chart, whole = ([one[name] for one in taken] for name in ("chart", "whole"))
        timings.append(Timing(label, "slider" if slider else "checkbox", chart, whole))
    return timings


def report(timings: Sequence[Timing]) -> str:
    """The timings as a table, a line a lever and one for all."""
    everything = Timing("all levers", "", [ms for t in timings for ms in t.chart_ms], [ms for t in timings for ms in t.whole_ms])
    lines = [f"{'lever':24} {'kind':9} {'moves':>5}   {'chart: median':>13} {'p95':>6}   {'all seeds: median':>17} {'p95':>6}   (ms)"]
    for one in (*timings, everything):
        lines.append(
            f"{one.lever:24} {one.kind:9} {len(one.chart_ms):5}   {median(one.chart_ms):13.0f} {p95(one.chart_ms):6.0f}"
            f"   {median(one.whole_ms):17.0f} {p95(one.whole_ms):6.0f}"
        )
    lines.append(f"Aim: chart, median below {MEDIAN_MS} ms, 95th percentile below {P95_MS} ms.")
    return "\n".join(lines)


def p95(values: Sequence[float]) -> float:
    """The 95th percentile."""
    return quantiles(values, n=20, method="inclusive")[-1]


def main(argv: list[str] | None = None) -> int:
    """Measure and print; returns the process' exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--moves", type=int, default=40, help="moves of each lever, 2 or more (default: %(default)s)")
    parser.add_argument("--notebook", default="05_nocache_sequences.ipynb", help="its file name (default: %(default)s)")
    arguments = parser.parse_args(argv)
    if arguments.moves < 2 or arguments.notebook not in [path.name for path in course.PATHS]:
        parser.error(f"--moves takes 2 or more, --notebook one of {', '.join(path.name for path in course.PATHS)}")
    browser_path = find_chromium()
    if browser_path is None:
        print(f"No Chromium or Chrome is found. {HOW_TO_GET}", file=sys.stderr)
        return 1
    with tempfile.TemporaryDirectory() as folder, lab_server(Path(folder)) as server, chromium(browser_path) as browser:
        tab = CourseTab(browser.new_context(viewport=VIEWPORT), server)
        tab.open(arguments.notebook)
        tab.run_all()
        print(report(measure(tab, arguments.moves)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
