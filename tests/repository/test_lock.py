"""The locks hold what pyproject.toml asks for, on every platform and Python that the lab supports, with hashes.

requirements.lock is for the lab and its tests; bench.lock is what `make bench` adds, clients.lock what a test starts beside the lab.
"""

import re
import tomllib
from typing import Any

import pytest
from packaging.markers import Marker
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from raclab.paths import ROOT

PYPROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
LAB, BENCH, CLIENTS = "requirements.lock", "bench.lock", "clients.lock"
LOCKS = (LAB, BENCH, CLIENTS)
TEXTS = {name: (ROOT / name).read_text(encoding="utf-8") for name in LOCKS}
PLATFORMS = [
    {"sys_platform": "linux", "os_name": "posix", "platform_system": "Linux", "platform_machine": "x86_64"},
    {"sys_platform": "linux", "os_name": "posix", "platform_system": "Linux", "platform_machine": "aarch64"},
    {"sys_platform": "darwin", "os_name": "posix", "platform_system": "Darwin", "platform_machine": "arm64"},
    {"sys_platform": "win32", "os_name": "nt", "platform_system": "Windows", "platform_machine": "AMD64"},
]
PYTHONS = ["3.11.7", "3.12.1", "3.13.0", "3.14.0"]


def _asked(lock: str) -> list[Requirement]:
    groups = PYPROJECT["dependency-groups"]
    texts = {LAB: PYPROJECT["project"]["dependencies"] + groups["dev"], BENCH: groups["bench"], CLIENTS: groups["clients"]}
    return [Requirement(text) for text in texts[lock]]


def _entries(lock: str) -> list[tuple[str, str, str, str]]:
    """Name, version, marker ("" if none) and the rest of each entry."""
    entry = re.compile(r"^([\w.-]+)==([^ ;\\]+)(?: ; ([^\\\n]+))? \\\n((?:    --hash.*\n)+)", re.MULTILINE)
    return [(match[1], match[2], match[3] or "", match[4]) for match in entry.finditer(TEXTS[lock])]


def _pins(lock: str, platform: dict[str, str], python: str) -> list[tuple[str, str]]:
    environment = {
        **platform,
        "python_full_version": python,
        "python_version": python.rpartition(".")[0],
        "platform_python_implementation": "CPython",
        "implementation_name": "cpython",
    }
    return [(name, version) for name, version, marker, _ in _entries(lock) if not marker or Marker(marker.strip()).evaluate(environment)]


@pytest.mark.parametrize(("lock", "least"), [(LAB, 100), (BENCH, 10), (CLIENTS, 10)])
def test_every_entry_is_read_and_has_hashes(lock: str, least: int) -> None:
    starts = re.findall(r"^[A-Za-z0-9].*", TEXTS[lock], re.MULTILINE)
    assert len(_entries(lock)) == len(starts) > least
    assert all("--hash=sha256:" in hashes for *_, hashes in _entries(lock))


@pytest.mark.parametrize("lock", LOCKS)
def test_no_index_no_address_and_no_local_path(lock: str) -> None:
    for line in TEXTS[lock].splitlines():
        assert re.match(r"(#|    #|    --hash=sha256:[0-9a-f]{64}|[\w.-]+==)", line), line
        assert "://" not in line
        assert "@" not in line


@pytest.mark.parametrize("python", PYTHONS)
@pytest.mark.parametrize("platform", PLATFORMS, ids=lambda platform: f"{platform['sys_platform']}-{platform['platform_machine']}")
@pytest.mark.parametrize("lock", LOCKS)
def test_every_requirement_is_met_by_exactly_one_pin(lock: str, platform: dict[str, str], python: str) -> None:
    pins = _pins(lock, platform, python)
    names = [canonicalize_name(name) for name, _ in pins]
    assert len(names) == len(set(names))
    for asked in _asked(lock):
        name = canonicalize_name(asked.name)
        versions = [version for pinned, version in pins if canonicalize_name(pinned) == name]
        assert len(versions) == 1, f"{asked.name} has no pin: make lock"
        assert asked.specifier.contains(versions[0]), f"{asked} is not met by {versions[0]}: make lock"


@pytest.mark.parametrize("python", PYTHONS)
@pytest.mark.parametrize("platform", PLATFORMS, ids=lambda platform: f"{platform['sys_platform']}-{platform['platform_machine']}")
@pytest.mark.parametrize(("lock", "least"), [(BENCH, {"cimba", "scipy"}), (CLIENTS, {"jupysql", "posthog"})])
def test_the_others_add_to_the_lab_and_change_nothing_of_it(platform: dict[str, str], python: str, lock: str, least: set[str]) -> None:
    lab, other = dict(_pins(LAB, platform, python)), dict(_pins(lock, platform, python))
    assert other.keys() - lab.keys() >= least
    assert {name: version for name, version in other.items() if name in lab} == {name: lab[name] for name in other if name in lab}


def test_what_builds_raclab_is_locked_too() -> None:
    locked = {canonicalize_name(name) for name, *_ in _entries(LAB)}
    assert {canonicalize_name(Requirement(text).name) for text in PYPROJECT["build-system"]["requires"]} <= locked


def test_every_dependency_has_its_reason() -> None:
    lines = (ROOT / "pyproject.toml").read_text(encoding="utf-8").splitlines()
    for asked in [asked for lock in LOCKS for asked in _asked(lock)]:
        stated = [line for line in lines if line.startswith(f'    "{asked.name}') and Requirement(line.split('"')[1]).name == asked.name]
        assert len(stated) == 1
        assert "# " in stated[0], f"{asked.name} has no reason beside it in pyproject.toml"
