"""Diagrams: readable without seeing them, in light and dark."""

import re
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

import raclab.ui
from raclab import palette
from raclab.myths.registry import slugs

FOLDER = Path(raclab.ui.__file__).parent / "diagrams"
SVG = "{http://www.w3.org/2000/svg}"
ALLOWED = {palette.ORANGE, palette.SKY_BLUE, palette.GREEN, palette.BLUE, palette.VERMILLION, palette.PURPLE, "currentColor", "none"}


def test_every_diagram_belongs_to_a_myth() -> None:
    assert {file.stem for file in FOLDER.glob("*.svg")} <= set(slugs())


@pytest.mark.parametrize("file", sorted(FOLDER.glob("*.svg")), ids=lambda file: file.stem)
def test_diagram_has_title_and_description_that_its_label_names(file: Path) -> None:
    root = ET.parse(file).getroot()
    assert root.get("role") == "img"
    named = (root.get("aria-labelledby") or "").split()
    described = {element.get("id"): (element.text or "").strip() for element in root if element.tag in (f"{SVG}title", f"{SVG}desc")}
    assert named and all(described.get(name) for name in named)
    assert len(described) == 2


@pytest.mark.parametrize("file", sorted(FOLDER.glob("*.svg")), ids=lambda file: file.stem)
def test_diagram_takes_its_colours_from_the_page_or_the_palette(file: Path) -> None:
    root = ET.parse(file).getroot()
    used = {element.get(name) for element in root.iter() for name in ("fill", "stroke", "color")} - {None}
    assert used <= ALLOWED
    assert not any("style" in element.attrib for element in root.iter())


@pytest.mark.parametrize("file", sorted(FOLDER.glob("*.svg")), ids=lambda file: file.stem)
def test_diagram_shown_twice_in_a_page_refers_to_nothing_by_id_but_its_words(file: Path) -> None:
    assert not re.search(r"url\(#|href=", file.read_text(encoding="utf-8"))
