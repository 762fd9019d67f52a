"""First on PYTHONPATH of a program under test: refuses every connection that would leave the machine, and notes it.

Python imports this module by its name at start, in JupyterLab's server and in every kernel alike. The notes go to the file of
RACLAB_NOTE_CONNECTIONS, a line each; a refusal may be swallowed by the program, a note stays.
"""

import ipaddress
import os
import sys
from typing import Any


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host in ("localhost", "")


def _refuse_beyond_loopback(event: str, arguments: tuple[Any, ...]) -> None:
    if event == "socket.connect":
        address = arguments[1]
        host = str(address[0]) if isinstance(address, tuple) else ""
    elif event == "socket.getaddrinfo":
        host = str(arguments[0] or "")
    else:
        return
    if not _is_loopback(host):
        with open(os.environ["RACLAB_NOTE_CONNECTIONS"], "a", encoding="utf-8") as notes:
            notes.write(f"{event} {host} by {' '.join(sys.orig_argv[:6])}\n")
        raise PermissionError(f"a program under test tried to reach {host}; it may reach loopback only")


if "RACLAB_NOTE_CONNECTIONS" in os.environ:
    sys.addaudithook(_refuse_beyond_loopback)
