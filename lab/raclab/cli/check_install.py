"""Checks of ``doctor`` on what was installed: Python, packages, compiled simulator, notebook kernel."""

import importlib.metadata
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from packaging.markers import Marker
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name

from raclab.cli.finding import Finding, fail, ok, warn
from raclab.paths import ROOT

LOCK = ROOT / "requirements.lock"
SLOW_FIRST_CALL_S = 1.0
KERNEL_TIMEOUT_S = 60
_PIN = re.compile(r"^(?P<name>[\w.-]+)==(?P<version>[^ ;\\]+)(?: ; (?P<marker>[^\\]+))?")


def python() -> Finding:
    """The Python that runs this is one that the package supports."""
    found = f"{sys.version.split()[0]}, {sys.executable}"
    allowed = importlib.metadata.metadata("raclab")["Requires-Python"]
    if not SpecifierSet(allowed).contains(sys.version.split()[0].rstrip("+"), prereleases=True):
        return fail(f"{found}; the lab needs {allowed}", "install such a Python and name it: make clean lab PYTHON=python3.13")
    if sys.maxsize <= 2**32:
        return fail(f"{found} is a 32-bit Python, for which there are no compilers in numba", "install a 64-bit Python")
    return ok(found)


def pins(lock: Path) -> Iterator[tuple[str, str]]:
    """Name and version of every package that the lock has for this Python on this platform."""
    for line in lock.read_text(encoding="utf-8").splitlines():
        pin = _PIN.match(line)
        if pin and (pin["marker"] is None or Marker(pin["marker"].strip()).evaluate()):
            yield canonicalize_name(pin["name"]), pin["version"]


def packages() -> Finding:
    """What the package needs is there, in the lock's versions."""
    needed = [Requirement(text) for text in importlib.metadata.requires("raclab") or ()]
    wrong = [str(need) for need in needed if not _satisfied(need)]
    if wrong:
        return fail(f"missing or too old or too new: {', '.join(wrong)}", "make clean lab (or: pip install -r requirements.lock)")
    if not LOCK.is_file():
        return warn(f"{LOCK} is not there to compare with", "bring it back from the repository")
    other = {name: f"{name} {have} for {want}" for name, want in pins(LOCK) if (have := _version(name)) and have != want}
    if other:
        return warn(f"not the versions that were tested: {', '.join(other.values())}", "make clean lab, or leave it if all works")
    return ok(f"{sum(_version(name) is not None for name, _ in pins(LOCK))} installed, all as in requirements.lock")


def _version(name: str) -> str | None:
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return None


def _satisfied(need: Requirement) -> bool:
    if need.marker and not need.marker.evaluate():
        return True
    have = _version(need.name)
    return have is not None and need.specifier.contains(have, prereleases=True)


def simulator() -> Finding:
    """The simulation kernel is compiled and its first call is quick."""
    if os.environ.get("NUMBA_DISABLE_JIT", "0") not in ("", "0"):
        return warn("NUMBA_DISABLE_JIT is set, so every run takes minutes", "unset NUMBA_DISABLE_JIT")
    from raclab.sim import warm_up

    seconds = warm_up()
    if seconds > SLOW_FIRST_CALL_S:
        return warn(
            f"first call {seconds:.1f} s: it was compiled only now, or this machine is busy",
            "run doctor again; if that helps nothing, numba can't write its cache: set NUMBA_CACHE_DIR to a folder that can be written",
        )
    return ok(f"compiled; first call {seconds:.2f} s")


def notebook_kernel() -> Finding:
    """A notebook's kernel starts, and it is this Python with this package."""
    prefix = _prefix()
    if prefix != sys.prefix:
        return fail(
            f"the kernel python3 is not this Python: it says {prefix!r}, not {sys.prefix!r}",
            "jupyter kernelspec list shows it; jupyter kernelspec remove python3",
        )
    return ok("starts and has raclab")


def _prefix() -> str:
    """What a new kernel says of its sys.prefix, or its error."""
    from jupyter_client.manager import start_new_kernel

    manager, client = start_new_kernel(startup_timeout=KERNEL_TIMEOUT_S, kernel_name="python3", stderr=subprocess.DEVNULL)
    said: list[str] = []
    try:
        client.execute_interactive(
            "import raclab, sys; print(sys.prefix)",
            timeout=KERNEL_TIMEOUT_S,
            output_hook=lambda message: said.append(message["content"].get("text") or message["content"].get("evalue", "")),
        )
    finally:
        client.stop_channels()
        manager.shutdown_kernel(now=True)
    return "".join(said).strip()
