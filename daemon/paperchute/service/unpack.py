"""A ZIP from the service into a folder, without believing anything its entries say."""

from __future__ import annotations

import shutil
import stat
import zipfile
from pathlib import Path, PurePosixPath

from paperchute.contract.kinds import BROKEN_ZIP, check_directory
from paperchute.files.names import safe_name, shorten
from paperchute.service.records import ServiceError

_MOST_MEMBERS = 100_000
_MOST_BYTES = 20 << 30
_MOST_RATIO = 200  # text compresses a hundredfold; a bomb ten-thousandfold
_PACKINGS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)  # what every program reads; others take memory at will
_SMALL = 10 << 20  # below this the ratio does not matter


def unpack(archive: Path, folder: Path) -> list[Path]:
    """Extract all files of `archive` below `folder`, in the archive's order; returns their paths.

    Entries that point outside, are links, or repeat a name, and archives that unpack to far more than they hold, are
    refused as a broken result (ServiceError). Raises OSError.
    """
    try:
        check_directory(archive)
        with zipfile.ZipFile(archive) as opened:
            members = [m for m in opened.infolist() if not m.is_dir()]
            _check(members, archive.stat().st_size)
            paths = []
            for member in members:
                path = folder.joinpath(*(shorten(safe_name(part), "") for part in _parts(member)))
                path.parent.mkdir(parents=True, exist_ok=True)
                with opened.open(member) as source, path.open("xb") as target:
                    shutil.copyfileobj(source, target, 1 << 20)
                paths.append(path)
            return paths
    except (FileExistsError, *BROKEN_ZIP) as error:
        raise _broken() from error


def _check(members: list[zipfile.ZipInfo], packed: int) -> None:
    if any(m.compress_type not in _PACKINGS or not 0 <= m.header_offset < packed for m in members):
        raise _broken()
    total = sum(m.file_size for m in members)
    if not members or len(members) > _MOST_MEMBERS or total > _MOST_BYTES:
        raise _broken()
    if total > _SMALL and total > packed * _MOST_RATIO:
        raise _broken()


def _parts(member: zipfile.ZipInfo) -> tuple[str, ...]:
    path = PurePosixPath(member.filename.replace("\\", "/"))
    if path.is_absolute() or ".." in path.parts or stat.S_ISLNK(member.external_attr >> 16):
        raise _broken()
    return path.parts


def _broken() -> ServiceError:
    return ServiceError("The service sent an archive that cannot be unpacked safely.", kind="transient")
