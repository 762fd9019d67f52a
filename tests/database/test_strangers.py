"""Clients that stay too long, vanish, say nothing or rubbish, or guess: no harm to anybody else, never a traceback, never a hang."""

import contextlib
import datetime
import math
import os
import socket
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import oracledb
import pytest
from cases import cases
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from seerdb.server import lockout

from raclab.database.admission import LOCKED, NO_HANDLER, Admission, Limits
from raclab.database.engine import Engine
from raclab.database.listener import Listener
from raclab.database.wire.stream import refusal
from raclab.database.workers import Workers

PASSWORD = "the password of these tests"
# About a minute of work, if nobody stops it.
ENDLESS = (
    "select count(*) from (select level l from dual connect by level <= 200000) a, (select level l from dual connect by level <= 200000) b "
    "where mod(a.l * b.l, 7) = 3"
)


needs_proc = pytest.mark.skipif(not os.path.isdir("/proc/self/fd"), reason="needs /proc")


class Clock:
    """A clock that stands until it is moved."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


@contextmanager
def listening(limits: Limits | None = None, clock=time.monotonic) -> Iterator[Listener]:
    engine = Engine()
    listener = Listener(engine, PASSWORD, limits=limits, clock=clock)
    try:
        yield listener
    finally:
        listener.close()
        engine.close()


def connect(listener: Listener, password: str = PASSWORD, **options) -> oracledb.Connection:
    return oracledb.connect(user="lab", password=password, dsn=f"127.0.0.1:{listener.port}/RAC1", **options)


def stranger(listener: Listener) -> socket.socket:
    made = socket.create_connection(("127.0.0.1", listener.port))
    made.settimeout(10)
    return made


def answers(listener: Listener) -> bool:
    with connect(listener) as connection:
        return connection.cursor().execute("select 1 from dual").fetchone() == (1,)


def until(done, seconds=60.0):
    end = time.monotonic() + seconds
    while not done():
        assert time.monotonic() < end, "it did not happen in time"
        time.sleep(0.02)


def test_a_statement_has_a_time_limit():
    clock = Clock()
    with listening(clock=clock) as listener:
        connection = connect(listener)

        def stop():
            until(lambda: any((client.backend.session.started or math.inf) < math.inf for client in listener._clients))
            clock.now += Limits().statement_s + 1

        stopper = threading.Thread(target=stop)
        stopper.start()
        with pytest.raises(oracledb.DatabaseError, match="ORA-01013"):
            connection.cursor().execute(ENDLESS)
        stopper.join()
        assert connection.cursor().execute("select 1 from dual").fetchone() == (1,)


def test_a_statements_time_begins_with_its_turn(monkeypatch):
    clock = Clock()
    with listening(clock=clock) as listener, ThreadPoolExecutor(1) as pool:
        listener._workers = Workers(1, turn_s=600.0)
        looks, forget = [], listener.admission.forget
        monkeypatch.setattr(listener.admission, "forget", lambda: looks.append(forget()))
        with connect(listener) as connection:
            [client] = listener._clients
            interrupts = []
            monkeypatch.setattr(client.backend.session, "interrupt", lambda: interrupts.append(clock.now))
            with listener._workers._turns.turn():
                answer = pool.submit(lambda: connection.cursor().execute("select 1 from dual").fetchall())
                until(lambda: client.backend.session.started == math.inf)
                clock.now += Limits().statement_s + 1
                seen = len(looks)
                until(lambda: len(looks) > seen + 1)
            assert answer.result(30) == [(1,)] and not interrupts


def test_a_client_that_says_nothing_is_dropped_in_time():
    clock = Clock()
    with listening(clock=clock) as listener, stranger(listener) as silent:
        with stranger(listener) as slow:
            slow.sendall(b"\0")  # a byte now and then does not help
            until(lambda: len(listener._clients) == 2)
            clock.now += Limits().login_s + 1
            assert (silent.recv(1), slow.recv(1)) == (b"", b"")
        assert answers(listener)
        until(lambda: not listener._clients)


def test_an_idle_client_is_dropped_only_where_that_is_asked_for():
    clock = Clock()
    with listening(Limits(idle_s=3600.0), clock) as listener, listening(clock=clock) as patient:
        idle, kept = connect(listener), connect(patient)
        clock.now += 3601
        until(lambda: not listener._clients)
        with pytest.raises(oracledb.Error, match=r"DPY-(4011|1001)"):
            idle.cursor().execute("select 1 from dual")
        assert kept.cursor().execute("select 1 from dual").fetchone() == (1,)


def test_a_client_that_does_not_take_its_answer_is_dropped():
    clock = Clock()
    with listening(clock=clock) as listener:
        lazy = connect(listener)
        [client] = listener._clients
        before, clock.now = clock.now, clock.now + Limits().sending_s + 1

        def cut():
            client.stream.sending_since = before  # as while the network's buffers are full
            return not listener._clients

        until(cut)
        with pytest.raises(oracledb.Error):
            lazy.cursor().execute("select 1 from dual")


@needs_proc
def test_clients_at_work_are_not_disturbed_by_strangers(monkeypatch):
    """A dozen of them, or RACLAB_CLIENTS, while others say nothing, or rubbish, guess, and vanish in the middle of a statement."""
    monkeypatch.setattr(lockout, "_DELAY_STEP", 0.0)  # a wrong password is answered late
    clients, over = int(os.environ.get("RACLAB_CLIENTS", "12")), threading.Event()
    numbers = [(number,) for number in range(1, 51)]

    def work(connection):
        rounds = 0
        with connection, connection.cursor() as cursor:
            while not over.is_set() or not rounds:
                assert cursor.execute("select level from dual connect by level <= 50").fetchall() == numbers
                rounds += 1
        return rounds

    def vanish(listener):
        before = own_ends(listener.port)
        doomed = connect(listener)
        sid, ends = doomed.session_id, own_ends(listener.port) - before

        def run():
            with pytest.raises(oracledb.Error):
                doomed.cursor().execute(ENDLESS)

        stand_in = threading.Thread(target=run)
        stand_in.start()
        until(lambda: sid in busy(listener))
        cut(ends)
        stand_in.join(30)
        assert len(ends) == 1 and not stand_in.is_alive()

    def busy(listener):
        sessions = [client.backend.session for client in list(listener._clients)]
        return {session.sid for session in sessions if session is not None and session.started is not None}

    with listening() as listener, ThreadPoolExecutor(clients) as pool:
        at_work = [pool.submit(work, connect(listener)) for _ in range(clients)]
        try:
            silent = [stranger(listener) for _ in range(5)]
            for rubbish in RUBBISH:
                with stranger(listener) as one:
                    one.sendall(rubbish)
            vanish(listener)
            refused = []
            for counted in [*range(1, Limits().wrong_passwords + 1), Limits().wrong_passwords]:
                refused.append(refusal_of(listener, "guess"))
                until(lambda counted=counted: listener.admission.wrong_passwords == counted)
            assert "ORA-01017" in refused[0] and f"ORA-{LOCKED}" in refused[-1]
            until(lambda: listener.connections == clients)
        finally:
            over.set()
        assert all(one.result(60) for one in at_work)
        for one in silent:
            one.close()
        until(lambda: not listener._clients)


def refusal_of(listener: Listener, password: str) -> str:
    with pytest.raises(oracledb.Error) as raised:
        connect(listener, password)
    return str(raised.value)


def test_so_many_connections_in_all():
    with listening(Limits(connections=3)) as listener:
        kept = connect(listener)
        silent = [stranger(listener) for _ in range(2)]
        until(lambda: len(listener._clients) == 3)
        with pytest.raises(oracledb.OperationalError, match=rf"DPY-6000: Listener refused connection. \(Similar to ORA-{NO_HANDLER}\)"):
            connect(listener)
        for one in silent:
            one.close()
        until(lambda: len(listener._clients) == 1)
        assert answers(listener) and kept.is_healthy()
        assert listener.admission.refused == 1


def test_a_host_leaves_room_for_others():
    admission = Admission(Limits(connections=4, connections_a_host=3))
    assert [admission.enter("a") for _ in range(4)] == [None, None, None, NO_HANDLER]
    assert admission.enter("b") is None
    assert admission.enter("c") == NO_HANDLER
    admission.leave("a", wrong_password=False)
    assert admission.enter("c") is None
    assert (admission.hosts, admission.refused) == (3, 2)


def test_wrong_passwords_lock_their_host_for_a_little_while_and_nobody_else():
    clock = Clock()
    limits = Limits(wrong_passwords=3, locked_s=10.0)
    admission = Admission(limits, clock)

    def tried(host: str, right: bool = False) -> int | None:
        code = admission.enter(host)
        if code is None:
            if right:
                admission.logged_in(host)
            admission.leave(host, wrong_password=not right)
        return code

    assert [tried("guesser") for _ in range(5)] == [None, None, None, LOCKED, LOCKED]
    assert tried("owner", right=True) is None
    clock.now += 10.0
    assert tried("guesser", right=True) is None  # the owner, at the guesser's machine
    assert [tried("guesser") for _ in range(4)] == [None, None, None, LOCKED]
    tried("clumsy"), tried("clumsy"), tried("clumsy", right=True)
    assert [tried("clumsy") for _ in range(3)] == [None, None, None]
    clock.now += 10.0
    admission.forget()
    assert not admission._wrong and admission.hosts == 0 and admission.wrong_passwords == 11


def test_a_guesser_is_locked_out_and_the_owner_soon_let_in():
    clock = Clock()
    with listening(Limits(wrong_passwords=2, locked_s=10.0), clock) as listener:
        for number in range(2):
            with pytest.raises(oracledb.DatabaseError, match="ORA-01017"):
                connect(listener, "guess")
            until(lambda number=number: listener.admission.wrong_passwords == number + 1)
        with pytest.raises(oracledb.OperationalError, match=f"Similar to ORA-{LOCKED}"):
            connect(listener)
        clock.now += 10.0
        assert answers(listener)


def test_names_of_guessers_do_not_pile_up():
    with listening() as listener:
        for name in ("scott", "x" * 1000):
            with pytest.raises(oracledb.DatabaseError, match="ORA-01017"):
                oracledb.connect(user=name, password="tiger", dsn=f"127.0.0.1:{listener.port}/RAC1")
        until(lambda: listener.admission.wrong_passwords == 2)
        assert not lockout._failures


@needs_proc
def test_a_client_that_vanishes_in_the_middle_of_a_statement_stops_it():
    with listening() as listener:
        connection = connect(listener)

        def run():
            with pytest.raises(oracledb.Error):
                connection.cursor().execute(ENDLESS)

        stand_in = threading.Thread(target=run)
        stand_in.start()
        until(lambda: any(client.backend.session and client.backend.session.started for client in list(listener._clients)))
        cut(own_ends(listener.port))
        stand_in.join(60)
        until(lambda: not listener._clients)


def own_ends(port: int) -> set[str]:
    """This process's own client sockets to the listener, by their names in /proc."""
    found = set()
    for name in os.listdir("/proc/self/fd"):
        try:
            with socket.socket(fileno=os.dup(int(name))) as one:
                peer = one.getpeername()
                if isinstance(peer, tuple) and peer[1] == port:  # a socket of the system's own has a path, or nothing
                    found.add(name)
        except OSError:
            continue
    return found


def cut(names: set[str]) -> None:
    for name in names:
        with socket.socket(fileno=os.dup(int(name))) as one:
            one.shutdown(socket.SHUT_RDWR)


def test_closing_while_clients_are_busy_takes_no_longer_than_it_must():
    with listening() as listener:

        def run(connection):
            with pytest.raises(oracledb.Error):
                while True:
                    connection.cursor().execute(ENDLESS)

        busy = [threading.Thread(target=run, args=(connect(listener),)) for _ in range(5)]
        for thread in busy:
            thread.start()
        until(lambda: sum(bool(client.backend.session.started) for client in list(listener._clients)) == 5)
        listener.close()
        assert not listener._clients
        for thread in busy:
            thread.join(60)
            assert not thread.is_alive()


def test_twenty_clients_at_once(lab, measurement):
    lab.load(measurement())

    def work(number):
        dsn = f"127.0.0.1:{lab._listener.port}/RAC{number % 2 + 1}"
        with oracledb.connect(user=lab.user, password=lab.password, dsn=dsn) as connection:
            cursor = connection.cursor()
            for _ in range(5):
                cursor.execute("select instance_number, total_waits from v$instance, v$system_event where event = 'row cache lock'")
                found = cursor.fetchall()
            return found

    with ThreadPoolExecutor(20) as pool:
        found = list(pool.map(work, range(40)))
    assert found == [[(1, 100)], [(2, 200)]] * 20
    until(lambda: lab._listener.connections == 1)


# -- rubbish

RUBBISH = [
    b"",
    b"\0",
    b"GET / HTTP/1.1\r\n\r\n",
    b"\xff" * 5000,
    b"\x00\x08\x00\x00\x01\x00\x00\x00",
    b"\x00\x3a\x00\x00\x01\x00\x00\x00" + b"A" * 50,
]


@pytest.fixture(scope="module")
def open_port() -> Iterator[Listener]:
    """A port where a login that was recorded is right once more: what the server's side makes by chance stays the same."""
    with pytest.MonkeyPatch.context() as patch, listening(Limits(wrong_passwords=10**9)) as listener:
        patch.setattr(lockout, "_DELAY_STEP", 0.0)  # a wrong password is answered late; thousands would be answered very late
        for module in ("auth", "session"):
            patch.setattr(f"seerdb.server.{module}.token_bytes", bytes)
        yield listener


@pytest.mark.parametrize("rubbish", RUBBISH, ids=lambda value: repr(value[:12]))
def test_rubbish_does_no_harm(open_port, rubbish, capfd):
    with stranger(open_port) as one:
        one.sendall(rubbish)
        assert answers(open_port)
    until(lambda: not open_port._clients)
    assert capfd.readouterr() == ("", "")


def recorded(listener: Listener, work: Callable[[oracledb.Connection], object]) -> list[bytes]:
    """What python-oracledb sends from its first byte to its logoff, packet by packet."""
    sent: list[bytes] = []
    with socket.create_server(("127.0.0.1", 0)) as between:

        def relay():
            client, _ = between.accept()
            with client, socket.create_connection(("127.0.0.1", listener.port)) as server:
                answer = threading.Thread(target=pump, args=(server, client))
                answer.start()
                pump(client, server, sent)
                answer.join()

        relaying = threading.Thread(target=relay)
        relaying.start()
        port = between.getsockname()[1]
        with oracledb.connect(user="lab", password=PASSWORD, dsn=f"127.0.0.1:{port}/RAC1") as connection:
            work(connection)
        relaying.join()
    return sent


def pump(source: socket.socket, target: socket.socket, kept: list[bytes] | None = None) -> None:
    try:
        while data := source.recv(1 << 16):
            if kept is not None:
                kept.append(data)
            target.sendall(data)
        target.shutdown(socket.SHUT_WR)
    except OSError:
        pass


@pytest.fixture(scope="module")
def said(open_port) -> list[bytes]:
    return recorded(open_port, work)


def work(connection: oracledb.Connection) -> None:
    """A bit of everything: several fetches, binds of several types, many rows, an error, attributes, the end of a transaction."""
    cursor = connection.cursor()
    cursor.arraysize = cursor.prefetchrows = 5
    cursor.execute("select inst_id, :x from gv$instance", x="hi").fetchall()
    cursor.execute("select level, :a, :b, :c from dual connect by level <= 12", [1.5, datetime.datetime(2026, 1, 2), b"raw"]).fetchall()
    connection.module = "strangers"
    cursor.execute("create table spoiled (a number primary key, b varchar2(10))")
    cursor.executemany("insert into spoiled values (:1, :2)", [(1, "x"), (2, None), (1, "y")], batcherrors=True)
    with contextlib.suppress(oracledb.DatabaseError):
        cursor.execute("select * from nosuch")
    connection.ping()
    connection.commit()
    cursor.execute("drop table spoiled")


def said_again(listener: Listener, packets: list[bytes]) -> bytes:
    """What the port answers to these packets until it closes, the last at the latest when it has read all. Fails if it hangs."""
    got, end, open_ended = b"", time.monotonic() + HANG_S, True
    with stranger(listener) as one:
        try:
            for packet in packets:
                one.sendall(packet)
            one.settimeout(0.005)
            while time.monotonic() < end:
                try:
                    data = one.recv(1 << 16)
                except TimeoutError:
                    if open_ended and any(client.stream.waiting_since is not None for client in list(listener._clients)):
                        one.shutdown(socket.SHUT_WR)  # it waits for more, and there is no more
                        open_ended = False
                    continue
                if not data:
                    return got
                got += data
        except OSError:
            return got  # the listener had enough, at whichever of these steps
    pytest.fail(f"the listener neither answers nor closes within {HANG_S:.0f} s")


def spoiled(packets: list[bytes], changes: list[tuple[int, int, int]]) -> list[bytes]:
    """The packets with single bytes changed: which packet, which byte, to what."""
    made = [bytearray(packet) for packet in packets]
    for which, place, value in changes:
        packet = made[which % len(made)]
        packet[place % len(packet)] = value
    return [bytes(packet) for packet in made]


CHANGES = st.lists(st.tuples(st.integers(0, 40), st.integers(0, 5000), st.integers(0, 255)), max_size=6)
HANG_S = 30.0
SIGNS = (b"Traceback", b'File "', b".py", b"internal error")


def test_the_conversation_that_is_spoiled_gets_as_far_as_its_last_statement(open_port, said):
    *all_but_the_end, _ = said
    got = said_again(open_port, all_but_the_end)
    assert b"INST_ID" in got and b"ORA-00942" in got and b"ORA-01017" not in got


def test_a_client_that_asks_for_packets_of_no_size_is_refused(open_port, said):
    assert b"ERR=12592" in said_again(open_port, spoiled(said, [(0, 14, 0)])[:1])


@settings(max_examples=cases(200), deadline=None, suppress_health_check=list(HealthCheck))
@given(changes=CHANGES, upto=st.integers(0, 40), tail=st.binary(max_size=200), raw=st.integers(0, 9))
def test_a_spoiled_conversation_ends_without_hang_or_traceback(open_port, said, changes, upto, tail, raw):
    """A real login and its statements with bytes changed, cut off, and rubbish behind it; or rubbish alone."""
    got = said_again(open_port, [tail] if raw == 1 else [*spoiled(said[:upto] or said, changes), tail])
    assert not any(sign in got for sign in SIGNS)


def test_after_all_that_the_listener_is_as_it_was(open_port):
    until(lambda: not open_port._clients)
    assert answers(open_port)


def test_the_refusal_is_a_packet_of_the_length_it_states():
    packet = refusal(12514)
    assert int.from_bytes(packet[:2], "big") == len(packet) and packet[4] == 4 and b"(ERR=12514)" in packet
