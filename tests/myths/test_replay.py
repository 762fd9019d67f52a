"""Recordings: every myth's measurement there and back, and one sentence for whatever is no recording."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from frictionless import validate

import raclab
from raclab.evidence.measurement import Kind, Measurement, Source
from raclab.evidence.recording import FORMAT, Ran, RecordingError, write

STORED = Path(__file__).parents[1] / "evidence" / "recordings"
SLUGS = raclab.slugs()


@pytest.fixture(scope="module")
def simulated() -> dict[str, Measurement]:
    """One run of each myth."""
    return {slug: raclab.myth(slug).simulate(raclab.myth(slug).levers(), [1]) for slug in SLUGS}


@pytest.fixture(scope="module")
def recorded(simulated: dict[str, Measurement], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """All of them in one recording."""
    return write(tmp_path_factory.mktemp("recorded") / "all", [Ran(slug, one) for slug, one in simulated.items()])


def test_every_myths_measurement_comes_back_as_it_was(recorded: Path, simulated: dict[str, Measurement]) -> None:
    back = raclab.replay(recorded)
    for (slug, was), is_ in zip(simulated.items(), back, strict=True):
        myth = raclab.myth(slug)
        assert type(is_) is type(was) and is_.source.kind is Kind.SIMULATED and is_.levers == was.levers
        for name in ("sessions", "waits", "stats"):
            there = getattr(is_, name)
            pd.testing.assert_frame_equal(getattr(was, name).reset_index(drop=True)[list(there.columns)], there, check_dtype=False)
        assert myth.sentence([is_]) == myth.sentence([was]).replace(was.case, is_.case)
        assert myth.figure([is_]).data


def test_a_recording_is_a_valid_data_package(recorded: Path) -> None:
    report = validate(str(recorded / "datapackage.json"))
    assert report.valid, report.flatten(["type", "note"])


def test_a_recording_of_the_first_format_is_readable() -> None:
    (one,) = raclab.replay(STORED / "format_1")
    assert one.source.kind is Kind.LIVE and one.case == "2 nodes, NOCACHE (2 sessions on 2 instances), recorded 2026-11-21"
    assert one.sessions["elapsed_s"].tolist() == [81.25, 80.5] and one.views["ROWCACHE"]["GETS"].tolist() == [10000]
    assert FORMAT == 1, "another format: store a recording of the last one beside this, and read it here"


def changed(folder: Path, change: Callable[[dict[str, Any]], None]) -> None:
    """Change the descriptor of a recording."""
    path = folder / "datapackage.json"
    content = json.loads(path.read_text(encoding="utf-8"))
    change(content)
    path.write_text(json.dumps(content), encoding="utf-8")


def about(**what: Any) -> Callable[[Path], None]:
    return lambda folder: changed(folder, lambda content: content["raclab_recording"].update(what))


def of_run(**what: Any) -> Callable[[Path], None]:
    return lambda folder: changed(folder, lambda content: content["raclab_recording"]["runs"][0].update(what))


def figure(folder: Path) -> None:
    path = folder / "sessions.csv"
    path.write_text(path.read_text().replace("81.25", "18.25"))


FAULTS: dict[str, tuple[Callable[[Path], object], str]] = {
    "a figure was changed": (figure, "sessions.csv is not as it was written"),
    "a file is missing": (lambda folder: (folder / "waits.csv").unlink(), "waits.csv is not there"),
    "no descriptor": (lambda folder: (folder / "datapackage.json").unlink(), "has no datapackage.json, so it is no recording"),
    "cut off": (lambda folder: (folder / "datapackage.json").write_text('{"profile": '), "datapackage.json can't be read"),
    "binary": (lambda folder: (folder / "datapackage.json").write_bytes(b"\xff\x00\xfe"), "datapackage.json can't be read"),
    "a list": (lambda folder: (folder / "datapackage.json").write_text("[]"), "is a data package, but no recording of this lab"),
    "foreign": (
        lambda folder: changed(folder, lambda content: content.pop("raclab_recording")),
        "is a data package, but no recording of this lab",
    ),
    "newer": (about(version=FORMAT + 1), "was recorded by a newer lab"),
    "no version": (about(version=None), "lacks a part or has a wrong one"),
    "a version that is a list": (about(version=[1]), "lacks a part or has a wrong one"),
    "no runs": (about(runs=[]), "rows that belong to no run"),
    "published": (of_run(kind="PUBLISHED"), "a run is said to be PUBLISHED"),
    "no kind": (of_run(kind="GUESSED"), "lacks a part or has a wrong one"),
    "another myth": (of_run(slug="../secrets"), "which this lab does not know"),
    "another lever": (of_run(levers={"gravity": 9.81}), "has a lever gravity, which nocache_sequences does not have"),
    "another shape": (of_run(shape="Popen"), "there is no measurement of the form 'Popen'"),
    "no source": (of_run(source=None), "lacks a part or has a wrong one"),
    "levers are no mapping": (of_run(levers=[1]), "a run has no setting"),
    "elsewhere": (
        lambda folder: changed(folder, lambda content: content["resources"][0].update(path="../../../etc/passwd")),
        "lies elsewhere",
    ),
    "no resources": (lambda folder: changed(folder, lambda content: content.pop("resources")), "lacks a part or has a wrong one"),
}


@pytest.mark.parametrize("why", FAULTS)
def test_what_is_damaged_or_foreign_is_refused_with_a_sentence(tmp_path: Path, why: str) -> None:
    damage, wanted = FAULTS[why]
    folder = shutil.copytree(STORED / "format_1", tmp_path / "copy")
    damage(folder)
    with pytest.raises(RecordingError) as raised:
        raclab.replay(folder)
    assert wanted in str(raised.value) and str(raised.value).endswith(".") and "\n" not in str(raised.value)


def test_line_ends_changed_by_a_version_control_system_do_no_harm(tmp_path: Path) -> None:
    folder = shutil.copytree(STORED / "format_1", tmp_path / "copy")
    for path in folder.glob("*.csv"):
        path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    assert len(raclab.replay(folder)) == 1


@pytest.mark.parametrize("path", ["nowhere", "file"])
def test_what_is_no_folder_is_refused(tmp_path: Path, path: str) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(RecordingError, match=r"is no folder: name the one that lab.record"):
        raclab.replay(tmp_path / path)


def live() -> Ran:
    sessions = pd.DataFrame([(0, 1, 1, 5, 1.0, 2.0)], columns=["run", "inst_id", "session", "calls", "cpu_s", "elapsed_s"])
    source = Source(Kind.LIVE, "Live run of nocache_sequences", 2026, "Oracle", "not stated")
    return Ran("nocache_sequences", Measurement(source, "2 nodes", {"nodes": 2}, sessions))


def test_only_an_earlier_recording_is_ever_replaced(tmp_path: Path) -> None:
    folder = write(tmp_path / "runs", [live()])
    with pytest.raises(RecordingError, match="holds a recording already: name a new folder, or say overwrite=True"):
        write(folder, [live()])
    assert len(raclab.replay(write(folder, [live(), live()], overwrite=True))) == 2
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.txt").write_text("years of work")
    (tmp_path / "a file").write_text("x")
    for path, wanted in (("mine", "holds other files"), ("a file", "is a file")):
        with pytest.raises(RecordingError, match=wanted):
            write(tmp_path / path, [live()], overwrite=True)
    assert (tmp_path / "mine" / "thesis.txt").exists()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a file", "mine", "runs"], "nothing is left beside"


def test_a_package_of_published_figures_is_not_taken_for_a_recording() -> None:
    with pytest.raises(RecordingError, match="no recording of this lab"):
        raclab.replay(raclab.paths.data_folder() / "nocache_sequences")
