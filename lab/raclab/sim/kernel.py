"""The compiled loop that interprets the programs.

Exactness: events at the same instant happen in the order in which they were scheduled; processes woken at an instant go
on in the order of waking, after the one that woke them has come to rest. A burst that is preempted keeps what it has
left, of its time slice too, and goes to the head of its class's queue; one whose slice ends goes to the back if anybody
of its class or a better one waits, and has a new slice. Locks and mailboxes are first come, first served.

Cancelled events stay in the heap and are recognised by their number (``event`` of the process has moved on).

Every so many steps (an event or an op is a step) the loop looks around: whether it is to stop, and whether it still gets
anywhere. A program that goes round without time passing is put aside for that look and goes on right after it.
"""

import math

import numpy as np
from numba import njit

from raclab.sim import ops
from raclab.sim.ops import BLOCKED, DELAYED, ENDED, IDLE, PRIORITIES, QUEUED, READY, RUNNING, WOKEN
from raclab.sim.variates import quantile, uniform, variate

# numba takes module constants as compile-time constants only when they are plain names
_RUN, _DELAY, _ACQUIRE, _RELEASE, _CALL, _TAKE, _DONE = ops.RUN, ops.DELAY, ops.ACQUIRE, ops.RELEASE, ops.CALL, ops.TAKE, ops.DONE
_SET_HOME, _JUMP, _JUMP_IF_HOME, _JUMP_IF_FREE = ops.SET_HOME, ops.JUMP, ops.JUMP_IF_HOME, ops.JUMP_IF_FREE
_JUMP_IF_SAME, _JUMP_IF_POSITIVE, _SET, _ADD, _COPY = ops.JUMP_IF_SAME, ops.JUMP_IF_POSITIVE, ops.SET, ops.ADD, ops.COPY
_LOOP, _NOTE, _MARK, _WAITED = ops.LOOP, ops.NOTE, ops.MARK, ops.WAITED
_SPIN, _CHANCE, _DRAW, _SEND = ops.SPIN, ops.CHANCE, ops.DRAW, ops.SEND
_WAIT, _POST, _LOOKUP, _DROP = ops.WAIT, ops.POST, ops.LOOKUP, ops.DROP
_FETCH, _SUBTRACT = ops.FETCH, ops.SUBTRACT
_CONSTANT, _EMPIRICAL = ops.CONSTANT, ops.EMPIRICAL

_WAITING = (BLOCKED, IDLE)

ALL_ENDED, STOPPED, NO_TIME_PASSES, NOBODY_ESSENTIAL_MOVES = 0, 1, 2, 3  # why a run is over
_STEPS = 1 << 14  # between two looks, at least
MOST_STEPS_AT_ONCE = 1_000_000  # at one instant, and as many again for a thousand processes
MOST_EVENTS_WITHOUT = 10_000_000  # while every essential process that has not ended waits

_BITS = np.int64(16)  # of a heap key, for the process; the event's number is above
_MASK = np.int64(0xFFFF)


MOST_PROCESSES = 1 << 16


@njit(cache=True, nogil=True)
def _push(times, keys, size, time, key):  # type: ignore[no-untyped-def]
    """Put an event into the binary heap; returns the new size."""
    i = size
    while i > 0:
        up = (i - 1) >> 1
        if times[up] < time or (times[up] == time and keys[up] < key):
            break
        times[i], keys[i] = times[up], keys[up]
        i = up
    times[i], keys[i] = time, key
    return size + 1


@njit(cache=True, nogil=True)
def _drop_first(times, keys, size):  # type: ignore[no-untyped-def]
    """Take the earliest event out of the heap; returns the new size."""
    size -= 1
    time, key = times[size], keys[size]
    i = 0
    while True:
        child = 2 * i + 1
        if child >= size:
            break
        right = child + 1
        if right < size and (times[right] < times[child] or (times[right] == times[child] and keys[right] < keys[child])):
            child = right
        if time < times[child] or (time == times[child] and key < keys[child]):
            break
        times[i], keys[i] = times[child], keys[child]
        i = child
    times[i], keys[i] = time, key
    return size


@njit(cache=True, nogil=True)
def _forget_stale(times, keys, size, process):  # type: ignore[no-untyped-def]
    """Rebuild the heap from its valid events; returns the new size."""
    kept = 0
    for i in range(size):
        time, key = times[i], keys[i]
        if process[key & _MASK].event == key >> _BITS:
            kept = _push(times, keys, kept, time, key)
    return kept


@njit(cache=True, nogil=True)
def _queue_for_cpu(head, tail, process, station, me):  # type: ignore[no-untyped-def]
    """Put a process at the back of its class's queue."""
    c = process[me].priority
    process[me].state = QUEUED
    process[me].next = -1
    if head[station, c] < 0:
        head[station, c] = me
    else:
        process[tail[station, c]].next = me
    tail[station, c] = me


@njit(cache=True, nogil=True)
def _wake(ring, first, waiting, me):  # type: ignore[no-untyped-def]
    """Put a process at the back of those that go on at this instant; returns how many there are."""
    last = first + waiting
    ring[last if last < ring.shape[0] else last - ring.shape[0]] = me
    return waiting + 1


@njit(cache=True, nogil=True)
def _within(i, length):  # type: ignore[no-untyped-def]
    """An index that a program has computed; IndexError where it leads nowhere."""
    if i < 0 or i >= length:
        raise IndexError("a program has computed the number of something that isn't in the model")
    return i


@njit(cache=True, nogil=True)
def _index(program, pc, cell, length):  # type: ignore[no-untyped-def]
    """Which lock, cell, link ... an op means: ``at`` where it is given, else ``a``, plus the value of cell ``by``."""
    op = program[pc]
    i = np.int64(op.at if op.at >= 0 else op.a)
    if op.by < 0:
        return i
    return _within(i + cell[op.by], length)


@njit(cache=True, nogil=True)
def _drawn(op, table, seed, me, draw):  # type: ignore[no-untyped-def]
    """A time (or number of bytes) from an op's distribution."""
    u = uniform(seed, me, draw)
    if op.law == _EMPIRICAL:
        return quantile(table, op.x, op.y, u)
    return variate(op.law, op.x, op.y, u)


@njit(cache=True, nogil=True)
def _take_if_free(lock, i, process, me):  # type: ignore[no-untyped-def]
    """A spinner that is on a core takes a free lock that nobody queues for: its burst is then over."""
    if lock[i].holder < 0 and lock[i].sharers == 0 and lock[i].head < 0:
        lock[i].holder = me
        process[me].left = 0.0


@njit(cache=True, nogil=True)
def _first_spinner(program, process, cell, lock, on_core, i):  # type: ignore[no-untyped-def]
    """Of the processes that spin for a lock on a core right now, the one that began first; -1 if there is none."""
    found = np.int32(-1)
    for station in range(on_core.shape[0]):
        for core in range(on_core.shape[1]):
            other = on_core[station, core]
            if other < 0 or program[process[other].pc].code != _SPIN or process[other].left == 0.0:
                continue
            if _index(program, process[other].pc, cell, lock.shape[0]) == i and (found < 0 or process[other].since < process[found].since):
                found = other
    return found


@njit(cache=True, nogil=True)
def _unlink(cache, place, c, p):  # type: ignore[no-untyped-def]
    """Take a place out of the order of use."""
    newer, older = place[p].newer, place[p].older
    if newer >= 0:
        place[newer].older = older
    else:
        cache[c].newest = older
    if older >= 0:
        place[older].newer = newer
    else:
        cache[c].oldest = newer
    place[p].inside = 0
    cache[c].used -= 1


@njit(cache=True, nogil=True)
def _look_up(cache, place, c, key):  # type: ignore[no-untyped-def]
    """Whether a cache has a key. Afterwards it has it, as the newest; the least recently used one may have had to go."""
    p = cache[c].first + _within(key, cache[c].keys)
    found = place[p].inside == 1
    if found:
        cache[c].hits += 1
        _unlink(cache, place, c, p)
    else:
        cache[c].misses += 1
        if cache[c].used == cache[c].room:
            _unlink(cache, place, c, cache[c].oldest)
    place[p].inside = 1
    place[p].newer = -1
    place[p].older = cache[c].newest
    if cache[c].newest >= 0:
        place[cache[c].newest].newer = p
    else:
        cache[c].oldest = p
    cache[c].newest = p
    cache[c].used += 1
    return found


@njit(cache=True, nogil=True)
def _drop(cache, place, c, key):  # type: ignore[no-untyped-def]
    """A cache forgets a key, if it has it."""
    p = cache[c].first + _within(key, cache[c].keys)
    if place[p].inside == 1:
        _unlink(cache, place, c, p)


@njit(cache=True, nogil=True)
def _bucket(seconds, buckets):  # type: ignore[no-untyped-def]
    """Where a wait counts in a histogram: k for 2**(k - 1) to 2**k microseconds, 0 for up to 1; the last takes whatever is longer.

    Rounded to a nanosecond, so that the clock's last bit moves no wait over an edge.
    """
    bits = np.float64(seconds * 1e6 - 5e-4).view(np.int64)
    return max(0, min(((bits - 1) >> 52) - 1022, buckets - 1))  # the exponent of a floating-point number is a power of two


@njit(cache=True, nogil=True)
def _write_down(trace, line, ended, took, cpu, who, pc, event):  # type: ignore[no-untyped-def]
    """A line of the trace: a finished op, or a whole wait for an event."""
    trace[line].ended = ended
    trace[line].took = took
    trace[line].cpu = cpu
    trace[line].process = who
    trace[line].op = pc
    trace[line].event = event


@njit(cache=True, nogil=True)
def _look_around(process, watch, now, handled, steps, horizon):  # type: ignore[no-untyped-def]
    """Tell the watch how far the run is, and find out whether it must end here; returns why, or 0 to go on."""
    n = process.shape[0]
    watch[0].still = 0 if now > watch[0].clock else watch[0].still + steps
    waiting = not math.isfinite(horizon)
    for i in range(n):
        if not waiting:
            break
        if process[i].essential and process[i].state != ENDED:
            waiting = process[i].state in _WAITING and process[i].since <= watch[0].clock
    watch[0].without = watch[0].without + handled - watch[0].events if waiting else 0
    watch[0].clock = now
    watch[0].events = handled
    if watch[0].stop:
        return STOPPED
    if watch[0].still > MOST_STEPS_AT_ONCE * (1 + n // 1000):
        return NO_TIME_PASSES
    if watch[0].without > MOST_EVENTS_WITHOUT:
        return NOBODY_ESSENTIAL_MOVES
    return 0


@njit(cache=True, nogil=True)
def interpret(  # type: ignore[no-untyped-def]
    program,
    process,
    cpu,
    lock,
    mailbox,
    cell,
    link,
    semaphore,
    cache,
    place,
    table,
    tally,
    waits,
    histogram,
    noted,
    trace,
    watch,
    samples,
    sampled,
    interval,
    horizon,
    seed,
):
    """Run a model until its essential processes have ended, nothing can happen any more, or the horizon is reached.

    program, process, cpu, lock, mailbox, cell, link, semaphore, cache, place: the model's arrays (ops.py); all but program
    are changed. table holds the quantiles of empirical distributions.
    tally (one an op), waits (one a process and event) and histogram (one a CPU, event and bucket) are added to; noted and trace are
    filled from their starts. watch[0] tells others how far the run is, and the run when to stop.
    samples[k, p] is the op that process p was at at time sampled[k], every ``interval`` seconds; when the room is used
    up, every other sample is dropped and the interval doubles.

    Returns (why it is over, the process that moved last, clock at the end in s, essential processes that have not ended, notes made,
    samples taken, ops and waits that the trace has or would have, events handled).
    """
    n = process.shape[0]
    room = 4 * n + 64
    times = np.empty(room, np.float64)
    keys = np.empty(room, np.int64)
    size = 0
    ring = np.empty(n + 1, np.int32)
    first = 0
    waiting = 0
    most_cores = 1
    for c in range(cpu.shape[0]):
        most_cores = max(most_cores, cpu[c].cores)
    on_core = np.full((cpu.shape[0], most_cores), -1, np.int32)
    head = np.full((cpu.shape[0], PRIORITIES), -1, np.int32)
    tail = np.full((cpu.shape[0], PRIORITIES), -1, np.int32)

    now = 0.0
    number = np.int64(0)
    handled = np.int64(0)
    notes = 0
    essential = 0
    taken_samples = 0
    next_sample = interval
    traced = 0
    why = ALL_ENDED
    me = np.int64(0)
    between = max(_STEPS, 16 * n)  # two looks
    steps = between
    for i in range(n):
        ring[i] = i
        essential += process[i].essential
        process[i].state = READY
    waiting = n

    while essential > 0:
        steps -= 1
        if steps < 0:
            why = _look_around(process, watch, now, handled, between, horizon)
            if why != 0:
                break
            steps = between
        # ---- who goes on? -------------------------------------------------------------------------------------
        finished = False  # the op that the process is at is over
        if waiting > 0:
            me = np.int64(ring[first])
            first += 1
            if first > n:
                first = 0
            waiting -= 1
            finished = process[me].state == BLOCKED
        else:
            me = np.int64(-1)
            while size > 0:
                time = times[0]
                key = keys[0]
                if process[key & _MASK].event == key >> _BITS:
                    me = key & _MASK
                    break
                size = _drop_first(times, keys, size)
            if me < 0 or time > horizon:
                if me >= 0 or math.isfinite(horizon):
                    now = horizon
                break
            while next_sample <= time:
                if taken_samples == samples.shape[0]:
                    for k in range(taken_samples // 2):
                        samples[k, :] = samples[2 * k + 1, :]
                        sampled[k] = sampled[2 * k + 1]
                    taken_samples //= 2
                    interval *= 2
                    next_sample = sampled[taken_samples - 1] + interval
                    continue
                for i in range(n):
                    samples[taken_samples, i] = process[i].pc if process[i].state != ENDED else -1
                sampled[taken_samples] = next_sample
                taken_samples += 1
                next_sample += interval
            size = _drop_first(times, keys, size)
            now = time
            handled += 1
            process[me].event = 0
            finished = True
            if process[me].state == RUNNING:
                station = process[me].cpu
                core = process[me].core
                worked = min(process[me].left, process[me].slice)
                cpu[station].used += worked
                tally[process[me].pc].cpu += worked
                if process[me].left > process[me].slice:
                    finished = False
                    process[me].left -= worked
                    process[me].slice = cpu[station].quantum
                    behind = False
                    for c in range(process[me].priority + 1):
                        behind = behind or head[station, c] >= 0
                    if not behind:
                        process[me].started = now
                        number += 1
                        process[me].event = number
                        size = _push(times, keys, size, now + min(process[me].left, process[me].slice), number << _BITS | me)
                        continue
                    _queue_for_cpu(head, tail, process, station, me)
                # the core is free: the first of the best class gets it
                on_core[station, core] = -1
                cpu[station].busy -= 1
                for c in range(PRIORITIES):
                    other = head[station, c]
                    if other >= 0:
                        head[station, c] = process[other].next
                        on_core[station, core] = other
                        cpu[station].busy += 1
                        process[other].state = RUNNING
                        process[other].core = core
                        process[other].started = now
                        if program[process[other].pc].code == _SPIN:
                            _take_if_free(lock, _index(program, process[other].pc, cell, lock.shape[0]), process, other)
                        number += 1
                        process[other].event = number
                        if size == room:
                            size = _forget_stale(times, keys, size, process)
                        slice_ends = now + min(process[other].left, process[other].slice)
                        size = _push(times, keys, size, slice_ends, number << _BITS | np.int64(other))
                        break
                if not finished:
                    continue

        # ---- it goes on until it comes to rest ----------------------------------------------------------------
        pc = process[me].pc
        while True:
            if finished:
                spent = now - process[me].since
                tally[pc].time += spent
                tally[pc].longest = max(tally[pc].longest, spent)
                if traced < trace.shape[0]:
                    _write_down(trace, traced, now, spent, tally[pc].cpu, me, pc, -1)
                traced += 1
                if program[pc].code == _SPIN:
                    i = _index(program, pc, cell, lock.shape[0])
                    lock[i].spinners -= 1
                    pc = pc + 1 if lock[i].holder == me else np.int64(program[pc].to)
                else:
                    pc += 1
            finished = False
            steps -= 1
            if steps < 0:
                if process[me].state != WOKEN:
                    process[me].state = READY
                first = first - 1 if first > 0 else n
                ring[first] = me
                waiting += 1
                break
            op = program[pc]
            code = op.code
            if code == _MARK:
                process[me].marked = now
                pc += 1
            elif code == _WAITED:
                spent = now - process[me].marked
                waits[me, op.a].hits += 1
                waits[me, op.a].time += spent
                waits[me, op.a].longest = max(waits[me, op.a].longest, spent)
                histogram[process[me].cpu, op.a, _bucket(spent, histogram.shape[2])] += 1
                if traced < trace.shape[0]:
                    _write_down(trace, traced, now, spent, 0.0, me, pc, op.a)
                traced += 1
                pc += 1
            elif code in (_DELAY, _RUN, _SPIN):
                tally[pc].hits += 1
                process[me].since = now
                if op.law == _CONSTANT:
                    drawn = op.x
                else:
                    drawn = _drawn(op, table, seed, me, process[me].draws)
                    process[me].draws += 1
                until = now + drawn
                alone = waiting == 0 and (size == 0 or until < times[0]) and until < next_sample and until <= horizon
                if code == _DELAY:
                    if alone:  # nothing can happen before: no need to go through the heap
                        now = until
                        handled += 1
                        finished = True
                        continue
                    process[me].state = DELAYED
                else:
                    station = process[me].cpu
                    process[me].left = drawn
                    process[me].slice = cpu[station].quantum
                    if code == _SPIN:
                        i = _index(program, pc, cell, lock.shape[0])
                        lock[i].spinners += 1
                        alone = False
                        if cpu[station].busy < cpu[station].cores:  # on a core at once: a free lock is got without spinning
                            _take_if_free(lock, i, process, me)
                            if process[me].left == 0.0:
                                finished = True
                                continue
                    if cpu[station].busy < cpu[station].cores:
                        if alone and drawn <= cpu[station].quantum:
                            now = until
                            handled += 1
                            cpu[station].used += drawn
                            tally[pc].cpu += drawn
                            finished = True
                            continue
                        core = 0
                        while on_core[station, core] >= 0:
                            core += 1
                        cpu[station].busy += 1
                    else:
                        core = -1
                        worst = process[me].priority
                        for c in range(cpu[station].cores):
                            other = on_core[station, c]
                            if process[other].priority > worst or (
                                core >= 0
                                and process[other].priority == worst
                                and process[other].started > process[on_core[station, core]].started
                            ):
                                worst = process[other].priority
                                core = c
                        if core < 0:  # nobody to preempt: queue
                            _queue_for_cpu(head, tail, process, station, me)
                            break
                        other = on_core[station, core]
                        worked = now - process[other].started
                        process[other].left = max(0.0, process[other].left - worked)  # below 0 by rounding, at the end of its burst
                        process[other].slice = max(0.0, process[other].slice - worked)
                        cpu[station].used += worked
                        tally[process[other].pc].cpu += worked
                        process[other].event = 0
                        process[other].state = QUEUED
                        c = process[other].priority
                        process[other].next = head[station, c]
                        if head[station, c] < 0:
                            tail[station, c] = other
                        head[station, c] = other
                    on_core[station, core] = me
                    process[me].state = RUNNING
                    process[me].core = core
                    process[me].started = now
                    if code == _SPIN:
                        _take_if_free(lock, _index(program, pc, cell, lock.shape[0]), process, me)
                    until = now + min(process[me].left, process[me].slice)
                number += 1
                process[me].event = number
                if size == room:
                    size = _forget_stale(times, keys, size, process)
                size = _push(times, keys, size, until, number << _BITS | me)
                break
            elif code == _ACQUIRE:
                tally[pc].hits += 1
                process[me].since = now
                i = _index(program, pc, cell, lock.shape[0])
                if lock[i].holder < 0 and (lock[i].sharers == 0 if op.b == 0 else lock[i].head < 0):
                    if op.b == 0:
                        lock[i].holder = me
                    else:
                        lock[i].sharers += 1
                    finished = True
                    continue
                process[me].state = BLOCKED
                process[me].next = -1
                if lock[i].head < 0:
                    lock[i].head = me
                else:
                    process[lock[i].tail].next = me
                lock[i].tail = me
                break
            elif code == _RELEASE:
                i = _index(program, pc, cell, lock.shape[0])
                if lock[i].holder == me:
                    lock[i].holder = -1
                elif lock[i].sharers > 0:
                    lock[i].sharers -= 1
                else:
                    raise ValueError("a program gives back a lock that it does not have")
                while lock[i].head >= 0 and lock[i].holder < 0:
                    other = lock[i].head
                    shared = program[process[other].pc].b == 1
                    if not shared and lock[i].sharers > 0:
                        break
                    lock[i].head = process[other].next
                    if shared:
                        lock[i].sharers += 1
                    else:
                        lock[i].holder = other
                    waiting = _wake(ring, first, waiting, other)
                if lock[i].spinners > 0 and lock[i].holder < 0 and lock[i].sharers == 0:
                    other = _first_spinner(program, process, cell, lock, on_core, i)
                    if other >= 0:
                        station = process[other].cpu
                        worked = now - process[other].started
                        cpu[station].used += worked
                        tally[process[other].pc].cpu += worked
                        lock[i].holder = other
                        process[other].left = 0.0
                        process[other].started = now
                        number += 1
                        process[other].event = number
                        if size == room:
                            size = _forget_stale(times, keys, size, process)
                        size = _push(times, keys, size, now, number << _BITS | np.int64(other))
                pc += 1
            elif code == _CALL:
                tally[pc].hits += 1
                process[me].since = now
                if op.at >= 0:
                    box = np.int64(op.a + lock[_index(program, pc, cell, lock.shape[0])].home)
                else:
                    box = _index(program, pc, cell, mailbox.shape[0])
                process[me].state = BLOCKED
                process[me].next = -1
                if mailbox[box].head < 0:
                    mailbox[box].head = me
                else:
                    process[mailbox[box].tail].next = me
                mailbox[box].tail = me
                mailbox[box].count += 1
                other = mailbox[box].idle
                if other >= 0:
                    mailbox[box].idle = process[other].next
                    process[other].state = WOKEN
                    waiting = _wake(ring, first, waiting, other)
                break
            elif code == _TAKE:
                if process[me].state == WOKEN:
                    process[me].state = READY
                else:
                    tally[pc].hits += 1
                    process[me].since = now
                if mailbox[op.a].count == 0:
                    process[me].state = IDLE
                    process[me].next = -1
                    if mailbox[op.a].idle < 0:
                        mailbox[op.a].idle = me
                    else:
                        process[mailbox[op.a].idle_tail].next = me
                    mailbox[op.a].idle_tail = me
                    break
                most = mailbox[op.a].count if op.b == 0 else min(op.b, mailbox[op.a].count)
                process[me].taken = mailbox[op.a].head
                other = mailbox[op.a].head
                for _ in range(most - 1):
                    other = process[other].next
                mailbox[op.a].head = process[other].next
                process[other].next = -1
                mailbox[op.a].count -= most
                finished = True
            elif code == _DONE:
                other = process[me].taken
                while other >= 0:
                    waiting = _wake(ring, first, waiting, other)
                    other = process[other].next
                process[me].taken = -1
                pc += 1
            elif code == _SET_HOME:
                lock[_index(program, pc, cell, lock.shape[0])].home = op.b
                pc += 1
            elif code == _JUMP:
                pc = np.int64(op.to)
            elif code == _JUMP_IF_HOME:
                pc = np.int64(op.to) if lock[_index(program, pc, cell, lock.shape[0])].home == op.b else pc + 1
            elif code == _JUMP_IF_FREE:
                i = _index(program, pc, cell, lock.shape[0])
                pc = np.int64(op.to) if lock[i].home == op.b and lock[i].holder < 0 and lock[i].sharers == 0 else pc + 1
            elif code == _JUMP_IF_SAME:
                shift = np.int64(0)
                if op.at >= 0:
                    shift += lock[_index(program, pc, cell, lock.shape[0])].home
                elif op.by >= 0:
                    shift += cell[op.by]
                i = _within(op.a + shift, cell.shape[0])
                pc = np.int64(op.to) if cell[i] == cell[_within(op.b + shift, cell.shape[0])] else pc + 1
            elif code == _JUMP_IF_POSITIVE:
                pc = np.int64(op.to) if cell[_index(program, pc, cell, cell.shape[0])] > 0 else pc + 1
            elif code == _SET:
                cell[_index(program, pc, cell, cell.shape[0])] = op.b
                pc += 1
            elif code == _ADD:
                cell[_index(program, pc, cell, cell.shape[0])] += op.b
                pc += 1
            elif code == _COPY:
                cell[_index(program, pc, cell, cell.shape[0])] = cell[op.b]
                pc += 1
            elif code == _LOOP:
                cell[op.a] -= 1
                pc = np.int64(op.to) if cell[op.a] > 0 else pc + 1
            elif code == _NOTE:
                if notes < noted.shape[0]:
                    noted[notes].time = now
                    noted[notes].process = me
                    noted[notes].value = cell[op.a]
                    notes += 1
                pc += 1
            elif code == _CHANCE:
                u = uniform(seed, me, process[me].draws)  # type: ignore[arg-type]
                process[me].draws += 1
                pc = np.int64(op.to) if u < op.x else pc + 1
            elif code == _DRAW:
                u = uniform(seed, me, process[me].draws)  # type: ignore[arg-type]
                process[me].draws += 1
                cell[op.a] = np.int64(u * op.b)
                pc += 1
            elif code == _SEND:
                tally[pc].hits += 1
                process[me].since = now
                size_of = op.x
                if op.law != _CONSTANT:
                    size_of = _drawn(op, table, seed, me, process[me].draws)
                    process[me].draws += 1
                if op.at >= 0:
                    i = _within(op.a + lock[_index(program, pc, cell, lock.shape[0])].home, link.shape[0])
                else:
                    i = _index(program, pc, cell, link.shape[0])
                link[i].sent += size_of
                link[i].free = max(now, link[i].free) + size_of / link[i].bandwidth
                process[me].state = DELAYED
                number += 1
                process[me].event = number
                if size == room:
                    size = _forget_stale(times, keys, size, process)
                size = _push(times, keys, size, link[i].free, number << _BITS | me)
                break
            elif code == _WAIT:
                tally[pc].hits += 1
                process[me].since = now
                i = _index(program, pc, cell, semaphore.shape[0])
                if semaphore[i].units > 0:
                    semaphore[i].units -= 1
                    finished = True
                    continue
                process[me].state = BLOCKED
                process[me].next = -1
                if semaphore[i].head < 0:
                    semaphore[i].head = me
                else:
                    process[semaphore[i].tail].next = me
                semaphore[i].tail = me
                break
            elif code == _POST:
                i = _index(program, pc, cell, semaphore.shape[0])
                semaphore[i].units += op.b
                while semaphore[i].units > 0 and semaphore[i].head >= 0:
                    other = semaphore[i].head
                    semaphore[i].head = process[other].next
                    semaphore[i].units -= 1
                    waiting = _wake(ring, first, waiting, other)
                pc += 1
            elif code == _LOOKUP:
                found = _look_up(cache, place, _index(program, pc, cell, cache.shape[0]), cell[op.b])
                pc = np.int64(op.to) if found else pc + 1
            elif code == _DROP:
                _drop(cache, place, _index(program, pc, cell, cache.shape[0]), cell[op.b])
                pc += 1
            elif code == _FETCH:
                cell[op.a] = cell[_within(op.b + cell[op.by], cell.shape[0])]
                pc += 1
            elif code == _SUBTRACT:
                cell[op.a] -= cell[op.b]
                pc += 1
            else:  # END
                process[me].state = ENDED
                process[me].ended = now
                essential -= process[me].essential
                break
        process[me].pc = pc
    watch[0].clock = now
    watch[0].events = handled
    return why, me, now, essential, notes, taken_samples, traced, handled
