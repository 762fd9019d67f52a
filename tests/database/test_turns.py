"""So many statements run at once; a long one shuts nobody out."""

import threading
from concurrent.futures import ThreadPoolExecutor

from raclab.database.turns import Turns


def test_no_more_than_so_many_at_once():
    turns, inside, most, lock = Turns(2, turn_s=600.0), 0, 0, threading.Lock()

    def work(_):
        nonlocal inside, most
        with turns.turn():
            with lock:
                inside += 1
                most = max(most, inside)
            threading.Event().wait(0.001)
            with lock:
                inside -= 1

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(work, range(100)))
    assert most == 2 and not turns._began


def test_one_that_takes_long_no_longer_counts():
    turns, over = Turns(1, turn_s=0.05), threading.Event()

    def long():
        with turns.turn():
            over.wait(30)

    busy = [threading.Thread(target=long) for _ in range(3)]
    for thread in busy:
        thread.start()
    with turns.turn():  # comes, though none of them has ended
        assert all(thread.is_alive() for thread in busy)
    over.set()
    for thread in busy:
        thread.join()


def test_who_came_first_is_first():
    turns, order, begun = Turns(1, turn_s=600.0), [], threading.Semaphore(0)

    def have(name):
        begun.release()
        with turns.turn():
            order.append(name)

    with ThreadPoolExecutor(5) as pool:
        with turns.turn():
            for number in range(5):
                pool.submit(have, number)
                assert begun.acquire(timeout=30)
                while len(turns._waiting) <= number:
                    pass
        have("again")
    assert order == [0, 1, 2, 3, 4, "again"]
