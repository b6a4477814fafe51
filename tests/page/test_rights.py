"""What a session may do hangs on the door by which it came; a call that says nothing of itself is for nobody."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from paperchute.page.picture import folder_id
from paperchute.page.rights import Call, Right
from tests.page.test_log_in import Remote

RULES = """version = 1
[service]
base_url = "http://127.0.0.1:9/v1"
api_key = "env:SERVICE_KEY"
[[rule]]
name = "Certificates"
folder = "in"
operation = "pdf-generate"
parameters = { templateFile = "known.html" }
match = "*.json"
output = "Archive/{date:%Y}/{stem}.{ext}"
original = "kept"
[[rule]]
name = "Lock"
folder = "lock"
operation = "pdf-encrypt"
parameters = { userPassword = "env:LOCK", ownerPassword = "file:owner" }
hosts = "intranet.example"
passwords = "csv:passwords.csv/{stem}"
[[rule]]
name = "Printed"
folder = "print"
schedule = "daily 06:00"
operation = "pdf-generate"
parameters = { htmlUrl = "https://intranet.example/list" }
"""

PUBLIC = {"/", "/texts.json", "/{name}", "/api/entry", "/api/results/{token}"}
HERE = {
    "/api/ticket", "/api/session", "/api/program/quit", "/api/program/autostart-on", "/api/program/autostart-off",
    "/api/daemon/edit-rules", "/api/folders/{folder}/open", "/api/jobs/{job}/show", "/api/jobs/{job}/open-result",
    "/api/jobs/{job}/show-result",
}  # fmt: skip
RULES_CALLS = {"/api/first", "/api/workshop/sample/{name}"} | {
    f"/api/workshop/{verb}"
    for verb in (
        *("on", "off", "up", "down", "remove", "look", "save", "try", "look-table", "save-table"),
        *("propose", "find", "add"),
    )
}
AT_WORK = {
    "/api/log-out", "/api/feed", "/api/needs", "/api/use", "/api/history", "/api/workshop", "/api/workshop/form",
    "/api/daemon/pause", "/api/daemon/pause-hour", "/api/daemon/pause-tomorrow", "/api/daemon/resume",
    "/api/daemon/retry", "/api/daemon/seen", "/api/folders/{folder}/room", "/api/folders/{folder}/sets/{name}",
    "/api/folders/{folder}/{name}", "/api/sets/{token}/placed", "/api/sets/{token}/forgotten",
    "/api/sets/{token}/{path}", "/api/jobs/{job}/undo", "/api/jobs/{job}/thumbnail",
    "/api/jobs/{job}/pages/{page}", "/api/jobs/{job}/asked/{field}/{page}",
    "/api/jobs/{job}/result/thumbnail", "/api/jobs/{job}/retry", "/api/jobs/{job}/password",
    "/api/jobs/{job}/recognise", "/api/jobs/{job}/answer", "/api/jobs/{job}/seen", "/api/jobs/{job}/again",
    "/api/jobs/{job}/results/{number}",
    "/api/jobs/{job}/results/{number}/fetch", "/api/jobs/{job}/results/fetch",
}  # fmt: skip
"""What anybody may do who has the page's password."""


@pytest.fixture(name="remote", params=[False, True], ids=["read-only", "rules"])
def _remote(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Remote]:
    remote = Remote(tmp_path, RULES, rules=request.param)
    yield remote
    remote.close()


def _routes(remote: Remote) -> list[Any]:
    server = remote.page._server
    assert server is not None
    gate: Any = server.config.app
    return list(gate._app.routes)


def _here(remote: Remote) -> httpx.Client:
    """The page at the door of this machine, without a session."""
    door = remote.page._door
    assert door is not None
    return httpx.Client(base_url=f"http://127.0.0.1:{door.port}", trust_env=False, timeout=60)


@contextmanager
def _at_home(remote: Remote) -> Iterator[httpx.Client]:
    """The same, with one."""
    with _here(remote) as client:
        session = client.post("/api/session", content=remote.page._sessions.ticket()).json()["session"]
        client.headers["Authorization"] = f"Bearer {session}"
        yield client


def test_every_call_is_classified_and_the_network_gets_no_other(remote: Remote) -> None:
    remote.log_in()
    may = remote.client.get("/api/entry").json()["rules"]
    for route in _routes(remote):
        path = re.sub(r":\w+", "", route.path)
        open_ = path in PUBLIC | AT_WORK | {"/api/log-in"} or (path in RULES_CALLS and may)
        assert open_ or path in HERE | RULES_CALLS, f"{path} is new: say here who may use it"
        if open_ or path == "/api/log-out":
            continue
        asked = re.sub(r"\{job[^}]*\}", "1", route.path)
        asked = re.sub(r"\{[^}]*\}", "x", asked)
        for method in route.methods - {"HEAD"}:
            answer = remote.client.request(method, asked, headers=remote.origin)
            assert (answer.status_code, answer.content) == (404, b"{}"), path


def test_without_a_session_no_call_but_the_public_ones_is_answered(remote: Remote) -> None:
    with _here(remote) as here:
        for client, doors in ((remote.client, "network"), (here, "here")):
            for route in _routes(remote):
                right = route.right
                if not right.needs_session:
                    continue
                asked = re.sub(r"\{[^}]*\}", "1", route.path)
                for method in route.methods - {"HEAD"}:
                    origin = remote.origin if doors == "network" else {}
                    assert client.request(method, asked, headers=origin).status_code == 401, route.path


def test_a_call_that_does_not_say_what_it_needs_is_answered_to_nobody(remote: Remote) -> None:
    async def answer(_request: Request) -> Response:
        return Response("mine")

    _routes(remote)
    server: Any = remote.page._server
    server.config.app._app.router.routes += [Route("/api/new", answer), Call("/api/said", answer, Right.SESSION)]
    remote.log_in()
    with _at_home(remote) as home:
        assert home.get("/api/said").text == remote.client.get("/api/said").text == "mine"
        assert home.get("/api/new").status_code == remote.client.get("/api/new").status_code == 404


# ---------- doors ----------


def test_a_session_is_worth_nothing_at_the_other_door(remote: Remote) -> None:
    half = remote.log_in().json()["session"]
    ((name, cookie),) = remote.client.cookies.items()
    with _here(remote) as here, _at_home(remote) as home:
        for shows in (cookie, half, cookie + half, half + cookie):
            assert here.get("/api/needs", headers={"Authorization": f"Bearer {shows}"}).status_code == 401
            assert here.post("/api/session", content=shows).status_code == 401
        assert home.get("/api/needs").status_code == 200
        own = home.headers["Authorization"].removeprefix("Bearer ")
    stranger = httpx.Client(base_url=remote.client.base_url, trust_env=False)
    middle = len(own) // 2
    for in_cookie, in_header in ((own, ""), ("", own), (own, own), (own[:middle], own[middle:])):
        headers = {"Cookie": f"{name}={in_cookie}", **({"Authorization": f"Bearer {in_header}"} if in_header else {})}
        assert stranger.get("/api/needs", headers=headers).status_code == 401


def test_the_cookie_alone_is_worth_nothing_and_so_is_the_header(remote: Remote) -> None:
    half = remote.log_in().json()["session"]
    ((name, cookie),) = remote.client.cookies.items()
    stranger = httpx.Client(base_url=remote.client.base_url, trust_env=False)
    for headers in (
        {"Cookie": f"{name}={cookie}"},
        {"Authorization": f"Bearer {half}"},
        {"Cookie": f"{name}={cookie}", "Authorization": f"Bearer {cookie}"},
        {"Cookie": f"{name}={half}", "Authorization": f"Bearer {cookie}"},
        {"Cookie": f"{name}={cookie}.{half}"},
        {"Cookie": f"{name}={cookie}{half}"},
        {"Authorization": f"Bearer {cookie}{half}"},
        {"Cookie": f"{name}={cookie}.{half}", "Authorization": f"Bearer {half}"},
    ):
        assert stranger.get("/api/needs", headers=headers).status_code == 401
        assert stranger.get("/api/entry", headers=headers).json()["inside"] is False
    whole = {"Cookie": f"{name}={cookie}", "Authorization": f"Bearer {half}"}
    assert stranger.get("/api/needs", headers=whole).status_code == 200


def test_with_https_the_cookie_is_one_that_no_other_port_can_set(tmp_path: Path) -> None:
    remote = Remote(tmp_path, proxies=["127.0.0.0/8"], hosts=["nas.example"])
    secure = {"X-Forwarded-Proto": "https", "X-Forwarded-Host": "nas.example", "Origin": "https://nas.example"}
    try:
        said = remote.log_in(**secure).headers["set-cookie"]
        name, _equals, rest = said.partition("=")
        value = rest.partition(";")[0]
        assert name.startswith("__Host-")
        assert {"secure", "path=/", "httponly"} <= {one.strip().lower() for one in said.split(";")}
        assert "domain" not in said.lower()
        plain = {**secure, "Cookie": f"{name.removeprefix('__Host-')}={value}"}
        assert remote.client.get("/api/needs", headers=plain).status_code == 401
        assert remote.client.get("/api/needs", headers={**secure, "Cookie": f"{name}={value}"}).status_code == 200
    finally:
        remote.close()


# ---------- what a rule names ----------


def _filled(kind: str, text: str) -> dict[str, str]:
    return {"kind": kind, "text": text}


def _draft(rule: str = "", parameters: Any = None, operation: str = "pdf-generate", **keys: Any) -> dict[str, Any]:
    steps = None if parameters is None else [{"operation": operation, "of": 0, "parameters": parameters}]
    return {"rule": rule, "keys": keys, "steps": steps}


NAMING = {
    "a new folder": _draft("Certificates", folder=_filled("text", "elsewhere")),
    "a folder above": _draft("Certificates", folder=_filled("text", "in/..")),
    "a place for originals": _draft("Certificates", original=_filled("text", "~/.local/lib/python3.11/site-packages")),
    "a place for results": _draft("Certificates", output=_filled("text", "~/.config/{stem}.{ext}")),
    "a name for results": _draft("Certificates", output=_filled("text", "Archive/{date:%Y}/.profile")),
    "a folder in a date": _draft("Certificates", output=_filled("text", "Archive/{date:hooks}/{stem}.{ext}")),
    "a way up": _draft("Certificates", output=_filled("text", "Archive/{date:%Y}/../../{stem}.{ext}")),
    "a file": _draft("Certificates", {"templateFile": _filled("text", "/etc/hostname")}),
    "another kind of file": _draft("Certificates", {"templateFile": None, "dataFile": _filled("text", "known.html")}),
    "a text with addresses": _draft("Certificates", {"templateFile": None, "template": _filled("text", "<p>")}),
    "an address": _draft("Printed", {"htmlUrl": _filled("text", "http://127.0.0.1:1/")}),
    "an address below a known one": _draft("Printed", {"htmlUrl": _filled("text", "https://intranet.example/other")}),
    "a host": _draft("Lock", hosts=_filled("lines", "attacker.example")),
    "a variable": _draft("Lock", {"userPassword": _filled("text", "env:HOME")}, "pdf-encrypt"),
    "the service's key": _draft("Lock", {"userPassword": _filled("text", "env:SERVICE_KEY")}, "pdf-encrypt"),
    "a keyring": _draft("Lock", passwords=_filled("lines", "keyring:login/owner")),
    "a file of secrets": _draft("Lock", passwords=_filled("lines", "file:/etc/shadow")),
    "a list of secrets": _draft("Lock", passwords=_filled("lines", "csv:/etc/passwd/root")),
    "a secret for droppers": _draft("Lock", sidecar_secrets=_filled("lines", "env:LOCK")),
    "a whole rule": _draft("", {}, "document-parsing", name=_filled("text", "New"), folder=_filled("text", "new")),
}


@pytest.fixture(name="changing")
def _changing(tmp_path: Path) -> Iterator[Remote]:
    (tmp_path / "known.html").write_text("<p>{{ a }}</p>", "utf-8")
    remote = Remote(tmp_path, RULES, rules=True)
    remote.log_in()
    yield remote
    remote.close()


def _asked(remote: Remote, verb: str, **wish: Any) -> httpx.Response:
    digest = remote.client.get("/api/workshop").json()["digest"]
    body = {"digest": digest, **wish}
    return remote.client.post(f"/api/workshop/{verb}", json=body, headers=remote.origin)


def test_a_rule_of_the_network_names_nothing_that_is_new(changing: Remote) -> None:
    before = changing.daemon.rules.path.read_bytes()
    for what, draft in NAMING.items():
        sample = changing.client.put("/api/workshop/sample/d.json", content=b"{}", headers=changing.origin).json()
        for verb in ("look", "save", "try"):
            answer = _asked(changing, verb, draft=draft, **sample)
            assert answer.status_code == 409, f"{what}: {verb} {answer.text}"
            assert "Over the network" in answer.json()["reason"], f"{what}: {answer.text}"
    assert changing.daemon.rules.path.read_bytes() == before


def test_nor_do_the_defaults_of_all_rules(changing: Remote) -> None:
    for key, kind, text in (
        ("original", "text", "~/.config"),
        ("output", "text", "~/{stem}.{ext}"),
        ("passwords", "lines", "env:AWS_SECRET_ACCESS_KEY"),
        ("hosts", "lines", "attacker.example"),
        ("sidecar_secrets", "lines", "keyring:login/owner"),
    ):
        table = {"table": "defaults", "keys": {key: _filled(kind, text)}}
        for verb in ("look-table", "save-table"):
            answer = _asked(changing, verb, table=table)
            said = answer.json()
            assert said.get("problems") or "Over the network" in said["reason"], key
    assert "defaults" not in changing.daemon.rules.path.read_text("utf-8")
    harmless = {"table": "defaults", "keys": {"retries": _filled("number", "3")}}
    assert _asked(changing, "save-table", table=harmless).json()["problems"] == []


def test_what_is_refused_tells_nothing_of_what_is_there(changing: Remote, tmp_path: Path) -> None:
    (tmp_path / "there.html").write_text("x", "utf-8")
    said = [
        _asked(changing, "look", draft=_draft("Certificates", {"templateFile": _filled("text", name)})).json()["reason"]
        for name in ("there.html", "gone.html")
    ]
    assert said[0].replace("there", "gone") == said[1]


def test_what_names_nothing_new_is_changed_and_only_where_the_page_table_says_so(changing: Remote) -> None:
    for draft in (
        _draft(
            "Certificates", name=_filled("text", "Diplomas"), match=_filled("lines", "*.json\nlist-*"), original=None
        ),
        _draft("Lock", priority=_filled("number", "5"), original=_filled("text", "keep")),
        _draft("Lock", {"allowPrint": _filled("choice", "1")}, "pdf-encrypt"),
    ):
        answer = _asked(changing, "look", draft=draft)
        assert "Over the network" not in answer.json().get("reason", ""), answer.text
    assert _asked(changing, "off", name="Lock").status_code == 200
    assert "enabled = false" in changing.daemon.rules.path.read_text("utf-8")


def test_at_home_anything_can_be_named(changing: Remote) -> None:
    with _at_home(changing) as home:
        digest = home.get("/api/workshop").json()["digest"]
        wish = {"digest": digest, "draft": NAMING["a place for originals"]}
        assert "Over the network" not in home.post("/api/workshop/look", json=wish).text


def test_files_are_dropped_into_hot_folders_alone(changing: Remote, tmp_path: Path) -> None:
    for folder in (tmp_path, tmp_path / "Archive", tmp_path / "kept", tmp_path / "in.out"):
        path = f"/api/folders/{folder_id(folder)}/a.json"
        assert changing.client.put(path, content=b"{}", headers=changing.origin).status_code == 404
    for name in ("..%2f..%2fa.json", "%2e%2e%2fa.json", "..%5ca.json"):
        changing.client.put(f"/api/folders/{folder_id(tmp_path / 'in')}/{name}", content=b"{}", headers=changing.origin)
    assert {path.parent for path in tmp_path.rglob("a.json*")} <= {tmp_path / "in"}
