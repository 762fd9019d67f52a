"""What reaches the sessions of embedded labs."""

from typing import Any

import pytest

from raclab.database.session import Session


def arriving(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """A list that every statement is appended to which reaches a session from now on, in order of arrival."""
    statements: list[str] = []
    original = Session.execute

    def execute(self: Any, sql: str, *rest: Any, **more: Any) -> Any:
        statements.append(sql)
        return original(self, sql, *rest, **more)

    monkeypatch.setattr(Session, "execute", execute)
    return statements
