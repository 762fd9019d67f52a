"""Where progress is shown: a bar in a kernel, a line on a terminal, nothing elsewhere."""

import io
import subprocess
import sys

import ipywidgets as widgets
import pytest

from raclab import gauge as module
from raclab.gauge import Bar, Line, Silent, gauge, span


def test_a_line_writes_over_itself_and_leaves_what_it_says() -> None:
    terminal = io.StringIO()
    line = Line(terminal)
    line.show(0.25, "one")
    line.say("It takes long.")
    line.show(None, "two")
    line.close("done")
    assert terminal.getvalue() == "\r\x1b[K 25 %  one\r\x1b[KIt takes long.\n\r\x1b[Ktwo\r\x1b[Kdone\n"


def test_a_line_is_cut_to_the_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "20")
    terminal = io.StringIO()
    Line(terminal).show(None, "x" * 100)
    assert terminal.getvalue() == "\r\x1b[K" + "x" * 19


def test_nothing_appears_if_nothing_was_shown() -> None:
    terminal = io.StringIO()
    Line(terminal).close("done")
    assert terminal.getvalue() == ""
    bar = Bar()
    bar.close("done")
    assert bar._box is None


def test_a_terminal_that_has_gone_ends_nothing() -> None:
    class Gone(io.StringIO):
        def write(self, text: str) -> int:
            raise BrokenPipeError

    line = Line(Gone())
    line.show(0.5, "half")
    line.close()


def test_a_bar_shows_share_text_and_sentence_and_leaves_the_last_text(monkeypatch: pytest.MonkeyPatch) -> None:
    displayed: list[widgets.Widget] = []
    monkeypatch.setattr("IPython.display.display", displayed.append)
    bar = Bar()
    bar.show(None, "building <it>")
    [box] = displayed
    assert isinstance(box, widgets.HBox)
    drawn, words = box.children
    assert drawn.layout.display == "none" and "building &lt;it&gt;" in words.value
    bar.say("It takes long.")
    bar.show(0.5, "half")
    assert drawn.layout.display is None and drawn.value == 0.5
    assert words.value == "<div>half</div> <div>It takes long.</div>"
    bar.close("done")
    assert words.value == "<div>done</div>" and displayed == [box]


def test_a_bar_without_a_last_text_disappears(monkeypatch: pytest.MonkeyPatch) -> None:
    displayed: list[widgets.Widget] = []
    monkeypatch.setattr("IPython.display.display", displayed.append)
    bar = Bar()
    bar.show(0.5, "half")
    bar.close()
    assert displayed[0].comm is None, "closed"


def test_which_one(monkeypatch: pytest.MonkeyPatch) -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    monkeypatch.setattr(module, "_in_kernel", lambda: False)
    monkeypatch.setattr(sys, "stderr", Terminal())
    assert isinstance(gauge(), Line)
    monkeypatch.setattr(sys, "stderr", io.StringIO())
    assert isinstance(gauge(), Silent)
    monkeypatch.setattr(sys, "stderr", None)  # pythonw
    assert isinstance(gauge(), Silent)
    monkeypatch.setattr(module, "_in_kernel", lambda: True)
    assert isinstance(gauge(), Bar)


def test_a_script_whose_output_goes_to_a_file_shows_nothing_and_imports_no_ipython() -> None:
    use = "from raclab.gauge import gauge; g = gauge(); g.show(0.5, 'x'); g.say('y'); g.close('z')"
    script = f"import sys; {use}; print('IPython' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == ("False\n", "")


@pytest.mark.parametrize(("seconds", "text"), [
    (0.04, "0.0 s"), (9.94, "9.9 s"), (9.96, "10 s"), (59.4, "59 s"), (59.6, "1 min"), (200, "3 min 20 s"), (3600, "1 h 0 min"),
    (7500, "2 h 5 min"),
])  # fmt: skip
def test_times_for_people(seconds: float, text: str) -> None:
    assert span(seconds) == text
