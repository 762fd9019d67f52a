"""Opens connections to a real Oracle within a time limit, and turns each failure into one sentence.

The driver's own limit covers the TCP connection only: against a listener that accepts and then keeps silent it would wait
for ever (seen with python-oracledb 26.1; its authors call that expected).
"""

import threading
import time
from collections.abc import Callable
from typing import Any

import oracledb

from raclab.database.connect_errors import Place, connect_error, silent_listener
from raclab.database.guarded import GuardedConnection
from raclab.database.settings import OracleSettings

TCP_TIMEOUT_S = 5.0
LOGIN_TIMEOUT_S = 15.0


class Connector:
    """Makes connections with one set of settings.

    tcp_timeout_s     for each address's TCP connection
    login_timeout_s   for everything until the database has accepted the user

    ``open`` takes the instance's name to reach one instance of a RAC database; raises ConnectError.
    """

    def __init__(self, settings: OracleSettings, tcp_timeout_s: float = TCP_TIMEOUT_S, login_timeout_s: float = LOGIN_TIMEOUT_S) -> None:
        self.settings = settings
        self.tcp_timeout_s = tcp_timeout_s
        self.login_timeout_s = login_timeout_s

    def open(self, instance_name: str = "", service: str = "", sysdba: bool = False) -> GuardedConnection:
        """A new connection.

        instance_name   ask the listener for this instance of the service
        service         another service than the DSN's
        sysdba          connect AS SYSDBA
        """
        thin_mode()
        settings = self.settings
        params = oracledb.ConnectParams()
        try:
            params.set(config_dir=settings.wallet or oracledb.defaults.config_dir)
            params.parse_connect_string(settings.dsn)
            params.set(
                user=settings.user or None,
                password=settings.password or None,
                externalauth=bool(settings.wallet) and not settings.user,
                wallet_location=settings.wallet or None,
                wallet_password=settings.wallet_password or None,
                tcp_connect_timeout=self.tcp_timeout_s,
                **({"mode": oracledb.AUTH_MODE_SYSDBA} if sysdba else {}),
                **({"instance_name": instance_name} if instance_name else {}),
                **({"service_name": service} if service else {}),
            )
        except oracledb.Error as error:
            raise connect_error(error, Place((), service)) from None
        place = _place(params)
        try:
            return _within(self.login_timeout_s, lambda: oracledb.connect(params=params, conn_class=GuardedConnection))
        except _TooLongError:
            raise silent_listener(place, self.login_timeout_s) from None
        except (oracledb.Error, OSError) as error:
            raise connect_error(error, place, settings.user, self.tcp_timeout_s) from None

    def place(self) -> Place:
        """Where the DSN leads, for messages; without addresses if it can't be read."""
        params = oracledb.ConnectParams()
        try:
            params.set(config_dir=self.settings.wallet or oracledb.defaults.config_dir)
            params.parse_connect_string(self.settings.dsn)
        except oracledb.Error:
            return Place(())
        return _place(params)

    def names(self) -> frozenset[str]:
        """What the settings call hosts, service, user and folder; no passwords."""
        place = self.place()
        hosts = {address.rpartition(":")[0] for address in place.addresses}
        return frozenset({*hosts, *place.addresses, place.service, self.settings.user, self.settings.wallet}) - {""}


def thin_mode() -> None:
    """Settle the driver on thin mode, before the first connection.

    The first connection of a process holds a lock until it is made; one that hangs would make all others hang.
    A process that has chosen thick mode keeps it.
    """
    try:
        oracledb.enable_thin_mode()  # type: ignore[no-untyped-call]
    except oracledb.Error:
        if oracledb.is_thin_mode():
            raise


class _TooLongError(Exception):
    pass


def _within(limit_s: float, connect: Callable[[], Any]) -> GuardedConnection:
    """What ``connect`` returns, or _TooLongError after ``limit_s``.

    A thread that is still waiting then is left to itself; should it get its connection after all, it closes it.
    """
    made: list[GuardedConnection] = []
    failed: list[BaseException] = []
    abandoned = threading.Event()
    handing_over = threading.Lock()

    def work() -> None:
        try:
            connection = connect()
        except BaseException as error:
            failed.append(error)
            return
        with handing_over:
            if not abandoned.is_set():
                made.append(connection)
                return
        connection.close()

    thread = threading.Thread(target=work, name="raclab-connect", daemon=True)
    thread.start()
    deadline = time.monotonic() + limit_s
    try:
        # in short steps: on Windows a Ctrl-C does not end a long join
        while thread.is_alive() and time.monotonic() < deadline:
            thread.join(min(0.1, limit_s))
    finally:
        with handing_over:
            abandoned.set()
    if made:
        return made[0]
    if failed:
        raise failed[0]
    raise _TooLongError


def _place(params: oracledb.ConnectParams) -> Place:
    hosts, ports = params.host, params.port
    hosts = hosts if isinstance(hosts, list) else [hosts]
    ports = ports if isinstance(ports, list) else [ports]
    addresses = tuple(f"{host}:{port}" for host, port in zip(hosts, ports, strict=True) if host)
    service = params.service_name or params.sid or ""
    return Place(addresses, service if isinstance(service, str) else service[0])
