"""File names: which are somebody's half-made work, which are safe everywhere, how to cut, order and list them."""

from __future__ import annotations

import contextlib
import fnmatch
import re
import sys
import unicodedata
from collections.abc import Iterable, Sequence
from functools import lru_cache
from pathlib import Path

from natsort import natsorted, ns

from paperchute.language import _

OWN_TEMPORARY = ".paperchute~"
"""Our own temporary files are hidden and end in this."""

CLAIM = ".paperchute-claim-"
"""Folders with what one of several Paperchutes on a shared hot folder has claimed start like this."""

WATCHERS = ".paperchute-watchers"
"""The folder in a hot folder in which each Paperchute that watches it leaves its mark."""

_TRANSFERS = (
    ".part",  # Firefox, curl wrappers, KDE, many downloaders
    ".partial",  # Internet Explorer, old Edge
    ".crdownload",  # Chrome, Edge
    ".opdownload",  # Opera
    ".download",  # Safari: a folder
    ".filepart",  # WinSCP
    ".aria2",  # aria2's control file beside the full-size file
    ".icloud",  # iCloud Drive: .NAME.icloud stands for what is not here yet
    ".!ut",  # uTorrent
    ".!qb",  # qBittorrent
    ".bc!",  # BitComet
)
"""Ends of names that a transfer bears while it runs."""

COMPANIONS = (".part", ".partial", ".aria2", ".crdownload", ".!ut")
"""`NAME` is not complete while one of `NAME` + these exists: those that stand beside it and do not replace it."""

_TRANSFER = re.compile("|".join(rf"(?:.*{re.escape(end)})" for end in _TRANSFERS), re.IGNORECASE | re.DOTALL)

_TEMPORARY = re.compile(
    r"""
      ~\$.* | \.~.* | ~syncthing~.*                 # Office owner files; LibreOffice locks, Nextcloud, rsync
    | \.goutputstream-.* | \.nfs[0-9a-f]+ | \.fuse_hidden.* | \.smbdelete.*             # GNOME, NFS, FUSE, Samba
    | \.syncthing\..*
    | \._.* | \.DS_Store | \.localized | Icon\r                                               # macOS
    | Thumbs\.db | ehthumbs\.db | desktop\.ini                                          # Windows
    | \.directory                                                                       # KDE
    | \.[^.].*\.[A-Za-z0-9]{6}                      # rsync: .NAME.XXXXXX
    | \.\#.* | \#.*\#                               # Emacs: its locks, its copies of what is not saved yet
    | .*~                                           # backups, and our own .NAME.paperchute~
    | .*\.(?:tmp|temp|swp|swx|swo|kate-swp|lock|wbk|asd)    # LibreOffice lu*.tmp, Office ~WRD*.tmp, vim, Kate, Word
    """,
    re.VERBOSE | re.IGNORECASE | re.DOTALL,
)

PRIVATE_FOLDERS = (
    *("@eaDir", "@tmp", "@sharebin", "@sharesnap", "@SynoResource", "#recycle", "#snapshot"),  # Synology
    *(".SynologyWorkingDirectory", ".SynologyDrive"),
    *("@Recycle", "@Recently-Snapshot", ".@__thumb", ".@upload_cache", ".@qsys", ".streams"),  # QNAP
    *(".recycle", ".snapshot", ".snapshots", "~snapshot", ".zfs", ".ckpt"),  # Samba; NetApp, Isilon, btrfs, ZFS, EMC
    *("trashbox", ".wdmc", "DfsrPrivate", "lost+found", "FOUND.[0-9][0-9][0-9]"),  # Buffalo, WD, Windows DFS, checks
    *("$RECYCLE.BIN", "System Volume Information", "$Extend", ".Trash", ".Trash-*", ".Trashes"),  # systems
    *(".Spotlight-V100", ".fseventsd", ".TemporaryItems", ".DocumentRevisions-V100", ".MobileBackups"),  # macOS
    *("Network Trash Folder", "Temporary Items", "TheVolumeSettingsFolder", "TheFindByContentFolder"),  # AFP
    *(".AppleDouble", ".AppleDB", ".AppleDesktop", "__MACOSX", "*.sb-????????-??????"),  # AFP, archives, safe saves
    *(
        ".stversions",
        ".stfolder",
        ".sync",
        ".dropbox.cache",
        ".owncloudsync",
        ".nextcloudsync",
        ".seafile-data",
    ),  # sync
    *(".tmp.driveupload", ".tmp.drivedownload", ".unison", ".~tmp~", ".rsync-partial", ".rsync-tmp", "~syncthing~*"),
    *(".git", ".svn", ".hg", ".bzr", ".jj", "_darcs", ".fossil-settings"),  # versions
    *(f"{CLAIM}*", WATCHERS),  # our own
)
"""Folders that systems, NAS, sync and version tools keep for themselves, as globs, without regard to letter case: never
looked into (docs/watching.md#folders-of-programs)."""

_PRIVATE = re.compile("|".join(map(fnmatch.translate, PRIVATE_FOLDERS)), re.IGNORECASE)
_HALF_MADE = re.compile(r".*\.(?:tmp|temp)", re.IGNORECASE | re.DOTALL)

_RESERVED = re.compile(r"(?:CON|PRN|AUX|NUL|CONIN\$|CONOUT\$|(?:COM|LPT)[0-9¹²³])\s*(?:\.|$)", re.IGNORECASE)
"""Names that Windows keeps for devices, with any extension (Microsoft, "Naming Files, Paths, and Namespaces")."""

# Forbidden on Windows; C0 and C1 controls; line and paragraph separators; bidirectional controls, which can make
# `exe.pdf` of `fdp.exe`; surrogates, which no file system stores as text.
_FORBIDDEN = re.compile('[<>:"/\\\\|?*\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]')


_JOINER = "\u200d"
_WRITTEN = (_JOINER, "\u200c")  # signs without a width that emoji and Persian words are spelled with
_JOINING = ("Mn", "Me", "Mc", "Cf")  # combining marks, variation selectors, joiners: part of what is before them


def is_temporary(name: str) -> bool:
    """Decide whether `name` is that of a file which a program keeps for itself, or has not finished.

    Only what a browser, office program, editor, transfer tool or file manager is known to write counts, letter case
    aside. A whole document may bear such a name all the same: whoever leaves files out by it looks into them.
    """
    return _TEMPORARY.fullmatch(name) is not None or is_transfer(name)


@lru_cache(maxsize=4096)  # asked of every folder above every file, and there are few of them
def is_private(name: str) -> bool:
    """Decide whether a folder called `name` is one of `PRIVATE_FOLDERS`."""
    return _PRIVATE.fullmatch(name) is not None


def is_half_made(name: str) -> bool:
    """Decide whether a folder called `name` is one that a program is still filling, to rename it when it is whole."""
    return _HALF_MADE.fullmatch(name) is not None or is_transfer(name)


def is_hidden(name: str) -> bool:
    """Decide whether file managers leave out `name`; a glob takes it only where it begins with a dot itself."""
    return name.startswith(".")


def is_transfer(name: str) -> bool:
    """Decide whether `name` is that of a download or upload still going on: more is about to come in this folder."""
    return _TRANSFER.fullmatch(name) is not None


def folded(path: Path) -> Path:
    """Return what the paths of one file or folder have in common.

    On Windows and macOS neither letter case nor composition tells two names apart.
    """
    return path if sys.platform == "linux" else one_elsewhere(path)


def one_elsewhere(path: Path) -> Path:
    """Return what the paths of one file or folder have in common on Windows and macOS, asked on any system."""
    return Path(unicodedata.normalize("NFC", unicodedata.normalize("NFC", str(path)).casefold()))


def safe_name(text: str) -> str:
    """`text` as one name valid on Linux, macOS and Windows, in Unicode normal form C; never empty.

    What is not allowed becomes `_`; spaces at both ends and dots at the end go; device names get a `_` in front.
    Length is not touched: see `shorten`.
    """
    name = _FORBIDDEN.sub("_", unicodedata.normalize("NFC", text))
    name = name.strip().rstrip(". ")
    # rstrip may uncover other white space that Windows would keep but a person cannot see
    while name != (trimmed := name.strip().rstrip(". ")):
        name = trimmed
    if not name:
        return "_"
    return f"_{name}" if _RESERVED.match(name) else name


def shorten(stem: str, suffix: str, limit_bytes: int = 255) -> str:
    """`stem` + `suffix`, the stem cut so that the whole name has at most `limit_bytes` bytes in UTF-8.

    Never cuts through a character or between a letter and its combining marks, and leaves no space or dot before the
    suffix. 255 bytes is the limit of ext4, APFS and most others (NTFS: 255 UTF-16 units, never more). Raises
    ValueError when the suffix leaves no room for one character of the stem.
    """
    room = limit_bytes - _size(suffix)
    if _size(stem) <= room:
        return stem + suffix
    end = used = 0
    for position, character in enumerate(stem):
        joined = unicodedata.category(character) in _JOINING or stem[position - 1 : position] == _JOINER
        if not joined:
            end = position  # everything before this character is whole
        used += _size(character)
        if used > room:
            break
    cut = stem[:end].rstrip(". ")
    if not cut:
        raise ValueError(f"no room for a name before the suffix {suffix!r} within {limit_bytes} bytes")
    return cut + suffix


def natural_order(paths: Iterable[Path]) -> list[Path]:
    """`paths` as a person would order them: `page 2` before `page 10`, without letter case, folder by folder."""
    return natsorted(sorted(paths), alg=ns.PATH | ns.IGNORECASE)


def listed(names: Sequence[object], most: int = 10) -> str:
    """Join names, or paths, for a sentence: the first `most`, and how many there are besides."""
    first = ", ".join(quoted(str(name)) for name in names[:most])
    return _("{first} and {n} more", first=first, n=len(names) - most) if len(names) > most else first


def quoted(name: str) -> str:
    """Put a name into quotation marks where blanks at its ends, or signs without a width, would not be seen."""
    if name == name.strip() and all(letter.isprintable() or letter in _WRITTEN for letter in name):
        return name
    return repr(name)


def _size(text: str) -> int:
    # An undecodable byte of a file name counts three here instead of one: never too few.
    return len(text.encode("utf-8", "surrogatepass"))


def expanded(text: str) -> Path:
    """A path with `~` as the home folder; as it stands where there is no such user."""
    with contextlib.suppress(RuntimeError):
        found = Path(text).expanduser()
        # Windows makes a folder beside ours of any name, whether there is such a user or not.
        if sys.platform != "win32" or not text.startswith("~") or Path(Path(text).parts[0]).expanduser().is_dir():
            return found
    return Path(text)
