"""What python-oracledb raises when a connection can't be made or breaks, as one sentence that says what to do.

The sentences are ours throughout: the driver's own texts can hold parts of the connect string and are never passed on.
"""

import re
import socket
import ssl
from collections.abc import Iterator
from dataclasses import dataclass

from raclab.database.errors import ConnectError
from raclab.database.settings import HOW_TO_NAME, no_credentials

START_THE_LAB = "start the database (lab/oracle/README.md says how), or unset RACLAB_DSN to use the simulated cluster"
SESSION_LOST = "DPY-4011"
CALL_TIMED_OUT = "DPY-4024"


@dataclass(frozen=True)
class Place:
    """Where a connection was to go: ``addresses`` as host:port, ``service`` the service or SID asked for ("" if none)."""

    addresses: tuple[str, ...]
    service: str = ""

    def __str__(self) -> str:
        return " or ".join(self.addresses) if self.addresses else "the database"

    @property
    def hosts(self) -> str:
        """The hosts alone."""
        return " or ".join(address.rpartition(":")[0] for address in self.addresses)


def codes(error: BaseException) -> list[str]:
    """The driver's and the database's codes in an error and its causes, outermost first: DPY-6005, ORA-01017 ..."""
    found = []
    for one in _with_causes(error):
        detail = one.args[0] if one.args else None
        code = getattr(detail, "full_code", "")
        number = getattr(detail, "code", 0) or 0
        found += [code] if code else []
        if number and (text := f"ORA-{number:05d}") != code:
            found.append(text)
        # the listener's own refusals have no number, only "(Similar to ORA-12528)"
        found += [f"ORA-{int(number):05d}" for number in re.findall(r"Similar to ORA-(\d+)", str(one))]
    return found


def ora_code(error: BaseException) -> int:
    """Oracle's number of an error (942 for ORA-00942), 0 if it has none."""
    return int(getattr(error.args[0], "code", 0) or 0) if error.args else 0


def connect_error(error: BaseException, place: Place, user: str = "", timeout_s: float = 0.0) -> ConnectError:
    """The ConnectError for whatever ``oracledb.connect`` raised; ``timeout_s`` is how long a TCP connection was waited for."""
    found = codes(error)
    for code in found:
        if code in _SENTENCES:
            return ConnectError(_SENTENCES[code].format(place=place, service=place.service or "of that name", user=user or "the user"))
    if "DPY-4001" in found or ("DPY-3001" in found and "bequeath" in str(error)):
        return ConnectError(no_credentials(user))
    return ConnectError(_network(error, place, timeout_s) or _unknown(found, place))


def silent_listener(place: Place, waited_s: float) -> ConnectError:
    """The ConnectError for a listener that accepts the TCP connection and then says nothing that makes sense."""
    return ConnectError(
        f"What listens at {place} gave no answer of an Oracle listener within {waited_s:g} s: check host and port in RACLAB_DSN; "
        "a database that is still starting needs a minute."
    )


def is_session_lost(error: BaseException) -> bool:
    """Whether the session is gone, so that only a new connection helps."""
    return SESSION_LOST in codes(error)


def call_sentence(error: BaseException, what: str, after_s: float) -> str:
    """One sentence for an error in a call: what was called, what happened; without a full stop.

    ``after_s`` is how long the call was allowed to take. What was kept is the caller's to add.
    """
    found = codes(error)
    if CALL_TIMED_OUT in found:
        return f"{what} took longer than {after_s:g} s and was cancelled (DPY-4024)"
    if SESSION_LOST in found:
        return f"{what} lost its session: the database or the network closed the connection (DPY-4011)"
    if "ORA-01013" in found:
        return f"{what} was cancelled (ORA-01013)"
    return f"{what} failed with {first_line(error)}"


def first_line(error: BaseException) -> str:
    """The database's own message, first line only: without the stack of a PL/SQL block and without the driver's help link."""
    detail = error.args[0] if error.args else None
    text = str(getattr(detail, "message", "") or error)
    return text.splitlines()[0].rstrip(".") if text else type(error).__name__


_OLD = "python-oracledb's thin mode needs"
_STARTING = "{code}: the database at {{place}} is not open yet, or shutting down: try again in a minute."
_FULL = "{code}: the database at {{place}} takes no more sessions: close some, or raise PROCESSES and SESSIONS."

_SENTENCES = {
    "DPY-6001": "The listener at {place} knows no service {service} (DPY-6001): check RACLAB_DSN against lsnrctl status.",
    "DPY-6003": "The listener at {place} knows no SID {service} (DPY-6003): check RACLAB_DSN; a pluggable database needs its service.",
    "DPY-3010": f"The database at {{place}} is too old (DPY-3010): {_OLD} 12.1 or later.",
    "DPY-3015": f"{{user}} has only an old password verifier (DPY-3015): {_OLD} 12.1 or later and a password set there; set it anew.",
    "DPY-2018": "RACLAB_WALLET has no ewallet.pem (DPY-2018): point it to the unpacked wallet's folder.",
    "DPY-4000": "The alias in RACLAB_DSN is not in tnsnames.ora (DPY-4000): check it, or set RACLAB_DSN to " + HOW_TO_NAME + ".",
    "DPY-4026": "There is no tnsnames.ora in TNS_ADMIN or RACLAB_WALLET (DPY-4026): set RACLAB_DSN to " + HOW_TO_NAME + ".",
    "DPY-4027": "RACLAB_DSN is neither " + HOW_TO_NAME + " nor an alias that can be looked up (DPY-4027): TNS_ADMIN is not set.",
    "DPY-4017": "RACLAB_DSN is no complete connect descriptor (DPY-4017): set it to " + HOW_TO_NAME + ".",
    "DPY-4018": "RACLAB_DSN can't be read (DPY-4018): set it to " + HOW_TO_NAME + ".",
    "DPY-6006": "The certificate of {place} bears another name (DPY-6006): check the host in RACLAB_DSN and the wallet.",
    "ORA-01017": "ORA-01017: user or password is wrong at {place}: check RACLAB_USER and RACLAB_PASSWORD.",
    "ORA-01045": "ORA-01045: {user} lacks CREATE SESSION: python -m raclab oracle init makes a user that has it.",
    "ORA-28000": "ORA-28000: the account {user} is locked: have it unlocked, and check RACLAB_PASSWORD before you try again.",
    "ORA-28001": "ORA-28001: the password of {user} has expired: set a new one in the database and in RACLAB_PASSWORD.",
    **{code: _STARTING.format(code=code) for code in ("ORA-01033", "ORA-01034", "ORA-01089", "ORA-12526", "ORA-12528")},
    **{code: _FULL.format(code=code) for code in ("ORA-00018", "ORA-00020", "ORA-12516", "ORA-12519", "ORA-12520")},
}


def _network(error: BaseException, place: Place, timeout_s: float) -> str:
    for one in _with_causes(error):
        if isinstance(one, socket.gaierror):
            return f"Can't find the host {place.hosts}: check its name in RACLAB_DSN and this machine's DNS."
        if isinstance(one, ConnectionRefusedError):
            return f"Nothing listens at {place}: {START_THE_LAB}."
        if isinstance(one, ssl.SSLError):
            return f"TLS with {place} failed ({one.reason or 'no reason given'}): check the port and RACLAB_WALLET."
        if isinstance(one, TimeoutError):
            return f"{place} did not answer within {timeout_s:g} s: check the address in RACLAB_DSN and the firewall between."
    if SESSION_LOST in codes(error):
        return f"What listens at {place} is not an Oracle listener, or it is still starting (DPY-4011): check RACLAB_DSN and try again."
    for one in _with_causes(error):
        if isinstance(one, OSError):
            return f"{place} can't be reached ({one.strerror or type(one).__name__}): check the address in RACLAB_DSN and the network."
    return ""


def _unknown(found: list[str], place: Place) -> str:
    code = found[-1] if found else "an error without a code"
    return f"Can't connect to {place} ({code}): python -m raclab doctor shows what is set."


def _with_causes(error: BaseException) -> Iterator[BaseException]:
    one: BaseException | None = error
    while one is not None:
        yield one
        one = one.__cause__
