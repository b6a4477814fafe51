"""The description and the page to try the service, both for everybody: they hold the contract and nothing else."""

from __future__ import annotations

from functools import cache
from importlib import resources

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response

from paperchute.engine.http.openapi import description

_KINDS = {"index.html": "text/html", "page.css": "text/css", "page.js": "text/javascript"}
_HEADERS = {
    # Nothing but its own files and this engine; it is shown in no other page, and what it loads is what it says.
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; base-uri 'none'; "
        "form-action 'none'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-cache",
}


async def openapi(request: Request) -> Response:
    """GET /openapi.json."""
    return JSONResponse(description(_prefix(request)))


async def to_page(request: Request) -> Response:
    """GET /try, for those who leave the last stroke out."""
    return RedirectResponse(f"{_prefix(request)}/try/")


async def page(request: Request) -> Response:
    """GET /try/ and the files of the page."""
    name = request.path_params.get("name") or "index.html"
    if name not in _KINDS:
        raise HTTPException(404)
    return Response(_file(name), media_type=_KINDS[name], headers=_HEADERS)


def _prefix(request: Request) -> str:
    return "/server" if request.url.path.startswith("/server/") else ""


@cache
def _file(name: str) -> bytes:
    return resources.files("paperchute.engine").joinpath("page", name).read_bytes()
