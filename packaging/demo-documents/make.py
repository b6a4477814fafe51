"""Makes the demo's PDF documents from the pages beside this file: python packaging/demo-documents/make.py."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import PIL.Image
import plutoprint
import pypdfium2

HERE = Path(__file__).parent
TARGET = HERE.parents[1] / "daemon" / "paperchute" / "demo"
DOCUMENTS = {
    "quarterly-report.html": "quarterly-report.pdf",
    "contract.html": "contract.pdf",
    "letter.html": "1 letter.pdf",
    "offer.html": "2 offer.pdf",
    "terms.html": "3 terms.pdf",
}
_DPI = 130


def main() -> None:
    """Write every document; the damaged one is the report, cut off in the middle, the scan a letter laid in askew."""
    for source, name in DOCUMENTS.items():
        book = plutoprint.Book(plutoprint.PAGE_SIZE_A4)
        book.load_url(str(HERE / source))
        book.write_to_pdf(str(TARGET / name))
    report = (TARGET / "quarterly-report.pdf").read_bytes()
    (TARGET / "damaged.pdf").write_bytes(report[: len(report) // 6])
    _scanned(TARGET / "1 letter.pdf").save(TARGET / "scan.pdf", resolution=_DPI, quality=60)


def _scanned(letter: Path) -> PIL.Image.Image:
    """The first page as a hurried person copies it: crooked, on yellowed paper, a shadow over one side."""
    page = pypdfium2.PdfDocument(letter)[0].render(scale=_DPI / 72).to_pil().convert("RGB")
    page = page.rotate(1.4, PIL.Image.Resampling.BICUBIC, fillcolor=(255, 255, 255))
    paper = np.asarray(page, np.float32) * np.array([1.0, 0.96, 0.86], np.float32)
    across = np.linspace(0, 1, page.width, dtype=np.float32)[None, :, None]
    shadow = 1 - 0.5 * np.clip(across * 1.6 - 0.8, 0, 1) ** 2
    noise = np.random.default_rng(1).normal(0, 3, paper.shape[:2])[..., None]
    return PIL.Image.fromarray(np.clip(paper * shadow + noise, 0, 255).astype(np.uint8))


if __name__ == "__main__":
    main()
