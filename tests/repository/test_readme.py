"""README.md and CONTRIBUTING.md name only what there is."""

import re
from pathlib import Path

import pytest

from raclab.cli import main
from raclab.paths import ROOT

README = (ROOT / "README.md").read_text(encoding="utf-8")
CONTRIBUTING = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("text", [README, CONTRIBUTING], ids=["README", "CONTRIBUTING"])
def test_links_lead_to_files(text: str) -> None:
    targets = [target for target in re.findall(r"\]\(([^)#]+)\)", text) if "://" not in target]
    assert [target for target in targets if not (ROOT / target).exists()] == []


@pytest.mark.parametrize("text", [README, CONTRIBUTING], ids=["README", "CONTRIBUTING"])
def test_make_commands_are_targets(text: str) -> None:
    code = re.findall(r"(?<!`)`(make [^`\n]+)`(?!`)|^(make [^#\n]+)", text, re.MULTILINE)
    named = {word for span, line in code for word in (span or line).split()[1:] if "=" not in word}
    targets = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    assert named
    assert named <= targets


def test_commands_exist(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["--help"])
    listed = set(re.findall(r"^    (\w+)  ", capsys.readouterr().out, re.MULTILINE))
    table = set(re.findall(r"^\| `([a-z]+)` \|", README, re.MULTILINE))
    assert table == listed


def test_notebooks_of_the_table_are_those_that_exist() -> None:
    table = re.findall(r"^\| `(\d\d_\w+)` \|", README, re.MULTILINE)
    assert table == sorted(path.stem for path in (ROOT / "notebooks").glob("*.ipynb"))


def test_variables_are_used_somewhere() -> None:
    sources = [*(ROOT / "lab" / "raclab").rglob("*.py"), ROOT / "conftest.py"]
    known = set(re.findall(r"RACLAB_[A-Z_]+", "".join(path.read_text(encoding="utf-8") for path in sources)))
    assert set(re.findall(r"RACLAB_[A-Z_]+", README)) <= known


def test_the_picture_has_a_description() -> None:
    pictures = re.findall(r"!\[([^\]]*)\]\(([^)]+)\)", README)
    assert pictures
    assert all(len(description) > 40 for description, _ in pictures)


def test_the_learner_s_folder_is_where_the_readme_says(monkeypatch: pytest.MonkeyPatch) -> None:
    from platformdirs.macos import MacOS
    from platformdirs.unix import Unix

    monkeypatch.delenv("XDG_DATA_HOME", raising=False)
    for platform in (Unix, MacOS):
        folder = Path(platform("raclab", appauthor=False).user_data_dir).relative_to(Path.home())
        assert f"`~/{folder.as_posix()}`" in README
