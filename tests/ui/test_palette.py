"""Colours: told apart by colour-blind people, and on both backgrounds."""

import itertools

import pytest

from raclab import palette
from raclab.evidence.measurement import Kind

LIGHT, DARK = "#FFFFFF", "#111111"

# What a dichromat sees of linear RGB: Viénot, Brettel, Mollon, Color Research and Application 24 (1999), 243.
DICHROMATS = {
    "protan": ((0.11238, 0.88762, 0.0), (0.11238, 0.88762, 0.0), (0.00401, -0.00401, 1.0)),
    "deutan": ((0.29275, 0.70725, 0.0), (0.29275, 0.70725, 0.0), (-0.02234, 0.02234, 1.0)),
}


def linear(colour: str) -> tuple[float, ...]:
    parts = (int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5))
    return tuple(part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)


def luminance(colour: str) -> float:
    red, green, blue = linear(colour)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def seen(colour: str, matrix: tuple[tuple[float, ...], ...]) -> tuple[float, ...]:
    return tuple(sum(factor * part for factor, part in zip(row, linear(colour), strict=True)) for row in matrix)


def test_text_reads_on_light_and_dark() -> None:
    assert min(contrast(palette.TEXT, LIGHT), contrast(palette.TEXT, DARK)) > 4.2


@pytest.mark.parametrize("name", sorted(palette.COMPONENTS))
def test_fills_and_their_outline_stand_out_from_both_backgrounds(name: str) -> None:
    marker = palette.bar_marker(name)
    assert marker["line"] == {"color": palette.TEXT, "width": 1}
    assert min(contrast(marker["color"], LIGHT), contrast(marker["color"], DARK)) > 2.2


PARTS_OF_A_BLOCK = ("message", "LMS waits for CPU", "LMS works", "log flush", "wire", "receiver's CPU", "not in the server's figures")
DRAWN_TOGETHER = {
    "a session's time": set(palette.COMPONENTS) - {"gc current block 2-way", *PARTS_OF_A_BLOCK},
    "a block's way": set(PARTS_OF_A_BLOCK) & set(palette.COMPONENTS),
}


@pytest.mark.parametrize("chart", sorted(DRAWN_TOGETHER))
def test_components_of_one_chart_are_told_apart_without_colour(chart: str) -> None:
    styles = [palette.COMPONENTS[name] for name in DRAWN_TOGETHER[chart]]
    patterns = [style.pattern for style in styles if style.pattern]
    assert len(patterns) == len(set(patterns))
    solid = [style.colour for style in styles if not style.pattern]
    assert sorted(solid) in ([], sorted([palette.GREEN, palette.GREY])), "the two that have no pattern are green and grey"


@pytest.mark.parametrize("sight", sorted(DICHROMATS))
def test_colours_of_different_components_differ_for_the_colour_blind(sight: str) -> None:
    colours = {style.colour for style in palette.COMPONENTS.values()}
    for one, other in itertools.combinations(sorted(colours), 2):
        distance = sum((a - b) ** 2 for a, b in zip(seen(one, DICHROMATS[sight]), seen(other, DICHROMATS[sight]), strict=True)) ** 0.5
        assert distance > 0.05, f"{one} and {other} look alike ({sight})"


def test_unknown_event_is_drawn_as_other() -> None:
    assert palette.style("some other event") == palette.COMPONENTS[palette.OTHER]


def test_every_kind_has_a_sign_a_symbol_and_a_colour_of_its_own() -> None:
    for table in (palette.KIND_SIGNS, palette.KIND_SYMBOLS, palette.KIND_COLOURS):
        assert set(table) == {kind.value for kind in Kind}
        assert len(set(table.values())) == len(Kind)


def test_layout_is_transparent_and_a_new_one_each_time() -> None:
    first = palette.layout()
    first["xaxis"]["title"] = "changed"
    assert "title" not in palette.layout()["xaxis"] and "title" not in first["yaxis"]
    assert palette.layout()["paper_bgcolor"] == palette.layout()["plot_bgcolor"] == "rgba(0, 0, 0, 0)"
