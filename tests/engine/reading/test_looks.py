"""How text objects look, as arrays."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from paperchute.engine.reading.pdf.looks import Looks

_LOOK = st.tuples(st.integers(0, 2), st.integers(0, 1), st.sampled_from([10.0, 12.0]), st.sampled_from([0.0, 1.0]))


@given(st.lists(_LOOK, max_size=12))
def test_text_objects_look_as_the_last_that_begins_a_look(told: list[tuple[int, int, float, float]]) -> None:
    matrices = np.array([[a, 0.0, 0.0, 1.0, 5.0, 6.0] for *_, a in told]).reshape(len(told), 6)
    fonts, modes, sizes = (np.array([look[n] for look in told], kind) for n, kind in enumerate("Qqd"))
    looks = Looks.of(fonts, modes, sizes, matrices)
    begins = looks.begins()
    each = dict(enumerate(looks.looks(list(range(len(told) + 1)))))
    assert begins[:1] == [1][: len(told)]
    for number, (font, mode, size, a) in enumerate(told, 1):
        last = max(begin for begin in begins if begin <= number)
        assert each[last] == each[number] == (font, mode, size, (a, 0.0, 0.0, 1.0))
    assert all(each[begin] != each[begin - 1] for begin in begins[1:])
