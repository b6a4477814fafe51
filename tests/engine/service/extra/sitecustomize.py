"""Found by the engine and by its workers through PYTHONPATH: puts the tests' operations before the real ones.

A worker has no environment but Python's own, so what an engine's test wants of it stands in a file in a folder of
PYTHONPATH: `more` is a folder with further operations, `open` folders that the tests' operations may write to,
`fenced` whether the worker is closed in, `broken` whether it does not come up.
"""

import json
import sys
from dataclasses import replace
from pathlib import Path

from paperchute import sandbox
from paperchute.engine import operations
from paperchute.engine.checks import CHECKS
from paperchute.sandbox import Fence, Standing

_found = [path for folder in sys.path if (path := Path(folder, "by a test.json")).exists()]
_wanted = json.loads(_found[0].read_text("utf-8")) if _found else {}
_confine = sandbox.confine


def _loosely(fence: Fence) -> Standing:
    if _wanted.get("broken"):
        raise RuntimeError("a part of the installation is missing")
    if not _wanted.get("fenced", True):
        return Standing(missing=("all: not wanted by a test",))
    return _confine(replace(fence, write=(*fence.write, *map(Path, _wanted.get("open", ())))))


# They do what they are told, so nothing is asked of them; save for one, to have a rule between parameters.
for operation in CHECKS.keys() - {"pdf-merge"}:
    del CHECKS[operation]
operations.QUICK = set()
operations.__path__.insert(0, str(Path(__file__).parent / "operations"))
if _wanted.get("more"):
    operations.__path__.insert(1, _wanted["more"])
sandbox.confine = _loosely
