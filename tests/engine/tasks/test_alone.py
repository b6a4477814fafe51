"""An engine that works alone needs nothing of what several share."""

from __future__ import annotations

import subprocess
import sys


def test_nothing_of_a_cluster_is_imported() -> None:
    code = (
        "import sys, paperchute.engine.__main__ as main\n"
        "main._parser()\n"
        "print(*{'psycopg', 'procrastinate', 'obstore', 'cryptography'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=120)
    assert done.stdout.split() == []
