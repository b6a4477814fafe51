"""What people read, in their language: English sentences stand in the code, a `NAME.po` beside this file has another's.

A language is added by adding its one file, `docs/translating.md` says how. What is written for machines (log lines,
keys, words of the contract) does not come through here.
"""

from paperchute.language.preference import preferred
from paperchute.language.sentences import N_, _, best, current, ngettext, speak, speaking, use

__all__ = ["N_", "_", "best", "current", "ngettext", "preferred", "speak", "speaking", "use"]
