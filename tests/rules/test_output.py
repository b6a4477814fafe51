"""Output names: what a template becomes, and that no file name can lead out of its place."""

from __future__ import annotations

import os
from datetime import datetime
from pathlib import Path, PurePosixPath

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paperchute.rules.output import target, unknown_placeholders
from tests.jobs.makers import make_rule

HOT = Path("/base/hot").absolute()  # on Windows with its drive
NOW = datetime(2026, 11, 21, 12, 0).timestamp()


@pytest.mark.parametrize(
    ("template", "path", "expected"),
    [
        ("", "a.pdf", "/base/hot.out/a"),
        ("", "x/y/a.pdf", "/base/hot.out/x/y/a"),
        ("../Signed {date:%Y}/{stem} (ok).{ext}", "a.pdf", "/Signed 2026/a (ok)"),
        ("{folder}/{relative}/{stem}.{ext}", "x/a.pdf", "/base/hot/x/a"),
        ("out/{rule}-{operation}-{counter:04}.{ext}", "a.pdf", "/base/out/Lock-pdf-to-markdown-0007"),
        ("out/{name}.{ext}", "a.pdf", "/base/out/a.pdf"),
        ("/far/away/{stem}.{ext}", "a.pdf", "/far/away/a"),
        ("//server/share/{stem}.{ext}", "a.pdf", "//server/share/a"),
        ("//server/share/x/{rule}/{stem}.{ext}", "a.pdf", "//server/share/x/Lock/a"),
        ("out/{date}/{stem}.md", "a.pdf", "/base/out/2026-11-21/a"),
    ],
)
def test_templates(template: str, path: str, expected: str) -> None:
    found = target(make_rule(HOT, output=template), PurePosixPath(path), now=NOW, counter=7)
    assert found.folder / found.stem == Path(expected).absolute()


def test_an_extension_in_the_template_is_kept_and_otherwise_the_result_s_own() -> None:
    assert target(make_rule(HOT, output="o/{stem}.txt"), PurePosixPath("a"), now=NOW, counter=1).extension == "txt"
    assert target(make_rule(HOT, output="o/{stem}.{ext}"), PurePosixPath("a"), now=NOW, counter=1).extension is None
    assert target(make_rule(HOT, output="o/{stem}"), PurePosixPath("a.b"), now=NOW, counter=1).extension is None


def test_groups_and_pages_are_placeholders() -> None:
    rule = make_rule(
        HOT, pattern=r"^(?P<who>[^ ]+) (?P<no>\d+)", output="o/{who}/{no} ({pages} pages, {pages:03}).{ext}"
    )
    found = target(rule, PurePosixPath("..Ann/../b 7.pdf"), now=NOW, counter=1, pages=12)
    assert found.folder / found.stem == HOT.parent / "o/b/7 (12 pages, 012)"
    unknown = target(rule, PurePosixPath("b 7.pdf"), now=NOW, counter=1)
    assert unknown.stem == "7 (unknown pages, unknown)"


def test_a_set_is_named_after_its_folder() -> None:
    rule = make_rule(HOT, gather="folder", output="{folder.name}.out/{set}.{ext}")
    assert target(rule, PurePosixPath("Offer 1.2"), now=NOW, counter=1).stem == "Offer 1.2"


_names = st.text(min_size=1, max_size=300).filter(lambda name: name not in (".", ".."))


_parts = st.lists(
    st.sampled_from(
        ["{stem}", "{name}", "{relative}", "{all}", "{some}", "{rule}", "{counter}", "{pages:03}", "{date:%Y}", "{set}",
         "{folder.name}", "{ext}", " ", ".", "..", "x", "-"]
    ),
    min_size=1,
    max_size=3,
)  # fmt: skip
_templates = st.lists(_parts.map("".join), max_size=3).map(lambda folders: "/".join(["o", *folders, "{stem}.{ext}"]))


@given(st.lists(_names, min_size=1, max_size=3), st.one_of(_templates, st.sampled_from(["", "{some}"])))
def test_no_file_name_leads_out_of_its_place(parts: list[str], template: str) -> None:
    """However a template is made, a name changes neither how many folders there are nor where they begin."""
    relative = PurePosixPath(*(part.replace("/", "\\") for part in parts))
    rule = make_rule(HOT, output=template, pattern="(?s)(?P<all>.*?(?P<some>.?.?))$")
    found = target(rule, relative, now=NOW, counter=1)
    inside = found.folder / found.stem
    assert ".." not in inside.parts[1:]
    harmless = target(rule, PurePosixPath(*("n" for _ in parts)), now=NOW, counter=1)
    if ".." not in template.split("/"):  # those of the rule's author count
        assert os.path.normpath(inside) == str(inside)
        assert inside.is_relative_to(HOT.parent)
        assert len(inside.parts) == len((harmless.folder / harmless.stem).parts)
    assert all(len(part.encode("utf-8", "surrogateescape")) <= 255 for part in inside.parts)
    assert len(f"{found.stem} (99999).document".encode("utf-8", "surrogateescape")) <= 255


def test_unknown_placeholders_are_found() -> None:
    assert unknown_placeholders("{stem}-{stme}-{date:%Y}") == ["stme"]
