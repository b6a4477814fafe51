"""What is measured on: PDFs with text and a picture on each page, a report as HTML, an invoice template with data."""

from __future__ import annotations

import base64
import io
import json
import random
from pathlib import Path

import numpy as np
import pikepdf
from pikepdf import Dictionary, Name, OutlineItem
from PIL import Image, ImageDraw, ImageFont

_WORDS = [
    "the",
    "quick",
    "brown",
    "fox",
    "jumps",
    "over",
    "a",
    "lazy",
    "dog",
    "while",
    "seven",
    "wizards",
    "brew",
    "strong",
    "jet",
    "black",
    "coffee",
]


def paper(path: Path, pages: int, seed: int = 1) -> Path:
    """A PDF of A4 pages with sixty lines each, a picture a page, a font that all share, and an outline."""
    chance = random.Random(seed)
    pdf = pikepdf.new()
    font = pdf.make_indirect(Dictionary(Type=Name.Font, Subtype=Name.Type1, BaseFont=Name.Helvetica))
    for number in range(pages):
        page = pdf.add_blank_page(page_size=(595, 842))
        lines = [" ".join(chance.choices(_WORDS, k=12)) for _ in range(60)]
        text = "".join(f"({line}) Tj 0 -12 Td " for line in [f"Page {number + 1} of paper {seed}", *lines])
        page.Contents = pdf.make_stream(f"BT /F1 9 Tf 50 790 Td {text}ET q 60 0 0 60 480 20 cm /P Do Q".encode())
        picture = pdf.make_stream(chance.randbytes(100 * 100))
        picture.update({"/Type": Name.XObject, "/Subtype": Name.Image, "/Width": 100, "/Height": 100})
        picture.update({"/ColorSpace": Name.DeviceGray, "/BitsPerComponent": 8})
        page.Resources = Dictionary(Font=Dictionary(F1=font), XObject=Dictionary(P=picture))
    with pdf.open_outline() as outline:
        outline.root.extend(OutlineItem(f"Page {number + 1}", number) for number in range(0, pages, 10))
    pdf.save(path)
    return path


def scan(path: Path, pages: int, dpi: int) -> Path:
    """Pages of a scanner: print, a stamp and a photograph on paper with noise, each page a JPEG."""
    chance = random.Random(5)
    noise = np.random.default_rng(5)
    width, height = round(8.27 * dpi), round(11.69 * dpi)
    font = ImageFont.truetype("DejaVuSans.ttf", round(11 * dpi / 72))
    pdf = pikepdf.new()
    for number in range(pages):
        page = Image.new("RGB", (width, height), (247, 245, 238))
        pen = ImageDraw.Draw(page)
        for line in range(44):
            text = " ".join(chance.choices(_WORDS, k=11))
            pen.text((dpi * 0.9, dpi * (0.9 + line * 0.21)), text, font=font, fill=(30, 30, 34))
        pen.ellipse((dpi * 5.5, dpi * 8.6, dpi * 7.3, dpi * 10.4), outline=(170, 30, 40), width=dpi // 30)
        if number % 3 == 2:
            page.paste(Image.effect_mandelbrot((dpi * 3, dpi * 2), (-2, -1.2, 1, 1.2), 80), (dpi, dpi * 3))
        grain = noise.normal(0, 5, (height, width, 1)).astype(np.int16)
        seen = Image.fromarray((np.asarray(page, np.int16) + grain).clip(0, 255).astype(np.uint8))
        data = io.BytesIO()
        seen.save(data, "JPEG", quality=88)
        made = pdf.add_blank_page(page_size=(595, 842))
        picture = pdf.make_stream(data.getvalue(), Filter=Name.DCTDecode)
        picture.update({"/Type": Name.XObject, "/Subtype": Name.Image, "/Width": width, "/Height": height})
        picture.update({"/ColorSpace": Name.DeviceRGB, "/BitsPerComponent": 8})
        made.Resources = Dictionary(XObject=Dictionary(P=picture))
        made.Contents = pdf.make_stream(b"q 595 0 0 842 0 0 cm /P Do Q")
    pdf.save(path)
    return path


def report(path: Path, chapters: int) -> Path:
    """A report of chapters with running text, a flex row, a picture and a table over the page's end, in HTML."""
    chance = random.Random(7)
    picture = io.BytesIO()
    Image.linear_gradient("L").resize((300, 120)).save(picture, "PNG")
    logo = base64.b64encode(picture.getvalue()).decode()
    body = []
    for chapter in range(1, chapters + 1):
        text = "".join(f"<p>{' '.join(chance.choices(_WORDS, k=90))}.</p>" for _ in range(5))
        rows = "".join(
            f"<tr><td>{n}</td><td>{chance.choice(_WORDS)}</td><td>{n * chapter}.00</td></tr>" for n in range(40)
        )
        body.append(
            f'<h1 id="c{chapter}">Chapter {chapter}</h1>{text}<div class="row"><div>left</div><div>right</div></div>'
            f'<img src="data:image/png;base64,{logo}"><h2>Figures</h2><table><thead><tr><th>No</th><th>Word</th>'
            f"<th>Amount</th></tr></thead><tbody>{rows}</tbody></table>"
        )
    contents = "".join(f'<li><a href="#c{chapter}">Chapter {chapter}</a></li>' for chapter in range(1, chapters + 1))
    style = """@page { size: A4; margin: 20mm; @bottom-center { content: "Page " counter(page) " of " counter(pages) } }
    body { font: 10pt/1.4 "DejaVu Sans", sans-serif } h1 { break-before: page } table { border-collapse: collapse }
    td, th { border: 1px solid #888; padding: 2pt 8pt } .row { display: flex; gap: 10pt } .row div { flex: 1 }"""
    path.write_text(
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Report</title><style>{style}</style></head>'
        f"<body><ul>{contents}</ul>{''.join(body)}</body></html>",
        "utf-8",
    )
    return path


INVOICE = """<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Invoice {{ number }}</title><style>
@page { size: A4; margin: 22mm 20mm } body { font: 11pt/1.45 "DejaVu Sans", sans-serif; color: #1c2530 }
h1 { color: #7a3b14; border-bottom: 2px solid #7a3b14 } table { width: 100%; border-collapse: collapse }
th, td { text-align: left; padding: 2mm 3mm; border-bottom: 1px solid #ccc } .n { text-align: right }
</style></head><body><h1>Invoice {{ number }}</h1><p>{{ customer.name }}<br>{{ customer.street }}</p>
<table><tr><th>Item</th><th class="n">Pieces</th><th class="n">Amount</th></tr>
{% for line in lines %}<tr><td>{{ line.item }}</td><td class="n">{{ line.pieces }}</td>
<td class="n">{{ line.amount }}</td></tr>{% endfor %}</table><p class="n">Total {{ total }}</p></body></html>"""


def invoices(count: int) -> list[str]:
    """The data of so many invoices, as JSON. No filters of ours are needed, so that peers can fill the template too."""
    chance = random.Random(11)
    found = []
    for number in range(count):
        amounts = [chance.randrange(100, 99_999) / 100 for _ in range(10)]
        lines = [
            {"item": " ".join(chance.choices(_WORDS, k=3)), "pieces": n, "amount": f"{amount:.2f}"}
            for n, amount in enumerate(amounts, 1)
        ]
        customer = {"name": f"Customer {number}", "street": f"{number} High Street"}
        total = f"{sum(amounts):.2f}"
        found.append(json.dumps({"number": f"{number:05}", "customer": customer, "lines": lines, "total": total}))
    return found
