"""HTML and templates from an enemy: nothing is reached, nothing is leaked, and nothing lasts."""

from __future__ import annotations

import dataclasses
import socket
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pikepdf
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from paperchute.engine import outside
from paperchute.engine.html import templates
from paperchute.engine.html.fetch import FetchRefused, fetch, follow
from paperchute.engine.operations import implementation
from paperchute.engine.work import FetchPolicy, Refused
from tests.engine.hostile.canary import SECRET, Canary, everything_in, listening
from tests.engine.operations.papers import done, words, work
from tests.engine.service.running import RunningEngine, record_of

# Every way in which a document names a resource. {0} is the address.
KINDS = """
<base href="{0}"><link rel="stylesheet" href="{0}/1"><link rel="icon" href="{0}/2"><link rel="preload" href="{0}/3">
<link rel="attachment" href="{0}/4"><meta http-equiv="refresh" content="0;url={0}/5"><script src="{0}/6"></script>
<style>@namespace url({0}/9);</style><style>@import url("{0}/7"); @import "{0}/8";
@font-face {{ font-family: X; src: url("{0}/10") format("woff2"), url({0}/11) }}
@page {{ background: url({0}/12); @top-left {{ content: url({0}/13) }} }}
body {{ font-family: X; background-image: url({0}/14) }} li {{ list-style-image: url({0}/15) }}
p::before {{ content: url({0}/16) }} .m {{ mask: url({0}/17); clip-path: url({0}/18#c); filter: url({0}/19#f) }}
.f {{ fill: url({0}/20#p); marker-end: url({0}/21#m); cursor: url({0}/22) }}</style>
<body background="{0}/23"><p>shown</p><li style="background: url({0}/24)">x</li><img src="{0}/25" srcset="{0}/26 2x">
<picture><source srcset="{0}/27"><img src="{0}/28"></picture><iframe src="{0}/29"></iframe>
<iframe srcdoc="<img src='{0}/30'>"></iframe><object data="{0}/31"></object><embed src="{0}/32">
<input type="image" src="{0}/33"><video poster="{0}/34" src="{0}/35"></video><audio src="{0}/36"></audio>
<table background="{0}/37"><tr><td background="{0}/38">x</table><a download href="{0}/39">a</a><div class="m">m</div>
<svg><style>@import url("{0}/40")</style><image href="{0}/41"/><image xlink:href="{0}/42"/><use href="{0}/43#x"/>
<rect class="f" width="9" height="9"/><filter id="q"><feImage href="{0}/44"/></filter></svg>
<frameset><frame src="{0}/45">
<img src='data:image/svg+xml,<svg xmlns="http://www.w3.org/2000/svg"><image href="{0}/46"/></svg>'>
<img src='data:image/svg+xml,<?xml-stylesheet href="{0}/47"?><!DOCTYPE s SYSTEM "{0}/48" [<!ENTITY e SYSTEM "{0}/49">]>
<svg xmlns="http://www.w3.org/2000/svg"><text>%26e;</text></svg>'>
"""

# How a host can be spelled that is this machine; {0} is the canary's port.
SPELLINGS = [
    *("http://127.0.0.1:{0}", "http://localhost:{0}", "http://[::1]:{0}", "http://[::ffff:127.0.0.1]:{0}"),
    *("http://2130706433:{0}", "http://0x7f000001:{0}", "http://0177.0.0.1:{0}", "http://127.1:{0}", "http://0:{0}"),
    *("//127.0.0.1:{0}", "http:127.0.0.1:{0}", "HtTp://127.0.0.1:{0}", "http:/\\127.0.0.1:{0}", "\\\\127.0.0.1:{0}"),
    *("http://good.example@127.0.0.1:{0}", "http://127.0.0.1:{0}#good.example/", "ftp://127.0.0.1:{0}"),
    *(" http://127.0.0.1:{0}", "http://127.0.0.1.:{0}", "http://①②⑦.⓪.⓪.①:{0}", "h&#9;ttp://127.0.0.1:{0}"),
]


@pytest.fixture
def canary(monkeypatch: pytest.MonkeyPatch) -> Iterator[Canary]:
    """A server on loopback; whoever as much as looks up a name is noted too."""
    with listening() as found:
        true = socket.getaddrinfo

        def noted(host: Any, *more: Any, **named: Any) -> Any:
            found.asked.append(f"name {host}")
            return true("127.0.0.1", *more, **named)

        monkeypatch.setattr(socket, "getaddrinfo", noted)
        yield found


def _page(folder: Path, html: str) -> Path:
    path = folder / "page.html"
    path.write_text(html, "utf-8")
    return path


@pytest.mark.parametrize("spelling", SPELLINGS)
def test_no_server_is_reached_by_any_kind_of_resource(spelling: str, tmp_path: Path, canary: Canary) -> None:
    output = done("html-to-pdf", tmp_path, _page(tmp_path, KINDS.format(spelling.format(canary.port))))
    assert canary.asked == []
    assert "shown" in words(output)[0]


def test_the_kinds_are_asked_for_where_that_is_allowed(
    tmp_path: Path, canary: Canary, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else the tests above would prove nothing."""
    monkeypatch.setattr(outside, "is_public", lambda address: True)
    order = work("html-to-pdf", tmp_path, _page(tmp_path, KINDS.format(f"http://good.example:{canary.port}")))
    implementation("html-to-pdf").run(dataclasses.replace(order, fetch=FetchPolicy(("good.example",))))
    paths = {asked for asked in canary.asked if asked.startswith("/")}
    assert {"/1", "/7", "/11", "/14", "/16", "/25", "/41", "/46"} <= paths


@pytest.mark.parametrize(
    "form", ["file://{0}", "file:{0}", "FILE://localhost{0}", "{0}", "..{0}", "../secret.txt", "secret.txt"]
)
def test_no_file_is_read_by_any_kind_of_resource(form: str, tmp_path: Path) -> None:
    secret = tmp_path / "secret.txt"
    secret.write_text(SECRET)
    for address in (form.format(secret.as_posix()), form.format("/etc/passwd")):
        html = KINDS.replace("{0}/", address + "?").replace("{0}", address).replace("{{", "{").replace("}}", "}")
        output = done("html-to-pdf", tmp_path, _page(tmp_path, html))
        held = everything_in(output)
        assert SECRET.encode() not in held
        assert b"root:" not in held
        assert "shown" in words(output)[0]
        with pikepdf.open(output) as pdf:
            assert not pdf.attachments
            assert "/OpenAction" not in pdf.Root


@pytest.mark.parametrize(
    "onward",
    [
        *("http://127.0.0.1:{0}/inside", "http://[::1]:{0}/inside", "http://169.254.169.254/latest/meta-data/"),
        *("http://2130706433:{0}/inside", "file:///etc/passwd", "//127.0.0.1:{0}/inside", "http://evil.example/", "x:"),
        *("http://good.example.evil.example/", "http://u:p@good.example/", "http://[", "/redirect"),
    ],
)
def test_a_redirect_leads_nowhere_else(onward: str, canary: Canary, monkeypatch: pytest.MonkeyPatch) -> None:
    true = socket.create_connection
    monkeypatch.setattr(socket, "create_connection", lambda address, *more: true(("127.0.0.1", canary.port), *more))
    canary.onward = onward.format(canary.port)
    with pytest.raises(FetchRefused):
        fetch("http://good.example/redirect", FetchPolicy(("good.example",)), lambda host, port: ["93.184.216.34"])
    assert {asked for asked in canary.asked if asked.startswith("/")} == {"/redirect"}


def test_a_redirect_within_the_listed_hosts_tells_where_it_led(canary: Canary, monkeypatch: pytest.MonkeyPatch) -> None:
    true = socket.create_connection
    monkeypatch.setattr(socket, "create_connection", lambda address, *more: true(("127.0.0.1", canary.port), *more))
    canary.onward = "/deep/page.html"
    content, kind, address = follow(
        "http://good.example/redirect", FetchPolicy(("good.example",)), lambda host, port: ["93.184.216.34"]
    )
    assert (content.decode(), kind, address) == (SECRET, "text/html", "http://good.example/deep/page.html")


@pytest.mark.parametrize("answers", [["127.0.0.1"], ["93.184.216.34", "10.0.0.1"], ["::1"], ["169.254.169.254"], []])
def test_a_listed_name_that_leads_inside_is_not_followed(answers: list[str], canary: Canary) -> None:
    for port in (80, canary.port):
        with pytest.raises(FetchRefused, match="not at a public address"):
            fetch(f"http://good.example:{port}/", FetchPolicy(("good.example",)), lambda host, asked: answers)
    assert canary.asked == []


@pytest.mark.parametrize("name", ["htmlUrl", "baseUri"])
@pytest.mark.parametrize("spelling", [*SPELLINGS, "file:///etc/", "/etc/", "../", "javascript:1", "data:text/html,x"])
def test_addresses_in_parameters_are_held_to_the_same_rule(
    name: str, spelling: str, tmp_path: Path, canary: Canary
) -> None:
    more = {"html": '<img src="x.png"><p>shown'} if name == "baseUri" else {}
    with pytest.raises(Refused) as caught:
        done("pdf-generate", tmp_path, **more, **{name: spelling.format(canary.port)})
    assert caught.value.code == "03000"  # another try comes to the same
    assert canary.asked == []


@pytest.mark.parametrize(
    "name", ["../../evil.html", "/etc/evil.html", "..\\..\\evil.html", "CON.html", "a\0b.html", ".", ""]
)
def test_the_names_of_uploads_stay_within_the_task(name: str, tmp_path: Path) -> None:
    order = work("pdf-generate", tmp_path, _page(tmp_path, "<p>x"), part="htmlFile")
    sources = tuple(dataclasses.replace(source, name=name) for source in order.sources)
    (output,) = implementation("pdf-generate").run(dataclasses.replace(order, sources=sources))
    assert output.parent == order.folder
    assert output.suffix == ".pdf"


ESCAPES = [
    "{{ ''.__class__.__mro__[1].__subclasses__() }}",
    "{{ self.__init__.__globals__ }}",
    "{{ cycler.__init__.__globals__.os.popen('id').read() }}",
    "{{ ''|attr('__class__')|attr('__base__') }}",
    "{{ namespace['__init__'] }}",
    "{{ [1]|map(attribute='__class__.__mro__')|list }}",
    "{{ '{0.__class__.__init__.__globals__}'.format(d) }}",
    "{{ '{x.__class__}'.format_map({'x': d}) }}",
    "{{ ('{0.__class__}'|safe).format(d) }}",
    "{% macro m() %}{% endmacro %}{{ m.__globals__ }}",
    "{{ d.update({'x': 1}) }}",
    "{{ d.items.__self__ }}",
    "{% include '/etc/passwd' %}",
    "{% import 'os' as os %}",
    "{% extends '../secret.txt' %}",
    "{{ lipsum.__globals__ }}",
    "{{ get_flashed_messages.__globals__ }}",
    "{{ (1).__class__ }}",
    "{{ d.clear() }}",
]


@pytest.mark.parametrize("template", ESCAPES)
def test_no_template_leaves_the_sandbox(template: str, tmp_path: Path) -> None:
    with pytest.raises(Refused) as caught:
        done("pdf-generate", tmp_path, template=template, data='{"d": {"a": 1}}')
    assert caught.value.code == "03000"
    assert "line 1" in caught.value.reason


GREEDY = {
    "{% for i in range(99999) %}{% for j in range(99999) %}{% endfor %}{% endfor %}": "longer than 0.3 seconds",
    "{% macro f(n) %}{% if n %}{{ f(n-1) }}{{ f(n-1) }}{% endif %}{% endmacro %}{{ f(60) }}": "longer than 0.3 seconds",
    "{% for i in range(10**12) %}x{% endfor %}": "Range too big",
    "{% macro f() %}{{ f() }}{% endmacro %}{{ f() }}": "calls itself endlessly",
    "{{ 9**99999 }}": "power is too large",
    "{{ " + "(" * 5000: "nested too deeply",
    "{% for i in range(99999) %}{% for j in range(99999) %}"
    + "x" * 9999
    + "{% endfor %}{% endfor %}": "32 million characters",
}


@pytest.mark.parametrize("template", GREEDY)
def test_a_template_without_measure_is_stopped_with_the_reason(
    template: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(templates, "_SECONDS", 5.0 if "million" in GREEDY[template] else 0.3)
    with pytest.raises(Refused) as caught:
        done("pdf-generate", tmp_path, template=template, data="{}")
    assert caught.value.code == "03000"
    assert GREEDY[template] in caught.value.reason


@pytest.mark.skipif(sys.platform != "linux", reason="the memory of a template is bounded on Linux")
@pytest.mark.parametrize(
    ("template", "reason"),
    [
        ("{{ 'a' * 10**10 }}", "in line 1: [*] would take more than 32 million characters"),
        ("{{ 'a'.ljust(10**10) }}", "in line 1: a width may be at most 1000"),
        ("{{ '%10000000000d' % 1 }}", "in line 1: a format may not ask for thousands of characters"),
        ("{{ '{:10000000000}'.format(1) }}", "in line 1: a format may not ask for thousands of characters"),
        ("{{ [1]|batch(10**10, 'x')|list }}", "in line 1: a width may be at most 1000"),
        ("{{ {}|tojson(indent=10**10) }}", "in line 1: a width may be at most 1000"),
        (
            "{% set n = namespace(s='aaaaaaaa') %}{% for i in range(60) %}{% set n.s = n.s ~ n.s %}{% endfor %}",
            "in line 1: it takes more than 512 MB of memory",
        ),
    ],
)
def test_a_template_that_wants_all_memory_is_stopped_with_the_reason(
    template: str, reason: str, tmp_path: Path
) -> None:
    with pytest.raises(Refused, match=reason):
        done("pdf-generate", tmp_path, template=template, data="{}")
    assert words(done("pdf-generate", tmp_path, template="{{ 1 }}", data="{}")) == ["1"], (
        "the next one has it all again"
    )


_LAUGHS = "".join(f"<!ENTITY a{n} '{f'%26a{n - 1};' * 10}'>" for n in range(1, 12))
_USES = "".join(f'<g id="a{n}">{f"""<use href="#a{n - 1}"/>""" * 10}</g>' for n in range(1, 12))
BOMBS = {
    "svg use, ten times each": f'<svg><g id="a0"><rect width="1" height="1"/></g>{_USES}<use href="#a11"/></svg>',
    "svg use of itself": '<svg><g id="a"><use href="#a"/></g><use href="#a"/></svg>',
    "entities": "<img src=\"data:image/svg+xml,<!DOCTYPE s [<!ENTITY a0 'lol'>"
    + _LAUGHS
    + "]><svg xmlns='http://www.w3.org/2000/svg'><text>%26a11;</text></svg>\">",
    "variables": "<style>:root{--a0:lol;"
    + "".join(f"--a{n}:var(--a{n - 1}) var(--a{n - 1});" for n in range(1, 40))
    + "} p::before{content:var(--a39)}</style><p>x",
    "brackets": "<style>p{width:" + "(" * 300_000 + "}</style><p>x",
    "deep elements": "<b>" * 200_000 + "x",
    "pages without end": '<div style="height:1000000000px">x',
    "cells without end": "<table>" + "<tr><td colspan=1000 rowspan=1000>x" * 1000,
    "tags that never end": "<a " * 500_000,
    "filters": '<svg><filter id="f" width="1e9"><feGaussianBlur stdDeviation="1e9"/></filter><rect filter="url(#f)"/>',
    "attributes": "<p " + " ".join(f"a{n}=1" for n in range(100_000)) + ">x",
    "million paragraphs": "<p>x</p>" * 1_000_000,
}
_QUICK = ("svg use of itself", "variables", "brackets", "deep elements", "tags that never end", "filters")


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningEngine]:
    """The real thing, with low limits."""
    limits = ("--task-seconds", "8", "--memory", str(400 << 20), "--max-output", str(20 << 20))
    with RunningEngine(tmp_path_factory.mktemp("engine"), *limits, real=True) as running:
        yield running


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=() if name in _QUICK else pytest.mark.slow) for name in BOMBS]
)
def test_a_bomb_costs_its_own_task_only(name: str, engine: RunningEngine) -> None:
    record = record_of(engine.post("html/pdf", ("file", "bomb.html", b"<!doctype html>" + BOMBS[name].encode())))
    if record["status"] != "success":
        assert record["failureCode"] in ("02210", "100105", "190006", "03000")
        assert record["failureReason"]
    assert record_of(engine.html("next"))["status"] == "success"
    assert not [path for path in engine.state.rglob("*") if path.name.endswith((".layout", ".html"))]


def test_a_template_is_bounded_in_a_worker_too(engine: RunningEngine) -> None:
    """Its memory, because a worker's threads have large stacks; the next one has it all again."""
    for template, status in (("{{ 'a' * 10**10 }}", "failed"), ("{{ 1 }}", "success"), ("{{ 1 }}", "success")):
        record = record_of(engine.post("pdf/generate", data={"template": template, "data": "{}"}))
        assert record["status"] == status, record["failureReason"]


_SOUP = [
    *(
        "<div>",
        "</div>",
        "<table>",
        "<tr>",
        "<td colspan=9>",
        "</table>",
        "<svg>",
        "<use href='#a'/>",
        "</svg>",
        "<p id=a>",
    ),
    *(
        "<style>",
        "</style>",
        "p{",
        "}",
        "display:flex;",
        "float:left;",
        "columns:3;",
        "position:fixed;",
        "width:calc(1px*",
    ),
    *(
        "9e9",
        "%)",
        "var(--a)",
        "--a:var(--a);",
        "@page{size:1px;",
        "break-before:page;",
        "<h1>",
        "<a href='#a'>",
        "<!--",
    ),
    *(
        "content:counter(page)",
        "text ",
        "\u05d0\u0301",
        "\ufffd",
        "<img src='data:image/png;base64,iVBORw0KGgo'>",
        "&#0;",
    ),
]


@settings(max_examples=40)
@given(st.lists(st.sampled_from(_SOUP), max_size=30))
def test_any_soup_of_html_ends_in_a_record(engine: RunningEngine, pieces: list[str]) -> None:
    record = record_of(engine.post("html/pdf", ("file", "soup.html", ("<!doctype html>" + "".join(pieces)).encode())))
    assert record["status"] == "success" or record["failureCode"] in ("02210", "100105", "190006")


def test_a_long_document_leaves_nothing_but_its_result(engine: RunningEngine) -> None:
    html = b"<!doctype html>" + b'<p style="break-after:page">x' * 60
    record = record_of(engine.post("html/pdf", ("file", "long.html", html)))
    assert record["status"] == "success"
    assert not [path for path in engine.state.rglob("*") if path.name.endswith((".layout", ".html"))]
