"""Who waits for a kernel's reply gets it, whatever is sent to the kernel meanwhile."""

import asyncio
from typing import Any

from jupyter_client.channels import zmq
from jupyter_client.session import Session

from raclab.cli.kernel import AttentiveKernelManager

PATIENCE_S = 20.0


def test_a_reply_that_comes_just_when_something_is_sent_is_not_overlooked() -> None:
    """The kernel's side is a socket of the test's own; before the send, zmq has taken note of the reply and waked nobody."""
    assert asyncio.run(_replied()) == {"status": "ok"}


async def _replied() -> Any:
    client, session = AttentiveKernelManager().client(), Session(key=b"of the test")
    with zmq.asyncio.Context() as context, context.socket(zmq.DEALER) as socket, zmq.Context.shadow(context).socket(zmq.DEALER) as kernel:
        port = kernel.bind_to_random_port("tcp://127.0.0.1")
        socket.connect(f"tcp://127.0.0.1:{port}")
        shell = client.shell_channel_class(socket, session, asyncio.get_running_loop())
        waiting = asyncio.create_task(shell.get_msg(timeout=2 * PATIENCE_S))
        await asyncio.sleep(0)
        session.send(kernel, session.msg("execute_reply", {"status": "ok"}))
        while not zmq.Socket.shadow(socket).get(zmq.EVENTS) & zmq.POLLIN:
            pass
        shell.send(session.msg("comm_msg", {}))
        return (await asyncio.wait_for(waiting, PATIENCE_S))["content"]
