"""Found by the engine and by its workers through PYTHONPATH: puts the tests' operations before the real ones."""

from pathlib import Path

from paperchute.engine import operations

operations.__path__.insert(0, str(Path(__file__).parent / "operations"))
