"""Queues whose answer is known: one function a formula, each with its source. Rates a second, times in seconds.

L. Kleinrock, Queueing Systems, vol. 1: Theory (Wiley 1975), vol. 2: Computer Applications (Wiley 1976).
D. Gross, C. M. Harris, Fundamentals of Queueing Theory (Wiley).
A. Cobham, Priority Assignment in Waiting Line Problems, J. Operations Research Society of America 2 (1954).
M. Reiser, S. S. Lavenberg, Mean-Value Analysis of Closed Multichain Queuing Networks, J. ACM 27 (1980).
"""

import math
from collections.abc import Sequence

import numpy as np


def wait_with_servers(arrival_rate: float, service_mean: float, servers: int) -> float:
    """M/M/c: mean wait in the queue, by Erlang's C formula (Gross and Harris, ch. 2); with one server, M/M/1."""
    offered = arrival_rate * service_mean
    _must_be_stable(offered / servers)
    all_busy = offered**servers / math.factorial(servers) / (1 - offered / servers)
    waits = all_busy / (sum(offered**n / math.factorial(n) for n in range(servers)) + all_busy)
    return waits * service_mean / (servers - offered)


def wait_with_any_service(arrival_rate: float, service_mean: float, service_square: float) -> float:
    """M/G/1: mean wait in the queue by Pollaczek and Khinchine (Kleinrock 1, ch. 5); ``service_square`` is E[S^2]."""
    load = arrival_rate * service_mean
    _must_be_stable(load)
    return arrival_rate * service_square / (2 * (1 - load))


def times_with_preemption(classes: Sequence[tuple[float, float, float]]) -> list[float]:
    """M/G/1 with preemptive-resume priorities: mean time in the system by class, best first (Kleinrock 2, ch. 3).

    ``classes`` are (arrival rate, E[S], E[S^2]).
    """
    times, better, residual = [], 0.0, 0.0
    for rate, mean, square in classes:
        load = better + rate * mean
        _must_be_stable(load)
        residual += rate * square / 2
        times.append(mean / (1 - better) + residual / ((1 - better) * (1 - load)))
        better = load
    return times


def waits_without_preemption(classes: Sequence[tuple[float, float, float]]) -> list[float]:
    """M/G/1 with priorities, nobody interrupted: mean wait in the queue by class, best first (Cobham 1954; Kleinrock 2, ch. 3).

    ``classes`` are (arrival rate, E[S], E[S^2]).
    """
    residual = sum(rate * square / 2 for rate, _, square in classes)
    waits, better = [], 0.0
    for rate, mean, _ in classes:
        load = better + rate * mean
        _must_be_stable(load)
        waits.append(residual / ((1 - better) * (1 - load)))
        better = load
    return waits


def wait_for_repair(machines: int, repairers: int, up_mean: float, repair_mean: float) -> float:
    """Machine repair (M/M/c with a finite source): mean wait until the repair begins (Gross and Harris, ch. 2)."""
    weights = [1.0]
    for down in range(1, machines + 1):
        weights.append(weights[-1] * (machines - down + 1) / up_mean * repair_mean / min(down, repairers))
    failures = sum(weight * (machines - down) for down, weight in enumerate(weights)) / up_mean
    queue = sum(weight * max(0, down - repairers) for down, weight in enumerate(weights))
    return queue / failures


def rounds_of_a_closed_network(demands: Sequence[float], customers: int) -> float:
    """Throughput of a closed network of single-server stations, by mean value analysis (Reiser and Lavenberg 1980).

    ``demands`` are the mean service times of the stations that each customer visits in turn.
    """
    queues, rate = [0.0] * len(demands), 0.0
    for present in range(1, customers + 1):
        times = [demand * (1 + queue) for demand, queue in zip(demands, queues, strict=True)]
        rate = present / sum(times)
        queues = [rate * time for time in times]
    return rate


def time_of_a_group_commit(sessions: int, think_mean: float, write_mean: float) -> float:
    """Sessions that think and then wait for a write which takes all that wait when it begins: mean time from asking to done.

    The balance equations of the Markov chain over (in this write, waiting for the next), solved; times are exponential.
    """
    states = [(0, 0)] + [(n, w) for n in range(1, sessions + 1) for w in range(sessions - n + 1)]
    place = {state: i for i, state in enumerate(states)}
    rates = np.zeros((len(states), len(states)))
    for (writing, waiting), i in place.items():
        thinking = sessions - writing - waiting
        if thinking:
            rates[i, place[(writing, waiting + 1) if writing else (1, 0)]] += thinking / think_mean
        if writing:
            rates[i, place[(waiting, 0)]] += 1 / write_mean
    balance = rates.T - np.diag(rates.sum(axis=1))
    balance[-1] = 1.0  # one equation follows from the others; the probabilities add up to 1
    share = np.linalg.solve(balance, np.eye(len(states))[-1])
    asking = sum(p * (writing + waiting) for p, (writing, waiting) in zip(share, states, strict=True))
    return float(asking / ((sessions - asking) / think_mean))


def _must_be_stable(load: float) -> None:
    if load >= 1:
        raise ValueError(f"a queue with a load of {load:.2f} grows without end; there is no mean to compare with")
