"""What every notebook's file must be like: parameters, kernel, outputs, length of cells, names, links, pictures, no secrets."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from statistics import median

import course
import nbformat
import papermill
import pytest
from nbformat import NotebookNode

import raclab

KEEP = "keep_output"
MARK = "# NBVAL_CHECK_OUTPUT"
MOST_LINES, MEDIAN_LINES = 12, 4
STORED_AS = {"text/plain", "text/html"}
SECRETS = {
    "password": r"(?i)(?<![a-z])(?:password|passwd|pwd|secret|token|api_?key)['\"]?\s*[=:]\s*(?!\.\.\.|…|<|\*|None\b)['\"]?[^\s'\"|,;)]+",
    "identified by": r"(?i)\bidentified\s+by\s+(?!\.\.\.|…|<|&)\S+",
    "user/password@": r"\b\w+/[^\s/@]+@(?:\w[\w.-]*:\d+|//)",
    "user:password@": r"://[^\s/:@]+:[^\s/@]+@",
    "private key": r"-----BEGIN [A-Z ]*PRIVATE KEY",
    "somebody's folder": r"(?:/home/|/Users/|C:\\Users\\)\w+",
}

each = pytest.mark.parametrize("path", course.PATHS, ids=lambda path: path.stem)


def _markdown(path: Path) -> str:
    return "\n\n".join(cell.source for cell in course.read(path).cells if cell.cell_type == "markdown")


def _prose(text: str) -> str:
    """Markdown without its code: fenced blocks and what stands between backticks."""
    return re.sub(r"`[^`\n]*`", "", re.sub(r"^```.*?^```", "", text, flags=re.DOTALL | re.MULTILINE))


def _lines(cell: NotebookNode) -> list[str]:
    return [line for line in cell.source.splitlines() if line.strip()]


@each
def test_is_named_after_its_myth(path: Path) -> None:
    named = re.fullmatch(r"(\d\d)_([a-z][a-z0-9_]*)\.ipynb", path.name)
    assert named, f"{path.name} is not NN_slug.ipynb"
    number, slug = named.groups()
    assert raclab.myth(slug).number == int(number)
    assert f'raclab.open("{slug}", dsn=dsn, seed=seed, quick=quick)' in "\n".join(c.source for c in course.code_cells(course.read(path)))


def test_numbers_are_given_once() -> None:
    numbers = [path.name[:2] for path in course.PATHS]
    assert len(set(numbers)) == len(numbers)


@each
def test_is_valid_and_carries_kernel_and_nothing_else(path: Path) -> None:
    notebook = course.read(path)
    nbformat.validate(notebook)
    assert (notebook.nbformat, notebook.nbformat_minor) == (4, 5)
    assert notebook.metadata == {
        "kernelspec": {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"},
        "language_info": {"name": "python"},
    }


@each
def test_cell_ids_are_unique(path: Path) -> None:
    ids = [cell.id for cell in course.read(path).cells]
    assert len(set(ids)) == len(ids)


@each
def test_has_one_parameters_cell_with_the_three_parameters(path: Path) -> None:
    tagged = [cell for cell in course.read(path).cells if "parameters" in course.tags(cell)]
    assert len(tagged) == 1
    body = ast.parse(tagged[0].source).body
    assigned = {node.targets[0].id: ast.literal_eval(node.value) for node in body if isinstance(node, ast.Assign)}  # type: ignore[attr-defined]
    assert len(assigned) == len(body)
    assert assigned == {"dsn": None, "seed": 1, "quick": False}
    assert list(papermill.inspect_notebook(path)) == list(course.PARAMETER_NAMES)


@each
def test_is_stored_without_outputs_but_the_kept_ones(path: Path) -> None:
    for cell in course.code_cells(course.read(path)):
        assert cell.execution_count is None
        assert set(cell.metadata) <= {"tags"}
        if KEEP not in course.tags(cell):
            assert cell.outputs == [], cell.source


@each
def test_verdict_is_stored_and_will_be_compared(path: Path) -> None:
    cells = course.code_cells(course.read(path))
    kept = [cell for cell in cells if KEEP in course.tags(cell)]
    assert kept == [cell for cell in cells if MARK in cell.source], f"{KEEP} and {MARK} belong together"
    assert "page.verdict()" in [_lines(cell)[-1] for cell in kept]
    for cell in kept:
        assert _lines(cell)[0] == MARK
        assert cell.outputs, "no output is stored: run python tests/support/keep_outputs.py"
        for output in cell.outputs:
            assert output.output_type in ("execute_result", "display_data", "stream")
            assert set(output.get("data", {})) <= STORED_AS
            assert output.get("execution_count") is None
            assert not output.get("metadata")


@each
def test_cells_are_short(path: Path) -> None:
    lengths = [len(_lines(cell)) for cell in course.code_cells(course.read(path))]
    assert min(lengths) > 0, "an empty cell"
    assert max(lengths) <= MOST_LINES
    assert median(lengths) <= MEDIAN_LINES


@each
def test_sql_cells_begin_with_the_magic(path: Path) -> None:
    for cell in course.code_cells(course.read(path)):
        first = _lines(cell)[0]
        if "%%sql" in cell.source or re.match(r"(?i)\s*(select|with|create|insert|update|delete|drop)\b", first):
            assert first == "%%sql"
            assert not cell.source.rstrip().endswith(";"), "a statement's ; belongs to SQL*Plus"


@each
def test_links_lead_somewhere(path: Path) -> None:
    for text, target in re.findall(r"(?<!!)\[([^\]]*)\]\(([^)\s]*)[^)]*\)", _prose(_markdown(path))):
        assert text.strip(), f"a link to {target} without a text"
        if re.match(r"https?:", target):
            assert target.startswith("https://")
            continue
        file, _, anchor = target.partition("#")
        found = path.parent / file if file else path
        assert found.is_file(), f"{target} does not exist"
        if anchor:
            assert anchor in _anchors(found)


def _anchors(path: Path) -> list[str]:
    """JupyterLab's anchors: a heading's text with hyphens for spaces."""
    return [heading.strip().replace(" ", "-") for heading in re.findall(r"^#+ +(.+)$", _markdown(path), re.MULTILINE)]


@each
def test_pictures_have_a_text_beside_them(path: Path) -> None:
    text = _prose(_markdown(path))
    for alt, target in re.findall(r"!\[([^\]]*)\]\(([^)\s]*)[^)]*\)", text):
        assert alt.strip(), f"the picture {target} has no alt text"
        assert (path.parent / target).is_file(), f"the picture {target} does not exist"
    for element in re.findall(r"<img\b[^>]*>", text):
        assert re.search(r'\balt="[^"]+"', element), element
    drawings = re.findall(r"<svg\b.*?</svg>", text, re.DOTALL)
    if "page.diagram()" in "\n".join(cell.source for cell in course.code_cells(course.read(path))):
        drawings.append((Path(raclab.__file__).parent / "ui" / "diagrams" / f"{path.stem[3:]}.svg").read_text(encoding="utf-8"))
    for drawing in drawings:
        assert re.search(r"<title\b[^>]*>[^<]+</title>", drawing) or re.search(r'<svg\b[^>]*\baria-label="[^"]+"', drawing)


@each
def test_tables_are_whole(path: Path) -> None:
    """As many cells in each row as in the head, and a blank line before and after, or JupyterLab shows bars instead."""
    for table in _tables(_prose(_markdown(path))):
        assert re.fullmatch(r"\|(\s*:?-+:?\s*\|)+", table[1]), f"no line of dashes under {table[0]}"
        widths = [line.strip().strip("|").count("|") for line in table]
        assert len(set(widths)) == 1, table


def _tables(text: str) -> Iterator[list[str]]:
    for block in re.split(r"\n\s*\n", text):
        lines = block.strip().splitlines()
        if any(line.startswith("|") for line in lines):
            assert all(line.startswith("|") and line.rstrip().endswith("|") for line in lines), f"a table runs into its text: {block}"
            assert len(lines) > 2, f"a table without rows: {block}"
            yield [line.rstrip() for line in lines]


@each
def test_no_dollar_sign_is_taken_for_mathematics(path: Path) -> None:
    """JupyterLab typesets what stands between two dollar signs of a paragraph: V$SESSION and V$LOCK belong between backticks."""
    for paragraph in re.split(r"\n\s*\n", _prose(_markdown(path))):
        assert len(re.findall(r"(?<!\\)\$", paragraph)) < 2, paragraph


@each
def test_has_no_secret(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    for what, pattern in SECRETS.items():
        found = re.search(pattern, text)
        assert found is None, f"{what}: {found and found.group()}"


def test_the_patterns_know_a_secret() -> None:
    samples = {
        "password": "RACLAB_PASSWORD=tiger",
        "identified by": "create user lab identified by tiger",
        "user/password@": "connect scott/tiger@dbhost:1521/orcl",
        "user:password@": "oracle://scott:tiger@dbhost",
        "private key": "-----BEGIN RSA PRIVATE KEY-----",
        "somebody's folder": "/home/scott/wallet",
    }
    assert samples.keys() == SECRETS.keys()
    for what, sample in samples.items():
        assert re.search(SECRETS[what], sample), what
    assert not re.search(SECRETS["password"], "RACLAB_PASSWORD=...")
