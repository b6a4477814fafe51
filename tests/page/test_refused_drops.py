"""What no rule of a folder takes is refused at the drop, and counted where it lies; mistakes stand at their fields."""

from __future__ import annotations

import socket
from pathlib import Path

import pytest

from paperchute.app.daemon import Daemon
from paperchute.app.places import State
from paperchute.app.status import Surroundings
from paperchute.app.untaken import Untaken
from paperchute.page.access import own_port
from paperchute.page.picture import folder_id
from paperchute.page.server import Page
from paperchute.rules.file import load
from paperchute.rules.page import PageKeys, page_problems
from tests.page.conftest import Shown

FOLDERS = """version = 1
[[rule]]
name = "Word"
folder = "in"
operation = "pdf-to-docx"
[[rule]]
name = "Pictures"
folder = "photos"
operation = "img-to-docx"
[[rule]]
name = "Web"
folder = "web"
operation = "html-to-pdf"
[[rule]]
name = "Bundle"
folder = "bundles"
gather = "folder"
operation = "pdf-merge"
"""


@pytest.fixture(name="rules")
def _rules() -> str:
    return FOLDERS


def put(shown: Shown, folder: str, name: str) -> tuple[int, str]:
    path = shown.hot.parent / folder
    path.mkdir(exist_ok=True)
    answers = [
        shown.client.post(f"/api/folders/{folder_id(path)}/room", content=f"1\n{name}".encode()),
        shown.client.put(f"/api/folders/{folder_id(path)}/{name}", content=b"x"),
    ]
    (status,) = {one.status_code for one in answers}
    return status, answers[0].json().get("reason", "")


def test_a_file_that_no_rule_of_the_folder_takes_is_sent_elsewhere(shown: Shown) -> None:
    shown.enter()
    status, reason = put(shown, "in", "IMG_101.jpg")
    assert status == 409
    assert "*.pdf" in reason
    assert "Put it into photos." in reason
    status, reason = put(shown, "photos", "list.xlsx")
    assert (status, "Make a rule for it first." in reason) == (409, True)
    status, reason = put(shown, "bundles", "a.pdf")
    assert (status, "only sub-folders" in reason, "Put it into in." in reason) == (409, True, True)
    assert not any(path.is_file() for path in shown.hot.parent.glob("*/*.*") if path.suffix in (".jpg", ".xlsx"))


@pytest.mark.parametrize(
    ("folder", "name"), [("in", "a.PDF"), ("in", "a.pdf.toml"), ("web", "page.html"), ("web", "style.css")]
)
def test_what_a_rule_takes_or_what_belongs_to_it_comes_in(shown: Shown, folder: str, name: str) -> None:
    shown.enter()
    assert put(shown, folder, name) == (200, "")
    assert (shown.hot.parent / folder / name).exists()


def test_what_no_rule_takes_is_counted_as_what_needs_somebody(shown: Shown) -> None:
    board = shown.daemon._board
    before = board.status(Surroundings()).attention
    lying = Untaken(shown.hot, "not matched by *.pdf", 3, ("a.jpg", "b.jpg", "c.jpg"))
    around = Surroundings(unwanted=[lying], untaken=[(shown.hot / "d.pdf", "it is no PDF")])
    status = board.status(around)
    assert status.attention == before + 4
    assert status.activity == "attention"


def test_a_missing_name_or_folder_is_told_at_its_field(shown: Shown) -> None:
    shown.enter()
    digest = shown.client.get("/api/workshop").json()["digest"]
    draft = {"keys": {}, "steps": [{"operation": "pdf-to-editable", "parameters": {}}]}
    said = shown.client.post("/api/workshop/look", json={"digest": digest, "draft": draft}).json()
    assert {one["field"] for one in said["problems"]} == {"name", "folder"}


def test_the_page_is_at_the_port_that_was_asked_for_where_that_is_free(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = int(taken.getsockname()[1])
    (tmp_path / "rules.toml").write_text(FOLDERS, "utf-8")
    ports = []
    for name in ("one", "two"):
        page = Page(State(tmp_path / name), port=port)
        daemon = page.shown(Daemon(load(tmp_path / "rules.toml"), State(tmp_path / name), (page,)))
        assert page._door is not None
        ports.append(page._door.port)
        if name == "two":
            with socket.create_connection(("127.0.0.1", ports[1]), timeout=30):
                pass
        page.stop()
        daemon.stop()
    assert ports == [port, port]
    with socket.create_server(("127.0.0.1", port)):
        page = Page(State(tmp_path / "three"), port=port)
        daemon = page.shown(Daemon(load(tmp_path / "rules.toml"), State(tmp_path / "three"), (page,)))
        assert page._door is not None
        assert page._door.port != port
        page.stop()
        daemon.stop()
    assert own_port(PageKeys.model_validate({"port": port})) == port
    assert own_port(PageKeys()) == 0
    monkeypatch.setenv("PAPERCHUTE_PAGE_PORT", "8123")
    assert own_port(PageKeys()) == 8123
    both = PageKeys.model_validate({"listen": "0.0.0.0:8123", "port": 8123, "password": "env:X"})
    assert [key for key, _message in page_problems(both)] == ["port"]
