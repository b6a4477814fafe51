"""What the last step has made goes to its hidden name, and what was read of the document beside it (`write_fields`)."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from paperchute.files import placement
from paperchute.jobs import delivery
from paperchute.jobs.folder_merge import plain
from paperchute.jobs.journal import Journal
from paperchute.jobs.model import DeliveryPlan
from paperchute.jobs.work import Work


def prepared_file(
    journal: Journal, work: Work, draft: DeliveryPlan, path: Path, suffix: str, scratch: Path
) -> DeliveryPlan:
    """Prepare one result. scratch: the job's own folder. For the rest see `delivery.prepare_file`."""
    if not work.job.rule.write_fields:
        return delivery.prepare_file(journal, work.job, draft, path, suffix)
    about = scratch / "fields.json"
    scratch.mkdir(parents=True, exist_ok=True)
    about.write_bytes(work.fields)
    return delivery.prepare_pair(journal, work.job, draft, path, suffix, about)


def prepared_folder(
    journal: Journal, work: Work, draft: DeliveryPlan, folder: Path, files: Sequence[str], documents: Sequence[str]
) -> DeliveryPlan:
    """Prepare several results, `files` below `folder`; see `delivery.prepare_folder`."""
    if work.job.rule.write_fields:
        used = set(map(plain, files))
        wanted = Path(f"{draft.final.stem if draft.extension else draft.final.name}.json")
        about = next(path.name for path in placement.numbered(wanted) if plain(path.name) not in used)
        (folder / about).write_bytes(work.fields)
        files = [*files, about]
    return delivery.prepare_folder(journal, work.job, draft, folder, files, documents)
