"""Found by the engine and by its workers through PYTHONPATH: puts the tests' operations before the real ones."""

import os
from pathlib import Path

from paperchute.engine import operations

operations.__path__.insert(0, str(Path(__file__).parent / "operations"))
if os.environ.get("MORE_OPERATIONS"):
    operations.__path__.insert(1, os.environ["MORE_OPERATIONS"])
