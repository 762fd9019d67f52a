"""``python -m raclab serve``: the cluster for other clients."""

import os
import re
import signal
import socket
import subprocess
import sys
import threading

import oracledb
import pytest

from raclab.database.errors import ListenerError
from raclab.database.serve import ServedCluster, serve


def test_a_cluster_on_a_free_port_with_a_password_that_it_made():
    with ServedCluster(port=0) as cluster:
        assert re.fullmatch(r"127\.0\.0\.1:\d+/RAC1", cluster.dsn)
        assert not cluster.exposed and len(cluster.password) >= 16
        with oracledb.connect(user="lab", password=cluster.password, dsn=cluster.dsn) as connection:
            assert connection.cursor().execute("select count(*) from gv$instance").fetchone() == (2,)
            assert cluster.status() == f"{cluster.dsn}: 1 connection, instances RAC1 to RAC2"
    with pytest.raises(oracledb.Error):
        oracledb.connect(user="lab", password=cluster.password, dsn=cluster.dsn)


def test_a_port_that_is_taken_is_one_sentence():
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(ListenerError, match=rf"can't use 127\.0\.0\.1:{port} .*choose another port") as raised:
            ServedCluster(port=port)
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize("host", ["0.0.0.0", "::"])
def test_more_than_loopback_needs_a_password_of_the_operators(host):
    with pytest.raises(ListenerError, match="RACLAB_SERVE_PASSWORD to a password of your own"):
        ServedCluster(host, 0)
    with pytest.raises(ListenerError, match="takes at least 12"):
        ServedCluster(host, 0, "short")


def test_with_a_password_it_may_be_reached_from_outside_and_says_what_that_means():
    said, stop = [], threading.Event()
    stop.set()
    serve("0.0.0.0", 0, "a long password", said.append, stop)
    text = "\n".join(said)
    assert "Anyone who reaches this address" in text and "a long password" not in text


def test_a_host_that_is_not_there(monkeypatch):
    def unknown(*arguments, **options):
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")

    monkeypatch.setattr(socket, "getaddrinfo", unknown)
    with pytest.raises(ListenerError, match="no host 'nowhere'"):
        ServedCluster("nowhere", 0)


@pytest.mark.skipif(sys.platform == "win32", reason="signals work otherwise there")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_the_command_serves_until_it_is_stopped(number):
    process = subprocess.Popen(
        [
            sys.executable,
            "-c",
            "import functools; from raclab.database.serve import serve; serve(port=0, out=functools.partial(print, flush=True))",
        ],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "RACLAB_DSN": ""},
    )
    lines = [process.stdout.readline() for _ in range(5)]
    assert lines[0].startswith("RAC Myths Lab simulated cluster on 127.0.0.1:")
    said = dict(line.split() for line in lines[1:4])
    with oracledb.connect(user=said["user"], password=said["password"], dsn=said["DSN"]) as connection:
        assert connection.cursor().execute("select user from dual").fetchone() == ("LAB",)
        process.send_signal(number)
        out, err = process.communicate(timeout=30)
    assert (process.returncode, err) == (0, "")
    assert out.endswith("Stopping.\nStopped.\n")
