"""Fonts that come with the engine, so that what a page names and the machine lacks looks alike everywhere.

All are under the SIL Open Font License. Liberation 2 (Sans, Serif and Mono) has the widths of Arial, Times New Roman
and Courier New, Carlito those of Calibri, Caladea those of Cambria.
"""

from __future__ import annotations

import sys
from pathlib import Path

import plutoprint


def use_carried_fonts() -> None:
    """Let PlutoBook find them, by `fonts.conf`; before the first page of a process is laid out.

    On Windows PlutoBook takes the system's own fonts: the file is written for systems with fontconfig.
    """
    if sys.platform != "win32":
        plutoprint.plutobook_set_fontconfig_path(str(Path(__file__).parent))
