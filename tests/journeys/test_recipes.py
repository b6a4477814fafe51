"""The worked examples of the reference, carried out, as far as the built-in engine does their operations."""

from __future__ import annotations

import json
import os
import time
import tomllib
from importlib import resources
from pathlib import Path

import pikepdf
import plutoprint
import pytest
from PIL import Image, ImageDraw

from paperchute.rules.docs.recipes import RECIPES
from tests.journeys.daemon import Paperchute, names
from tests.journeys.documents import page_count, write_pdf
from tests.journeys.test_when import write_invoice

pytestmark = pytest.mark.slow

RING = """
from keyring.backend import KeyringBackend

class Ring(KeyringBackend):
    priority = 1
    def get_password(self, service, username): return f"{service}/{username}"
    def set_password(self, service, username, password): raise NotImplementedError
"""


def doable(rule: str) -> bool:
    """Whether the engine has every operation that a rule names."""
    here = resources.files("paperchute.engine.operations")
    (raw,) = tomllib.loads(rule)["rule"]
    named = [step["operation"] for step in raw.get("steps", [raw])]
    return all(here.joinpath(name.replace("-", "_") + ".py").is_file() for name in named)


def picture(path: Path) -> None:
    """A ruled table with some prices in it."""
    image = Image.new("RGB", (900, 420), "white")
    draw = ImageDraw.Draw(image)
    for row, cells in enumerate((("Item", "Price"), ("Coffee", "3.10"), ("Tea", "2.80"), ("Cake", "4.50"))):
        for column, cell in enumerate(cells):
            left, top = 50 + 400 * column, 30 + 90 * row
            draw.rectangle((left, top, left + 400, top + 90), outline="black", width=3)
            draw.text((left + 30, top + 20), cell, fill="black", font_size=44)
    image.save(path, "PNG")


def write_contract(path: Path, number: str) -> None:
    """A contract of one page."""
    path.parent.mkdir(parents=True)
    book = plutoprint.Book(plutoprint.PAGE_SIZE_A4)
    book.load_html(
        f"<h1>Mietvertrag</h1><p>Vertragsnummer: {number}</p><p>zwischen</p><p>ACME GmbH, Hauptstraße 1, 10115 Berlin"
        "</p><p>und</p><p>Erika Mustermann, Lindenweg 27, 10115 Berlin</p><p>§ 1 Mietsache</p><p>Vermietet wird ein "
        "Lager.</p><p>Berlin, den 12.03.2026</p>"
    )
    book.write_to_pdf(str(path))


def set_up(home: Path) -> None:
    """Everything that the examples want to find."""
    hot = home / "Hot"
    write_pdf(hot / "scans" / "a.pdf", "Scan")
    (hot / "receipts").mkdir(parents=True)
    picture(hot / "receipts" / "IMG_0017")
    (hot / "expenses" / "2026-11").mkdir(parents=True)
    write_invoice(hot / "expenses" / "2026-11" / "a.pdf", "ACME GmbH", 100)
    write_pdf(hot / "payslips" / "4711 Anna Berg 2026-11.pdf", "Payslip")
    write_pdf(hot / "payslips" / "12 Nobody 2026-11.pdf", "Payslip")
    (home / "Private").mkdir()
    (home / "Private" / "payslips.csv").write_text("number,password\n4711,of-anna\n")
    (home / "Private" / "payslips.csv").chmod(0o600)
    for name in ("10.pdf", "9.pdf", "draft 1.pdf"):
        write_pdf(hot / "months" / "2026-11" / name, name)
    (hot / "orders").mkdir()
    for number in (1, 2):
        (hot / "orders" / f"{number}.json").write_text(json.dumps({"customer": {"name": f"Customer {number}"}}))
    (hot / "pages" / "deep").mkdir(parents=True)
    (hot / "pages" / "deep" / "page.html").write_text("<h1>Page</h1>")
    (hot / "whiteboards").mkdir()
    picture(hot / "whiteboards" / "board.png")
    write_pdf(hot / "contracts" / "c.pdf", "This Contract")
    write_pdf(home / "Documents" / "Inbox" / "sub" / "d.pdf", "Document")
    (hot / "mail").mkdir()
    write_invoice(hot / "mail" / "scan1.pdf", "ACME GmbH", 1000)
    write_invoice(hot / "mail" / "scan2.pdf", "ACME GmbH", 100)
    write_contract(hot / "agreements" / "c.pdf", "V-2026-17")
    write_pdf(hot / "covers" / "offer.pdf", "Offer")
    write_pdf(hot / "covers" / "offer.insert.pdf", "Cover")


def test_each_does_what_it_says(tmp_path: Path) -> None:
    home = tmp_path / "home"
    set_up(home)
    (tmp_path / "templates").mkdir()
    (tmp_path / "templates" / "invoice.html").write_text("<p>For {{ customer.name }}</p>")
    (tmp_path / "ring.py").write_text(RING)
    chosen = [recipe for recipe in RECIPES if doable(recipe.rule)]
    titles = {recipe.title for recipe in chosen}
    rules = "version = 1\n" + "\n".join(recipe.rule for recipe in chosen).replace('"20:00-06:00"', '"00:00-24:00"')
    office = Paperchute(tmp_path, rules)
    office.environment |= {
        "HOME": str(home),
        "PYTHONPATH": f"{office.environment['PYTHONPATH']}{os.pathsep}{tmp_path}",
        "PYTHON_KEYRING_BACKEND": "ring.Ring",
        "PAPERCHUTE_OLD_PASSWORD": "old",
    }
    done = office.run("run", "--once", timeout=280)
    said = done.stdout + done.stderr
    hot = home / "Hot"
    year, month, day = time.strftime("%Y"), time.strftime("%Y-%m"), time.strftime("%Y-%m-%d")
    expected = {
        "Large invoices, for the boss too": hot / "For the boss/ACME GmbH 1190.00 EUR scan1.pdf",
        "Incoming mail by sender and month": hot / "Mail/ACME GmbH/2026-03/2026-03-12 invoice scan2.pdf",
        "Contracts by number": hot / "Contracts by number/V-2026-17 c.pdf",
        "Scans: upright, straight, without blank pages, searchable": hot / f"Archive/{year}/{day} a.pdf",
        "Receipts to CSV": hot / f"Receipts/{month}/IMG_0017.csv",
        "Receipts and invoices as one table": hot / "Expenses/Receipts 2026-11.xlsx",
        "Payslips, each locked with its owner's password": hot / "Payslips/2026-11/Anna Berg.pdf",
        "The month's papers as one PDF": hot / "Archive/2026/Papers 2026-11.pdf",
        "Invoices from a template and data": hot / f"Invoices/{year}/RE-{year}-00002.pdf",
        "Saved web pages to PDF": hot / "pages.out/deep/page.pdf",
        "Photos of whiteboards, cleaned": hot / f"Cleaned whiteboards/{day} board.png",
        "Contracts: cleaned, searchable, locked": hot / f"Signed/{year}/c (secured).pdf",
        "Everything as JSON, for a search index": home / "Documents/Index/sub/d",
        "A cover in front": hot / "Offers/offer with cover.pdf",
    }
    assert set(expected) == {recipe.title for recipe in RECIPES}
    for title in titles:
        assert expected[title].exists(), f"{title}: {names(home)}\n{said}"
    assert done.returncode == 1, "the payslip of a number that is not in the list fails"
    text = (hot / "payslips.failed" / "12 Nobody 2026-11.pdf.error.txt").read_text("utf-8")
    assert "has no password for '12'" in text
    with pytest.raises(pikepdf.PasswordError):
        page_count(hot / "Payslips/2026-11/Anna Berg.pdf")
    assert page_count(hot / "Payslips/2026-11/Anna Berg.pdf", "of-anna") == 1
    assert page_count(hot / "Archive/2026/Papers 2026-11.pdf") == 2
    assert page_count(hot / "Offers/offer with cover.pdf") == 2
    receipt = hot / f"Receipts/{month}/IMG_0017.csv"
    if receipt.exists():
        assert "Coffee" in receipt.read_text("utf-8-sig")
    assert len(titles) >= 5
