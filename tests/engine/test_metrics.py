"""What Prometheus reads is in its own format, and adds up."""

from __future__ import annotations

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st
from prometheus_client.parser import text_string_to_metric_families

from paperchute.engine.metrics import Load, Metrics

_IDLE = Load(2, {"quick": 0, "heavy": 0}, {"quick": 0, "heavy": 0}, {"quick": 0.0, "heavy": 0.0})


def samples(text: str) -> dict[str, float]:
    """By name with labels, as Prometheus' own library reads them; each belongs to a family with a type and a help."""
    found: dict[str, float] = {}
    families = list(text_string_to_metric_families(text))
    assert len({family.name for family in families}) == len(families)
    for family in families:
        assert family.type in ("counter", "gauge", "histogram"), family.name
        assert family.documentation.endswith("."), family.name
        for name, labels, value, *_ in family.samples:
            told = ",".join(f'{label}="{labels[label]}"' for label in sorted(labels, key=lambda label: label == "le"))
            key = name + (f"{{{told}}}" if told else "")
            assert key not in found
            found[key] = value
    assert text.endswith("\n")
    return found


@given(
    st.lists(
        st.tuples(st.sampled_from(["pdf-merge", "pdf-to-docx"]), st.sampled_from(["", "02210"]), st.floats(0, 1e5))
    )
)
def test_runs_add_up(runs: list[tuple[str, str, float]]) -> None:
    metrics = Metrics()
    for operation, code, seconds in runs:
        metrics.waited(operation, seconds)
        metrics.ran(operation, code, seconds)
        metrics.retried(operation)
        metrics.refused(code or "401")
    found = samples(metrics.text(_IDLE))
    assert sum(value for name, value in found.items() if name.startswith("paperchute_runs_total")) == len(runs)
    for operation, count in Counter(operation for operation, _, _ in runs).items():
        for name in ("wait", "run"):
            label = f'operation="{operation}"'
            buckets = [v for k, v in found.items() if k.startswith(f"paperchute_{name}_seconds_bucket{{{label}")]
            assert buckets == sorted(buckets)
            assert buckets[-1] == found[f"paperchute_{name}_seconds_count{{{label}}}"] == count
        assert found[f'paperchute_retries_total{{operation="{operation}"}}'] == count
    assert sum(value for name, value in found.items() if name.startswith("paperchute_refusals")) == len(runs)


def test_a_bound_counts_what_is_no_longer_than_it() -> None:
    metrics = Metrics()
    for seconds in (0.1, 0.1001):
        metrics.ran("pdf-merge", "", seconds)
    found = samples(metrics.text(_IDLE))
    assert found['paperchute_run_seconds_bucket{operation="pdf-merge",le="0.1"}'] == 1
    assert found['paperchute_run_seconds_bucket{operation="pdf-merge",le="0.5"}'] == 2


def test_each_engine_tells_what_is_its_own() -> None:
    metrics = Metrics()
    metrics.fenced("pdf-merge")
    assert {name for name in samples(metrics.text(None)) if "workers" in name or "waiting" in name} == set()
    metrics.watch(lambda: Load(4, {"quick": 1, "heavy": 2}, {"quick": 0, "heavy": 0}, {"quick": 0.0, "heavy": 0.0}))
    worker = samples(metrics.text(None))
    assert (worker["paperchute_pool_workers"], worker["paperchute_pool_busy"]) == (4, 3)
    assert worker['paperchute_fences_total{operation="pdf-merge"}'] == 1
    server = samples(Metrics().text(_IDLE, database=True))
    assert (server["paperchute_workers"], server["paperchute_database_up"]) == (2, 1)
    assert samples(Metrics().text(None, database=False)) == {"paperchute_database_up": 0}
