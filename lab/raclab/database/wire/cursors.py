"""A client's open cursors, which are gone when the client closes them.

seerdb 3.3.0 passes over a client's request to close cursors and keeps text, columns and what was not fetched of every statement for
as long as the client is connected. ``install`` gives it cursors that end.
"""

from collections.abc import Iterable, Sequence
from contextvars import ContextVar
from typing import Any, Final

import seerdb.server.session as served
from seerdb.common import tns

MOST: Final = 1000
"""Open cursors of one client. With one more, the one that was not used for longest is closed."""

_here: ContextVar["Cursors"] = ContextVar("cursors")  # seerdb serves each client in a context of its own


class Cursors(served._Cursors):
    """The cursors of the client that this thread serves."""

    def __init__(self) -> None:
        super().__init__()
        self._known: dict[int, None] = {}  # by number, the one last used at the end
        self._kept = (
            self._open,
            self._scroll,
            self._dml,
            self._query,
            self._bind_directions,
            self._describe,
            self._defines,
            self._delivered,
        )
        _here.set(self)

    def __len__(self) -> int:
        return len(self._known)

    def open(self, *arguments: Any, **options: Any) -> int:
        """As seerdb's."""
        return self._used(super().open(*arguments, **options))

    def open_query(self, sql: str, bind_types: Sequence[Any] = (), columns: Sequence[Any] = ()) -> int:
        """As seerdb's."""
        return self._used(super().open_query(sql, bind_types, columns))

    def open_dml(self, sql: str, bind_types: list[Any]) -> int:
        """As seerdb's."""
        return self._used(super().open_dml(sql, bind_types))

    def open_scroll(self, *arguments: Any, **options: Any) -> int:
        """As seerdb's."""
        return self._used(super().open_scroll(*arguments, **options))

    def query_sql(self, cursor_id: int) -> str | None:
        """As seerdb's."""
        self._asked(cursor_id)
        return super().query_sql(cursor_id)

    def dml_sql(self, cursor_id: int) -> str | None:
        """As seerdb's."""
        self._asked(cursor_id)
        return super().dml_sql(cursor_id)

    def close(self, numbers: Iterable[int]) -> None:
        """Forget cursors; one that there is not is none."""
        for number in numbers:
            self._known.pop(number, None)
            for kept in self._kept:
                kept.pop(number, None)

    def _asked(self, number: int) -> None:
        if number in self._known:
            self._used(number)

    def _used(self, number: int) -> int:
        self._known.pop(number, None)
        self._known[number] = None
        if len(self._known) > MOST:
            self.close([next(iter(self._known))])
        return number


def install() -> None:
    """Let seerdb keep cursors so. Doing it twice changes nothing."""
    vars(served).update(_Cursors=Cursors, skip_close_cursors_piggyback=_close)


def _close(body: bytes) -> bytes:
    """Close the cursors that a message begins with closing; what follows in the message."""
    request, rest = tns._CLOSE_CURSORS_FROM_THIN(body)
    if (cursors := _here.get(None)) is not None:
        cursors.close(entry["cursor"] for entry in request["cursors"])
    return bytes(rest)
