"""Branches by chance, measured times and caches, twice: as programs for the kernel, and in plain SimPy.

Both draw the same variates in the same order, so every figure must be equal to the last bit.
"""

from collections import OrderedDict
from collections.abc import Iterator

import simpy

from raclab.bench.bulk_variates import both
from raclab.bench.simpy_cores import Steps
from raclab.bench.simpy_peer import Outcome, Pair, Peer, pause
from raclab.bench.spent import Spent
from raclab.sim import Empirical, Exponential, Label, Model

SHORT_S, LONG_S = 0.1, 1.0
MEASURED_S = (0.1, 0.12, 0.15, 0.2, 0.9, 4.0)


def chance(probability: float, processes: int, rounds: int) -> Pair:
    """With a probability the short way, else the long way; then a time of a measured distribution."""

    def build() -> Model:
        model = Model()
        cpu = model.cpu(1)
        for number in range(processes):
            process = model.process(f"process {number}", cpu)
            with process.loop(rounds):
                short, on = Label(), Label()
                process.jump_by_chance(probability, short)
                process.delay(Exponential(LONG_S))
                process.jump(on)
                process.place(short)
                process.delay(Exponential(SHORT_S))
                process.place(on)
                process.delay(Empirical(MEASURED_S))
        return model

    def simulate(seed: int) -> Outcome:
        peer = Peer(seed)
        env = peer.env

        def process(steps: list[Spent], draws: Iterator[tuple[float, float]]) -> Steps:
            for _ in range(rounds):
                if next(draws)[0] < probability:
                    yield from pause(env, SHORT_S * next(draws)[1], steps[1])
                else:
                    yield from pause(env, LONG_S * next(draws)[1], steps[0])
                at = next(draws)[0] * (len(MEASURED_S) - 1)
                low = MEASURED_S[int(at)]
                yield from pause(env, low + (at - int(at)) * (MEASURED_S[int(at) + 1] - low), steps[2])

        for _ in range(processes):
            peer.start(3, process, draws=both)
        return peer.run()

    return Pair(f"branch with probability {probability:g}, {processes} processes", build, simulate)


def cache(size: int, keys: int, readers: int, rounds: int) -> Pair:
    """Readers of one cache, each with the same lock for what is not in it; now and then a key is thrown out."""

    def build() -> Model:
        model = Model()
        cpu, buffers, disk = model.cpu(1), model.cache(size, keys), model.lock()
        for number in range(readers):
            reader, key = model.process(f"reader {number}", cpu), model.cell()
            with reader.loop(rounds):
                hit, keep = Label(), Label()
                reader.draw(key, keys)
                reader.jump_if_cached(buffers, key, hit)
                reader.acquire(disk)
                reader.delay(Exponential(LONG_S))
                reader.release(disk)
                reader.place(hit)
                reader.delay(Exponential(SHORT_S))
                reader.jump_by_chance(0.9, keep)
                reader.drop(buffers, key)
                reader.place(keep)
        return model

    def simulate(seed: int) -> Outcome:
        peer = Peer(seed)
        env, disk = peer.env, simpy.Resource(peer.env)
        buffers: OrderedDict[int, None] = OrderedDict()

        def reader(steps: list[Spent], draws: Iterator[tuple[float, float]]) -> Steps:
            for _ in range(rounds):
                key = int(next(draws)[0] * keys)
                hit = key in buffers
                buffers[key] = None
                buffers.move_to_end(key)
                if len(buffers) > size:
                    buffers.popitem(last=False)
                if not hit:
                    began = env.now
                    with disk.request() as turn:
                        yield turn
                        steps[0].add(env.now - began)
                        yield from pause(env, LONG_S * next(draws)[1], steps[1])
                yield from pause(env, SHORT_S * next(draws)[1], steps[2])
                if next(draws)[0] >= 0.9:
                    buffers.pop(key, None)

        for _ in range(readers):
            peer.start(3, reader, draws=both)
        return peer.run()

    return Pair(f"cache of {size} in {keys} keys, {readers} readers", build, simulate)
