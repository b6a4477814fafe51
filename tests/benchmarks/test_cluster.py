"""The simulated service loses nothing, and waits as long as theory says."""

from __future__ import annotations

import random
from statistics import fmean

from benchmarks.cluster.simulation import HOUR, Kind, Service, Simulation, arrivals
from hypothesis import given
from hypothesis import strategies as st

_DAYS = 30 * 24 * HOUR
_NO_COST = {"transactions": 1e9, "sync": 0.0, "around": 0.0}
_DOCUMENTS = st.lists(
    st.tuples(st.floats(0.0, 5000.0), st.booleans(), st.floats(0.001, 500.0)), min_size=1, max_size=60
).map(sorted)


@given(_DOCUMENTS, st.integers(1, 5), st.integers(0, 3), st.floats(1.0, 1000.0))
def test_what_comes_ends_and_no_process_has_two(
    documents: list[tuple[float, bool, float]], processes: int, machines: int, transactions: float
) -> None:
    service = Service([processes], machines, transactions)
    seen = Simulation(service).run(documents, ends=_DAYS)
    assert (seen.ended, seen.left, len(seen.waits)) == (len(documents), 0, len(documents))
    steps = service.submission + service.beginning + service.end
    assert min(seen.took) >= steps / transactions
    assert seen.busy <= (processes + machines) * (max(at for at, _, _ in documents) + sum(seen.took))
    assert sum(seen.written.values()) == steps * len(documents)
    early = Simulation(service).run(documents, ends=documents[-1][0])
    assert early.ended + early.left == len(documents)


def test_one_worker_waits_as_pollaczek_and_khinchine_say() -> None:
    chance, now, documents = random.Random(7), 0.0, []
    for _ in range(40_000):
        now += chance.expovariate(0.7)
        documents.append((now, False, 1.0))
    seen = Simulation(Service([1], 0, **_NO_COST)).run(documents, ends=_DAYS)
    expected = 0.7 / (2 * (1 - 0.7))  # fixed service times of a second
    assert abs(fmean(seen.waits) - expected) / expected < 0.1


def test_a_database_that_writes_too_little_is_what_all_wait_for() -> None:
    documents = [(number * 0.01, False, 0.001) for number in range(2000)]
    took = {
        transactions: max(Simulation(Service([50], 0, transactions)).run(documents).took)
        for transactions in (4000.0, 1000.0)
    }
    assert took[4000.0] < 1.0
    assert took[1000.0] > 20.0  # 100 a second × 21 transactions for 20 s


def test_quick_work_does_not_wait_for_heavy_work_and_nobody_is_stopped_when_workers_go() -> None:
    heavy = [(float(number), False, 4 * HOUR) for number in range(10)]
    quick = (100.0, True, 0.1)
    seen = Simulation(Service([2], 1, **_NO_COST)).run([*heavy, quick], ends=_DAYS)
    assert min(seen.took) < 1.0
    fewer = Simulation(Service([2, *[1] * 23], 0, **_NO_COST)).run(heavy[:3], ends=_DAYS)
    assert sorted(round(took / HOUR) for took in fewer.took) == [4, 4, 8]


def test_a_day_is_the_same_for_the_same_seed_and_has_as_many_documents_as_it_should() -> None:
    kinds = (Kind("one", 0.5, 1.0), Kind("tray", 0.5, 10.0, together=20, is_quick=True))
    by_hour = [0.0] * 8 + [1.0] * 8 + [0.0] * 8
    day, again = (list(arrivals(20_000, by_hour, kinds, 3)) for _ in range(2))
    assert day == again
    assert abs(len(day) - 20_000) < 1_000
    assert abs(sum(is_quick for _, is_quick, _ in day) / len(day) - 0.5) < 0.05
    assert 8 * HOUR <= day[0][0] <= day[-1][0] < 16 * HOUR
    assert abs(fmean(seconds for _, is_quick, seconds in day if is_quick) - 10.0) < 0.5
