"""Stacks made by a seed, with where their documents begin: letters, invoices, reports, contracts, bank statements.

Even seeds are the half to look at while working on the engine; odd ones stay unseen and only count.
"""

from __future__ import annotations

import random
import tomllib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from importlib.resources import files
from pathlib import Path

import pikepdf

from paperchute.engine.html.fetch import page_from
from paperchute.engine.html.render import render
from paperchute.engine.work import FetchPolicy

LANGUAGES = ("de", "en", "fr")
_LINES_A_PAGE = 44


@dataclass(frozen=True)
class _Words:
    """What documents of a language say."""

    text: tuple[str, ...]
    page: str
    of: str
    companies: tuple[str, ...]
    streets: tuple[str, ...]
    towns: tuple[str, ...]
    people: tuple[str, ...]
    date: str
    months: tuple[str, ...]
    subjects: tuple[str, ...]
    greetings: tuple[str, ...]
    closing: str
    invoice: str
    number: str
    head: tuple[str, ...]
    total: str
    contract: tuple[str, ...]
    clause: str
    report: tuple[str, ...]
    statement: str
    annex: str
    bank: str


def _words_of(language: str) -> _Words:
    """Return what a language's documents say: `words.toml`."""
    raw = tomllib.loads(files(__package__).joinpath("words.toml").read_text("utf-8"))[language]
    lists = {name: tuple(value) for name, value in raw.items() if isinstance(value, list)}
    return _Words(**{**raw, **lists, "text": tuple(raw["text"].split())})


@dataclass(frozen=True)
class _Sender:
    """Who writes, and how its paper looks."""

    name: str
    street: str
    town: str
    color: str
    on_right: bool
    foot: str


@dataclass
class Stack:
    """A PDF of several documents: the 0-based page on which each begins, and what each is, for whoever looks."""

    path: Path
    starts: list[int] = field(default_factory=list)
    kinds: list[str] = field(default_factory=list)
    pages: int = 0


class Maker:
    """Makes the stack of one seed."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.seed = seed
        self.language = self.random.choice(LANGUAGES)
        self.words = _words_of(self.language)
        names = self.random.sample(self.words.companies, 4)
        self.senders = [self._sender(name) for name in names]
        self.few_senders = self.random.random() < 0.4

    def write(self, folder: Path) -> Stack:
        """Write the stack into a folder."""
        stack = Stack(folder / f"stack {self.seed}.pdf")
        with pikepdf.new() as whole:
            for _document in range(self.random.randint(4, 9)):
                kind, html = self._document()
                stack.starts.append(len(whole.pages))
                stack.kinds.append(f"{kind} ({self._add(whole, html, folder)})")
                if self.random.random() < 0.06:  # the back of its last sheet
                    whole.add_blank_page(page_size=(595, 842))
            stack.pages = len(whole.pages)
            whole.save(stack.path)
        return stack

    def attached(self, folder: Path) -> Stack:
        """Write a document with two annexes that count their pages by themselves."""
        stack, words, sender = Stack(folder / f"attached {self.seed}.pdf", [0]), self.words, self.senders[0]
        of = f'"{words.page} " counter(page) " {words.of} " counter(pages)'
        style = f"<style>@page {{ size: A4; margin: 22mm; @bottom-right {{ content: {of}; font-size: 8pt }} }}</style>"
        with pikepdf.new() as whole:
            for number in range(3):
                title = f"<h1>{words.annex} {number}</h1>" if number else self._head(sender)
                self._add(whole, f"{style}{title}{self._text(60)}", folder)
            stack.pages = len(whole.pages)
            whole.save(stack.path)
        return stack

    def _add(self, whole: pikepdf.Pdf, html: str, folder: Path) -> int:
        """Print a document behind the others. Returns how many pages it has."""
        part = folder / f"part {self.seed}.pdf"
        render(page_from(f"<!doctype html><meta charset=utf-8>{html}".encode()), part, FetchPolicy())
        with pikepdf.open(part) as pdf:
            whole.pages.extend(pdf.pages)
            count = len(pdf.pages)
        part.unlink()
        return count

    # ---------- what documents are made of ----------

    def _sender(self, name: str) -> _Sender:
        pick = self.random.choice
        street = pick(self.words.streets)
        number = self.random.randint(1, 99)
        street = f"{street} {number}" if self.language == "de" else f"{number} {street}"
        foot = pick(("all", "all", "first", "none"))
        color = pick(("#000", "#224488", "#663322"))
        return _Sender(name, street, pick(self.words.towns), color, self.random.random() < 0.4, foot)

    def _document(self) -> tuple[str, str]:
        sender = (
            self.senders[0] if self.few_senders and self.random.random() < 0.7 else self.random.choice(self.senders)
        )
        makers: Sequence[Callable[[_Sender], str]] = (
            *(self._letter, self._letter, self._letter, self._invoice, self._invoice, self._invoice),
            *(self._report, self._contract, self._statement),
        )
        make = self.random.choice(makers)
        return make.__name__.removeprefix("_"), make(sender)

    def _style(self, sender: _Sender, *, size: str = "A4", foot: bool = True, running: str = "") -> str:
        """Numbers, heads and feet of the pages, as they come."""
        words, r = self.words, self.random
        how = r.choices(("none", "of", "slash", "dash", "later", "plain"), (30, 30, 8, 12, 10, 10))[0]
        number = {
            "none": "none",
            "of": f'"{words.page} " counter(page) " {words.of} " counter(pages)',
            "slash": 'counter(page) " / " counter(pages)',
            "dash": '"- " counter(page) " -"',
            "later": f'"{words.page} " counter(page)',
            "plain": "counter(page)",
        }[how]
        place = r.choice(("bottom-right", "bottom-center", "top-right"))
        other = "bottom-left"
        own = f'"{sender.name} · {sender.street} · {sender.town}"'
        foot_on = sender.foot if foot else "none"
        rules = [f"@page {{ size: {size}; margin: 22mm 20mm 24mm 22mm; font-size: 8pt }}"]
        rules.append(f"@page {{ @{place} {{ content: {number}; font-size: 8pt }} }}")
        if how == "later":
            rules.append(f"@page:first {{ @{place} {{ content: none }} }}")
        if foot_on == "all":
            rules.append(f"@page {{ @{other} {{ content: {own}; font-size: 7pt }} }}")
        if foot_on == "first":
            rules.append(f"@page:first {{ @{other} {{ content: {own}; font-size: 7pt }} }}")
        if r.random() < 0.25:  # the whole letterhead on every page, with the day
            rules.append(f'@page {{ @top-right {{ content: {own} " · {self._date()}"; font-size: 7pt }} }}')
        if running:
            rules.append(f'@page {{ @top-left {{ content: "{running}"; font-size: 8pt }} }}')
            rules.append("@page:first { @top-left { content: none } }")
        face = r.choice(("serif", "sans-serif"))
        return (
            f"<style>{' '.join(rules)} body {{ font: {r.choice((10, 11))}pt/1.35 {face}; margin: 0 }}"
            " table { width: 100%; border-collapse: collapse } td, th { padding: 2pt 4pt; text-align: left }"
            " h1 { font-size: 16pt; margin: 0 0 6pt } h2 { font-size: 12pt; margin: 10pt 0 3pt } p { margin: 0 0 6pt }"
            "</style>"
        )

    def _head(self, sender: _Sender) -> str:
        side = "right" if sender.on_right else "left"
        return (
            f'<div style="text-align: {side}; color: {sender.color}; height: 24mm"><b style="font-size: 15pt">'
            f"{sender.name}</b><br>{sender.street}<br>{sender.town}</div>"
        )

    def _window(self, sender: _Sender) -> str:
        """Whom it is for, where the window of an envelope shows it."""
        r, words = self.random, self.words
        street = f"{r.choice(words.streets)} {r.randint(1, 99)}"
        own = f'<span style="font-size: 7pt">{sender.name} · {sender.street} · {sender.town}</span><br>'
        left = "95mm" if self.language == "fr" else "0"
        return (
            f'<div style="height: 40mm; margin-left: {left}">{own if r.random() < 0.6 else ""}'
            f"{r.choice(words.people)}<br>{street}<br>{r.choice(words.towns)}</div>"
        )

    def _date(self) -> str:
        r, words = self.random, self.words
        day, month, year = r.randint(1, 28), r.randint(1, 12), r.randint(2019, 2026)
        name = words.months[month - 1] if words.months else ""
        return words.date.format(d=day, m=month, y=year, month=name)

    def _text(self, lines: int) -> str:
        """Paragraphs of about so many printed lines."""
        made = []
        while lines > 0:
            length = self.random.randint(2, 9)
            sentences = []
            for _sentence in range(length):
                words = [self.random.choice(self.words.text) for _word in range(self.random.randint(9, 15))]
                sentences.append(" ".join(words).capitalize() + ".")
            made.append(f"<p>{' '.join(sentences)}</p>")
            lines -= length + 1
        return "".join(made)

    def _length(self, most: int) -> int:
        """Lines of up to so many pages, the fewer the likelier."""
        pages = min(int(self.random.triangular(1, most + 1, 1)), most)
        return round(_LINES_A_PAGE * (pages - self.random.uniform(0.2, 0.8)))

    # ---------- kinds ----------

    def _letter(self, sender: _Sender) -> str:
        words, r = self.words, self.random
        parts = [self._style(sender), self._head(sender)]
        if r.random() < 0.8:
            parts.append(self._window(sender))
        dated = f'<p style="text-align: right">{sender.town.strip("0123456789 ")}, {self._date()}</p>'
        parts.append(dated if r.random() < 0.9 else "")
        if r.random() < 0.8:
            parts.append(f"<p><b>{r.choice(words.subjects)}</b></p>")
        parts.append(f"<p>{r.choice(words.greetings)}</p>")
        return "".join([*parts, self._text(self._length(3) - 18), f"<p>{words.closing}</p><p>{sender.name}</p>"])

    def _invoice(self, sender: _Sender) -> str:
        words, r = self.words, self.random
        number = f"{r.choice(('RE', 'INV', '', 'F'))}{r.randint(1000, 99999)}"
        running = f"{words.invoice} {number}" if r.random() < 0.3 else ""
        rows = "".join(
            f"<tr><td>{n}</td><td>{' '.join(r.sample(words.text, 3))}</td><td>{r.randint(1, 9)}</td>"
            f"<td>{r.randint(5, 90)},00 €</td><td>{r.randint(90, 900)},00 €</td></tr>"
            for n in range(1, max(3, self._length(3) - 20))
        )
        heads = "".join(f"<th>{one}</th>" for one in words.head)
        return (
            f"{self._style(sender, running=running)}{self._head(sender)}{self._window(sender)}"
            f"<h1>{words.invoice}</h1><p>{words.number}: {number}<br>{self._date()}</p>"
            f"<table><thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table>"
            f"<p><b>{words.total}: {r.randint(900, 9000)},00 €</b></p>"
        )

    def _report(self, sender: _Sender) -> str:
        words, r = self.words, self.random
        title = f"{r.choice(words.report)} {r.randint(2019, 2026)}"
        front = r.random() < 0.4
        head = f"<h1>{title}</h1><p>{sender.name}<br>{self._date()}</p>"
        if front:
            head = f'<div style="padding-top: 70mm; text-align: center; break-after: page">{head}</div>'
        apart = "break-before: page; font-size: 15pt" if r.random() < 0.3 else ""  # chapters, each on a new page
        sections = ""
        for number in range(1, r.randint(2, 4)):
            heading = f"{number}. {' '.join(r.sample(words.text, 2)).capitalize()}"
            style = apart if number > 1 else ""
            sections += f'<h2 style="{style}">{heading}</h2>{self._text(self._length(2))}'
        running = title if r.random() < 0.5 else ""
        return f"{self._style(sender, foot=False, running=running)}{head}{sections}"

    def _contract(self, sender: _Sender) -> str:
        words, r = self.words, self.random
        title = r.choice(words.contract)
        other = f"{r.choice(words.people)}, {r.choice(words.towns)}"
        parties = f"<p>{sender.name}, {sender.street}, {sender.town}</p><p>{other}</p>"
        clauses = "".join(
            f"<h2>{words.clause} {n}</h2>{self._text(r.randint(5, 16))}" for n in range(1, r.randint(4, 12))
        )
        annex = ""
        if r.random() < 0.3:
            annex = f'<h1 style="break-before: page">{words.annex} 1</h1>{self._text(r.randint(8, 30))}'
        return f"{self._style(sender, foot=False)}<h1>{title}</h1>{parties}{clauses}<p>{self._date()}</p>{annex}"

    def _statement(self, sender: _Sender) -> str:
        words, r = self.words, self.random
        rows = "".join(
            f"<tr><td>{self._date()}</td><td>{' '.join(r.sample(words.text, 4))}</td>"
            f"<td>{r.randint(1, 900)},00</td></tr>"
            for _row in range(max(6, self._length(4) - 16))
        )
        head = f"<b>{words.bank}</b><h1>{words.statement} {r.randint(1, 12)}/{r.randint(2019, 2026)}</h1>"
        window = self._window(sender) if r.random() < 0.6 else ""
        return f"{self._style(sender, foot=False)}{head}{window}<table>{rows}</table>"
