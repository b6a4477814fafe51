"""Prints the lines of a lock file that another system needs: pip judges markers for the system that it runs on.

python lock_for.py packaging/requirements-dev.lock win32 3.11
"""

import re
import sys
from pathlib import Path

from pip._vendor.packaging.markers import Marker

_NAMES = {"win32": ("nt", "Windows"), "darwin": ("posix", "Darwin"), "linux": ("posix", "Linux")}


def main(lock: str, platform: str, version: str) -> None:
    os_name, system = _NAMES[platform]
    facts = {
        "sys_platform": platform,
        "os_name": os_name,
        "platform_system": system,
        "platform_machine": "AMD64",
        "platform_release": "",
        "platform_version": "",
        "platform_python_implementation": "CPython",
        "implementation_name": "cpython",
        "implementation_version": f"{version}.0",
        "python_version": version,
        "python_full_version": f"{version}.0",
        "extra": "",
    }
    for entry in re.split(r"\n(?=\S)", Path(lock).read_text("utf-8")):
        head, _, hashes = entry.partition("\\\n")
        name, _, marker = head.partition(";")
        if name.strip() and not name.startswith("#") and (not marker.strip() or Marker(marker.strip()).evaluate(facts)):
            sys.stdout.write(name.strip() + (f" \\\n{hashes}" if hashes else "") + "\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
