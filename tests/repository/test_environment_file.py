"""environment.yml gives conda users the lock's pins."""

import tomllib

import yaml
from packaging.specifiers import SpecifierSet

from raclab.paths import ROOT

ENVIRONMENT = yaml.safe_load((ROOT / "environment.yml").read_text(encoding="utf-8"))


def test_everything_but_python_comes_from_the_lock() -> None:
    packages = [entry for entry in ENVIRONMENT["dependencies"] if isinstance(entry, str)]
    by_pip = [entry["pip"] for entry in ENVIRONMENT["dependencies"] if isinstance(entry, dict)]
    assert [name.split()[0] for name in packages] == ["python", "pip"]
    assert by_pip == [["-r requirements.lock"]]
    assert (ROOT / "requirements.lock").is_file()


def test_python_is_the_package_s() -> None:
    python = next(entry for entry in ENVIRONMENT["dependencies"] if str(entry).startswith("python"))
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert SpecifierSet(python.removeprefix("python").strip()) == SpecifierSet(project["requires-python"])


def test_conda_forge_only() -> None:
    assert ENVIRONMENT["channels"] == ["conda-forge", "nodefaults"]
