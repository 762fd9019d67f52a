"""The op codes and the records that the kernel works on.

An op takes no time unless its line says so. ``at`` names a lock whose home is added to the index that the op uses,
so that a message can go to the node that holds something now. ``by`` names a cell whose value is added to ``at``, or
where that isn't given to ``a``, so that one program can work on whichever of many locks or cells it has drawn.
"""

import numpy as np

RUN = 0  # time: use a core of the process's CPU for a drawn time; queue for it by priority class
DELAY = 1  # time: wait for a drawn time
ACQUIRE = 2  # time: take lock a, exclusively (b is 0) or shared (b is 1); first come, first served
RELEASE = 3  # give lock a back: to the first in its queue, or to all sharers that stand first, or else to a spinner
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
SPIN = 21  # time: use a core until lock a can be taken, for the drawn time at most; go to, if it was not got
CHANCE = 22  # go to, with probability x
DRAW = 23  # cell a becomes a whole number from 0 to b - 1, each as likely
SEND = 24  # time: put a drawn number of bytes on link a (+ home of lock at), behind those that are on it already
WAIT = 25  # time: take one unit of semaphore a; first come, first served
POST = 26  # give b units to semaphore a
LOOKUP = 27  # go to, if cache a has the key in cell b; in any case the key is then the one used last, and another may have left
DROP = 28  # cache a forgets the key in cell b
FETCH = 29  # cell a becomes what cell b (+ cell by) holds: reads one of many cells, as COPY writes one
SUBTRACT = 30  # cell a shrinks by what cell b holds

# what the numbers a and b of an op count, where they count anything
KIND_OF_A = {
    **dict.fromkeys((ACQUIRE, RELEASE, SET_HOME, JUMP_IF_HOME, JUMP_IF_FREE, SPIN), "lock"),
    **dict.fromkeys((CALL, TAKE), "mailbox"),
    **dict.fromkeys((JUMP_IF_SAME, JUMP_IF_POSITIVE, SET, ADD, COPY, LOOP, NOTE, DRAW, FETCH, SUBTRACT), "cell"),
    SEND: "link",
    **dict.fromkeys((WAIT, POST), "semaphore"),
    **dict.fromkeys((LOOKUP, DROP), "cache"),
}
KIND_OF_B = dict.fromkeys((JUMP_IF_SAME, COPY, LOOKUP, DROP, FETCH, SUBTRACT), "cell")

CONSTANT, EXPONENTIAL, UNIFORM, EMPIRICAL = 0, 1, 2, 3

# an op, in 40 bytes: there may be millions. law: the distribution of its time; x and y are the distribution's numbers
OP = np.dtype(
    {
        "names": ["code", "a", "b", "at", "by", "to", "law", "x", "y"],
        "formats": [np.int16, *[np.int32] * 5, np.int16, np.float64, np.float64],
        "offsets": [0, 4, 8, 12, 16, 20, 2, 24, 32],
        "itemsize": 40,
    },
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
        ("slice", np.float64),  # CPU time that its time slice still has
        ("started", np.float64),  # when its time slice began
        ("ended", np.float64),
    ],
    align=True,
)

CPU = np.dtype([("cores", np.int32), ("busy", np.int32), ("quantum", np.float64), ("used", np.float64)], align=True)

# holder: who has it exclusively; sharers: how many have it shared; spinners: how many are at a SPIN for it
LOCK = np.dtype(
    [
        ("holder", np.int32),
        ("sharers", np.int32),
        ("spinners", np.int32),
        ("home", np.int32),
        ("head", np.int32),
        ("tail", np.int32),
    ],
    align=True,
)

MAILBOX = np.dtype([("count", np.int32), ("head", np.int32), ("tail", np.int32), ("idle", np.int32), ("idle_tail", np.int32)], align=True)

# bandwidth in bytes a second; free: when the last byte that is on it will have left (s); sent: bytes so far
LINK = np.dtype([("bandwidth", np.float64), ("free", np.float64), ("sent", np.float64)], align=True)

SEMAPHORE = np.dtype([("units", np.int32), ("head", np.int32), ("tail", np.int32)], align=True)

# a cache has places first to first + keys - 1 in the arrays of all caches, a place for each key that there can be
CACHE = np.dtype(
    [
        ("first", np.int32),
        ("keys", np.int32),
        ("room", np.int32),
        ("used", np.int32),
        ("newest", np.int32),
        ("oldest", np.int32),
        ("hits", np.int64),
        ("misses", np.int64),
    ],
    align=True,
)
PLACE = np.dtype([("inside", np.int32), ("newer", np.int32), ("older", np.int32)], align=True)

# hits: times begun; time: from begin to end (s); cpu: of that, on a core (s); longest: the longest single one (s)
TALLY = np.dtype([("hits", np.int64), ("time", np.float64), ("cpu", np.float64), ("longest", np.float64)], align=True)

NOTED = np.dtype([("time", np.float64), ("process", np.int32), ("value", np.int64)], align=True)

# a finished op, or a whole wait. ended, took: s; cpu: the op's tally of it so far (s); op: row of the program (a wait's is its end);
# event: of a whole wait, -1 of an op
TRACED = np.dtype(
    [("ended", np.float64), ("took", np.float64), ("cpu", np.float64), ("process", np.int32), ("op", np.int32), ("event", np.int32)],
    align=True,
)

# what a run and those who watch it tell each other. stop: leave off; over: it has ended; clock (s), events: so far; still: steps without
# time passing; without: events while every essential process waits
WATCH = np.dtype(
    [
        ("stop", np.int64),
        ("over", np.int64),
        ("clock", np.float64),
        ("events", np.int64),
        ("still", np.int64),
        ("without", np.int64),
    ],
    align=True,
)

PRIORITIES = 4
# of a histogram of waits: the last but one ends at 2**38 microseconds, which is 76 hours
BUCKETS = 40
