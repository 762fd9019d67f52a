"""Missing and damaged figures: one clear sentence each, that names file, line and remedy."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from raclab import paths
from raclab.errors import LabError
from raclab.evidence.published import PublishedDataError, load

SLUG = "nocache_sequences"


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the data folder, to which RACLAB_DATA points."""
    copy = tmp_path / "data"
    shutil.copytree(paths.ROOT / "data" / SLUG, copy / SLUG)
    monkeypatch.setenv("RACLAB_DATA", str(copy))
    return copy


def edit(old: str, new: str) -> Callable[[str], str]:
    def apply(text: str) -> str:
        assert old in text
        return text.replace(old, new, 1)

    return apply


FIRST_WAIT = "two nodes nocache,insert,row cache lock,5413,2.93,62.86\n"

DAMAGE: dict[str, tuple[Callable[[str], str], str]] = {
    "no bytes": (lambda text: "", " is empty;"),
    "header alone": (lambda text: text.splitlines()[0] + "\n", " has a header and no rows;"),
    "missing column": (edit("event,times_waited", "times_waited"), ", line 1: the column event is missing;"),
    "extra column": (edit("total_waited_s\n", "total_waited_s,remark\n"), ", line 1: the column remark is not in the data package;"),
    "column twice": (edit("total_waited_s\n", "total_waited_s,event\n"), ", line 1: the columns must stand in this order: case,"),
    "columns swapped": (edit("case,statement", "statement,case"), ", line 1: the columns must stand in this order: case, statement,"),
    "semicolons": (lambda text: text.replace(",", ";"), ", line 1: the column case, statement, event,"),
    "letters for a number": (edit("62.86", "62,86"), ", line 2: there are 7 values for 6 columns;"),
    "text for a number": (edit("62.86", "much"), ", line 2: total_waited_s is 'much', which is not a number;"),
    "NaN for a number": (edit("62.86", "NaN"), ", line 2: total_waited_s is 'NaN', which is not a number;"),
    "infinity for a number": (edit("62.86", "1e999"), ", line 2: total_waited_s is '1e999', which is not a number;"),
    "fraction for a count": (edit("5413", "5413.5"), ", line 2: times_waited is '5413.5', which is not a whole number;"),
    "underscore in a count": (edit("5413", "5_413"), ", line 2: times_waited is '5_413', which is not a whole number;"),
    "endless count": (edit("5413", "9" * 30), f", line 2: times_waited is '{'9' * 30}', which is not a whole number;"),
    "negative time": (edit("62.86", "-62.86"), ", line 2: total_waited_s is -62.86, below its least possible value 0;"),
    "no value": (edit("62.86", ""), ", line 2: total_waited_s has no value;"),
    "misspelt event": (edit("row cache lock", "row cash lock"), ", line 2: event is 'row cash lock', which is none of: row cache lock,"),
    "row cut short": (edit(",2.93,62.86", ""), ", line 2: there are 4 values for 6 columns;"),
    "blank line": (edit(FIRST_WAIT, "\n" + FIRST_WAIT), ", line 2: there are 0 values for 6 columns;"),
    "row twice": (
        edit(FIRST_WAIT, FIRST_WAIT * 2),
        ", line 3: the row for two nodes nocache, insert, row cache lock stands a second time (first on line 2);",
    ),
    "open quote": (edit("row cache lock", '"row cache lock'), ", line 2: this is not CSV ("),
    "merge conflict": (edit(FIRST_WAIT, "<<<<<<< HEAD\n" + FIRST_WAIT), ", line 2: there are 1 values for 6 columns;"),
}


def one_sentence(error: PublishedDataError) -> str:
    text = str(error)
    assert isinstance(error, LabError)
    assert "\n" not in text and text.endswith(".")
    assert error._render_traceback_() == [f"PublishedDataError: {text}"]
    return text


@pytest.mark.parametrize("name", DAMAGE)
def test_damaged_csv(data: Path, name: str) -> None:
    damage, says = DAMAGE[name]
    path = data / SLUG / "tkprof_waits.csv"
    path.write_text(damage(path.read_text(encoding="utf-8")), encoding="utf-8", newline="\n")
    with pytest.raises(PublishedDataError) as caught:
        load(SLUG)
    text = one_sentence(caught.value)
    assert text.startswith(f"{path}{says}")
    assert "unset RACLAB_DATA" in text


def test_missing_csv(data: Path) -> None:
    path = data / SLUG / "tkprof_calls.csv"
    path.unlink()
    with pytest.raises(PublishedDataError) as caught:
        load(SLUG)
    assert one_sentence(caught.value).startswith(f"{path} is not there;")


def test_csv_that_is_a_folder(data: Path) -> None:
    path = data / SLUG / "tkprof_calls.csv"
    path.unlink()
    path.mkdir()
    with pytest.raises(PublishedDataError) as caught:
        load(SLUG)
    assert one_sentence(caught.value).startswith(f"{path} can't be read (")


def test_csv_that_is_no_text(data: Path) -> None:
    path = data / SLUG / "test_case.csv"
    path.write_bytes(b"item,value\n\xff\xfe,1\n")
    with pytest.raises(PublishedDataError) as caught:
        load(SLUG)
    assert one_sentence(caught.value).startswith(f"{path} is not text in UTF-8;")


def descriptor(data: Path, change: Callable[[dict[str, object]], object]) -> None:
    path = data / SLUG / "datapackage.json"
    content = json.loads(path.read_text(encoding="utf-8"))
    change(content)
    path.write_text(json.dumps(content), encoding="utf-8")


def set_first_field(content: dict, **changes: object) -> None:
    content["resources"][0]["schema"]["fields"][0].update(changes)


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda content: content.pop("sources"), "lacks a part that every data package here has (KeyError: 'sources')"),
        (lambda content: content.update(sources=[]), "lacks a part that every data package here has (IndexError"),
        (lambda content: content.update(measured="2008"), "lacks a part that every data package here has (TypeError"),
        (lambda content: set_first_field(content, type="geojson"), "gives column item of test_case the type 'geojson'"),
        (lambda content: set_first_field(content, constraints={"pattern": "a"}), "gives column item of test_case the constraint 'pattern'"),
    ],
)
def test_damaged_descriptor(data: Path, change: Callable[[dict[str, object]], object], says: str) -> None:
    descriptor(data, change)
    with pytest.raises(PublishedDataError) as caught:
        load(SLUG)
    assert one_sentence(caught.value).startswith(f"{data / SLUG / 'datapackage.json'} {says}")


def test_descriptor_that_is_not_json(data: Path) -> None:
    path = data / SLUG / "datapackage.json"
    path.write_text('{\n  "title": ,\n}', encoding="utf-8")
    with pytest.raises(PublishedDataError) as caught:
        load(SLUG)
    assert one_sentence(caught.value).startswith(f"{path}, line 2: is not valid JSON (")


def test_missing_descriptor(data: Path) -> None:
    (data / SLUG / "datapackage.json").unlink()
    with pytest.raises(PublishedDataError) as caught:
        load(SLUG)
    assert one_sentence(caught.value).startswith(f"{data / SLUG / 'datapackage.json'} is not there;")


@pytest.mark.parametrize("slug", ["nocash_sequences", "", "..", "../data/nocache_sequences", f"{SLUG}/tkprof_calls.csv"])
def test_unknown_slug(data: Path, slug: str) -> None:
    with pytest.raises(PublishedDataError) as caught:
        load(slug)
    assert "there are published figures for nocache_sequences" in one_sentence(caught.value)


def test_missing_data_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RACLAB_DATA", str(tmp_path / "none"))
    with pytest.raises(PublishedDataError) as caught:
        load(SLUG)
    assert one_sentence(caught.value).startswith(f"{tmp_path / 'none'} is not there")


def test_remedy_in_a_checkout_is_the_git_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("RACLAB_DATA", raising=False)
    monkeypatch.setattr(paths, "ROOT", tmp_path)
    shutil.copytree(Path(__file__).parents[2] / "data" / SLUG, tmp_path / "data" / SLUG)
    (tmp_path / ".git").mkdir()
    (tmp_path / "data" / SLUG / "test_case.csv").unlink()
    with pytest.raises(PublishedDataError) as caught:
        load(SLUG)
    file = f"data/{SLUG}/test_case.csv"
    assert one_sentence(caught.value) == f'{file} is not there; bring it back with: git -C "{tmp_path}" checkout -- {file}.'


def test_remedy_outside_a_checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("RACLAB_DATA", raising=False)
    monkeypatch.setattr(paths, "ROOT", tmp_path)
    with pytest.raises(PublishedDataError, match=r"copy it again from the project's repository\.$"):
        load(SLUG)


def test_figures_saved_again_by_a_spreadsheet_are_read(data: Path) -> None:
    """A byte order mark, CRLF and other ways to write the same numbers change nothing."""
    before = load(SLUG).frame("tkprof_waits")
    path = data / SLUG / "tkprof_waits.csv"
    text = path.read_text(encoding="utf-8").replace("0.00", "0").replace("\n", "\r\n")
    path.write_bytes(b"\xef\xbb\xbf" + text.encode())
    assert load(SLUG).frame("tkprof_waits").equals(before)
