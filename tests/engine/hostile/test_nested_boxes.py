"""Boxes that double the work of the layout with each that stands around them, whichever way they are written."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from paperchute.engine import report
from paperchute.engine.html.nesting import FLAT, flattened
from tests.engine.operations.papers import done, words

_COLUMN = "display:flex;flex-direction:column"
_DEEP = {
    "tables": "<table><tr><td>" * 30,
    "tables with a tag that hides them": "<div><table><tr><td title='>'></div>" * 30,
    "tables in what is no comment": "<!-->" + "<table><tr><td>" * 30,
    "tables in a style that is none": "<svg><style>" + "<table><tr><td>" * 30,
    "fieldsets": "<fieldset>" * 400,
    "drawings": "<svg>" * 60,
    "columns of boxes": f"<style>div{{{_COLUMN}}}</style>" + "<div>a<div>b</div>" * 30,
    "columns of boxes by class": f"<style>.a, .b > .c:first-child {{{_COLUMN}}}</style>" + "<div class='x c'>" * 40,
    "columns of boxes that end within a letter's": f"<div style='{_COLUMN}'><b><div style='{_COLUMN}'></b>" * 20,
    "columns of text": "<style>div{columns:2}</style>" + "<div>" * 40,
    "cells": "<style>div{display:table-cell}</style>" + "<div>" * 40,
    "floats": "<style>div{float:right;width:99%}</style>" + "<div>a<div>b</div>" * 40,
    "a value escaped": "<style>div{display:tabl\\65 }</style>" + "<div>" * 40,
    "a value behind a brace in quotes": '<style>div{content:"}";display:table}</style>' + "<div>" * 40,
    "a value of a variable": "<style>:root{--d:table}div{display:var(--d)}</style>" + "<div>" * 40,
    "an imported sheet": "<style>@import 'data:text/css,*{display:table}'</style>" + "<div>" * 40,
    "a linked sheet": "<link rel=stylesheet href='data:text/css;base64,ZGl2e2Rpc3BsYXk6dGFibGV9'>" + "<div>" * 40,
}


@pytest.fixture
def few_seconds() -> Iterator[None]:
    """Nothing here takes a second of the processor; what never ends is to be seen."""
    if sys.platform == "win32":
        pytest.skip("nothing bounds this process there")
    import resource

    used, before = resource.getrusage(resource.RUSAGE_SELF), resource.getrlimit(resource.RLIMIT_CPU)
    most = int(used.ru_utime + used.ru_stime) + 60
    resource.setrlimit(resource.RLIMIT_CPU, (most, before[1]))
    yield
    resource.setrlimit(resource.RLIMIT_CPU, before)


@pytest.mark.usefixtures("few_seconds")
@pytest.mark.parametrize("name", _DEEP)
def test_boxes_within_boxes_are_laid_out_in_no_time(name: str, tmp_path: Path) -> None:
    page = tmp_path / "a.html"
    page.write_text(f"<!doctype html>{_DEEP[name]}<p>Innermost</p>", "utf-8")
    with report.collected() as warnings:
        done("html-to-pdf", tmp_path, page)
    assert any("deep are set as plain text" in warning for warning in warnings)


def test_no_word_is_lost_where_boxes_are_made_plain(tmp_path: Path) -> None:
    page = tmp_path / "a.html"
    page.write_text("<!doctype html>" + "".join(f"<table><tr><td>w{n}" for n in range(40)) + "<p>Innermost", "utf-8")
    found = " ".join(words(done("html-to-pdf", tmp_path, page))).split()
    assert found == [*(f"w{n}" for n in range(40)), "Innermost"]


@pytest.mark.parametrize("around", ["<div>", "<li><blockquote>", "<dl><dt>", "<b>", "<p><button>"])
def test_no_word_is_lost_however_deep_it_stands(around: str, tmp_path: Path) -> None:
    page = tmp_path / "a.html"
    page.write_text("<!doctype html>" + "".join(f"{around}w{n} " for n in range(800)) + "<p>Innermost", "utf-8")
    found = " ".join(words(done("html-to-pdf", tmp_path, page))).split()
    assert {*(f"w{n}" for n in range(800)), "Innermost"} <= set(found)  # what stands in one line is read in any order


@pytest.mark.parametrize(
    "html",
    [
        "<table><tr><td>" * 8 + "<p>x</p>" * 1000,  # a newsletter
        "<table><tr><td>x</td></tr></table>" * 500,
        "<table><tr><td>a<td>b<tr><td>c" * 1 + "</table>",
        f"<style>.c{{{_COLUMN}}}</style>" + "<div class=c>" * 4 + "<p>x</p>" * 500,
        "<style>.f{float:left;width:50%}</style>" + "<div class=f>" * 6 + "<p>x" * 400,
        "<style>li{display:flex;flex-direction:column}</style><ul>" + "<li>x" * 300,
        "<style>p{display:table}</style>" + "<p>x" * 300,
        "<p>x</p>" * 10,
        "<div>" * 200,
        "<!-- " + "<table>" * 7 + " -->",
    ],
)
def test_documents_as_they_are_stay_as_they_are(html: str) -> None:
    assert flattened(html, "http://a.invalid/", lambda _url: "") == html


def test_a_sheet_from_elsewhere_counts_where_it_comes() -> None:
    asked: list[str] = []

    def fetched(url: str) -> str:
        asked.append(url)
        return "@import url(more.css); i{}" if url.endswith("a.css") else "div{display:table}" if "more" in url else ""

    html = "<link rel='stylesheet' href='css/a.css'>" + "<div>" * 40
    assert FLAT in flattened(html, "http://a.invalid/x/", fetched)
    assert asked == ["http://a.invalid/x/css/a.css", "http://a.invalid/x/css/more.css"]
