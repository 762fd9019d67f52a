"""What the simulated cluster is made of: every parameter with its unit and where it comes from.

None of them is fitted to a two-node figure of the case that it predicts.
"""

from dataclasses import dataclass

from raclab.sim import Distribution, Uniform

# Riyaj Shamsudeen, "Battle of the Nodes" (data/nocache_sequences/access_latency.csv): what an access costs on the
# machines of that time. A global cache wait takes 1 to 3 ms and a disk access 2 to 4 ms.
GLOBAL_CACHE_WAIT_LOW_S = 1.0e-3
DISK_ACCESS_HIGH_S = 4.0e-3


@dataclass(frozen=True)
class Hardware:
    """One cluster's hardware and background processes. Times in seconds, sizes in bytes.

    block_get_s    a two-way block get when nothing queues: the low end of the published range, since the case's
                   interconnect is idle
    lms_cpu_s      CPU of LMS (or LCK0, LMD) for one request. Assumed: the order of 0.1 ms on processors of that time
    lgwr_cpu_s     CPU of LGWR for one write. Assumed, like lms_cpu_s
    redo_write_s   one redo write: the high end of the published disk access, since a write must reach the disk
    block_bytes    Oracle's default block size
    bandwidth      of the interconnect in bytes a second: Gigabit Ethernet
    cores          of each node. Assumed; in this case none is ever short
    quantum_s      time slice of the operating system's scheduler. Assumed: 10 ms
    message_bytes  a request on the wire. Assumed: a lock message is some hundred bytes
    receive_cpu_s  CPU that a session needs to take over a block that has arrived; its wait ends only then. Assumed
    yield_cpu_s    CPU of one look of LMS for more messages before it sleeps. Assumed
    spread         every time varies evenly by this share around its mean. Assumed
    """

    block_get_s: float = GLOBAL_CACHE_WAIT_LOW_S
    lms_cpu_s: float = 0.1e-3
    lgwr_cpu_s: float = 0.05e-3
    redo_write_s: float = DISK_ACCESS_HIGH_S
    block_bytes: int = 8192
    bandwidth: float = 125e6
    cores: int = 4
    quantum_s: float = 10e-3
    message_bytes: int = 256
    receive_cpu_s: float = 0.02e-3
    yield_cpu_s: float = 0.05e-3
    spread: float = 0.5

    @property
    def wire_s(self) -> float:
        """How long a block occupies the wire: block_bytes / bandwidth."""
        return self.block_bytes / self.bandwidth

    @property
    def message_s(self) -> float:
        """One way of a small message: a block get is two of them, LMS, and the block on the wire."""
        return (self.block_get_s - self.lms_cpu_s - self.wire_s) / 2

    def varied(self, mean: float) -> Distribution:
        """Times around a mean, by ``spread``."""
        return Uniform(mean * (1 - self.spread), mean * (1 + self.spread))
