"""requirements.lock holds what pyproject.toml asks for, on every platform and Python that the lab supports, with hashes."""

import re
import tomllib
from typing import Any

import pytest
from packaging.markers import Marker
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from raclab.paths import ROOT

PYPROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
LOCK = (ROOT / "requirements.lock").read_text(encoding="utf-8")
PLATFORMS = [
    {"sys_platform": "linux", "os_name": "posix", "platform_system": "Linux", "platform_machine": "x86_64"},
    {"sys_platform": "linux", "os_name": "posix", "platform_system": "Linux", "platform_machine": "aarch64"},
    {"sys_platform": "darwin", "os_name": "posix", "platform_system": "Darwin", "platform_machine": "arm64"},
    {"sys_platform": "win32", "os_name": "nt", "platform_system": "Windows", "platform_machine": "AMD64"},
]
PYTHONS = ["3.11.7", "3.12.1", "3.13.0", "3.14.0"]


def _asked() -> list[Requirement]:
    texts = PYPROJECT["project"]["dependencies"] + PYPROJECT["dependency-groups"]["dev"]
    return [Requirement(text) for text in texts]


def _entries() -> list[tuple[str, str, str, str]]:
    """Name, version, marker ("" if none) and the rest of each entry."""
    entry = re.compile(r"^([\w.-]+)==([^ ;\\]+)(?: ; ([^\\\n]+))? \\\n((?:    --hash.*\n)+)", re.MULTILINE)
    return [(match[1], match[2], match[3] or "", match[4]) for match in entry.finditer(LOCK)]


def _pins(platform: dict[str, str], python: str) -> list[tuple[str, str]]:
    environment = {
        **platform,
        "python_full_version": python,
        "python_version": python.rpartition(".")[0],
        "platform_python_implementation": "CPython",
        "implementation_name": "cpython",
    }
    return [(name, version) for name, version, marker, _ in _entries() if not marker or Marker(marker.strip()).evaluate(environment)]


def test_every_entry_is_read_and_has_hashes() -> None:
    starts = re.findall(r"^[A-Za-z0-9].*", LOCK, re.MULTILINE)
    assert len(_entries()) == len(starts) > 100
    assert all("--hash=sha256:" in hashes for *_, hashes in _entries())


def test_no_index_no_address_and_no_local_path() -> None:
    for line in LOCK.splitlines():
        assert re.match(r"(#|    #|    --hash=sha256:[0-9a-f]{64}|[\w.-]+==)", line), line
        assert "://" not in line
        assert "@" not in line


@pytest.mark.parametrize("python", PYTHONS)
@pytest.mark.parametrize("platform", PLATFORMS, ids=lambda platform: f"{platform['sys_platform']}-{platform['platform_machine']}")
def test_every_requirement_is_met_by_exactly_one_pin(platform: dict[str, str], python: str) -> None:
    pins = _pins(platform, python)
    names = [canonicalize_name(name) for name, _ in pins]
    assert len(names) == len(set(names))
    for asked in _asked():
        name = canonicalize_name(asked.name)
        versions = [version for pinned, version in pins if canonicalize_name(pinned) == name]
        assert len(versions) == 1, f"{asked.name} has no pin: make lock"
        assert asked.specifier.contains(versions[0]), f"{asked} is not met by {versions[0]}: make lock"


def test_what_builds_raclab_is_locked_too() -> None:
    locked = {canonicalize_name(name) for name, *_ in _entries()}
    assert {canonicalize_name(Requirement(text).name) for text in PYPROJECT["build-system"]["requires"]} <= locked


def test_every_dependency_has_its_reason() -> None:
    lines = (ROOT / "pyproject.toml").read_text(encoding="utf-8").splitlines()
    for asked in _asked():
        stated = [line for line in lines if line.startswith(f'    "{asked.name}') and Requirement(line.split('"')[1]).name == asked.name]
        assert len(stated) == 1
        assert "# " in stated[0], f"{asked.name} has no reason beside it in pyproject.toml"
