"""Checks of ``doctor`` on the machine: folders, data, ports, browser."""

import socket
import tempfile
import webbrowser

from raclab.cli.browser import HOW_TO_GET, chromium
from raclab.cli.finding import Finding, fail, ok, warn
from raclab.paths import data_folder, learner_folder

LOOPBACK = "127.0.0.1"
JUPYTER_PORT = 8888
LISTENER_PORT = 1521


def answers() -> Finding:
    """Predictions and answers can be saved, and those saved before can be read."""
    folder = learner_folder()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=folder):
            pass
    except OSError as error:
        return fail(f"{folder} can't be written ({error.strerror})", "make it writable, or set RACLAB_HOME to a folder that is")

    from raclab.ui.store import Store

    store = Store(folder)
    if store.warning:
        return warn(store.warning, "")
    saved = sum(len(entries) for sections in store.everything().values() for entries in sections.values())
    return ok(f"{saved} saved in {folder}")


def published_data() -> Finding:
    """Every published figure is there and as its description says. Raises PublishedDataError, which says what to do."""
    from raclab.evidence import published

    slugs = published.slugs()
    if not slugs:
        return fail(f"{data_folder()} has no published figures", "bring the folder back from the repository, or unset RACLAB_DATA")
    for slug in slugs:
        published.load(slug)
    return ok(f"{len(slugs)} valid in {data_folder()}: {', '.join(slugs)}")


def ports() -> Finding:
    """Programs of this machine can listen on loopback and be reached there under the name localhost."""
    try:
        with socket.create_server((LOOPBACK, 0)) as server, socket.create_connection(server.getsockname(), timeout=5):
            pass
    except OSError as error:
        return fail(f"no connection to {LOOPBACK} ({error.strerror or error})", "let the firewall or security software allow loopback")
    try:
        socket.getaddrinfo("localhost", JUPYTER_PORT)
    except OSError:
        return fail("the name localhost is unknown here", f"put '{LOOPBACK} localhost' into the hosts file")
    remarks = [
        f"{port} is taken, {instead}"
        for port, instead in ((JUPYTER_PORT, "JupyterLab takes another"), (LISTENER_PORT, "serve needs --port"))
        if _taken(port)
    ]
    return ok("; ".join(["loopback works", *remarks]))


def _taken(port: int) -> bool:
    try:
        with socket.create_server((LOOPBACK, port)):
            return False
    except OSError:
        return True


def browser() -> Finding:
    """There is a browser to open JupyterLab in."""
    if path := chromium():
        return ok(str(path))
    try:
        return ok(f"{webbrowser.get().name} (no Chromium or Chrome, so the browser tests are skipped)")
    except webbrowser.Error:
        return warn(
            "none found", f"{HOW_TO_GET} On a server: open JupyterLab's address from your own machine, through ssh -L 8888:localhost:8888"
        )
