"""Every notebook follows the course's anatomy: the claim first, then predict, see, vary, look inside, exercise, verdict."""

import re
from pathlib import Path

import course
import pytest

import raclab

OF_EVERY_NOTEBOOK = ("Predict", "Vary it", "Exercise", "Verdict")
OF_A_MYTH = (
    "Predict",
    "What was measured",
    "How it works",
    "Vary it",
    "Look inside",
    "On a real database",
    "When the myth is true",
    "Exercises",
    "Verdict",
    "Take home",
)
CALLS_OF_A_MYTH = ("published()", "published_table()", "diagram()", "explore()", "compare()", "run(", "live()", "verdict()", "progress()")

each = pytest.mark.parametrize("path", course.PATHS, ids=lambda path: path.stem)
each_myth = pytest.mark.parametrize("path", [path for path in course.PATHS if path.name[:2] != "00"], ids=lambda path: path.stem)


def _headings(path: Path, level: int) -> list[str]:
    markdown = [cell.source for cell in course.read(path).cells if cell.cell_type == "markdown"]
    text = re.sub(r"^```.*?^```", "", "\n\n".join(markdown), flags=re.DOTALL | re.MULTILINE)
    return re.findall(rf"^{'#' * level} (.+)$", text, re.MULTILINE)


def _code(path: Path) -> str:
    return "\n".join(cell.source for cell in course.code_cells(course.read(path)))


def _in_order(wanted: tuple[str, ...], headings: list[str]) -> bool:
    """Whether the headings begin with these words, one after the other; others may stand between."""
    rest = iter(headings)
    return all(any(heading.startswith(word) for heading in rest) for word in wanted)


@each
def test_begins_with_title_claim_and_minutes(path: Path) -> None:
    first = course.read(path).cells[0]
    claim = raclab.myth(path.stem[3:]).claim
    assert first.cell_type == "markdown"
    assert first.source.startswith("# ")
    quoted = " ".join(line.removeprefix("> ") for line in first.source.splitlines() if line.startswith("> "))
    assert quoted == f'**"{claim}"**'
    assert re.search(r"\*\d+ minutes\.", first.source)
    assert _headings(path, 1) == [first.source.splitlines()[0].removeprefix("# ")], "one heading of the first level"


@each
def test_has_the_sections_in_order(path: Path) -> None:
    wanted = OF_EVERY_NOTEBOOK if path.name.startswith("00") else OF_A_MYTH
    assert _in_order(wanted, _headings(path, 2)), _headings(path, 2)


@each_myth
def test_a_myth_says_what_one_will_be_able_to_do_and_should_know(path: Path) -> None:
    first = course.read(path).cells[0].source
    assert re.search(r"[Aa]fter this notebook you can ", first)
    assert "You should know " in first


@each_myth
def test_a_myth_shows_every_part(path: Path) -> None:
    code = _code(path)
    assert [call for call in CALLS_OF_A_MYTH if f"page.{call}" not in code] == []
    assert "%%sql" in code


@each
def test_asks_every_prediction_and_exercise_of_its_myth_once(path: Path) -> None:
    myth, code = raclab.myth(path.stem[3:]), _code(path)
    assert re.findall(r'page\.predict\("(\w+)"\)', code) == [prediction.name for prediction in myth.predictions]
    assert re.findall(r'page\.exercise\("(\w+)"\)', code) == [exercise.name for exercise in myth.exercises]
    assert myth.predictions


@each_myth
def test_a_myth_has_two_or_three_exercises_with_hints_and_solution(path: Path) -> None:
    exercises = raclab.myth(path.stem[3:]).exercises
    assert 2 <= len(exercises) <= 3
    for exercise in exercises:
        assert exercise.hints
        assert exercise.solution


@each
def test_predictions_come_before_anything_runs(path: Path) -> None:
    code = _code(path)
    shown = [code.index(f"page.{call}") for call in CALLS_OF_A_MYTH if f"page.{call}" in code]
    assert code.rindex("page.predict(") < min(shown)


@each_myth
def test_a_myth_is_taken_home(path: Path) -> None:
    cells = course.read(path).cells
    start = next(number for number, cell in enumerate(cells) if cell.source.startswith("## Take home"))
    rest = "\n".join(cell.source for cell in cells[start:])
    assert re.search(r"```sql\n|%%sql\n", rest), "no SQL to take to work"
    assert "What has changed" in rest
    assert "Further reading" in rest
