"""What imports what: declared dependencies, layers that point one way, and a package that is quick to import."""

import ast
import importlib.metadata
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from raclab.paths import ROOT

PACKAGE = ROOT / "lab" / "raclab"
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
# What a part of the package may import of the others, besides the modules that stand at its top (errors, paths, ...).
# ui, cli and bench are on top of everything.
ALLOWED = {
    "sim": set[str](),
    "evidence": set[str](),
    "cluster": {"sim", "evidence"},
    "reports": {"cluster", "sim", "evidence"},
    "database": {"evidence", "reports"},
    "myths": {"cluster", "sim", "evidence"},
    "sweeps": {"myths", "cluster", "sim", "evidence"},
    "ui": {"sweeps", "myths", "cluster", "sim", "evidence", "database"},
}


def _imported(path: Path) -> Iterator[str]:
    """Full names of the modules that a file imports, at its top or later, for types or not."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and not node.level and node.module:
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def _declared(*texts: str) -> set[str]:
    return {canonicalize_name(Requirement(text).name) for text in texts}


def _undeclared(files: Iterator[Path], declared: set[str]) -> dict[str, set[str]]:
    distributions = importlib.metadata.packages_distributions()
    ours = {"raclab", *(path.stem for path in (ROOT / "tests").rglob("*.py"))}
    wrong: dict[str, set[str]] = {}
    for path in files:
        for top in {name.split(".")[0] for name in _imported(path)} - set(sys.stdlib_module_names) - ours:
            # what is not installed here, as cimba is not, has to be declared by the name that it is imported by
            if not {canonicalize_name(name) for name in distributions.get(top, (top,))} & declared:
                wrong.setdefault(str(path.relative_to(ROOT)), set()).add(top)
    return wrong


def test_the_package_imports_what_it_declares() -> None:
    declared = _declared(*PROJECT["project"]["dependencies"])
    bench = _declared("simpy", *PROJECT["dependency-groups"]["bench"])  # timing against others is for developers
    on_dask = PACKAGE / "sweeps" / "dask.py"  # says what to install where that is missing
    files = (path for path in PACKAGE.rglob("*.py") if "bench" not in path.parts and path != on_dask)
    assert _undeclared(files, declared) == {}
    assert _undeclared(iter([on_dask]), declared | _declared(*PROJECT["project"]["optional-dependencies"]["dask"])) == {}
    assert _undeclared((PACKAGE / "bench").rglob("*.py"), declared | bench) == {}


def test_the_tests_import_what_is_declared() -> None:
    declared = _declared(*PROJECT["project"]["dependencies"], *PROJECT["dependency-groups"]["dev"])
    assert _undeclared((ROOT / "tests").rglob("*.py"), declared) == {}


@pytest.mark.parametrize("part", ALLOWED)
def test_imports_point_one_way(part: str) -> None:
    parts = {path.name for path in PACKAGE.iterdir() if path.is_dir()}
    wrong = {}
    for path in (PACKAGE / part).rglob("*.py"):
        ours = {name.split(".")[1] for name in _imported(path) if name.startswith("raclab.")}
        if beyond := ours & parts - ALLOWED[part] - {part}:
            wrong[str(path.relative_to(ROOT))] = beyond
    assert wrong == {}


def test_importing_raclab_imports_nothing_heavy() -> None:
    asked = "import sys, raclab; print(*sys.modules)"
    loaded = set(subprocess.run([sys.executable, "-c", asked], capture_output=True, text=True, check=True).stdout.split())
    assert loaded & {"numpy", "numba", "pandas", "plotly", "oracledb", "duckdb", "sqlglot", "ipywidgets", "IPython"} == set()
