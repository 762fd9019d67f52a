"""What the parts of a page need: a myth, the learner's file, an environment without a database."""

from pathlib import Path

import pytest
from fake_myth import FakeMyth

from raclab.ui.context import Context
from raclab.ui.parameters import Parameters
from raclab.ui.store import Store


@pytest.fixture
def fake_myth() -> FakeMyth:
    return FakeMyth()


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "learner")


@pytest.fixture
def context(fake_myth: FakeMyth, store: Store) -> Context:
    return Context(fake_myth, Parameters(None, 1, False), store)


@pytest.fixture
def plain_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> pytest.MonkeyPatch:
    """No database, and a learner's folder of the test's own."""
    for name in ("RACLAB_DSN", "RACLAB_USER", "RACLAB_PASSWORD", "RACLAB_WALLET", "RACLAB_WALLET_PASSWORD", "RACLAB_I_OWN_THIS_DATABASE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("RACLAB_HOME", str(tmp_path / "learner"))
    return monkeypatch
