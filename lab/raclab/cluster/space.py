"""Space for rows: extents, handed out one at a time under a row cache lock, and a data file that has to grow now and then.

While the file grows nobody gets an extent. A background task that makes room ahead of need takes both off the sessions' way.
"""

from dataclasses import dataclass

from raclab.cluster import global_locks
from raclab.cluster.nodes import Cluster
from raclab.sim import Constant, Label, Number, Program

ROW_CACHE_LOCK = "row cache lock"


@dataclass(frozen=True)
class SpaceParameters:
    """Sizes in bytes, times in seconds.

    row_bytes     a row with what belongs to it. Assumed; not published
    extent_bytes  an extent: 1 MB, as automatic allocation makes them for segments of some size
    file_step     by how much a data file grows at a time. Assumed: 100 MB
    format_bytes  bytes a second at which one process formats a file that grows. Assumed: 50 MB/s, one stream on disks of that time
    extent_s      what handing out one extent takes besides: one write. The high end of the published disk access, 4 ms
    """

    row_bytes: int = 100
    extent_bytes: int = 1_000_000
    file_step: int = 100_000_000
    format_bytes: float = 50e6
    extent_s: float = 4.0e-3

    @property
    def rows_per_extent(self) -> int:
        """Rows that an extent takes."""
        return self.extent_bytes // self.row_bytes


@dataclass(frozen=True)
class Space:
    """One tablespace. ``lock`` is its row cache lock, ``extents`` the cell with the extents that the file has room for."""

    cluster: Cluster
    parameters: SpaceParameters
    preallocated: bool
    lock: int
    extents: int

    def segment(self, filled: int) -> int:
        """A cell with the rows that a segment's last extent has room for, ``filled`` rows of it being there already."""
        return self.cluster.model.cell(self.parameters.rows_per_extent - filled)

    def use(self, process: Program, node: Number, left: Number, rows: int) -> None:
        """Put rows into the segment whose room is in cell ``left``; get extents for it until there is room."""
        more, enough = Label(), Label()
        process.add(left, -rows)
        process.place(more)
        process.jump_if_positive(left, enough)
        if not self.preallocated:
            self._allocate(process, node)
        process.add(left, self.parameters.rows_per_extent)
        process.jump(more)
        process.place(enough)

    def _allocate(self, process: Program, node: Number) -> None:
        cluster, parameters, room = self.cluster, self.parameters, Label()
        global_locks.take_lock(cluster, process, node, self.lock, ROW_CACHE_LOCK, cluster.lck, flush=False)
        process.jump_if_positive(self.extents, room)
        with process.wait("Data file init write"):
            process.delay(Constant(parameters.file_step / parameters.format_bytes))
        process.add(self.extents, parameters.file_step // parameters.extent_bytes)
        process.place(room)
        process.add(self.extents, -1)
        with process.wait("db file single write"):
            process.delay(cluster.hardware.varied(parameters.extent_s))
        process.release(self.lock)


def build(cluster: Cluster, parameters: SpaceParameters, preallocated: bool) -> Space:
    """A tablespace whose file is half used."""
    room = parameters.file_step // parameters.extent_bytes // 2
    return Space(cluster, parameters, preallocated, cluster.model.lock(), cluster.model.cell(room))
