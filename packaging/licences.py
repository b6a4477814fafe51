"""The licences of everything Paperchute installs to run: `python packaging/licences.py > docs/licences.md`.

Read from the installed packages' own metadata. A licence that is missing or that would bind the whole program ends it
with an error; libraries under the LGPL are used unchanged and imported, which it allows.
"""

from __future__ import annotations

import re
import sys
from importlib.metadata import Distribution, PackageNotFoundError, distribution

from packaging.requirements import Requirement

_INSTALLED = ("", "engine")
"""Extras that `start.py` installs."""
_FORBIDDEN = re.compile(r"\b(AGPL|Affero|(?<!L)GPL)", re.IGNORECASE)


def main() -> None:
    """Print the table."""
    sys.stdout.write(table())


def table() -> str:
    """The page. Raises SystemExit for a licence that may not be in the default install."""
    rows = ["# Licences of what is installed\n", "| package | version | licence |", "| --- | --- | --- |"]
    for name, found in sorted(runtime().items()):
        licence = licence_of(found)
        if not licence or _FORBIDDEN.search(licence.replace("LGPL", "").replace("Lesser General Public", "")):
            raise SystemExit(f"{name} has the licence {licence or 'unknown'}")
        rows.append(f"| {name} | {found.version} | {licence} |")
    rows.append("| Liberation fonts, carried in engine/fonts | 2.1.5 | OFL-1.1 |")
    rows.append("| Carlito, carried in engine/fonts | 1.103 | OFL-1.1 |")
    rows.append("| Caladea, carried in engine/fonts | 1.001 | OFL-1.1 |")
    return "\n".join(rows) + "\n"


def runtime() -> dict[str, Distribution]:
    """Everything that the program's own dependencies need on this platform, by name."""
    found: dict[str, Distribution] = {}
    waiting = [*(distribution("paperchute").requires or [])]
    while waiting:
        requirement = Requirement(waiting.pop())
        extras = [*requirement.extras, *_INSTALLED]
        if requirement.marker and not any(requirement.marker.evaluate({"extra": extra}) for extra in extras):
            continue
        name = requirement.name.lower().replace("_", "-")
        if name not in found:
            try:
                found[name] = distribution(name)
            except PackageNotFoundError:
                raise SystemExit(f"{name} is not installed") from None
            waiting += [r for one in found[name].requires or [] if (r := _needed(Requirement(one), requirement.extras))]
    return found


def _needed(requirement: Requirement, extras: set[str]) -> str:
    """A package's requirement, without its marker where an extra that is asked for brings it; empty where none does."""
    if "extra ==" not in str(requirement.marker):
        return str(requirement)
    if requirement.marker and any(requirement.marker.evaluate({"extra": extra}) for extra in extras):
        requirement.marker = None
        return str(requirement)
    return ""


def licence_of(found: Distribution) -> str:
    """The licence's name: the SPDX expression, else the classifiers, else the first line of the licence field."""
    metadata = found.metadata
    if expression := metadata.get("License-Expression"):
        return str(expression)
    named = [c.rpartition(" :: ")[2] for c in metadata.get_all("Classifier") or [] if c.startswith("License :: OSI")]
    return ", ".join(named) or str(metadata.get("License") or "").split("\n")[0]


if __name__ == "__main__":
    main()
