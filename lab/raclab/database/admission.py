"""Who may connect to the listener: so many connections in all and from one host, and no host that keeps guessing the password."""

import threading
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass

NO_HANDLER = 12516
"""ORA-12516: the listener has no place left."""
LOCKED = 28000
"""ORA-28000: the account is locked, for this host and a little while."""


@dataclass(frozen=True)
class Limits:
    """What the listener allows.

    connections        at once, logged in or not
    connections_a_host at once from one address, so that one machine leaves room for others
    wrong_passwords    failed logins of a host, until it is locked
    locked_s           seconds for which it is; then all is forgotten, so that who mistyped, or shares a guesser's address, gets in
    login_s            seconds from a connection's begin to its login
    statement_s        seconds that a statement may run
    sending_s          seconds that a client may leave an answer untaken
    idle_s             seconds that a client may be logged in and ask nothing; None for as long as it likes
    """

    connections: int = 300
    connections_a_host: int = 220
    wrong_passwords: int = 10
    locked_s: float = 10.0
    login_s: float = 30.0
    statement_s: float = 60.0
    sending_s: float = 60.0
    idle_s: float | None = None


class Admission:
    """Counts connections and wrong passwords by host. For use by any thread; ``clock`` gives seconds."""

    def __init__(self, limits: Limits, clock: Callable[[], float] = time.monotonic) -> None:
        self._limits = limits
        self._clock = clock
        self._lock = threading.Lock()
        self._inside: Counter[str] = Counter()
        self._wrong: dict[str, tuple[int, float]] = {}  # by host: failed logins, and when the last one was
        self.refused = 0
        self.wrong_passwords = 0

    def enter(self, host: str) -> int | None:
        """Let a connection in, or give the number of the ORA- error with which it is refused."""
        with self._lock:
            if self._locked(host):
                code = LOCKED
            elif self._inside.total() >= self._limits.connections or self._inside[host] >= self._limits.connections_a_host:
                code = NO_HANDLER
            else:
                self._inside[host] += 1
                return None
            self.refused += 1
            return code

    def leave(self, host: str, wrong_password: bool) -> None:
        """A connection that was let in has ended; ``wrong_password`` if it tried to log in and failed."""
        with self._lock:
            self._inside[host] -= 1
            if self._inside[host] <= 0:
                del self._inside[host]
            if wrong_password:
                self.wrong_passwords += 1
                count, _ = self._wrong.get(host, (0, 0.0))
                self._wrong[host] = count + 1, self._clock()

    def logged_in(self, host: str) -> None:
        """A login went well: the host's failures before it are forgotten."""
        with self._lock:
            self._wrong.pop(host, None)

    def forget(self) -> None:
        """Forget the failures of hosts that did not fail again for as long as a lock lasts."""
        with self._lock:
            before = self._clock() - self._limits.locked_s
            self._wrong = {host: failed for host, failed in self._wrong.items() if failed[1] > before}

    @property
    def hosts(self) -> int:
        """From how many hosts there are connections."""
        with self._lock:
            return len(self._inside)

    def _locked(self, host: str) -> bool:
        count, last = self._wrong.get(host, (0, 0.0))
        if count < self._limits.wrong_passwords:
            return False
        if self._clock() - last < self._limits.locked_s:
            return True
        del self._wrong[host]
        return False
