"""Kernels for running a notebook unattended, whose replies are not overlooked."""

from typing import Any

from jupyter_client.asynchronous.client import AsyncKernelClient
from jupyter_client.channels import AsyncZMQSocketChannel
from jupyter_client.manager import AsyncKernelManager
from traitlets import Type


class _Shell(AsyncZMQSocketChannel):
    def send(self, msg: dict[str, Any]) -> None:
        """Send, and look whether something came meanwhile: who waits for it is not told again, and would wait until the time is up.

        So it happens, once in some fifty cells, with an Output widget's state, which nbclient sends while the cell's reply arrives.
        """
        super().send(msg)
        _ = self.socket.EVENTS  # asked for them, zmq's asyncio socket wakes those who wait


class _Client(AsyncKernelClient):
    shell_channel_class = Type(_Shell)


class AttentiveKernelManager(AsyncKernelManager):
    """For papermill's and nbclient's ``kernel_manager_class``."""

    client_factory = Type(_Client)
