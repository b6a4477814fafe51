"""What clients ask about tasks: one, all of them, and to drop one (contract section 4)."""

from __future__ import annotations

from starlette.responses import Response

from paperchute.engine.call import Call
from paperchute.engine.envelope import page_of, success, task_of
from paperchute.engine.work import Refused

_LARGEST_PAGE = 1000


async def task_info(call: Call) -> Response:
    """GET /v2/task/taskInfo. Without a taskId the header Idempotency-Key names the task, by the request that made it:
    a synchronous call learns its taskId only at its end."""
    tasks = call.parts.tasks
    key = call.request_key()
    task = tasks.under_way(key) if key and not call.query.get("taskId") else tasks.task(call.task_id())
    return success(task_of(task, call.base_url, tasks.pages(task)))


async def task_list(call: Call) -> Response:
    """GET /v2/task/list."""
    page = _number(call, "page", 1, most=1_000_000)
    size = _number(call, "size" if call.query.get("size") else "pageSize", 10, most=_LARGEST_PAGE)
    total, tasks = call.parts.store.page((page - 1) * size, size)
    return page_of(tasks, total, page, size)


async def close_task(call: Call) -> Response:
    """POST /v2/task/closeTask."""
    call.parts.tasks.close(call.task_id())
    return success(None)


def _number(call: Call, name: str, default: int, *, most: int) -> int:
    text = call.query.get(name, "").strip()
    if not text:
        return default
    if not (text.isascii() and text.isdecimal() and len(text) <= 9 and 1 <= int(text) <= most):
        raise Refused("03000", f"{name} takes a whole number from 1 to {most}", f"{name} 应为 1 至 {most} 的整数")
    return int(text)
