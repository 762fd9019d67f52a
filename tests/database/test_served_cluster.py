"""``python -m raclab serve``: the cluster for other clients."""

import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time

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
            assert cluster.status() == f"{cluster.dsn}: 1 connection from 1 host, instances RAC1 to RAC2, 0 runs"
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


def test_an_address_for_all_is_shown_with_the_machines_name():
    with ServedCluster("0.0.0.0", 0, "a long password") as cluster:
        assert cluster.exposed and cluster.dsn == f"{socket.gethostname()}:{cluster.port}/RAC1"


@pytest.mark.skipif(not socket.has_ipv6, reason="no IPv6 on this machine")
def test_over_ipv6():
    try:
        cluster = ServedCluster("::1", 0)
    except ListenerError:
        pytest.skip("no IPv6 loopback address on this machine")
    with cluster:
        assert cluster.dsn.startswith("[::1]:") and not cluster.exposed
        with oracledb.connect(user="lab", password=cluster.password, dsn=cluster.dsn) as connection:
            assert connection.cursor().execute("select 1 from dual").fetchone() == (1,)


def test_runs_of_the_operators_are_in_everybodys_views(measurement):
    with ServedCluster(port=0) as cluster:
        cluster.load(measurement(), "a_fake_myth")
        assert cluster.status().endswith("1 run")
        with oracledb.connect(user="lab", password=cluster.password, dsn=cluster.dsn) as connection:
            found = connection.cursor().execute(
                "select inst_id, total_waits from gv$system_event where event = 'row cache lock' order by 1"
            )
            assert found.fetchall() == [(1, 100), (2, 200)]


def test_wrong_passwords_are_in_the_status_line():
    with ServedCluster(port=0) as cluster:
        with pytest.raises(oracledb.DatabaseError, match="ORA-01017"):
            oracledb.connect(user="lab", password="guess", dsn=cluster.dsn)
        deadline = time.monotonic() + 60
        while "1 wrong password" not in cluster.status():  # it is counted once its connection is gone, and so after the answer
            assert time.monotonic() < deadline


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
