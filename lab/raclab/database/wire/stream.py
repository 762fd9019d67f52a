"""The packets of one client's connection: what seerdb reads and writes, with what its other clients need besides."""

import select
import socket
import time
from collections.abc import Callable
from typing import Final

from seerdb.common import ano
from seerdb.common.tns import encode_packet
from seerdb.common.tns_consts import DEFAULT_SDU, TNS_CONNECT, TNS_DATA, TNS_MARKER, TNS_REFUSE, TTI_DTY
from seerdb.server import ConnectRequest, PacketStream, parse_connect
from seerdb.server.handshake import connect_data_follows

LONGEST_MESSAGE: Final = 64 << 20
"""Bytes of one call with its binds; a client that sends more is cut off."""

_HEADER, _TYPE, _BODY = 8, 4, 10  # a packet's header, where in it the type stands, where a data packet's body begins
_ANO_VERSION = slice(6, 10)  # where the negotiation of security services states its version
_COMPILE_CAPABILITIES = 6  # where in a data-types message they begin: their length, then they
_ZONE_CAPABILITY = 1  # runtime capability of a client that reads the database's time zone
_UTC = bytes.fromhex("80000000 3c3c3c 80000000")  # hours, minutes and seconds, each with 60 added
_REFUSED_BY_DATABASE = 0x22


def refusal(code: int) -> bytes:
    """The packet with which a listener refuses a connection, saying ORA-``code``."""
    stack = f"(DESCRIPTION=(TMP=)(VSNNUM={19 << 24})(ERR={code})(ERROR_STACK=(ERROR=(CODE={code})(EMFI=4))))".encode()
    body = bytes([0, _REFUSED_BY_DATABASE]) + len(stack).to_bytes(2, "big") + stack
    packet, _ = encode_packet(TNS_REFUSE, body, DEFAULT_SDU)
    return bytes(packet)


class Stream(PacketStream):
    """A packet stream that heeds a client's break while its statement runs, and lets node-oracledb in.

    A client that breaks (Ctrl-C, a call timeout) sends a marker and waits for the exchange of markers, not for the answer. seerdb does
    that exchange once the statement is over; the statement's own answer must not come before it.

    Two things that seerdb does for the clients that it knows are done for others here:

    - A thin client may open with a negotiation of security services. seerdb knows thin clients by one version of it; node-oracledb
      states a later one, and would be answered as SQL*Plus, which states none.
    - A client may say that it reads the database's time zone, as node-oracledb does; it then waits for it.
    """

    def __init__(self, accepted: socket.socket, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__(accepted)
        self._accepted = accepted
        self._clock = clock
        self._ahead: tuple[int, bytes] | None = None
        self._wants_zone = False
        self.waiting_since: float | None = None
        """When the stream began to wait for the client, on the clock; None while it doesn't."""
        self.sending_since: float | None = None
        """When the stream began to send what the client has not taken yet; None while it doesn't."""

    @property
    def max_message(self) -> int:
        """Bytes that one message may have. seerdb allows 1 GB once a client is logged in."""
        return self._limit

    @max_message.setter
    def max_message(self, size: int) -> None:
        self._limit = min(size, LONGEST_MESSAGE)

    def breaks(self) -> bool:
        """Whether the client has sent a break that was not read yet, or is gone."""
        try:
            if not select.select([self._accepted], [], [], 0)[0]:
                return False
            header = self._accepted.recv(_HEADER, socket.MSG_PEEK)
        except (OSError, ValueError):
            return False  # the connection is being closed by its own thread
        return not header or (len(header) > _TYPE and header[_TYPE] == TNS_MARKER)

    def connect_request(self) -> ConnectRequest | None:
        """What the client asks for, read ahead of the login; None if it asks for nothing. Raises whatever seerdb does for rubbish."""
        received = self.read_packet()
        if received is None or received[0] != TNS_CONNECT:
            self._ahead = received
            return None
        body = received[1]
        if connect_data_follows(body):  # a long one comes in a packet of its own
            further = self.read_packet()
            body += further[1] if further is not None else b""
        self._ahead = TNS_CONNECT, body
        return parse_connect(body)

    def refuse(self, code: int) -> None:
        """Refuse the connection as a listener does."""
        self.send_raw(refusal(code))

    def read_packet(self, *, within: float | None = None) -> tuple[int, bytes] | None:
        """As PacketStream.read_packet."""
        if self._ahead is not None:
            ahead, self._ahead = self._ahead, None
            return ahead
        self.waiting_since = self._clock()
        try:
            received: tuple[int, bytes] | None = super().read_packet(within=within)
        finally:
            self.waiting_since = None
        if received is None or received[0] != TNS_DATA:
            return received
        body = received[1]
        if body.startswith(ano.ANO_MAGIC_BYTES) and any(body[_ANO_VERSION]):
            body = body[: _ANO_VERSION.start] + ano.VERSION_BYTES + body[_ANO_VERSION.stop :]
        elif body[:1] == bytes([TTI_DTY]):
            self._wants_zone = _reads_zone(body)
        return TNS_DATA, body

    def write_packet(self, packet_type: int, body: bytes) -> None:
        """As PacketStream.write_packet, but silent while the client waits for its break."""
        if packet_type == TNS_DATA and self.breaks():
            return
        self._sent(lambda: super(Stream, self).write_packet(packet_type, body))

    def send_raw(self, packet: bytes) -> None:
        """As PacketStream.send_raw, with the time zone in the answer on data types if the client reads one."""
        if self._wants_zone and packet[_TYPE] == TNS_DATA and packet[_BODY] == TTI_DTY:
            packet = packet[: _BODY + 1] + _UTC + packet[_BODY + 1 :]
        self._sent(lambda: super(Stream, self).send_raw(packet))

    def _sent(self, send: Callable[[], None]) -> None:
        self.sending_since = self._clock()
        try:
            send()
        finally:
            self.sending_since = None


def _reads_zone(data_types: bytes) -> bool:
    """Whether a client's message on data types says, in its runtime capabilities, that it reads a time zone."""
    at = _COMPILE_CAPABILITIES
    try:
        at += 1 + data_types[at]
        runtime = data_types[at + 1 : at + 1 + data_types[at]]
    except IndexError:
        return False
    return len(runtime) > _ZONE_CAPABILITY and bool(runtime[_ZONE_CAPABILITY] & 1)
