"""The learner's file: nothing that was saved is ever lost, and whatever goes wrong is said."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from filelock import FileLock

from raclab.ui import store as store_module
from raclab.ui.store import Store

SLUG = "nocache_sequences"


def on_disk(store: Store) -> Any:
    return json.loads(store.path.read_text(encoding="utf-8"))


def test_entry_is_in_the_file_at_once_and_survives_a_restart(store: Store) -> None:
    stored = store.record(SLUG, "predictions", "elapsed", {"answer": "80 s – lang"})
    assert stored["answer"] == "80 s – lang" and stored["at"]
    assert on_disk(store) == {"schema": 1, "myths": {SLUG: {"predictions": {"elapsed": stored}}}}
    again = Store(store.folder)
    assert again.entries(SLUG, "predictions") == {"elapsed": stored}
    assert again.warning == ""


def test_nothing_is_written_before_there_is_an_entry(store: Store) -> None:
    assert store.entries(SLUG, "predictions") == {}
    assert not store.path.exists()


def test_the_first_prediction_stands(store: Store) -> None:
    first = store.record(SLUG, "predictions", "elapsed", {"answer": "8 s"}, keep_first=True)
    assert store.record(SLUG, "predictions", "elapsed", {"answer": "80 s"}, keep_first=True) == first
    assert on_disk(store)["myths"][SLUG]["predictions"]["elapsed"]["answer"] == "8 s"


def test_the_last_answer_stands(store: Store) -> None:
    store.record(SLUG, "exercises", "average", {"answer": "1"})
    store.record(SLUG, "exercises", "average", {"answer": "2"})
    assert store.entries(SLUG, "exercises")["average"]["answer"] == "2"


def test_two_notebooks_open_together_keep_each_others_answers(store: Store) -> None:
    other = Store(store.folder)
    store.record(SLUG, "predictions", "elapsed", {"answer": "8 s"})
    other.record("lms_cpu", "predictions", "elapsed", {"answer": "no"})
    other.record(SLUG, "predictions", "wait", {"answer": "CPU"})
    assert set(store.everything()) == {SLUG, "lms_cpu"}
    assert set(store.entries(SLUG, "predictions")) == {"elapsed", "wait"}


RECORD_MANY = """
import sys
from pathlib import Path
from raclab.ui.store import Store
own = Store(Path(sys.argv[1]))
for number in range(15):
    own.record(sys.argv[2], "exercises", f"exercise_{number}", {"answer": str(number)})
"""


def test_processes_that_write_at_the_same_time_lose_nothing(tmp_path: Path) -> None:
    names = [f"myth_{number}" for number in range(3)]
    writers = [subprocess.Popen([sys.executable, "-c", RECORD_MANY, str(tmp_path), name]) for name in names]
    assert [writer.wait(60) for writer in writers] == [0, 0, 0]
    everything = Store(tmp_path).everything()
    assert {slug: len(sections["exercises"]) for slug, sections in everything.items()} == dict.fromkeys(names, 15)


def test_forget_one_notebook_or_all(store: Store) -> None:
    store.record(SLUG, "predictions", "elapsed", {"answer": "8 s"})
    store.record("lms_cpu", "predictions", "elapsed", {"answer": "no"})
    store.forget(SLUG)
    assert set(Store(store.folder).everything()) == {"lms_cpu"}
    store.forget()
    assert Store(store.folder).everything() == {}


def test_what_is_handed_out_is_a_copy(store: Store) -> None:
    store.record(SLUG, "predictions", "elapsed", {"answer": "8 s"})
    store.entries(SLUG, "predictions")["elapsed"]["answer"] = "changed"
    store.everything().clear()
    assert store.entries(SLUG, "predictions")["elapsed"]["answer"] == "8 s"


def test_export_is_the_file(store: Store) -> None:
    store.record(SLUG, "predictions", "elapsed", {"answer": "8 s"})
    assert store.export() == store.path.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[]",
        '{"schema": 1}',
        '{"schema": "1", "myths": {}}',
        '{"schema": 1, "myths": {"a": {"guesses": {}}}}',
        '{"schema": 1, "myths": {"a": {"predictions": {"b": {}}}}}',
        '{"schema": 1, "myths": {"a": {"predictions": {"b": "c"}}}}',
        '{"schema": 1, "myths": {"a": []}}',
        "[" * 100_000,
        b"\xff\xfe rubbish",
    ],
)
def test_damaged_file_is_set_aside_with_a_sentence(tmp_path: Path, text: str | bytes) -> None:
    damaged = text if isinstance(text, bytes) else text.encode()
    (tmp_path / "progress.json").write_bytes(damaged)
    store = Store(tmp_path)
    kept = list(tmp_path.glob("progress.json.damaged-*"))
    assert [file.read_bytes() for file in kept] == [damaged]
    assert kept[0].name in store.warning and store.warning.endswith(".") and "\n" not in store.warning
    store.record(SLUG, "predictions", "elapsed", {"answer": "8 s"})
    assert Store(tmp_path).entries(SLUG, "predictions")["elapsed"]["answer"] == "8 s"
    assert kept[0].name in store.warning, "the sentence stays until the kernel is restarted"


def test_two_damaged_files_in_the_same_second_are_both_kept(tmp_path: Path) -> None:
    for text in ("one", "two", "three"):
        (tmp_path / "progress.json").write_text(text)
        Store(tmp_path)
    assert sorted(file.read_text() for file in tmp_path.glob("progress.json.damaged-*")) == ["one", "three", "two"]


def test_file_of_a_newer_version_is_left_alone(tmp_path: Path) -> None:
    newer = '{"schema": 2, "learners": []}'
    (tmp_path / "progress.json").write_text(newer)
    store = Store(tmp_path)
    store.record(SLUG, "predictions", "elapsed", {"answer": "8 s"})
    assert (tmp_path / "progress.json").read_text() == newer
    assert "newer version" in store.warning and "in memory only" in store.warning
    assert store.entries(SLUG, "predictions")["elapsed"]["answer"] == "8 s"


def test_folder_that_cannot_be_made_is_named_and_answers_stay_in_memory(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    store = Store(tmp_path / "file" / "learner")
    assert "RACLAB_HOME" in store.warning and str(store.folder) in store.warning
    stored = store.record(SLUG, "predictions", "elapsed", {"answer": "8 s"}, keep_first=True)
    assert store.record(SLUG, "predictions", "elapsed", {"answer": "80 s"}, keep_first=True) == stored
    assert store.entries(SLUG, "predictions") == {"elapsed": stored}


def test_what_could_not_be_saved_is_saved_once_it_can_be(tmp_path: Path) -> None:
    obstacle = tmp_path / "learner"
    obstacle.write_text("in the way")
    store = Store(obstacle)
    store.record(SLUG, "predictions", "elapsed", {"answer": "8 s"})
    obstacle.unlink()
    other = Store(obstacle)
    other.record(SLUG, "exercises", "average", {"answer": "1"})
    store.record(SLUG, "predictions", "wait", {"answer": "CPU"})
    assert store.warning == ""
    saved = Store(obstacle).everything()[SLUG]
    assert set(saved["predictions"]) == {"elapsed", "wait"} and set(saved["exercises"]) == {"average"}


def test_crash_between_writing_and_renaming_leaves_the_old_file(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    store.record(SLUG, "predictions", "elapsed", {"answer": "8 s"})
    before = store.path.read_bytes()

    def fail(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(store_module.os, "replace", fail)
    store.record(SLUG, "predictions", "wait", {"answer": "CPU"})
    assert store.path.read_bytes() == before
    assert "No space left on device" in store.warning
    assert {file.name for file in store.folder.iterdir()} <= {"progress.json", "progress.lock"}, "no half-written file stays"
    assert set(store.entries(SLUG, "predictions")) == {"elapsed", "wait"}


def test_interrupt_while_writing_leaves_the_old_file(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    store.record(SLUG, "predictions", "elapsed", {"answer": "8 s"})
    before = store.path.read_bytes()

    def interrupt(_: int) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(store_module.os, "fsync", interrupt)
    with pytest.raises(KeyboardInterrupt):
        store.record(SLUG, "predictions", "wait", {"answer": "CPU"})
    assert store.path.read_bytes() == before
    assert {file.name for file in store.folder.iterdir()} <= {"progress.json", "progress.lock"}


def test_lock_that_is_never_given_back_does_not_stop_the_learner(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store_module, "LOCK_TIMEOUT_S", 0.05)
    with FileLock(store.folder / "progress.lock"):
        store.record(SLUG, "predictions", "elapsed", {"answer": "8 s"})
        assert "progress.lock" in store.warning
    store.record(SLUG, "predictions", "wait", {"answer": "CPU"})
    assert store.warning == ""
    assert set(Store(store.folder).entries(SLUG, "predictions")) == {"elapsed", "wait"}


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="needs a user whom permissions stop")
def test_read_only_folder_shows_what_is_saved_and_warns(store: Store) -> None:
    store.record(SLUG, "predictions", "elapsed", {"answer": "8 s"})
    store.folder.chmod(0o500)
    try:
        again = Store(store.folder)
        assert "elapsed" in again.entries(SLUG, "predictions")
        assert "RACLAB_HOME" in again.warning
    finally:
        store.folder.chmod(0o700)
