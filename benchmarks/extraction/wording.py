"""What the generated documents call things, by language: the tables in `wording/`."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

WORDING: dict[str, dict[str, Any]] = {
    path.stem: tomllib.loads(path.read_text("utf-8")) for path in sorted((Path(__file__).parent / "wording").iterdir())
}
