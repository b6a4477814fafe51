"""What Prometheus reads is in its own format, and adds up."""

from __future__ import annotations

import re
from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from paperchute.engine.metrics import Load, Metrics

_SAMPLE = re.compile(r'([a-z_]+)(\{(?:[a-z]+="[^"\\\n]*",?)+\})? ([0-9.e+-]+)')
_IDLE = Load(2, {"quick": 0, "heavy": 0}, {"quick": 0, "heavy": 0}, {"quick": 0.0, "heavy": 0.0})


def samples(text: str) -> dict[str, float]:
    """By name with labels; each belongs to a family that was declared before it."""
    families: dict[str, str] = {}
    found: dict[str, float] = {}
    for line in text.splitlines():
        if line.startswith("# TYPE "):
            _, _, name, kind = line.split(" ")
            assert name not in families
            families[name] = kind
        elif not line.startswith("# HELP "):
            match = _SAMPLE.fullmatch(line)
            assert match is not None, line
            name = re.sub("_(bucket|sum|count)$", "", match[1]) if match[1] not in families else match[1]
            assert name in families
            assert f"{match[1]}{match[2] or ''}" not in found
            found[f"{match[1]}{match[2] or ''}"] = float(match[3])
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
