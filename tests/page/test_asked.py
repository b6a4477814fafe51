"""A page that a document asks about is shown to read, with frames around what a field may be."""

from __future__ import annotations

import io
import json
from typing import Any

import pytest
from PIL import Image

from paperchute.jobs.document_fields import UNSURE, answer_fields, fields_as_json, fields_from
from tests.jobs.makers import new_job
from tests.page.conftest import Shown

WHITE, FRAME = (255, 255, 255), (216, 27, 27)
CORNERS = [200, 100, 400, 100, 400, 140, 200, 140]


@pytest.fixture(name="rules")
def _rules() -> str:
    return (
        'version = 1\n[[rule]]\nname = "Mail"\nfolder = "in"\noperation = "pdf-to-markdown"\n'
        'output = "{doc.sender} {stem}.{ext}"\n'
    )


def said(bboxes: Any, page: Any = 2) -> dict[str, Any]:
    """What the reader makes of an answer whose sender is open, with one candidate."""
    evidence = [{"page": page, "bboxes": bboxes, "words": "ACME"}]
    document = {"sender": {"value": None, "candidates": [{"value": "ACME", "evidence": evidence}]}}
    return dict(answer_fields({}, json.dumps({"Document": document}).encode())[0]["fields"])


def asking(shown: Shown, bboxes: Any) -> int:
    """A job that waits for an answer, on a document of three white pages; its number."""
    path = shown.hot / "a.pdf"
    sheets = [Image.new("RGB", (595, 842), "white") for _page in range(3)]
    sheets[0].save(path, "PDF", save_all=True, append_images=sheets[1:], resolution=72)
    (rule,) = shown.daemon.rules.rules
    number = shown.daemon.journal.inserts.open_job(new_job(rule, path))
    assert number is not None
    job = shown.daemon.journal.queries.job(number)
    assert job is not None
    shown.daemon.journal.answers.keep(job, fields_as_json(fields_from(said(bboxes))))
    shown.daemon.journal.plans.plan_failure(job, "its sender is not sure", UNSURE, "")
    shown.daemon.journal.completion.finish(job, "failed", kept=True)
    shown.enter()
    return number


def seen(shown: Shown, number: int, page: int) -> Image.Image:
    answer = shown.client.get(f"/api/jobs/{number}/pages/{page}")
    assert answer.status_code == 200
    return Image.open(io.BytesIO(answer.content)).convert("RGB")


def test_what_a_field_may_be_is_framed_on_its_page(shown: Shown) -> None:
    number = asking(shown, [CORNERS])
    (job,) = shown.needs()["failed"]
    assert job["page"] == 2
    scale = 1400 / 842 / 2
    picture = seen(shown, number, 2)
    assert picture.height == 1400
    colours = {picture.getpixel((x, round(120 * scale))) for x in range(round(200 * scale) - 8, round(200 * scale))}
    assert FRAME in colours
    assert picture.getpixel((round(300 * scale), round(120 * scale))) == WHITE
    assert seen(shown, number, 1).getcolors() == [(990 * 1400, WHITE)]
    assert shown.client.get(f"/api/jobs/{number}/pages/4").status_code == 404


@pytest.mark.parametrize(
    "bboxes", [[], None, 7, [[1, 2, 3]], [[-5] * 8], [[10**9] * 8], [["a"] * 8], [[True, None] * 4], [[1.5] * 8]]
)
def test_what_is_no_place_is_not_framed(bboxes: Any) -> None:
    (candidate,) = fields_from(said(bboxes))["sender"].candidates
    assert (candidate.value, candidate.box) == ("ACME", ())


@pytest.mark.parametrize("page", [None, 0, -3, "2", 10**9])
def test_a_page_that_is_none_is_not_what_is_shown(page: Any) -> None:
    (candidate,) = fields_from(said([CORNERS], page))["sender"].candidates
    assert candidate.page in (0, 10**9)
