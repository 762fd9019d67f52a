"""``python -m raclab serve``: it serves, ends with Ctrl-C, and refuses in one sentence."""

import os
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator

import oracledb
import pytest

from raclab.cli import main


@pytest.fixture
def served() -> Iterator[subprocess.Popen[str]]:
    """The command on a free port, with the password "for-the-class"."""
    environment = {**os.environ, "RACLAB_SERVE_PASSWORD": "for-the-class", "PYTHONUNBUFFERED": ""}
    command = [sys.executable, "-m", "raclab", "serve", "--port", "0"]
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as process:
        yield process
        process.kill()


def _said_until(process: subprocess.Popen[str], pattern: str) -> re.Match[str]:
    assert process.stdout is not None
    said = ""
    for line in process.stdout:
        said += line
        if match := re.search(pattern, said):
            return match
    raise AssertionError(f"{pattern!r} is not in: {said}")


@pytest.mark.skipif(os.name == "nt", reason="sends SIGINT as a terminal does")
def test_another_program_connects_and_ctrl_c_ends_it(served: subprocess.Popen[str]) -> None:
    dsn = _said_until(served, r"DSN +(\S+)\n")[1]
    with oracledb.connect(user="lab", password="for-the-class", dsn=dsn) as connection, connection.cursor() as cursor:
        assert cursor.execute("select count(*) from gv$instance").fetchone() == (2,)
    served.send_signal(signal.SIGINT)
    _said_until(served, r"Stopped\.")
    assert served.wait(10) == 0


def test_the_given_password_is_not_printed(served: subprocess.Popen[str]) -> None:
    assert "for-the-class" not in _said_until(served, r"(?s).*DSN +\S+\n")[0]


@pytest.mark.parametrize("port", ["many", "-1", "65536"])
def test_a_port_that_is_none(port: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as end:
        main(["serve", f"--port={port}"])
    assert end.value.code == 2
    assert f"'{port}' is no port: 0 to 65535" in capsys.readouterr().err


def test_a_port_already_taken(capsys: pytest.CaptureFixture[str]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        assert main(["serve", "--port", str(port)]) == 1
    said = capsys.readouterr().err
    assert str(port) in said
    assert said.count("\n") == 1


def test_beyond_this_machine_only_with_a_password(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.delenv("RACLAB_SERVE_PASSWORD", raising=False)
    assert main(["serve", "--host", "0.0.0.0", "--port", "0"]) == 1
    assert "RACLAB_SERVE_PASSWORD" in capsys.readouterr().err


def test_a_short_password_is_refused(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("RACLAB_SERVE_PASSWORD", "tiger")
    assert main(["serve", "--port", "0"]) == 1
    said = capsys.readouterr().err
    assert "RACLAB_SERVE_PASSWORD" in said
    assert "tiger" not in said
