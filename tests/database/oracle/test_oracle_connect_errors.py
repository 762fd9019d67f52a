"""Every way in which a connection fails: what the driver really raises, and the one sentence that comes of it."""

import signal
import socket
import struct
import sys
import threading
import time
import traceback
from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any

import oracledb
import pytest

import raclab
from raclab.database.connect_errors import Place, call_sentence, codes, connect_error
from raclab.database.connecting import Connector
from raclab.database.errors import ConnectError
from raclab.database.settings import OracleSettings

SECRET = "Tr0ub4dor&3"
Listen = Callable[[Callable[[socket.socket], None]], int]


@pytest.fixture
def listen() -> Iterator[Listen]:
    """``listen(answer)`` starts a TCP listener that hands each connection to ``answer``; gives its port."""
    opened: list[socket.socket] = []

    def start(answer: Callable[[socket.socket], None]) -> int:
        listener = socket.create_server(("127.0.0.1", 0))
        opened.append(listener)

        def serve() -> None:
            while True:
                try:
                    client, _ = listener.accept()
                except OSError:
                    return
                opened.append(client)
                answer(client)

        threading.Thread(target=serve, daemon=True).start()
        return int(listener.getsockname()[1])

    yield start
    for one in opened:
        one.close()


def failure(dsn: str, user: str = "lab", password: str = SECRET, **limits: float) -> str:
    """The sentence of the failing connection; that nothing else, and no secret, comes with it is checked on the way."""
    connector = Connector(OracleSettings(dsn, user, password), **limits)
    with pytest.raises(ConnectError) as raised:
        connector.open()
    told = "".join(traceback.format_exception(raised.value))
    assert SECRET not in told and SECRET not in repr(connector.settings)
    assert raised.value.__suppress_context__ or raised.value.__context__ is None
    assert raised.value._render_traceback_() == [f"ConnectError: {raised.value}"]
    return str(raised.value)


def refusing(reason: str) -> Callable[[socket.socket], None]:
    """A listener's refusal on the wire: a REFUSE packet with its reason in Oracle Net's own notation."""

    def answer(client: socket.socket) -> None:
        client.recv(4096)
        data = reason.encode()
        body = struct.pack(">BBH", 0, 0, len(data)) + data
        client.sendall(struct.pack(">HHBBH", 8 + len(body), 0, 4, 0, 0) + body)

    return answer


def test_nothing_listens() -> None:
    with socket.socket() as taken:  # and so nobody else's, but without a listener
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
        sentence = failure(f"127.0.0.1:{port}/RAC1")
    assert sentence.startswith(f"Nothing listens at 127.0.0.1:{port}: start the database")


def test_unknown_host() -> None:
    assert failure("no-such-host.invalid:1521/RAC1").startswith("Can't find the host no-such-host.invalid:")


def test_listener_closes_at_once(listen: Listen) -> None:
    port = listen(lambda client: client.close())
    assert failure(f"127.0.0.1:{port}/RAC1").startswith(
        f"What listens at 127.0.0.1:{port} is not an Oracle listener, or it is still starting"
    )


def test_listener_answers_rubbish_and_closes(listen: Listen) -> None:
    def rubbish(client: socket.socket) -> None:
        client.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n")
        client.close()

    port = listen(rubbish)
    assert failure(f"127.0.0.1:{port}/RAC1").startswith(f"What listens at 127.0.0.1:{port} is not an Oracle listener")


@pytest.mark.parametrize("first_words", [b"", b"SSH-2.0-OpenSSH_9.6\r\n", b"HTTP/1.1 400 Bad Request\r\n\r\n" * 30, b"\0" * 500])
def test_listener_that_says_nothing_sensible_is_left_after_the_limit(listen: Listen, first_words: bytes) -> None:
    port = listen(lambda client: client.sendall(first_words))
    began = time.monotonic()
    sentence = failure(f"127.0.0.1:{port}/RAC1", tcp_timeout_s=1.0, login_timeout_s=1.0)
    assert time.monotonic() - began < 10, "the driver alone would wait for ever"
    assert sentence.startswith(f"What listens at 127.0.0.1:{port} gave no answer of an Oracle listener within 1 s")


def test_a_hanging_listener_does_not_hold_up_other_connections(listen: Listen, fake_oracle: Any) -> None:
    port = listen(lambda client: None)
    hanging = threading.Thread(target=failure, args=(f"127.0.0.1:{port}/RAC1",), kwargs={"login_timeout_s": 60.0}, daemon=True)
    hanging.start()
    oracle = fake_oracle()
    Connector(OracleSettings(oracle.dsn, oracle.user, oracle.password)).open().close()
    assert hanging.is_alive()


def test_ctrl_c_ends_the_waiting(listen: Listen) -> None:
    port = listen(lambda client: signal.raise_signal(signal.SIGINT))  # once it is being waited for
    began = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        Connector(OracleSettings(f"127.0.0.1:{port}/RAC1", "lab", SECRET), login_timeout_s=60.0).open()
    assert time.monotonic() - began < 30


def test_a_connection_that_comes_too_late_is_closed(fake_oracle: Any) -> None:
    may_log_on = threading.Event()
    oracle = fake_oracle(before_login=lambda: may_log_on.wait(30))
    with pytest.raises(ConnectError, match=r"gave no answer of an Oracle listener within 0\.5 s"):
        Connector(OracleSettings(oracle.dsn, oracle.user, oracle.password), login_timeout_s=0.5).open()
    assert oracle.ends == []
    may_log_on.set()
    eventually(lambda: any(end == "closed" for _, end in oracle.ends))


def eventually(true: Callable[[], bool], within_s: float = 30.0) -> None:
    """Wait until ``true()``; fail if it does not become so."""
    deadline = time.monotonic() + within_s
    while not true():
        assert time.monotonic() < deadline
        threading.Event().wait(0.01)


@pytest.mark.parametrize(
    ("reason", "dsn_tail", "wanted"),
    [
        ("(DESCRIPTION=(ERR=12514)(ERROR_STACK=(ERROR=(CODE=12514)(EMFI=4))))", "/NOSUCH", "knows no service NOSUCH (DPY-6001)"),
        ("(DESCRIPTION=(ERR=12528)(ERROR_STACK=(ERROR=(CODE=12528)(EMFI=4))))", "/FREEPDB1", "ORA-12528: the database at"),
        ("(DESCRIPTION=(ERR=12516)(ERROR_STACK=(ERROR=(CODE=12516)(EMFI=4))))", "/FREEPDB1", "ORA-12516: the database at"),
    ],
)
def test_listener_refuses(listen: Listen, reason: str, dsn_tail: str, wanted: str) -> None:
    port = listen(refusing(reason))
    assert wanted in failure(f"127.0.0.1:{port}{dsn_tail}")


def test_unknown_sid(listen: Listen) -> None:
    port = listen(refusing("(DESCRIPTION=(ERR=12505)(ERROR_STACK=(ERROR=(CODE=12505)(EMFI=4))))"))
    dsn = f"(DESCRIPTION=(ADDRESS=(PROTOCOL=TCP)(HOST=127.0.0.1)(PORT={port}))(CONNECT_DATA=(SID=ORCL)))"
    assert failure(dsn).startswith(f"The listener at 127.0.0.1:{port} knows no SID ORCL (DPY-6003)")


def test_wrong_password(fake_oracle: Any) -> None:
    sentence = failure(fake_oracle().dsn, user="raclab")
    assert sentence.startswith("ORA-01017: user or password is wrong at 127.0.0.1:")
    assert sentence.endswith("check RACLAB_USER and RACLAB_PASSWORD.")


def test_database_before_12_1(fake_oracle: Any) -> None:
    oracle = fake_oracle(field_version=6)
    assert "is too old (DPY-3010): python-oracledb's thin mode needs 12.1 or later" in failure(oracle.dsn)


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux lets a full queue of connections go unanswered")
def test_address_that_never_answers() -> None:
    silent = socket.create_server(("127.0.0.1", 0), backlog=0)
    address = silent.getsockname()
    crowd = [socket.socket() for _ in range(8)]
    for one in crowd:  # fill the queue of connections that nobody accepts
        one.setblocking(False)
        one.connect_ex(address)
    sentence = failure(f"127.0.0.1:{address[1]}/RAC1", tcp_timeout_s=0.5, login_timeout_s=5.0)
    assert "did not answer within 0.5 s" in sentence
    for one in [*crowd, silent]:
        one.close()


@pytest.mark.parametrize(
    ("dsn", "wanted"),
    [
        ("NOT_IN_TNSNAMES", "neither host:port/service nor an alias"),
        ("(DESCRIPTION=(", "no complete connect descriptor"),
        ("127.0.0.1:port/service", "neither host:port/service nor an alias"),
    ],
)
def test_dsn_that_can_not_be_read(dsn: str, wanted: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(oracledb.defaults, "config_dir", None)
    assert wanted in failure(dsn)


@pytest.mark.parametrize(
    ("user", "password", "wanted"), [("", "", "set RACLAB_USER and RACLAB_PASSWORD."), ("lab", "", "set RACLAB_PASSWORD.")]
)
def test_no_user_or_password(monkeypatch: pytest.MonkeyPatch, user: str, password: str, wanted: str) -> None:
    monkeypatch.setenv("RACLAB_USER", user)
    monkeypatch.setenv("RACLAB_PASSWORD", password)
    with pytest.raises(ConnectError) as raised:
        raclab.connect("127.0.0.1:1/RAC1")
    assert str(raised.value) == f"The database needs a user and a password: {wanted}"


def test_what_the_driver_says_without_a_user_is_told_apart() -> None:
    assert (
        failure("127.0.0.1:1/RAC1", user="", password="")
        == "The database needs a user and a password: set RACLAB_USER and RACLAB_PASSWORD."
    )


def driver_error(full_code: str, code: int = 0, message: str = "") -> oracledb.Error:
    """An error as the driver makes it, for what can't be brought about here."""
    return oracledb.DatabaseError(SimpleNamespace(full_code=full_code, code=code, message=message or full_code))


@pytest.mark.parametrize(
    ("full_code", "code", "wanted"),
    [
        ("DPY-3015", 0, "SCOTT has only an old password verifier (DPY-3015)"),
        ("ORA-28000", 28000, "ORA-28000: the account SCOTT is locked"),
        ("ORA-28001", 28001, "ORA-28001: the password of SCOTT has expired"),
        ("ORA-01045", 1045, "ORA-01045: SCOTT lacks CREATE SESSION"),
        ("DPY-4011", 1034, "ORA-01034: the database at h:1521 is not open yet"),
        ("ORA-00020", 20, "ORA-00020: the database at h:1521 takes no more sessions"),
        ("ORA-64999", 64999, "Can't connect to h:1521 (ORA-64999)"),
    ],
)
def test_refusals_of_the_database(full_code: str, code: int, wanted: str) -> None:
    error = driver_error(full_code, code, "the database's own text, with (PASSWORD=tiger) in it")
    sentence = str(connect_error(error, Place(("h:1521",), "SVC"), "SCOTT"))
    assert sentence.startswith(wanted)
    assert "tiger" not in sentence


def test_codes_are_found_through_the_causes() -> None:
    outer = driver_error("DPY-6005")
    outer.__cause__ = driver_error("DPY-4011", 12547)
    assert codes(outer) == ["DPY-6005", "DPY-4011", "ORA-12547"]


@pytest.mark.parametrize(
    ("error", "wanted"),
    [
        (driver_error("DPY-4024"), "The insert took longer than 5 s and was cancelled (DPY-4024)"),
        (driver_error("DPY-4011"), "The insert lost its session: the database or the network closed the connection (DPY-4011)"),
        (driver_error("ORA-01013", 1013), "The insert was cancelled (ORA-01013)"),
        (
            driver_error("ORA-01653", 1653, "ORA-01653: unable to extend table.\nORA-06512: at line 6\nHelp: https://docs.oracle.com"),
            "The insert failed with ORA-01653: unable to extend table",
        ),
    ],
)
def test_errors_of_a_call(error: oracledb.Error, wanted: str) -> None:
    assert call_sentence(error, "The insert", 5) == wanted


def test_a_dead_connection_takes_no_time_limit(fake_oracle: Any) -> None:
    """The driver would bring the whole process down."""
    oracle = fake_oracle()
    oracle.others["from nowhere"] = lambda session: (_ for _ in ()).throw(RuntimeError("cut"))
    connection = Connector(OracleSettings(oracle.dsn, oracle.user, oracle.password)).open()
    with pytest.raises(oracledb.Error):
        connection.cursor().execute("select 1 from nowhere")
    connection.close()
    with pytest.raises(ConnectError, match="The session is lost"):
        connection.call_timeout = 1000
