"""Whoever came first goes first."""

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from memorycore.service.first_come import FirstComeLock


def test_waiters_go_in_the_order_in_which_they_came() -> None:
    lock = FirstComeLock()
    served: list[int] = []

    def wait(number: int) -> None:
        with lock:
            served.append(number)

    threads = []
    with lock:
        for number in range(8):
            thread = threading.Thread(target=wait, args=(number,))
            thread.start()
            threads.append(thread)
            while len(lock._waiting) <= number:
                pass
    for thread in threads:
        thread.join(60)
    assert served == list(range(8))


def test_only_one_is_inside_at_a_time() -> None:
    lock = FirstComeLock()
    inside = 0
    most = 0

    def work(_: int) -> None:
        nonlocal inside, most
        with lock:
            inside += 1
            most = max(most, inside)
            inside -= 1

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(work, range(400)))
    assert (most, inside) == (1, 0)


def test_a_fault_inside_lets_the_next_one_in() -> None:
    lock = FirstComeLock()
    with pytest.raises(ValueError, match="inside"), lock:
        raise ValueError("inside")
    with lock:
        pass
