"""`docs/rules.md`: the reference of the rule file, made from the model and the contract so that it cannot drift.

`python -m paperchute.rules.docs.reference` prints it.
"""

from __future__ import annotations

import sys

from paperchute.contract import Operation, Parameter, contract
from paperchute.contract.built_in import OPERATIONS
from paperchute.contract.recognition import AUTOMATIC, SCOPE, SWITCH, WHERE_NEEDED
from paperchute.rules.docs.cells import cell, default_text, row, takes, toml
from paperchute.rules.docs.documents import A_MODEL, PAGES_THAT_ARE_NOT_SURE, WHAT_DOCUMENTS_SAY
from paperchute.rules.docs.recipes import RECIPES
from paperchute.rules.docs.schema import keys_of
from paperchute.rules.keys import Table
from paperchute.rules.language_model import ModelKeys
from paperchute.rules.model import RuleKeys
from paperchute.rules.notify import NotifyKeys
from paperchute.rules.output import DEFAULT, ROWS_DEFAULT, SCHEDULED_DEFAULT
from paperchute.rules.page import PageKeys
from paperchute.rules.settings import EngineKeys, NamedServiceKeys, ServiceKeys
from paperchute.rules.steps import usual

MERGE_LIMIT = contract().known("pdf-merge").max_files

_HEAD = f"""# The rule file
<!-- Made by `python -m paperchute.rules.docs.reference > docs/rules.md`; edit daemon/paperchute/rules/, not this page. -->
`rules.toml` is TOML in UTF-8. `version = 1` stands at the top, then `[service]`, `[engine]` and `[defaults]` if you need them, then one
`[[rule]]` after the other; the three lines below it are all that a rule needs. The first enabled rule that matches takes a file.
Saving takes effect within a second, also for files that wait and of which no call has been made yet: they are judged anew by the
rules as they stand, those of a rule that is off wait until it is on, and those of a rule that is gone wait too, which `status` says, unless
another rule takes them. What has made a call ends under the rule that it began with, even one that is gone, and no other rule takes its files again; a file with a mistake changes nothing, and `paperchute check`, `paperchute status` and the tray
show the mistake with its line. What is only missing outside of it, such as a template or the file of a password, is said too, and holds
up the work that needs it until it is there. `rules.example.toml` is a tour; its first line lets editors complete and check keys by `docs/rules.schema.json`.

    version = 1

    [[rule]]
    name      = "Read PDFs"
    folder    = "~/Hot/read"
    operation = "pdf-to-markdown"

## Writing it
- Text stands in quotes: `"~/Hot/read"`. In single quotes a backslash is itself, so that `'C:\\Hot\\read'` and patterns go in those.
- A number stands without: `retries = 3`. With a unit it is text: `"10 MB"`. A remark begins with `#`.
- A switch is `true` or `false`, `1` or `0`, or in quotes `"on"`, `"off"`, `"yes"`, `"no"`.
- Several are a list, `["*.pdf", "*.docx"]`, which may go over lines. What stands in braces, `{{ pageRanges = "1-3" }}`, ends in its line;
  longer ones stand under a header of their own behind the other keys of the rule, `[rule.parameters]`, a line for each.

## Folders
For the hot folder `~/Hot/read`: results go to `~/Hot/read.out`, originals to `read.done`, failures to `read.failed`, each with
`NAME.error.txt` that says what happened and how to try again, or, where all that is missing is an answer of yours, with
`NAME.needs-you.txt`. They are made when first needed. Sub-folders keep their
relative place. What was done but lacks something of what was asked for is *done with warnings*: `NAME.warnings.txt` in the failed
folder says what, until you delete it. Several results of one file go into a folder named after it. Links inside a hot folder are not followed.

A hot folder that is not there is made, but not the folders above it: these may lie on a share that is not connected. `check` and
`status` say so. Below your home folder all of it is made.

Two folders are one by what they are, not by how they are written: where a link or a mount leads results back to the rule that made
them, or two rules to one folder, `check` and `status` say so. And what a rule has made, or made something of, does not go through it
again, wherever it turns up: it stays where it is and is told as untaken; `paperchute do` does it all the same. Only sets, batches and
pairs may hold earlier results that somebody has put there.

## Secrets
Passwords and keys never stand in the file. Write where they are: `env:NAME` (a variable of Paperchute's environment),
`keyring:SERVICE/USER` (the desktop's keyring), `file:PATH` (its content; readable by you alone) or `csv:PATH/KEY`: a list, readable
by you alone, with keys in its first column and passwords in its second. A relative PATH starts from the rule file. In the last part of a reference `{{stem}}` and the groups of
`pattern` stand for what the file's name says: `csv:~/Private/payslips.csv/{{number}}`. `passwords = [...]` lists references whose
passwords may open locked PDFs: only when the service says that a file is locked is the one that opens it found, here and without
another call, and the call made once more with it. What a reference leads to is used for a call and written nowhere.
A PDF made of a locked PDF is locked as that was; `protection = "drop"` says otherwise ([pages.md](pages.md) has it in full). A later
step opens what an earlier one has made with the passwords of that step.

## Globs
`match` and `except` look at the name alone, or, with a `/` in the glob, at the path below the hot folder. `*` and `?` stay within a
name, `**` is any number of folders, letter case makes no difference. In a `gather = "folder"` rule `match` picks the files of a set.

## Conditions
All that a rule has must hold. By the name: `match`, `except`, `recursive`, `depth` and `pattern`, a regular expression (RE2) that
must be found in the name, or with a `/` in it in the path below the hot folder; letter case makes no difference, `\\w`, `\\d` and `\\s` know all
scripts, and no pattern takes long, which is why looking around and references back are not known. By the content: `kind`,
`min_size`, `max_size`, `pages`, `signed` and `text`; these three are read by a process of their own within 20 seconds. A locked PDF is
opened for that with the rule's `passwords` (or the `password` of its first step); where none fits, and of a damaged PDF, they are
unknown, which is no. What no rule takes stays in the hot folder. Where only its content is at fault, `paperchute status` says why;
`paperchute explain FILE` shows every condition with what was seen, and `paperchute run --dry` what would happen with all that is
there. By what the document says of itself: `when`, [below](#what-the-document-says).
In a rule with `gather = "folder"`, `pattern` is about the sub-folder, and the conditions on content pick the files of the set.

## Which rule has a file
The first enabled rule that matches. If that one has `also = true`, the next that matches has it too, and so on. Each does its work by
itself; the original is filed once, when the last of them is done, as the last rule in their order says, or goes to the failed folder
where one of them failed. Tried again, only what failed is done again. A sub-folder (`gather = "folder"`) can have several rules too, each
with the files of it that it matches. In a `shared` folder the Paperchute that claims a file does the work of all its rules, which are
all `shared` then. The files of a batch, of a pair, or of a list with its template are filed together, so one rule has them for itself;
`original = "FOLDER"` in one rule hands them on to the rule of that folder.

## Hours
`between` and `days` say when work may begin: files are taken at any time, and wait; `paperchute jobs` and `paperchute status` say so.
No call goes out, and none is tried again, outside of these hours; what was called for before they end comes to its end. Changed
hours count at once, for what waits already too.

## Without a file
`schedule` is for what needs no dropped file: `pdf-generate` with `htmlUrl`, `html`, or a template and its data, and `pdf-insert` with
`urls`. It takes `"hourly"`, `"daily 06:00"`, `"monday 07:30"`, `"mon-fri 07:30"` or `"monthly 1 06:00"` (of shorter months the last
day), by the machine's local time. Each due time becomes one job, named after the rule. What was missed while the machine was off or
asleep is made up for once; while one job is at work, the next waits for its end. `paperchute status` says what is next. The hot folder
takes no files then; results go beside it as ever, by default to `{SCHEDULED_DEFAULT}`.

A link that is dropped (`.url`, `.webloc`, `.desktop`) is printed from its address by a rule with `pdf-generate`, if the rule's `hosts`
have its host; other operations refuse it. A host that stands in the rule's own `htmlUrl`, `urls` or `baseUri` need not be in `hosts`.
Hosts of private networks must be named in `inner_host` of `[engine]` too.

## Output
The default is `{DEFAULT}`. A path is relative to the hot folder's parent and may start with `~` or `/`. Placeholders:
`{{stem}}` name without suffix, `{{name}}` with it, `{{ext}}` the result's suffix, `{{relative}}` the sub-folder, `{{set}}` the gathered
folder's name, `{{folder.name}}` the hot folder's, `{{folder}}` the hot folder itself (at the start), `{{rule}}`, `{{operation}}`,
`{{date}}` or `{{date:%Y-%m}}`, `{{counter}}` or `{{counter:04}}`, a number of the rule's own that goes up for each job and is never given twice (a
job that fails may leave a gap), `{{pages}}` or `{{pages:03}}` of the original (`unknown` where they cannot be counted), and each named group
of `pattern`. What comes from file names can never lead elsewhere. Without `output`, the parameter `outputFileName` of the last step
names the result; both together are a mistake. For `~/Hot/read` and a `letter.pdf`:

| `output` | result |
| --- | --- |
| none | `~/Hot/read.out/letter.md` |
| `"Archive/{{date:%Y}}/{{stem}}.{{ext}}"` | `~/Hot/Archive/2026/letter.md` |
| `"~/Documents/{{stem}} ({{pages}} pages).{{ext}}"` | `~/Documents/letter (3 pages).md` |
| `"{{folder}}/{{stem}}.{{ext}}"` | `~/Hot/read/letter.md`, in the hot folder itself |

`{{doc.sender}}`, `{{doc.recipient}}`, `{{doc.kind}}`, `{{doc.number}}`, `{{doc.total}}`, `{{doc.currency}}`, `{{doc.iban}}`,
`{{doc.language}}`, `{{doc.folder}}`, `{{doc.date}}` and `{{doc.due}}`, or `{{doc.date:%Y-%m}}`, are what the document says of itself
([below](#what-the-document-says)).

`{{part}}` or `{{part:02}}`, `{{code}}` and `{{code.KEY}}` name the files of a stack that `pdf-split` divides, in the file's name alone: its
number, the text of the code that it begins with, and an entry of that text, where it is lines such as `customer=Huber` or JSON
([contract.md](contract.md#splitting-stacks)). With `parameters = {{ separatorCode = "PATCHT" }}`, sheets printed by `paperchute sheets`, and
`output = "Post/{{stem}}/{{code.customer}} {{part:02}}.{{ext}}"`, a scanned stack is one job: all its documents come, or none.

Results are new files: what is there already is not touched. One result gets a number where its name is taken, `letter (2).md`.
Several results of one file, and those of a list, become a folder, or go into the one of that name which is there, each file by
itself: `Invoices/{{date:%Y-%m}}/{{row.number}}.{{ext}}` gathers the month's lists. A page with its pictures (`.md`, `.html` with
other files) stays together: where one of its files would clash, its folder gets the number. `on_conflict = "skip"` leaves out what
clashes, and `"replace"` replaces only what the same rule wrote for the same name and nobody has changed since; anything else stays,
the new one gets a number, and the job is done with warnings that name it. Of each result the journal keeps path and SHA-256 for as
long as the file is there, also after its job is forgotten; what an earlier version or a lost journal made counts as somebody else's.
Names of results that differ in case or Unicode form alone clash, on every system. Nothing below the folders that a rule names is reached through a link, and
where one is in the way, a folder of the same name with a number is used. The folders themselves may be links, of yours or root's.

Nobody can read a result who could not read its original: of a file with mode 0600 results, the folders made for them and texts
about them are yours alone, and of several files the narrowest counts. In all else the target folder decides: for an original that
everybody may read, its set-group-ID bit, default ACL and the umask. Where only the original's own group may read it, and the
target folder gives its results to another group, that group gets nothing.

{WHAT_DOCUMENTS_SAY}{PAGES_THAT_ARE_NOT_SURE}## Checking
`paperchute check` tells every mistake at once, with line and column; where a line cannot be read, it goes on with the others. In a file
without mistakes it tells what looks like one: a rule that can never have a file because one before it takes all, folders within
folders, results or originals that another rule takes on, siblings that two rules share, steps that cannot read what the one
before gives, one name for all results, parameters that change nothing beside the others ([parameters.md](parameters.md) has what each
comes to), a reference to a secret that is not there. Rules that would certainly feed themselves, or each
other in a circle, are a mistake.
"""


_SETS = f"""## Files that belong together
`gather` makes one job of several files. Which files a set has is decided once, when its job is written down: a crash never
splits or doubles it, and what comes later begins the next. What waits for others stays in the hot folder, and `status` shows it.

- `folder`: a sub-folder dropped here, its files in natural order (`page 2` before `page 10`); `match` picks those that count.
  When such a set is complete, and what becomes of the other files in it, the next section says.
- `batch`: what comes together, until `quiet` seconds have passed without another file, or `batch_size` files are there. It
  is named after its first file. A batch waits for files that are still being written, and for as many as its operation needs.
- `pair`: two files of one stem: `invoice.html` with `invoice.json` for pdf-generate, `a.pdf` with `a.insert.pdf` for
  pdf-insert; for other operations `partner` says what the second name has in the place of the first one's suffix.
- `rows`: a list (CSV, or JSON: an array of objects) and a template make one PDF a row with pdf-generate. The template is a
  parameter of the rule (`template`, `templateFile`), or is dropped beside the list under its stem (`May.csv`, `May.html`). Each
  column fills `{{{{ column }}}}` of the template. The results of a list are delivered together, into a folder:
  `{ROWS_DEFAULT}`. `{{row}}` is the row's number, `{{row.COLUMN}}` its value in a column.
  A password may be written as `row:COLUMN`; that column is kept from the template. Numbers and dates of a list are read by
  its columns and the template's language, and refused, with line, column and both readings, where these leave two
  ([templates.md](templates.md#numbers-and-dates-of-a-list)).

`documents-to-table` makes one workbook of receipts and invoices that are gathered by `folder` or `batch`: PDFs, scans, photos and
e-invoices. It has a row a document and a sum of each currency; what is not sure is marked and in no sum, and a file that cannot be read has a
row that says why, with the job `done with warnings` ([contract.md](contract.md#documents-to-table)). Scans and photos take some seconds a
page: for a hundred of them `timeout = 1800` gives the time that the engine has for a task. Each row leads to its file where `original`
files it, as long as workbook and originals stay where they are to each other; there are no links with `also`, nor of originals that are deleted.

`shared` goes with `folder`, and with `rows` where the rule has the template: the others cannot be claimed in one step.

## Dropped folders
A set (`gather = "folder"`) is taken when no program has any of its files open, each ends as its format requires, and one of these holds:

- `set_size = 3`: so many files are there that `match` lets through. More than that are a failure, not a guess.
- `set_end = "*.end"`: the file that the sender writes last is there. It may be empty, is not an input, and is filed with the set.
- Neither is asked for, and nothing has come for a while: for 10 seconds; for three times the longest pause between two files, if that
  was more; for what was learned from how the folder was filled before (it fades with quicker ones); for `settle`; 2 minutes at most.
- On Linux: the folder was moved in whole, by one rename from elsewhere on the same disk. Then there is no waiting.

With `set_size` and `set_end` nothing else is waited for; without them a set that is filled with pauses of more than 2 minutes cannot be
told from two. `status` says what waits. After a day a set that still lacks its count or end mark fails, so that somebody hears of it.

The folder stays in its place until the result is delivered. What comes later begins the job anew, with all files, as long as nothing is
delivered. After that it stays in the folder, while the files of the set are filed without it: alone it fails, with a sentence that names
the job it came too late for, and that job is `done with warnings` from then on. The same goes for a new folder of that name within an
hour, if none of its files bears a name of the earlier set and the rule has neither `set_size` nor `set_end`; `retry` does it as a set of
its own. In a `shared` folder only the Paperchute that did a set knows that it is done: use `set_size` or `set_end` there.

Files in it that no rule takes, and `except` does not name, are left out of the result: the job ends `done with warnings`
that name them, or with `left_out = "hold"` fails before its first call. With `original = "delete"` they stay.
Links, pipes and whole documents under a temporary file's name are told of, or hold the set back, in the same way.
Housekeeping files of systems and programs (`Thumbs.db`, `.DS_Store`, a lock, a half-made copy) do not count, nor do
[folders of programs](watching.md#folders-of-programs) (`@eaDir`, `.git`).

Hidden files, and those in hidden folders, are taken where `match` names them: `".*.pdf"`, `".inbox/*.pdf"`. A hidden
sub-folder is never a set.

## What is left behind
A sub-folder that was dropped into a `recursive` hot folder goes when all of its files are done, nothing lies in it or below it,
and nothing has happened there for ten minutes. What was there when Paperchute began to look stays, and so does a folder that was made
empty and had no file for a minute, and every folder where a rule of the hot folder has `shared`, `original = "keep"`,
`gather = "folder"` or `empty_folders = "keep"`. One that was dropped while Paperchute was not running stays, too.

`duplicates = "skip"` leaves a file alone whose very bytes the rule has done before, under whatever name: nothing is sent to the service,
the original is filed as `original` says, and the job's history says where the first one is. While a job may be at work on the same file,
the later one waits for its end. With `"ask"` it waits in *Needs you*, beside a `NAME.needs-you.txt`: `paperchute retry JOB`, or trying again on
the page, has it done. What counts is what the journal remembers (`history`): jobs that failed, or were taken back, do not.

A paper that was scanned twice has other bytes. With `duplicates_by = "content"` the built-in engine reads each PDF or picture that comes alone, before
the first step, and compares it with those that the rule has done: it is the same where every word is the same and stands in its
place, once the pages lie upon each other, and where the ink is the same, too. Noise, some degrees, a shift and a turn make no difference. One
digit that differs, another date, a tick, a signature, a page or an attached file more make it another document, which is done. Where
all digits and the ink are the same but a few words are read otherwise, nobody can be sure: `"ask"` asks, and `"skip"` has it done and says so
in the job's history. Documents without words, such as photos, and those of more than 200 pages are known by their bytes alone. Reading takes as long
as `pdf-to-txt`, scans some seconds a page.

`keep_done = "90 days"` sends originals in the folder that ends in `.done` to the desktop's trash, so long after their job was done: once an
hour, and only those that Paperchute filed there and nobody has changed since. Their jobs stay in the journal until then; `status` counts them,
and `undo` says where they went. Where several rules have had a file (`also`), each of them must agree. What the trash
does not take stays, and is told as a trouble. Files in the folder that ends in `.failed` need somebody, so they never go by themselves.

## Empty and cut-off files
Many scanners make an empty file first and write when the last page is through. An empty file is not there yet: it waits, and `status`
says since when. After an hour it fails; with `settle`, after as many hours as that has seconds (`scanner`: six). A file whose end is
missing waits for 10 seconds, where nobody can tell whether a program has it open (network shares, macOS) for a minute, and in
both cases a minute longer for each second of `settle`. One that was renamed to its name is as its writer wants it: 10 seconds.
`run --once` waits for 10 seconds, and tells what it leaves.

## Steps
Where a step makes several files, each goes on by itself to a next one that works on one file; pdf-merge (and every operation
on several files) takes all of them. Each call is written down by itself, so none that was answered is made again. Several
results at the end become one folder. A remote service gets no more files to merge in one call than the interface's {MERGE_LIMIT};
more are joined in rounds, each file with its own pages and password.

## Beside the files
`report.pdf.toml` beside `report.pdf` says something for that file alone: `parameters = {{ pageRanges = "1-3" }}`. Each parameter goes
to the first step that has it, over the rule's own. `pages` and `password` serve in every operation that takes them.
`job.toml` inside a gathered sub-folder does the same for a set, and `order` names files that come first:

    order = ["cover.pdf"]
    [files."contract.pdf"]
    pages    = "2-5"
    password = "the word that opens it"

They may come before or after their files, as long as nothing is delivered yet: then the job begins anew. A wait, such as
`settle = 2`, spares the call that was made for nothing. Mistakes are said with line and column beside the failed file. The
password that opens a file may stand there itself; nothing of it is copied to journal, log or messages, and the file is filed, or
deleted, with its original as it is.

Whoever can write to a hot folder can write these files, so they can do less than the rule. They name no secret (`env:`, `file:`, `csv:`,
`keyring:`) but those that the rule lists, word for word: `sidecar_secrets = ["env:CLIENT_PW"]`. Where the rule gives passwords or
permissions for a step, they change none of these. Files (`templateFile`) can only be named by the rule. The same goes for the rows
of a list: a row's password is taken as it stands there, and never as the name of one.
"""


_NOTIFY = """
## Told elsewhere
`[notify]` has people told by e-mail, by [ntfy](https://ntfy.sh), by a webhook, or by several of them. What comes within `gather` seconds is one
message; what is over by then is not told. It holds names of files and the reasons in a sentence, never a secret. A server that is away is asked again
after 1, 5 and 15 minutes and then hourly, for a day, over restarts too, and at once when the rule file's `[notify]` has changed; the work waits for none of it.
All that has waited for a server comes as one message, with the times. From the second failure on, status, tray and page say why nobody is told. Where a mail
server takes a letter for some only, the others are tried again alone. A letter keeps its `Message-ID` over all tries, and a webhook its
`Idempotency-Key`, so that one whose receipt was lost can be told from a new one. At its end Paperchute takes 10 seconds at most to
send what is left. `paperchute notify test` sends a test message. Connections are encrypted, and redirects are not followed. The digest counts what ended since the last one, as far as the
rules' `history` goes; the first comes a period after it was asked for.

    [notify]
    mail_to       = "office@example.com"
    mail_from     = "paperchute@example.com"
    smtp_host     = "smtp.example.com"
    smtp_user     = "paperchute"
    smtp_password = "keyring:paperchute/smtp"
    digest        = "monday 08:00"

"""


_PAGE = """
## The page from other machines
The page in the browser is there for the machine that Paperchute runs on. On a server, a NAS or in a container `[page]` opens it to others, who log in
with a password; it is never open without one. A change takes effect at the next start. Each key can be given as a variable of the environment instead, which
goes before the file: `PAPERCHUTE_PAGE_LISTEN`, `PAPERCHUTE_PAGE_PASSWORD` (the password itself or its hash; or `PAPERCHUTE_PAGE_PASSWORD_FILE`, the file that
holds it), `PAPERCHUTE_PAGE_RULES`, `PAPERCHUTE_PAGE_PORT`, and with commas between them `PAPERCHUTE_PAGE_HOSTS` and `PAPERCHUTE_PAGE_PROXIES`. A password has 8 characters at least.
`paperchute open --new-password` asks for one and prints its hash, from which nobody gets it back.

    [page]
    listen   = "0.0.0.0:8765"
    password = "file:page-password"
    hosts    = ["nas.local"]
    proxies  = ["127.0.0.1"]

The page itself speaks plain HTTP: whoever can listen in on the network reads the password and the documents. In a network that is not yours alone put
a reverse proxy with HTTPS in front and name it in `proxies`, which also makes the log-in's cookie one for HTTPS only; `paperchute check` says so, too.
[security.md](security.md#the-page-behind-a-password) says what is done against guessing, floods and other pages. What opens files or programs on the
machine itself, and quitting, is not offered over the network. Rules can only be looked at there, unless `rules = true`; then a rule names there no
folder, file, secret or address that the file does not name already, whatever the key, and a draft that does is neither saved nor tried.

"""


_SERVICES = """
## Several services
What `[service]` says does all work that names nobody. Beside it `[services.NAME]` describes further ones, as many as you have accounts, and
`service = "NAME"` at a rule or at a step says who does it; `"built-in"` is the built-in engine, and `"default"` what `[service]` says. So a paid
account reads, and merging, splitting and scanning stay at home. The page adds a service by its name, below the rules.

    [services.acme]
    base_url      = "https://api.acme.example/server"
    api_key       = "keyring:paperchute/acme"
    monthly_calls = 200

    [[rule]]
    name    = "Contracts to Word"
    folder  = "~/Hot/contracts"
    gather  = "folder"
    service = "acme"
    or      = "built-in"
    steps   = [{ operation = "pdf-merge", service = "built-in" }, { operation = "pdf-to-docx" }]

Each service has its own key, month's calls, units, webhooks and state: while one is away, has nothing left or refuses its key, the jobs that need it
wait, and all others go on; `paperchute status`, the page and the tray say which. No key of one ever goes to another's host.

`or` names who does a step instead where its service is away (nobody answers) or has no calls or units left, by its own count or by `monthly_calls`.
That is never silent: the job is *done with warnings*, which say who did the step, as do `paperchute jobs` and the page. A refused key is no such case,
since it needs you. And nothing is paid twice: what the first service may have taken, as when its answer was lost or it was too busy to say, is asked of
that one alone, also after a restart and a `retry`, until it is known to have none of it. `do --service NAME` asks one of them now.

`check` says before the first file where a name is not known, a key is missing, a service cannot do what it is asked for (the built-in engine does
more than the interface has), and which service nobody asks. A job ends at the service that has its calls, whatever the rules say by then; where that one
is gone from the file the job fails, and says so.

"""


def reference() -> str:
    """The whole page."""
    listed = [o for o in contract().all_operations if o.in_seed or o.id in OPERATIONS]
    parts = [
        _HEAD,
        _SETS,
        "## Keys of a rule\n" + _keys(RuleKeys),
        "\n## Keys of [service]\n" + _keys(ServiceKeys),
        _SERVICES + "### Keys of [services.NAME]\n" + _keys(NamedServiceKeys),
        _NOTIFY + _keys(NotifyKeys),
        A_MODEL + "### Keys of [model]\n" + _keys(ModelKeys),
        _PAGE + _keys(PageKeys),
        "\n## Keys of [engine]\nFor the built-in engine as the daemon starts it; `paperchute serve` takes the same as flags "
        "(`--max-storage`). A change starts the engine anew.\n\n" + _keys(EngineKeys),
        "\n## Operations and their parameters\n"
        "Those of the interface's core and all that the built-in engine does; `paperchute operations` lists the rest. A star marks "
        "what must be given.\n",
        *(_operation(operation) for operation in listed),
        "\n## Recipes\nWhole rules to copy. README says which operations the built-in engine does today; a remote "
        "service does them all.\n",
        *(f"### {recipe.title}\n{recipe.about}\n\n```toml\n{recipe.rule}```\n" for recipe in RECIPES),
    ]
    return "\n".join(part.rstrip("\n") + "\n" for part in parts)


def _keys(model: type[Table]) -> str:
    has_examples = any("examples" in found for found in keys_of(model).values())
    heads = ["key", "takes", "default", *(["example"] if has_examples else []), "meaning"]
    rows = [row(heads), row(["---"] * len(heads))]
    required = {declared.alias or name for name, declared in model.model_fields.items() if declared.is_required()}
    for name, found in keys_of(model).items():
        example = [f"`{toml(found['examples'][0])}`"] if has_examples else []
        default = "needed" if name in required else default_text(found.get("default"))
        rows.append(row([f"`{name}`", takes(found), default, *example, found["description"]]))
    return "\n".join(rows)


def _operation(operation: Operation) -> str:
    rows = [
        f"### {operation.id}",
        f"{operation.title}. Reads {', '.join(operation.reads)}; gives {operation.output_ext}.\n",
    ]
    rows += ["| parameter | takes | default | meaning |", "| --- | --- | --- | --- |"]
    for p in operation.parameters:
        if p.is_said:
            name = f"`{p.name}`{'*' if p.required else ''}"
            rows.append(f"| {name} | {_values(p)} | {_taken_for(operation, p)} | {_about(p)} |")
    return "\n".join(rows)


def _taken_for(operation: Operation, parameter: Parameter) -> str:
    if parameter.name in usual(operation):
        return _shown(usual(operation)[parameter.name])
    if operation.id in AUTOMATIC and parameter.name in (SWITCH, SCOPE):
        return "where needed" if parameter.name == SWITCH else f"`{WHERE_NEEDED}`; `ALL` with `{SWITCH}`"
    return _shown(parameter.default)


def _values(parameter: Parameter) -> str:
    if parameter.is_secret:
        return "reference" if parameter.type != "array" else "list of references"
    if parameter.is_flag or parameter.type == "boolean":
        return "on or off"
    if parameter.values:
        return " \\| ".join(f"`{value}`" for value in parameter.values)
    return parameter.format or parameter.type


def _about(parameter: Parameter) -> str:
    return cell(parameter.meaning + (f"; {parameter.rule}" if parameter.rule else ""))


def _shown(value: object) -> str:
    if value is None or value == "":
        return ""
    return f"`{str(value).lower() if isinstance(value, bool) else value}`"


if __name__ == "__main__":
    sys.stdout.write(reference())
