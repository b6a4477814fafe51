"""The section of `docs/rules.md` on what documents say of themselves: names, conditions, known senders."""

from __future__ import annotations

from paperchute.notation.document_kinds import NAMES

_KINDS = ", ".join(f"`{kind}`" for kind in NAMES)

WHAT_DOCUMENTS_SAY = rf"""## What the document says
A rule whose `output` has `{{doc.…}}`, or which has `require`, has each original read before its steps: once, by `document-extract` on
the service that does the steps, with the recognition that the first step asks for. The answer is kept with the job: a crash, a retry or an answer of yours
costs no second call. With a remote service that is one call more for each file, and the service must say what is sure, as the built-in engine
does ([reading.md](reading.md#document-extract) says what it takes for sure).

    [[rule]]
    name      = "Incoming mail by sender and month"
    folder    = "~/Hot/mail"
    operation = "pdf-to-editable"
    output    = "Mail/{{doc.sender}}/{{doc.date:%Y-%m}}/{{doc.date}} {{doc.kind}} {{stem}}.{{ext}}"
    require   = ["number"]

What is not sure names nothing: no step begins, and the job fails with the code `unsure`, which *Needs you* shows, with what each field may
be. `NAME.needs-you.txt` beside the original in the failed folder says the same. Answer on the page, which shows the page of the document with frames around these
places, by mouse or by keyboard alone (down arrow: the next candidate; Enter: the next field, and at last the next document), or with
`paperchute answer 12 sender="ACME GmbH" date=2026-03-12`; several calls add up, and with the last open field the original goes back and is done. An answer
stands over what was read. It must be what its field is: days as 2026-03-12, amounts as 1190.50, an IBAN with right check digits. It stays with the job, also where
the rule has changed since. Values are cut to 100 characters, and what cannot stand in a name becomes `_`, so no document leads out of the folders that
the rule names. Rules with `gather` or `schedule` have no such fields, since nobody could tell whose they are.

`[rule.find]` adds fields of your own, which `output`, `require`, `when` and `NAME.json` have by their names:

    [rule.find]
    customer = {{ label = "Customer no." }}
    project  = {{ pattern = 'P-\d{{5}}' }}
    branch   = {{ label = "Ref.", place = "1: 300,0,600,200" }}

A label is what the document itself calls it, whatever its letter case, spaces and points; the value stands behind it, right of it, or below it. A pattern is a
regular expression (RE2), found in the lines of its pages; of one with a group, the group is the value. `place` says
where on pages the value stands, as `boxes` of [pdf-redact](redaction.md) do. What stands there with two values, within a sentence, or was
not read surely is not sure, and asked. Names are small letters, digits and `_`; the built-in engine alone finds them. As a condition, a field that is
nowhere in the document does not hold, and asks nothing. Rules of a folder in which `when` decides read each document once for all of them, so one name means one thing there.
On the page a click makes such an entry: *Rules*, *Edit*, drop a sample, and pick a word of it; what would find it is tried on that sample and on further ones.

`write_fields = true` puts what was read into a `NAME.json` beside the result, which is delivered and undone with it, all or none: {{`file`,
`fields`: {{`date`: {{`value`, `sure`, `page`, `box`, `words`}}, ...}}}}. `box` is left, top, right and bottom in pixels of 144 dpi; what you answered
has `answered`, what is not sure `reason` and `candidates`, likeliest first, and holds nothing up unless `output` or `require` need it. Where
either name is taken, both get the same number. Of several results it lies in their folder, under the folder's name.

`when` lets a rule have only documents that say the right things. Invoices of 1,000 EUR and more go to the boss as well as to the archive:

    [[rule]]
    name      = "For the boss"
    folder    = "~/Hot/mail"
    operation = "pdf-to-editable"
    also      = true
    when      = {{ kind = "invoice", currency = "EUR", total = ">=1000" }}
    output    = "Boss/{{stem}}.{{ext}}"

    [[rule]]
    name      = "Archive"
    folder    = "~/Hot/mail"
    operation = "pdf-to-editable"
    output    = "Archive/{{doc.sender}}/{{doc.date}} {{stem}}.{{ext}}"

All fields must hold; of a list, one value. `sender`, `recipient`, `number`, `kind`, `currency`, `iban` and `language` are globs without letter case.
`total`, `date` and `due` take a value, `>`, `>=`, `<`, `<=` before it, or `"100..500"`; days may be months or years, `"2026-03"`. Amounts
are compared exactly. Of which currency they are says `currency`; without it `check` warns, since 1,000 yen are no 1,000 euros. Kinds are {_KINDS}.
The last two are what comes as data (ZUGFeRD, Factur-X, XRechnung, Peppol: XML, or a PDF with it): `e-invoice` takes credit notes of that form
too, and `invoice` and `credit_note` take either form. Where the pages of such a PDF and its data differ in number, date, total or IBAN, it is
asked, whatever the rule needs.

A file for which any rule has `when` is read once, with the recognition, the passwords and in the hours of the first rule that may have it; what was read serves
all rules, and names results too. Where one condition surely fails, the next rule has its turn, whatever else is open. Where what is not sure decides, nothing begins:
the document asks for that alone, and `total=-` answers that it has no total. What no rule has stays where it is, its job ends as cancelled with
the code `untaken`, and `status` says what was seen; it is judged again when the file or the rules change, and read again only when the file does.
Files that `document-extract` cannot read say nothing, so no condition holds. `explain` and `run --dry` know what was read, and read nothing
themselves, but where `ask_model` would have something sent. No rule of such a folder can be `shared`, or gather batches and pairs.

### Known senders
`senders = "senders.csv"` names a list beside the rule file, in a rule or for all of them in `[defaults]`:

    # the first line names the columns; only name is needed, and columns of your own stay
    name,words,customer,vat,iban,domain,folder,kind
    Power company,stadtwerke musterstadt,77-1234,DE136695976,,stadtwerke.example,Energy/Power,invoice
    Bank,,,,DE89370400440532013000,,Money,

It decides who a document is from before anything is guessed: by a `vat` id, an `iban` or the mail `domain` of one line that the document has, wherever on its pages,
or where the reading is sure of the sender's name, by that `name` or by `words` that all stand in it. The file's own name says nothing. Of several lines that
fit, the `customer` number decides if one of them has it behind a label of the document; else you are asked, and a line whose name is the recipient's is never the
sender. The document is then from `name`, goes to `{{doc.folder}}`, which is `folder` (sub-folders too, never elsewhere) or else the name, and is of that
`kind` where it does not surely say another. A sender that you answer is added as a line, with the document's IBAN where that is surely the sender's; edit it as you like.
Comments, the order and your own columns stay. A list with a mistake is told by `check` with its line, and work that needs it waits; a list that is open in a
spreadsheet, or has changed meanwhile, is not written, which the answer says. Check digits of IBANs are checked, and those of VAT ids of AT, BE, CH, DE, FR, IT, LU and PL.
VAT ids and domains are found by the built-in engine; with a remote service its IBAN and names decide.

"""

A_MODEL = """
## A language model
Off unless you say so twice. `[model]` names any OpenAI-compatible interface, one on your own machine above all (Ollama, llama.cpp, LM Studio, vLLM), and
a rule's own `ask_model = true` has text of its documents sent there. Without that key, nothing is sent for a rule, whatever `[model]` says.

    [model]
    base_url = "http://127.0.0.1:11434/v1"
    model    = "qwen3:8b"

    [[rule]]
    name      = "Incoming mail by sender and month"
    folder    = "~/Hot/mail"
    operation = "pdf-to-editable"
    output    = "Mail/{doc.sender}/{doc.date:%Y-%m}/{stem}.{ext}"
    ask_model = true

It is asked only for fields that the rule needs (`output`, `require`, `when`) and that are not sure, once a document, before you are. What is sent are the
names of these fields, what each may be, with the words and the page, and the first 8,000 characters of the document's text, in whole lines: no file, no name of
one, and nothing else of the rule. `paperchute explain FILE` reads the document and prints the request's body as it would be sent, which is all but the key.

What it answers is held against the document, and counts as follows:
- One of the values that the field may be by the reading, and that stands in the document: the field is sure, names the result, and says whose answer it is
  (`model` in `NAME.json`, a line in the job's history, the log).
- Any other value that stands in the text that was sent, as the reading itself understands it (the same day, the same number, the same words in this order):
  you are asked as before, with that value first.
- Anything else is thrown away, and you are asked as before. Of a field in which page and data of an invoice differ, it is never asked.

So a document that gives the model orders can at most have it choose another of the values that stand in that document; where that would cost you something, leave
the key out. A model that does not answer within `timeout`, cannot be reached, or answers what is no such JSON leaves the question to you, and *Needs you* says
why; a request is tried once more only where no connection came about. What it has answered is kept with the job and not asked again,
after a restart either. Text goes to that address alone: redirects are not followed, nor is a proxy asked for an address on this machine. Where several rules may have a
document by `when`, it is asked which of them has it only if all of them have `ask_model`. The built-in engine must do the reading. Where its answer
decides, the fields that the rule then needs are asked for in a second request, with the same text.

"""

PAGES_THAT_ARE_NOT_SURE = """## Pages that are not sure
`scan` and `pdf-split` do to pages only what is sure. Where a page may be blank, or where a stack parts without a sheet between (`firstPages = "auto"`),
the job waits in *Needs you* with the pages as pictures, each with what was seen of it:

    [[rule]]
    name       = "Post without sheets"
    folder     = "~/Hot/post"
    operation  = "pdf-split"
    parameters = { firstPages = "auto" }
    output     = "Post/{stem}/{part:02}.{ext}"

![Needs you: the pages of a stack as pictures; those on which a document seems to begin are chosen, with the reasons](images/pages.png)

Each picture is a button that chooses the page or takes the choice back (by keyboard: Tab and Space); the field above says the same as a page list,
and Enter in it uses the answer. `paperchute answer 12 firstPages=1,4,7` and `removePages=3` (or `none`) do so too, as `NAME.needs-you.txt` says; what
asks in a later step has that step's number behind it, `removePages.2`, and where there are several files the file's, `removePages.2.3`. Nothing
is delivered before. The answer stays with the job, the step is done again with it as its parameter, and later steps go on. Nobody need be asked where
the rule says so itself: `sure = "take"` does what is sure and no more ([contract.md](contract.md#what-a-person-is-asked)), and a rule of your own may
have `removePages` or `firstPages`. Pages in are pages out and pages told as taken out, whatever is answered, and never do all go.

"""
