"""A myth that takes no time, and a sweep's memory that is empty."""

import pytest
from fake_myth import FakeMyth

from raclab.sweeps import sweep as module
from raclab.sweeps.kept import InMemory


@pytest.fixture
def fake_myth(monkeypatch: pytest.MonkeyPatch) -> FakeMyth:
    monkeypatch.setattr(module, "_interrupted", InMemory())
    return FakeMyth()
