"""A parallel statement over instances: where its servers stand, and what its table queues carry.

Servers of two sets pass rows through table queues; rows whose producer and consumer are on different instances cross the interconnect.
Rows are spread evenly over the servers, as hashing on a key of many values does.
"""

from dataclasses import dataclass

from raclab.cluster.parameters import Hardware

COORDINATOR, SET_1, SET_2 = 0, 1, 2
START, JOIN, GROUP, RESULT, DONE = "start", "rows to join", "rows to group", "result rows", "done"
TRAFFIC = (START, JOIN, GROUP, RESULT, DONE)


@dataclass(frozen=True)
class PxHardware:
    """Costs of the servers' work. Times in seconds, sizes in bytes. No elapsed time was published, so all CPU times are assumed.

    buffer_bytes    a table queue's buffer (parallel_execution_message_size): 2,148 or 2,152 by platform before 11.2, when it became 16 KB
    message_bytes   a message without rows: as everywhere in this cluster (parameters.py)
    message_s       one way of a message: likewise
    value_bytes     a number at its longest: 22 in Oracle's format
    aggregate_values  what a server reports of MIN, MAX and AVG: the average needs sum and count
    scan_row_s, join_row_s, group_row_s  CPU to read, to build or probe with, and to group one row
    result_row_s    CPU of the coordinator for one row of the result
    message_cpu_s   CPU to send, or to receive, one buffer over the interconnect
    quantum_s       time slice of the operating system's scheduler
    pieces          a server's work on a stage is done, and sent, in so many pieces (granules)
    """

    buffer_bytes: int = 2152
    message_bytes: int = Hardware.message_bytes
    message_s: float = Hardware().message_s
    value_bytes: int = 22
    aggregate_values: int = 4
    scan_row_s: float = 1e-6
    join_row_s: float = 1e-6
    group_row_s: float = 1e-6
    result_row_s: float = 0.1e-6
    message_cpu_s: float = 10e-6
    quantum_s: float = 0.1
    pieces: int = 24


@dataclass(frozen=True)
class Stage:
    """Servers of one set work and send rows to those of another, or to the coordinator.

    rows      that are sent, by all senders together; row_bytes is the size of one
    work_s    CPU of all senders together; take_s of all receivers
    at_once   whether a sender sends only when all its work is done
    """

    name: str
    sender: int
    receiver: int
    rows: float
    row_bytes: float
    work_s: float
    take_s: float
    at_once: bool = False


@dataclass(frozen=True)
class Statement:
    """A statement with its placement.

    join            a table joined with itself on its key, then grouped; otherwise MIN, MAX and AVG of one table
    partition_wise  whether each server joins a partition with its like; otherwise the rows of both are sent by join key first
    rows            of the table; row_bytes of one in a table queue
    rows_per_group  1 means that grouping leaves as many rows as there were
    dop             servers of each set that were asked for; instances and max_servers (of each instance) limit them
    apart           whether the coordinator's instance is none of those that the servers are on
    """

    rows: float
    row_bytes: float
    hardware: PxHardware = PxHardware()
    join: bool = True
    partition_wise: bool = True
    rows_per_group: int = 1
    dop: int = 16
    instances: int = 2
    max_servers: int = 64
    apart: bool = False
    cores: int = 16
    bandwidth: float = Hardware.bandwidth

    @property
    def sets(self) -> int:
        """Server sets that the statement needs."""
        return 2 if self.join else 1

    @property
    def actual_dop(self) -> int:
        """Servers of each set that it gets: as many as parallel_max_servers of the instances leave."""
        return min(self.dop, self.instances * self.max_servers // self.sets)

    @property
    def nodes(self) -> int:
        """Instances that take part, the coordinator's included; the coordinator is on instance 0."""
        return self.instances + self.apart

    def instance_of(self, server: int) -> int:
        """The instance of a set's server, from 0 in both: neighbours stand together, as evenly as it goes."""
        return int(self.apart) + server * min(self.instances, self.actual_dop) // self.actual_dop

    def servers_on(self, instance: int) -> int:
        """How many servers of each set an instance has."""
        return sum(self.instance_of(server) == instance for server in range(self.actual_dop))

    @property
    def groups(self) -> float:
        """Rows that are left after grouping."""
        return self.rows / self.rows_per_group

    @property
    def grouped_once(self) -> float:
        """Rows that are left when each server has grouped its own: rows of a group are on any server with the same chance.

        A server has none of a group's r rows with probability (1 - 1/P)^r, so each group is sent by P (1 - (1 - 1/P)^r) of P servers.
        """
        servers = self.actual_dop
        missing: float = (1 - 1 / servers) ** self.rows_per_group
        return self.groups * servers * (1 - missing)

    def stages(self) -> tuple[Stage, ...]:
        """What happens, in order."""
        hardware, width = self.hardware, self.row_bytes
        scan = self.rows * hardware.scan_row_s
        if not self.join:
            report = hardware.aggregate_values * hardware.value_bytes
            taken = self.actual_dop * hardware.result_row_s
            return (Stage(RESULT, SET_1, COORDINATOR, self.actual_dop, report, scan, taken, at_once=True),)
        joining, grouping = 2 * self.rows * hardware.join_row_s, self.rows * hardware.group_row_s
        sent, groups = self.grouped_once, self.groups
        regroup, result = sent * hardware.group_row_s, groups * hardware.result_row_s
        if self.partition_wise:
            return (
                Stage(GROUP, SET_1, SET_2, sent, width, 2 * scan + joining + grouping, regroup),
                Stage(RESULT, SET_2, COORDINATOR, groups, width, 0.0, result),
            )
        return (
            Stage(JOIN, SET_1, SET_2, 2 * self.rows, width, 2 * scan, joining),
            Stage(GROUP, SET_2, SET_1, sent, width, grouping, regroup),
            Stage(RESULT, SET_1, COORDINATOR, groups, width, 0.0, result),
        )
