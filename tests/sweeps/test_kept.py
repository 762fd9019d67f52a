"""The file that a sweep keeps its outcomes in: robust against a kill in the middle of a write, and against being something else."""

import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from fake_myth import FakeLevers, FakeMyth

from raclab.sweeps.grid import SweepError
from raclab.sweeps.kept import InFile, key_of
from raclab.sweeps.outcome import Outcome, Reading
from raclab.sweeps.version import version

OUTCOME = Outcome("2 nodes", "fake", {"elapsed": Reading("s", [0.1 + 0.2, None])}, 12, 0.5, "", "abc")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "kept.jsonl"


def test_what_was_kept_comes_back_to_the_last_bit(path: Path) -> None:
    store = InFile(path)
    store.add("k1", OUTCOME)
    store.add("k2", replace(OUTCOME, refused="no"))
    assert store.get("k1") == OUTCOME
    again = InFile(path)
    assert again.get("k1") == OUTCOME and again.get("k2") == replace(OUTCOME, refused="no") and again.get("k3") is None


def test_cut_at_any_byte_it_is_read_up_to_there_and_goes_on(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "fsync", lambda _: None)  # no machine fails here, and a thousand of them take long
    store = InFile(path)
    for key in ("k1", "k2", "k3"):
        store.add(key, OUTCOME)
    whole = path.read_bytes()
    ends = [place + 1 for place, byte in enumerate(whole) if byte == ord("\n")]
    for cut in range(len(whole) + 1):
        path.write_bytes(whole[:cut])
        cut_off = InFile(path)
        # a line that lacks nothing but its end is complete
        complete = sum(cut >= end - 1 for end in ends[1:])
        assert [cut_off.get(f"k{n}") is not None for n in (1, 2, 3)] == [n <= complete for n in (1, 2, 3)], cut
        cut_off.add("k9", OUTCOME)
        assert InFile(path).get("k9") == OUTCOME, cut
        assert [InFile(path).get(f"k{n}") is not None for n in (1, 2, 3)] == [n <= complete for n in (1, 2, 3)], cut


def test_damage_in_the_middle_costs_only_its_line(path: Path) -> None:
    store = InFile(path)
    for key in ("k1", "k2", "k3"):
        store.add(key, OUTCOME)
    lines = path.read_bytes().splitlines(keepends=True)
    lines[2] = b"\xff\x00 rubbish\n"
    path.write_bytes(b"".join(lines))
    damaged = InFile(path)
    assert damaged.damaged == 1
    assert damaged.get("k1") and damaged.get("k3") and damaged.get("k2") is None


@pytest.mark.parametrize("line", [{"key": "k1", "outcome": {}}, {"key": "k1", "outcome": {"figures": {"x": 1}}}, {"key": "k1"}, [1], "k1"])
def test_json_of_another_shape_is_passed_over(path: Path, line: object) -> None:
    InFile(path)
    with open(path, "a") as file:
        file.write(json.dumps(line) + "\n")
    assert InFile(path).get("k1") is None


@pytest.mark.parametrize("content", [b"a,b\n1,2\n", b"a", b"\n", b'{"cells": []}\n', b"\x89PNG\r\n"])
def test_a_file_of_something_else_is_refused_and_left_alone(path: Path, content: bytes) -> None:
    path.write_bytes(content)
    with pytest.raises(SweepError, match=r"kept\.jsonl holds something else than outcomes of sweeps; give another file\."):
        InFile(path)
    assert path.read_bytes() == content


@pytest.mark.parametrize("place", ["", "no/such/folder/kept.jsonl"])
def test_a_place_that_can_t_be_is_one_sentence(tmp_path: Path, place: str) -> None:
    with pytest.raises(SweepError, match=r"can't be (read|written) \(.*\); give another file"):
        InFile(tmp_path / place)


def test_a_process_killed_between_two_writes_loses_nothing(path: Path) -> None:
    writer = """
import os, sys
from raclab.sweeps.kept import InFile
from raclab.sweeps.outcome import Outcome
store = InFile(sys.argv[1])
for number in range(5):
    store.add(f"k{number}", Outcome("", "", {}, 0, 0.0, "", ""))
os.kill(os.getpid(), 9)
"""
    killed = subprocess.run([sys.executable, "-c", writer, path], env={**os.environ})
    assert killed.returncode != 0
    assert all(InFile(path).get(f"k{number}") for number in range(5))


def test_keys_differ_in_myth_levers_seeds_and_version() -> None:
    base = ("fake", FakeLevers(), [1, 2], "v1")
    others = [("other", *base[1:]), ("fake", FakeLevers(nodes=3), *base[2:]), (*base[:2], [1, 3], "v1"), (*base[:3], "v2")]
    keys = {key_of(*one) for one in (base, *others)}
    assert len(keys) == 5
    assert key_of(*base) == key_of("fake", FakeLevers(redo_ms=4), [1, 2], "v1")


def test_the_version_follows_the_published_data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    versions = set()
    for content in ("1\n", "2\n"):
        folder = tmp_path / content.strip()
        (folder / FakeMyth.slug).mkdir(parents=True)
        (folder / FakeMyth.slug / "figures.csv").write_text(content)
        monkeypatch.setenv("RACLAB_DATA", str(folder))
        versions.add(version(FakeMyth()))
    assert len(versions) == 2
