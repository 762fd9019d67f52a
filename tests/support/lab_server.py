"""A JupyterLab of the tests' own: its own folders and learner, a port and a token of its own, nothing beyond loopback."""

import json
import os
import secrets
import shutil
import subprocess
import sys
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from time import monotonic, sleep

import course

from raclab.paths import NOTEBOOKS, ROOT

START_S = 60.0
STOP_S = 20.0
SETTINGS = ROOT / "lab" / "jupyter" / "default_setting_overrides.json"


@dataclass(frozen=True)
class LabServer:
    """A running JupyterLab.

    url          with a slash at its end
    notebooks    the folder it serves: a copy of the course's, since JupyterLab saves what it runs
    learner      RACLAB_HOME of its kernels
    connections  where the server and its kernels note each connection beyond loopback that they tried
    """

    url: str
    token: str
    notebooks: Path
    learner: Path
    connections: Path

    def begin_again(self) -> None:
        """No kernel runs, the notebooks are as the course has them, and the learner has predicted and answered nothing."""
        for session in json.loads(_request(f"{self.url}api/sessions", self.token)):
            _request(f"{self.url}api/sessions/{session['id']}", self.token, "DELETE")
        shutil.rmtree(self.learner, ignore_errors=True)
        for path in course.PATHS:
            shutil.copy(path, self.notebooks)


@contextmanager
def lab_server(folder: Path) -> Iterator[LabServer]:
    """Start JupyterLab on a copy of the notebooks below ``folder``, with the settings that the course installs; stop it afterwards.

    Raises TimeoutError with the server's log if it does not answer.
    """
    notebooks = folder / "notebooks"
    shutil.copytree(NOTEBOOKS, notebooks, ignore=shutil.ignore_patterns(".ipynb_checkpoints"))
    # As `make lab` installs them below the environment; here also where the package was installed before they existed.
    (folder / "config" / "labconfig").mkdir(parents=True)
    shutil.copy(SETTINGS, folder / "config" / "labconfig")
    token, learner, connections = secrets.token_hex(16), folder / "learner", folder / "connections.txt"
    environment = {
        **os.environ,
        **course.loopback_only(connections),
        "RACLAB_HOME": str(learner),
        "IPYTHONDIR": str(folder / "ipython"),
        "JUPYTER_TOKEN": token,
        "JUPYTER_CONFIG_DIR": str(folder / "config"),
        "JUPYTER_DATA_DIR": str(folder / "data"),
        "JUPYTER_RUNTIME_DIR": str(folder / "runtime"),
        "JUPYTERLAB_SETTINGS_DIR": str(folder / "settings"),
        "JUPYTERLAB_WORKSPACES_DIR": str(folder / "workspaces"),
    }
    for name in [name for name in environment if name.startswith("RACLAB_") and name not in ("RACLAB_HOME", "RACLAB_NOTE_CONNECTIONS")]:
        del environment[name]
    command = [sys.executable, "-m", "jupyterlab", "--no-browser", "--ip=127.0.0.1", "--port=0", f"--ServerApp.root_dir={notebooks}"]
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        command.append("--allow-root")
    log = folder / "jupyterlab.log"
    with open(log, "wb") as output:
        process = subprocess.Popen(command, env=environment, cwd=folder, stdout=output, stderr=subprocess.STDOUT)
        try:
            url = _wait_for(lambda: _url(folder / "runtime", token) if process.poll() is None else None, log)
            yield LabServer(url, token, notebooks, learner, connections)
            _request(f"{url}api/shutdown", token, "POST")
            process.wait(STOP_S)
        finally:
            process.kill()
            process.wait()


def _url(runtime: Path, token: str) -> str | None:
    """The server's address once it answers."""
    for file in runtime.glob("jpserver-*.json"):
        try:
            url = str(json.loads(file.read_text(encoding="utf-8"))["url"])
            _request(f"{url}api/status", token)
        except (OSError, ValueError):
            return None  # half written, or not listening yet
        return url
    return None


def _request(url: str, token: str, method: str = "GET") -> bytes:
    with urllib.request.urlopen(urllib.request.Request(url, method=method, headers={"Authorization": f"token {token}"})) as answer:
        read: bytes = answer.read()
        return read


def _wait_for(look: Callable[[], str | None], log: Path) -> str:
    until = monotonic() + START_S
    while monotonic() < until:
        if found := look():
            return found
        sleep(0.1)
    raise TimeoutError(f"JupyterLab has not answered for {START_S:.0f} s:\n{log.read_text(errors='replace')}")
