"""The op codes and the records that the kernel works on.

An op takes no time unless its line says so. ``at`` names a lock whose home is added to the index that the op uses,
so that a message can go to the node that holds something now.
"""

import numpy as np

RUN = 0  # time: use a core of the process's CPU for a drawn time; queue for it by priority class
DELAY = 1  # time: wait for a drawn time
ACQUIRE = 2  # time: take lock a exclusively; first come, first served
RELEASE = 3  # give lock a to the first in its queue
CALL = 4  # time: put myself into mailbox a (+ home of lock at) and wait until a server is done with me
TAKE = 5  # time: as a server, wait for callers in mailbox a, then take b of them (0: all that are there)
DONE = 6  # as a server, let go of the callers taken
SET_HOME = 7  # the home of lock a is now b
JUMP = 8  # go to
JUMP_IF_HOME = 9  # go to, if the home of lock a is b
JUMP_IF_FREE = 10  # go to, if nobody holds lock a and its home is b
JUMP_IF_SAME = 11  # go to, if cells a and b (both + home of lock at) hold the same
JUMP_IF_POSITIVE = 12  # go to, if cell a is above 0
SET = 13  # cell a becomes b
ADD = 14  # cell a grows by b
COPY = 15  # cell a becomes what cell b holds
LOOP = 16  # cell a shrinks by 1; go to, if it is still above 0
NOTE = 17  # write down (time, process, cell a)
MARK = 18  # a wait begins
WAITED = 19  # the wait that began at the last MARK ends; it was a wait for event a
END = 20  # the process ends

CONSTANT, EXPONENTIAL, UNIFORM = 0, 1, 2

OP = np.dtype(
    [
        ("code", np.int32),
        ("a", np.int32),
        ("b", np.int32),
        ("at", np.int32),
        ("to", np.int32),
        ("shape", np.int32),
        ("x", np.float64),
        ("y", np.float64),
    ],
    align=True,
)

READY, DELAYED, RUNNING, QUEUED, BLOCKED, IDLE, WOKEN, ENDED = 0, 1, 2, 3, 4, 5, 6, 7

PROCESS = np.dtype(
    [
        ("pc", np.int64),  # index of the op it is at
        ("cpu", np.int32),  # the CPU that it runs on
        ("priority", np.int32),  # 0 preempts 1 and so on
        ("essential", np.int32),  # the run ends when all essential processes have ended
        ("state", np.int32),
        ("next", np.int32),  # the process behind it in whatever queue it stands in
        ("core", np.int32),
        ("taken", np.int32),  # as a server: first of the callers that it holds
        ("event", np.int64),  # number of its pending event; others with its name are stale
        ("draws", np.int64),  # random numbers drawn so far
        ("since", np.float64),  # when it reached its op
        ("marked", np.float64),  # when its wait began
        ("left", np.float64),  # CPU time that its burst still needs
        ("started", np.float64),  # when its time slice began
        ("ended", np.float64),
    ],
    align=True,
)

CPU = np.dtype([("cores", np.int32), ("busy", np.int32), ("quantum", np.float64), ("used", np.float64)], align=True)

LOCK = np.dtype([("holder", np.int32), ("home", np.int32), ("head", np.int32), ("tail", np.int32)], align=True)

MAILBOX = np.dtype([("count", np.int32), ("head", np.int32), ("tail", np.int32), ("idle", np.int32), ("idle_tail", np.int32)], align=True)

# hits: times begun; time: from begin to end (s); cpu: of that, on a core (s); longest: the longest single one (s)
TALLY = np.dtype([("hits", np.int64), ("time", np.float64), ("cpu", np.float64), ("longest", np.float64)], align=True)

NOTED = np.dtype([("time", np.float64), ("process", np.int32), ("value", np.int64)], align=True)

PRIORITIES = 4
