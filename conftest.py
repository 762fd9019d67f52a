"""What holds for every test, and for the notebooks when nbval runs them.

The learner's own folder and the database of RACLAB_DSN are out of reach, nothing but loopback is connected to, and tests
marked ``browser`` or ``oracle`` are skipped, with the reason, where there is none.
"""

import ipaddress
import os
import shutil
import signal
import sys
import tempfile
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

from raclab.cli.browser import HOW_TO_GET, chromium

ORACLE_VARIABLES = (
    "RACLAB_DSN",
    "RACLAB_USER",
    "RACLAB_PASSWORD",
    "RACLAB_WALLET",
    "RACLAB_WALLET_PASSWORD",
    "RACLAB_ADMIN_USER",
    "RACLAB_ADMIN_PASSWORD",
    "RACLAB_I_OWN_THIS_DATABASE",
)
INSISTING = {"browser": "RACLAB_INSIST_BROWSER", "oracle": "RACLAB_INSIST_ORACLE"}
ASIDE = "UNDER_TEST_"  # prefix under which those variables wait for the tests marked oracle; worker processes inherit them so

_scratch = pytest.StashKey[str]()
_beyond_loopback = False

# With HYPOTHESIS_PROFILE=ten_thousand (or --hypothesis-profile=ten_thousand) the fuzz tests take 10,000 cases: see tests/support/cases.py.
settings.register_profile("ten_thousand", max_examples=10_000, deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "default"))


def pytest_configure(config: pytest.Config) -> None:
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # started in the background: the tests of Ctrl-C, and what they start, need it
        signal.signal(signal.SIGINT, signal.default_int_handler)
    scratch = config.stash[_scratch] = tempfile.mkdtemp(prefix="raclab-tests-")
    for name in ORACLE_VARIABLES:
        if name in os.environ:
            os.environ[ASIDE + name] = os.environ.pop(name)
    os.environ.pop("RACLAB_DATA", None)
    os.environ["RACLAB_HOME"] = f"{scratch}/learner"
    # A developer's own Jupyter and IPython settings must not decide whether a test passes.
    os.environ["JUPYTER_CONFIG_DIR"] = os.environ["JUPYTER_DATA_DIR"] = f"{scratch}/jupyter"
    os.environ["IPYTHONDIR"] = f"{scratch}/ipython"
    sys.addaudithook(_refuse_beyond_loopback)


def pytest_unconfigure(config: pytest.Config) -> None:
    shutil.rmtree(config.stash[_scratch], ignore_errors=True)


def _refuse_beyond_loopback(event: str, arguments: tuple[Any, ...]) -> None:
    if event != "socket.connect" or _beyond_loopback or not isinstance(arguments[1], tuple):
        return
    host = str(arguments[1][0])
    try:
        loopback = ipaddress.ip_address(host).is_loopback
    except ValueError:
        loopback = host == "localhost"
    if not loopback:
        raise PermissionError(f"a test tried to connect to {host}; tests connect to loopback only")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        cell = getattr(item, "cell", None)  # of a notebook under nbval
        if cell is not None and cell.outputs:
            cell.execution_count = 1  # stored outputs have no count, so that no diff shows one; nbval compares only cells that have


def pytest_runtest_setup(item: pytest.Item) -> None:
    if item.get_closest_marker("oracle") and ASIDE + "RACLAB_DSN" not in os.environ:
        pytest.skip("needs a real Oracle: set RACLAB_DSN, RACLAB_USER, RACLAB_PASSWORD and RACLAB_I_OWN_THIS_DATABASE")
    if item.get_closest_marker("browser") and chromium() is None:
        pytest.skip(f"no Chromium or Chrome is found. {HOW_TO_GET}")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Turn a skipped test into a failed one where somebody insists on it: a green suite that ran nothing proves nothing."""
    report = yield
    for marker, insists in INSISTING.items():
        if report.skipped and item.get_closest_marker(marker) and os.environ.get(insists):
            reason = report.longrepr[-1] if isinstance(report.longrepr, tuple) else report.longrepr
            report.outcome, report.longrepr = "failed", f"{insists} is set, and this test was skipped. {reason}"
    return report


@pytest.fixture(autouse=True)
def _own_surroundings(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    """A learner's folder for each test; a test marked oracle gets RACLAB_DSN and friends back, and the network."""
    global _beyond_loopback
    monkeypatch.setenv("RACLAB_HOME", str(tmp_path / "learner"))
    if request.node.get_closest_marker("oracle"):
        for name in ORACLE_VARIABLES:
            if ASIDE + name in os.environ:
                monkeypatch.setenv(name, os.environ[ASIDE + name])
        _beyond_loopback = True
    yield
    _beyond_loopback = False


@pytest.fixture(scope="session")
def browser_path() -> Path:
    """The Chromium or Chrome for Playwright's ``executable_path``; for tests marked ``browser``, which are skipped where there is none."""
    found = chromium()
    assert found is not None, "only tests marked browser may ask for one"
    return found
