"""Who waits for a kernel's reply gets it, whatever is sent to the kernel meanwhile."""

import asyncio
from typing import Any

import pytest
from jupyter_client.channels import AsyncZMQSocketChannel, zmq
from jupyter_client.session import Session

from raclab.cli.kernel import AttentiveKernelManager

PATIENCE_S = 20.0


def test_a_reply_that_comes_while_something_is_sent_is_not_overlooked(monkeypatch: pytest.MonkeyPatch) -> None:
    """The kernel is a socket of the test's own, and sending is only to take note of what has come, as zmq does when it sends."""
    monkeypatch.setattr(AsyncZMQSocketChannel, "send", _take_note)
    assert asyncio.run(_replied()) == {"status": "ok"}


def _take_note(shell: AsyncZMQSocketChannel, msg: object) -> None:
    while not zmq.Socket.shadow(shell.socket).get(zmq.EVENTS) & zmq.POLLIN:
        pass


async def _replied() -> Any:
    client, session = AttentiveKernelManager().client(), Session(key=b"of the test")
    with zmq.asyncio.Context() as context, context.socket(zmq.DEALER) as socket, zmq.Context.shadow(context).socket(zmq.DEALER) as kernel:
        port = kernel.bind_to_random_port("tcp://127.0.0.1")
        socket.connect(f"tcp://127.0.0.1:{port}")
        shell = client.shell_channel_class(socket, session, asyncio.get_running_loop())
        session.send(kernel, session.msg("kernel_info_reply"))
        await shell.get_msg(timeout=PATIENCE_S)  # they are connected
        waiting = asyncio.create_task(shell.get_msg(timeout=2 * PATIENCE_S))
        for _ in range(10):  # turns of the loop, until nothing is left to do but wait
            await asyncio.sleep(0)
        session.send(kernel, session.msg("execute_reply", {"status": "ok"}))
        shell.send(session.msg("comm_msg"))
        return (await asyncio.wait_for(waiting, PATIENCE_S))["content"]
