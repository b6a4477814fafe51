"""The figures of the gate: scores of results beside their sources, and what they cost in steps that can be counted."""

from __future__ import annotations

import importlib
import re
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from statistics import fmean
from typing import Any

from rapidfuzz import fuzz

from benchmarks.extraction.__main__ import extracted
from benchmarks.extraction.documents import make
from benchmarks.extraction.printing import printed
from benchmarks.extraction.scores import judged, shares
from benchmarks.fidelity import documents, results
from benchmarks.reading.markup import neutral
from benchmarks.reading.scores import cell_scores, markdown_scores
from benchmarks.scans.scores import text_scores
from paperchute.contract import Value
from paperchute.engine.operations import implementation
from paperchute.engine.work import Refused, Source, Work

KINDS = 11
COUNT = 2 * KINDS
"""Documents: two of each kind."""

FIELDS = 12
"""Documents whose fields are asked for."""

_SAME = 88
"""Of 100: how alike items must be to be the same, as the scorers of fidelity have it."""

Figures = dict[str, dict[str, float]]


def measured(folder: Path) -> Figures:
    """All figures by group and name. More is better where a name does not begin with `cost`."""
    found: dict[str, dict[str, list[float]]] = {}
    calls = pages = 0
    for number in range(COUNT):
        made = documents.made(number)
        pdf = made.print(folder / f"{number}.pdf")
        with counted_calls() as counter:
            (markdown, *_) = converted("pdf-to-markdown", pdf)
        calls += counter()
        pages += page_count(pdf)
        groups = {
            "word": _of_word(made, results.word(converted("pdf-to-docx", pdf)[0])),
            "excel": _of_excel(made, pdf),
            "reading": _of_markdown(made, re.sub(r"<(header|footer)>.*?</\1>", "", markdown.read_text("utf-8"))),
        }
        for group, scores in groups.items():
            for name, value in scores.items():
                found.setdefault(group, {}).setdefault(f"{made.kind}: {name}", []).append(value)
    figures = {
        group: {name: round(fmean(values), 3) for name, values in sorted(scores.items())}
        for group, scores in found.items()
    }
    figures["reading"]["cost: thousands of calls a page"] = round(calls / pages / 1000, 1)
    figures["extraction"] = _extraction(folder)
    figures["recognition"] = _recognition(folder)
    return figures


def falls(before: Figures, now: Figures) -> list[str]:
    """Name what is worse than it was: a score by more than rounding, a cost by a tenth, what is no longer measured."""
    worse = []
    for group, names in before.items():
        for name, old in names.items():
            new = now.get(group, {}).get(name)
            if new is None:
                worse.append(f"{group}, {name}: {old}, and no longer measured")
            elif new > 1.1 * old if name.startswith("cost") else new < old - 0.004:
                worse.append(f"{group}, {name}: {old}, now {new}")
    return worse


def converted(operation: str, source: Path, kind: str = "pdf", **parameters: Value) -> list[Path]:
    """Run an operation as the engine does; the files of the result."""
    folder = Path(tempfile.mkdtemp(dir=source.parent))
    work = Work(operation, (Source("file", source, source.name, kind),), parameters, folder)
    return implementation(operation).run(work)


def page_count(pdf: Path) -> int:
    """Tell how many pages a PDF has."""
    import pypdfium2

    with pypdfium2.PdfDocument(pdf) as document:
        return len(document)


@contextmanager
def counted_calls() -> Iterator[Callable[[], int]]:
    """Count the calls of Python functions in here: what a machine with other work takes as many of as any."""
    count = 0

    def see(_frame: Any, event: str, _arg: Any) -> None:
        nonlocal count
        count += event == "call"

    sys.setprofile(see)
    try:
        yield lambda: count
    finally:
        sys.setprofile(None)


def _of_word(made: documents.Made, word: results.Word) -> dict[str, float]:
    true, got = neutral(made.truth), neutral(word.markdown)
    scores = _shared(markdown_scores(true, got))
    if "tables" in scores:
        scores["cells"] = cell_scores(true, got)["cell F1"]
    if made.items:
        scores["items"] = _items(made.items, word.items)
    if made.running:
        wanted = set(re.findall(r"\w+", made.running))
        scores["running"] = len(wanted & set(re.findall(r"\w+", word.running))) / len(wanted)
    if made.pages:
        scores["pages"] = min(made.pages, word.pages) / max(made.pages, word.pages)
    return scores


def _of_excel(made: documents.Made, pdf: Path) -> dict[str, float]:
    if "| --- |" not in made.truth and "<table" not in made.truth:
        return {}
    try:
        book = results.workbook(converted("pdf-to-xlsx", pdf, excelAllContent=0)[0])
    except Refused:  # there is no table, it says
        return {"cells": 0.0}
    return {"cells": cell_scores(neutral(made.truth), neutral(book))["cell F1"]}


def _of_markdown(made: documents.Made, markdown: str) -> dict[str, float]:
    return _shared(markdown_scores(neutral(made.truth), neutral(markdown)))


def _shared(scores: dict[str, float]) -> dict[str, float]:
    return {name: scores[name] for name in ("text", "headings", "tables") if name in scores}


def _items(wanted: Sequence[str], got: Sequence[str]) -> float:
    """F1 of the items of real lists."""
    free = list(got)
    hits = 0
    for item in wanted:
        best = max(free, key=lambda other: fuzz.ratio(item, other), default="")
        if best and fuzz.ratio(item, best) >= _SAME:
            free.remove(best)
            hits += 1
    return 2 * hits / (len(wanted) + len(got))


def _extraction(folder: Path) -> dict[str, float]:
    outcomes = []
    for seed in range(0, 2 * FIELDS, 2):
        one = make(seed)
        found = extracted(printed(one, folder), "pdf", folder / f"fields-{seed}")
        outcomes.append(judged(one.truth, found["Document"]))
    all_of = shares(outcomes)["all"]
    return {"right": round(all_of["right"], 3), "not wrong": round(1 - all_of["wrong"], 3)}


def _recognition(folder: Path) -> dict[str, float]:
    """Score a page as a picture, and count the pixels that the network which looks for lines sees, a page's area.

    Of a photograph alone on its page that is a count of looks, which nobody has time for who only wants the text.
    """
    letter = next(made for made in map(documents.made, range(KINDS)) if made.kind == "letter")
    picture = folder / "letter.png"
    _drawn(letter.print(folder / "letter.pdf"), picture)
    with _seen_pixels() as seen:
        (markdown,) = converted("img-to-docx", picture, "png")
        scan = seen()
    said = f"{letter.truth} {letter.running}"
    word = results.word(markdown)
    score = text_scores(said, f"{word.markdown} {word.running}")["word F1"]
    alone = folder / "photograph.pdf"
    _with_photograph(alone)
    with _seen_pixels() as seen:
        converted("pdf-to-markdown", alone)
        photograph = seen()
    return {
        "letter: word F1": round(score, 3),
        "cost: megapixels of a letter": round(scan / 1e6, 2),
        "cost: megapixels of a photograph": round(photograph / 1e6, 2),
    }


@contextmanager
def _seen_pixels() -> Iterator[Callable[[], int]]:
    detection: Any = importlib.import_module("paperchute.engine.reading.ocr.detection")
    finder = detection.line_finder
    count = 0

    class Counting:
        def run(self, values: Any) -> Any:
            nonlocal count
            count += values.shape[2] * values.shape[3]
            return finder().run(values)

    detection.line_finder = Counting
    try:
        yield lambda: count
    finally:
        detection.line_finder = finder


def _drawn(pdf: Path, target: Path) -> None:
    import pypdfium2

    with pypdfium2.PdfDocument(pdf) as document:
        document[0].render(scale=150 / 72).to_pil().convert("RGB").save(target)


def _with_photograph(target: Path) -> None:
    import pikepdf
    from pikepdf import Dictionary, Name

    with pikepdf.new() as pdf:
        page = pdf.add_blank_page(page_size=(595, 842))
        stream = pdf.make_stream(documents.photograph())
        stream.Type, stream.Subtype, stream.Filter = Name.XObject, Name.Image, Name.DCTDecode
        stream.Width, stream.Height, stream.BitsPerComponent = 421, 430, 8
        stream.ColorSpace = Name.DeviceRGB
        page.obj.Resources = Dictionary(XObject=Dictionary(I=stream))
        page.obj.Contents = pdf.make_stream(b"q 200 0 0 205 60 560 cm /I Do Q")
        pdf.save(target)
