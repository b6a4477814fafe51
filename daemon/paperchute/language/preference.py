"""Which language a person reads: what they set for Paperchute, else what their system speaks."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping

from paperchute.language.catalogue import ENGLISH
from paperchute.language.sentences import best

VARIABLE = "PAPERCHUTE_LANGUAGE"
_WITHOUT = ("C", "POSIX")


def preferred(environment: Mapping[str, str] | None = None) -> str:
    """The language to speak to the person whose environment this is (this process's own), English where nothing says.

    `PAPERCHUTE_LANGUAGE` comes first; then the variables of POSIX as gettext reads them; where they are not set, the
    language of Windows or macOS.
    """
    environment = os.environ if environment is None else environment
    if said := environment.get(VARIABLE):
        return best([said])
    locale = next(filter(None, (environment.get(name) for name in ("LC_ALL", "LC_MESSAGES", "LANG"))), "")
    if not locale:
        return best(_of_system())
    if locale.partition(".")[0] in _WITHOUT:
        return ENGLISH
    return best([*filter(None, environment.get("LANGUAGE", "").split(":")), locale])


def _of_system() -> list[str]:
    """The languages that the desktop is set to, the first one first; none where only the environment says."""
    if sys.platform == "win32":
        import ctypes
        from locale import windows_locale

        return [windows_locale.get(ctypes.windll.kernel32.GetUserDefaultUILanguage(), "")]
    if sys.platform == "darwin":
        import plistlib
        from pathlib import Path

        try:
            held = Path("~/Library/Preferences/.GlobalPreferences.plist").expanduser().read_bytes()
            settings = plistlib.loads(held, fmt=plistlib.FMT_BINARY)
            return [str(tag) for tag in settings["AppleLanguages"]]
        except (OSError, ValueError, KeyError, TypeError):
            return []
    return []
