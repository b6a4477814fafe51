"""Each line of the engine's log is one JSON object, whoever wrote it."""

from __future__ import annotations

import json
import subprocess
import sys

_LIBRARY = """
import logging
from paperchute.engine.log import set_up_log

set_up_log(None)
log = logging.getLogger("some.package")
log.info("not this")
log.warning("{odd} %s", "words")
try:
    raise RuntimeError("gone")
except RuntimeError:
    log.exception("two\\nlines")
"""


def test_what_a_library_logs_is_a_line_like_ours() -> None:
    done = subprocess.run([sys.executable, "-c", _LIBRARY], stderr=subprocess.PIPE, text=True, check=True)
    first, second = map(json.loads, done.stderr.splitlines())
    assert (first["level"], first["library"], first["message"]) == ("WARNING", "some.package", "{odd} words")
    assert (second["level"], second["library"]) == ("ERROR", "some.package")
    assert "RuntimeError: gone" in second["trace"]
