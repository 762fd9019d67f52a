"""Tables: badge, caption, escaping, alignment and how numbers look."""

from decimal import Decimal
from html.parser import HTMLParser

import numpy as np
import pandas as pd
import pytest

from raclab import palette
from raclab.evidence.measurement import Kind
from raclab.evidence.number_text import column_text
from raclab.evidence.table import BADGE_TEXT, Table, badge_html


class Reader(HTMLParser):
    """Tags in order with their attributes, and the text inside each kind of tag."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[tuple[str, str]] = []
        self.open: list[str] = []
        self.feed(text)
        assert self.open == [], "a tag is left open"

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if data.strip() and self.open:
            self.texts.append((self.open[-1], data))

    def of(self, tag: str) -> list[str]:
        return [text for inside, text in self.texts if inside == tag]


def html(frame: pd.DataFrame, badge: Kind | tuple[Kind, ...] = Kind.PUBLISHED, source: str = "the source") -> Reader:
    return Reader(Table(frame, badge, source)._repr_html_())


def test_badge_caption_and_headers() -> None:
    reader = html(pd.DataFrame({"event": ["row cache lock"], "waits": [5413]}))
    names = [tag for tag, _ in reader.tags]
    assert names[:2] == ["table", "caption"], "a caption must be the table's first child"
    assert "PUBLISHED" in "".join(reader.of("span"))
    assert reader.of("caption") == [" the source"]
    assert [attributes.get("scope") for tag, attributes in reader.tags if tag == "th"] == ["col", "col"]
    assert reader.of("th") == ["event", "waits"]
    assert reader.of("td") == ["row cache lock", "5413"]


def test_several_badges() -> None:
    table = Table(pd.DataFrame({"x": [1]}), (Kind.PUBLISHED, Kind.SIMULATED), "two sources")
    text = "".join(Reader(table._repr_html_()).of("span"))
    assert "PUBLISHED" in text and "SIMULATED" in text
    assert repr(table).endswith("[PUBLISHED + SIMULATED] two sources")


def test_everything_is_escaped() -> None:
    nasty = "<script>alert('&')</script>"
    text = Table(pd.DataFrame({nasty: [nasty]}), Kind.LIVE, nasty)._repr_html_()
    assert "<script" not in text
    reader = Reader(text)
    assert (reader.of("th"), reader.of("td"), reader.of("caption")) == ([nasty], [nasty], [f" {nasty}"])


def test_numbers_stand_right_and_words_left() -> None:
    frame = pd.DataFrame(
        {"n": [1, 2], "x": [0.5, np.nan], "d": [Decimal("1.50"), None], "word": ["a", "b"], "flag": [True, False], "mix": ["a", 1]}
    )
    styles = [attributes["style"] for tag, attributes in html(frame).tags if tag == "th"]
    assert [str(style).removeprefix("text-align:") for style in styles] == ["right", "right", "right", "left", "left", "left"]


@pytest.mark.parametrize(
    ("values", "texts"),
    [
        ([0.1 + 0.2, 1.0], ["0.3", "1.0"]),
        ([62.86, 5.39, 0.0], ["62.86", "5.39", "0.00"]),
        ([0.41 + 5.39], ["5.8"]),
        ([5413.0, 10000.0], ["5413", "10000"]),
        ([1 / 3, 2000 / 3], ["0.3333", "666.667"]),
        ([81.234567, 0.000123456789], ["81.235", "0.0001235"]),
        ([1.5e-12, 0.0], ["1.5e-12", "0.000"]),
        ([1234567.891], ["1234567.891"]),
        ([float("nan"), float("inf"), 2.5], ["", "inf", "2.5"]),
        ([None, pd.NaT, pd.NA], ["", "", ""]),
        ([-90.5699864], ["-90.570"]),
        ([12345678901234567890, Decimal("0.10"), True], ["12345678901234567890", "0.10", "True"]),
        ([b"\x00\xff", [1, 2]], ["b'\\x00\\xff'", "[1, 2]"]),
        ([], []),
    ],
)
def test_numbers_as_text(values: list[object], texts: list[str]) -> None:
    assert column_text(values) == texts


def test_plain_text_shows_the_same_cells() -> None:
    assert repr(Table(pd.DataFrame({"s": [0.1 + 0.2]}), Kind.SIMULATED, "model")) == "  s\n0.3\n[SIMULATED] model"


def test_columns_of_the_same_name() -> None:
    frame = pd.DataFrame([[1, "x"]], columns=["a", "a"])
    assert html(frame).of("td") == ["1", "x"]


def test_no_rows() -> None:
    table = Table(pd.DataFrame({"event": [], "waits": []}), Kind.PUBLISHED, "source")
    assert repr(table) == "event  waits\n[PUBLISHED] source - no rows"
    assert html(table.frame).of("caption") == [" the source - no rows"]


def test_long_tables_are_cut_and_say_so() -> None:
    table = Table(pd.DataFrame({"n": range(1000)}), Kind.LIVE, "source")
    with pd.option_context("display.max_rows", 20):
        assert len(Reader(table._repr_html_()).of("td")) == 20
        assert repr(table).endswith("[LIVE] source - the first 20 of 1000 rows")
    with pd.option_context("display.max_rows", None):
        assert len(Reader(table._repr_html_()).of("td")) == 1000
    assert len(table) == 1000


def luminance(colour: str) -> float:
    """Relative luminance of #rrggbb by WCAG 2."""
    channels = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


@pytest.mark.parametrize("kind", list(Kind))
def test_badge_is_readable_on_any_page(kind: Kind) -> None:
    """WCAG AA asks for 4.5 between text and ground; both come with the badge, so the page's theme does not matter."""
    (outer, attributes), _ = Reader(badge_html(kind)).tags
    style = dict(part.split(":", 1) for part in str(attributes["style"]).split(";"))
    light, dark = sorted((luminance(style["background"]), luminance(style["color"])), reverse=True)
    assert outer == "span" and (light + 0.05) / (dark + 0.05) >= 4.5
    assert style["color"] == BADGE_TEXT and style["background"] == palette.KIND_COLOURS[kind]
