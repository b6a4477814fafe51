"""Public reports of wrong results, tried on the engine: a table that anybody extends by one file and one entry.

`cases.toml` has an entry a report: where it was made, the operation, our own input of its words, and the right value.
`tests/benchmarks/test_reports.py` runs all, in the slow part of the suite.
"""
