"""Worked examples from offices, for `docs/rules.md`. Each is a whole rule that can be copied into a rule file."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Recipe:
    """One example. about: what happens, in a few sentences. rule: TOML."""

    title: str
    about: str
    rule: str


RECIPES = (
    Recipe(
        "Large invoices, for the boss too",
        "Of the mail that is dropped or scanned into one folder, invoices of 1,000 EUR and more go to the boss as well, searchable and named after "
        "their sender and amount. `also` leaves them to the rule behind this one, as what is no such invoice is. Where the amount is not sure, "
        "you are asked before anything happens.",
        """\
[[rule]]
name       = "For the boss"
folder     = "~/Hot/mail"
when       = { kind = "invoice", currency = "EUR", total = ">=1000" }
also       = true
operation  = "pdf-to-editable"
output     = "For the boss/{doc.sender} {doc.total} {doc.currency} {stem}.{ext}"
""",
    ),
    Recipe(
        "Incoming mail by sender and month",
        "Each document is named and filed after what it says: its sender, day and kind. `senders.csv` beside the rule file lists the senders that you "
        "know; those that you answer are added to it. What is not sure waits for your answer and is never guessed.",
        """\
[[rule]]
name       = "Incoming mail"
folder     = "~/Hot/mail"
senders    = "senders.csv"
operation  = "pdf-to-editable"
output     = "Mail/{doc.folder}/{doc.date:%Y-%m}/{doc.date} {doc.kind} {stem}.{ext}"
""",
    ),
    Recipe(
        "Contracts by number",
        "Contracts are filed under the number that they bear; anything else that is dropped here stays where it is, and `paperchute status` says so.",
        """\
[[rule]]
name       = "Contracts by number"
folder     = "~/Hot/agreements"
when       = { kind = "contract" }
operation  = "pdf-to-editable"
output     = "Contracts by number/{doc.number} {stem}.{ext}"
""",
    ),
    Recipe(
        "Scans: upright, straight, without blank pages, searchable",
        "The scanner saves to a share, page by page; six quiet seconds mean that it has finished. Pages are turned "
        "upright and laid straight, and their text can be searched and copied from. Blank backs come in a PDF of their "
        "own, in a folder with the other; nothing is lost, and `paperchute undo` takes it all back. Pictures become PDFs "
        "too. Scans go before other work.",
        """\
[[rule]]
name       = "Scans"
folder     = "~/Hot/scans"
match      = "*"
kind       = ["pdf", "image"]
settle     = "scanner"
priority   = 10
operation  = "scan"
output     = "Archive/{date:%Y}/{date:%Y-%m-%d} {stem}.{ext}"
""",
    ),
    Recipe(
        "Receipts to CSV",
        "Photographed receipts become tables, their text recognised, one CSV file each, in a folder for each month. A file counts as a "
        "picture by its content, so a receipt called `IMG_0017` is taken as well, and a renamed invoice PDF is not.",
        """\
[[rule]]
name       = "Receipts to CSV"
folder     = "~/Hot/receipts"
match      = "*"
kind       = ["jpg", "png"]
max_size   = "20 MB"
operation  = "img-to-csv"
parameters = { enableOcr = true }
output     = "Receipts/{date:%Y-%m}/{stem}.{ext}"
""",
    ),
    Recipe(
        "Receipts and invoices as one table",
        "Drop the folder `2026-11` with a month's receipts and invoices in it: PDFs, scans, photos, e-invoices. They become one Excel workbook: a row a "
        "document with its date, sender, number, net, tax, total and a link to it, and a sum of each currency. What is not sure is marked and in no sum; "
        "what cannot be read has a row that says why.",
        """\
[[rule]]
name       = "Receipts to a table"
folder     = "~/Hot/expenses"
gather     = "folder"
operation  = "documents-to-table"
timeout    = 1800
output     = "Expenses/Receipts {set}.{ext}"
""",
    ),
    Recipe(
        "Payslips, each locked with its owner's password",
        "`4711 Anna Berg 2026-11.pdf` is locked with the password that stands beside 4711 in a list of your own: a CSV "
        "file, readable by you alone, with the number in its first column and the password in its second. A number "
        "that is not in the list fails and says so; add it and move the file back. The open originals are deleted.",
        """\
[[rule]]
name       = "Payslips"
folder     = "~/Hot/payslips"
pattern    = '^(?P<number>\\d+) (?P<person>.+) (?P<month>\\d{4}-\\d{2})\\.pdf$'
operation  = "pdf-encrypt"
parameters = { userPassword = "csv:~/Private/payslips.csv/{number}", algorithm = "aes256", allowPrint = true }
output     = "Payslips/{month}/{person}.{ext}"
original   = "delete"
""",
    ),
    Recipe(
        "The month's papers as one PDF",
        "Drop the folder `2026-11` with everything in it: its PDFs become one, page 2 before page 10. Drafts stay out. "
        "A `job.toml` in the folder can give another order, or pages and passwords of single files. It is done "
        "at night, when nobody needs the machine. A folder with something else in it, a letter in Word, is held, not done "
        "without.",
        """\
[[rule]]
name      = "The month as one PDF"
folder    = "~/Hot/months"
gather    = "folder"
pattern   = '^(?P<year>20\\d\\d)-(?P<month>\\d\\d)$'
except    = "draft*"
left_out  = "hold"
between   = "20:00-06:00"
operation = "pdf-merge"
output    = "Archive/{year}/Papers {year}-{month}.{ext}"
""",
    ),
    Recipe(
        "Invoices from a template and data",
        "Each JSON file that the order system drops becomes an invoice: the template is HTML with `{{ customer.name }}` "
        "and the like in it. Numbers go up by one for each, over restarts too.",
        """\
[[rule]]
name       = "Invoices"
folder     = "~/Hot/orders"
match      = "*.json"
operation  = "pdf-generate"
parameters = { templateFile = "templates/invoice.html" }
output     = "Invoices/{date:%Y}/RE-{date:%Y}-{counter:05}.{ext}"
""",
    ),
    Recipe(
        "Saved web pages to PDF",
        "A saved page becomes a PDF that a newer one of the same name replaces. Sub-folders stay as they are, two "
        "levels deep.",
        """\
[[rule]]
name        = "Web pages"
folder      = "~/Hot/pages"
recursive   = true
depth       = 2
operation   = "html-to-pdf"
on_conflict = "replace"
""",
    ),
    Recipe(
        "Photos of whiteboards, cleaned",
        "Shadows and the grey of the board go, the writing stays. The photo itself goes to the desktop's trash.",
        """\
[[rule]]
name      = "Whiteboards"
folder    = "~/Hot/whiteboards"
match     = "*"
kind      = "image"
operation = "magic-color"
output    = "Cleaned whiteboards/{date:%Y-%m-%d} {stem}.{ext}"
original  = "trash"
""",
    ),
    Recipe(
        "Contracts: cleaned, searchable, locked",
        "Three steps, one after the other; a failure in a later one does not repeat, or pay, the earlier ones. Locked "
        "ones are opened with the firm's usual passwords, to count their pages too: what is longer than 50 pages stays "
        "for a person to look at.",
        """\
[[rule]]
name      = "Contracts"
folder    = "~/Hot/contracts"
kind      = "pdf"
pages     = "1-50"
passwords = ["keyring:paperchute/incoming", "env:PAPERCHUTE_OLD_PASSWORD"]
timeout   = 1800
steps     = [
  { operation = "magic-color" },
  { operation = "pdf-to-editable", parameters = { enableOcr = true } },
  { operation = "pdf-encrypt", parameters = { userPassword = "keyring:paperchute/contracts", algorithm = "aes256" } },
]
output    = "Signed/{date:%Y}/{stem} (secured).{ext}"
""",
    ),
    Recipe(
        "Everything as JSON, for a search index",
        "Whatever is in the folder and below stays where it is; what was read lands beside, with the place of "
        "every paragraph and table. `also` lets the rules behind this one have the same files for their own work.",
        """\
[[rule]]
name       = "Index"
folder     = "~/Documents/Inbox"
recursive  = true
also       = true
operation  = "document-parsing"
parameters = { content_filter = "all" }
output     = "Index/{relative}/{stem}"
original   = "keep"
""",
    ),
    Recipe(
        "A cover in front",
        "`offer.pdf` and `offer.insert.pdf`, dropped in any order, become one: the pages of the second stand before "
        "those of the first.",
        """\
[[rule]]
name       = "A cover in front"
folder     = "~/Hot/covers"
gather     = "pair"
operation  = "pdf-insert"
parameters = { actionType = "FROM_PDF", index = 1 }
output     = "Offers/{stem} with cover.{ext}"
""",
    ),
)
