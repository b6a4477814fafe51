"""Makes the demo's PDF documents from the pages beside this file: python packaging/demo-documents/make.py"""

from __future__ import annotations

from pathlib import Path

import plutoprint

HERE = Path(__file__).parent
TARGET = HERE.parents[1] / "daemon" / "paperchute" / "demo"
DOCUMENTS = {
    "quarterly-report.html": "quarterly-report.pdf",
    "contract.html": "contract.pdf",
    "letter.html": "1 letter.pdf",
    "offer.html": "2 offer.pdf",
    "terms.html": "3 terms.pdf",
}


def main() -> None:
    """Write every document; the damaged one is the report, cut off in the middle."""
    for source, name in DOCUMENTS.items():
        book = plutoprint.Book(plutoprint.PAGE_SIZE_A4)
        book.load_url(str(HERE / source))
        book.write_to_pdf(str(TARGET / name))
    report = (TARGET / "quarterly-report.pdf").read_bytes()
    (TARGET / "damaged.pdf").write_bytes(report[: len(report) // 6])


if __name__ == "__main__":
    main()
