"""What a failure means for a job: try again and when, wait for the service, or give up. Pure."""

from __future__ import annotations

import errno
import random
from dataclasses import dataclass
from typing import Literal

from paperchute.service.model import ServiceError

BASE_SECONDS = 2.0
CAP_SECONDS = 300.0

# Nothing that time could mend: the name or the request itself is impossible here.
_HOPELESS = {errno.ENAMETOOLONG, errno.EINVAL, errno.ELOOP, errno.EISDIR, errno.ENOTDIR}

Kind = Literal["retry", "service", "fail"]


@dataclass(frozen=True)
class Decision:
    """retry: again after `delay` seconds, one try used. service: the whole service waits; the job keeps its tries."""

    kind: Kind
    delay: float = 0.0


def after_service_error(error: ServiceError, attempts: int, retries: int, *, repeatable: bool) -> Decision:
    """What to do after a failed call.

    attempts: tries of this step that failed before this one. retries: what the rule allows. repeatable: asking again
    cannot cost twice (our own engine honours idempotency keys); otherwise a lost answer is repeated only where the
    rule allows retries at all (contract section 15).
    """
    if error.kind in ("down", "auth", "quota"):
        return Decision("service")
    if error.kind == "lost" and repeatable:
        retries = max(retries, 1)
    if error.kind in ("lost", "transient") and attempts < retries:
        return Decision("retry", backoff(attempts, error.retry_after))
    return Decision("fail")


def hopeless(error: OSError) -> bool:
    """Whether waiting cannot mend a disk's refusal; a full disk or a lost share it can."""
    return error.errno in _HOPELESS


def backoff(attempts: int, retry_after: float | None) -> float:
    """Seconds to wait: exponential with full jitter, never less than the service asked for."""
    ceiling = min(CAP_SECONDS, BASE_SECONDS * 2.0 ** min(attempts, 16))
    jittered = random.uniform(0.1, 1.0) * ceiling
    return max(retry_after, jittered * 0.1 + retry_after) if retry_after is not None else jittered
