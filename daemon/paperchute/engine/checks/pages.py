"""What the operations that move pages about ask of their parameters."""

from __future__ import annotations

from paperchute.contract import PageListError, contract, parse_page_list
from paperchute.contract.built_in import refusals
from paperchute.contract.questions import AUTO, NONE, why_no_pages
from paperchute.engine.work import Refused, Work
from paperchute.language import _
from paperchute.notation.colours import parse_colour
from paperchute.notation.page_lines import counts_on
from paperchute.notation.part_names import check_template
from paperchute.notation.patterns import compiled
from paperchute.notation.sizes import parse_size

PASSWORDS = ("userPassword", "ownerPassword")
REVERSE = "reverse"
METADATA = ("title", "author", "subject", "keywords")
FIRST_PAGES = "firstPages"
SEPARATORS = ("separatorCode", "blankPages", "separatorText")
_MOST_SCALING = 20  # 1,440 dpi
_MOST_BLANK = 10_000
_MOST_POINTS = 14_400  # ISO 32000-1 annex C.2: the largest page side


def check_insert(work: Work) -> None:
    """How many files each action takes, and what BLANK needs."""
    urls = work.texts("urls")
    if urls and work.sources:
        raise Refused("03000", _("send either urls or file, not both"))
    count = len(urls) or len(work.sources)
    action = work.text("actionType")
    if count == 0:
        raise Refused("01005", _("send a part named file, or urls"))
    if count != (2 if action == "FROM_PDF" else 1):
        if action == "FROM_PDF":
            raise Refused("03000", _("{action} takes two files, not {count}.", action=action, count=count))
        raise Refused("03000", _("{action} takes one file, not {count}.", action=action, count=count))
    if action == "BLANK":
        for name in ("width", "height"):
            value = work.number(name)
            if not 0 < value <= _MOST_POINTS:
                raise Refused(
                    "03000",
                    _("BLANK needs {name}, in points, more than 0 and at most {most}", name=name, most=_MOST_POINTS),
                )
        if not 1 <= work.integer("count", 1) <= _MOST_BLANK:
            raise Refused("03000", _("count must be from 1 to {most}", most=_MOST_BLANK))


def check_merge(work: Work) -> None:
    """Lists that run parallel to the files must be as long as they."""
    for name in ("filePageRanges", "passwords"):
        given = work.texts(name)
        if given and len(given) != len(work.sources):
            raise Refused(
                "03000",
                _(
                    "{name} has {entries} entries for {files} files",
                    name=name,
                    entries=len(given),
                    files=len(work.sources),
                ),
            )


def check_encrypt(work: Work) -> None:
    """At least one password, and none that the cipher cannot hold."""
    given = [name for name in PASSWORDS if work.text(name)]
    if not given:
        raise Refused("03000", _("userPassword, ownerPassword or both are needed"))
    for name in given:
        _check_password(name, work.text(name), work.text("algorithm"))


def _check_password(name: str, text: str, algorithm: str) -> None:
    # It brings pikepdf, which a server that locks nothing does not load.
    from paperchute.engine.pdf.protection import MOST_BYTES, MOST_LETTERS_OLD, in_old_encoding, prepared

    if algorithm == "aes256":
        try:
            size = len(prepared(text).encode())
        except ValueError as error:
            raise Refused("03000", _("{name} cannot be a PDF's password: {reason}", name=name, reason=error)) from None
        if not size:
            raise Refused("03000", _("{name} contains no characters.", name=name))
        if size > MOST_BYTES:
            raise Refused("03000", _("{name} is longer than {most} bytes", name=name, most=MOST_BYTES))
    elif not in_old_encoding(text):
        raise Refused("03000", _("{name} has characters that only aes256 can take", name=name))
    elif len(text) > MOST_LETTERS_OLD:
        raise Refused(
            "03000",
            _(
                "{name} is longer than the {most} letters that count; aes256 takes more",
                name=name,
                most=MOST_LETTERS_OLD,
            ),
        )


def check_delete(work: Work) -> None:
    """Refuse a page list that leaves nothing of any document, before a task is taken for it.

    Raises Refused 110002, as for a list that names every page of this one, and 03000.
    """
    try:
        ranges = parse_page_list(work.text("pages"))
    except PageListError as error:
        raise Refused("03000", f"pages: {error}") from None
    if not ranges:
        raise all_deleted(work.sources[0].name)


def all_deleted(name: str) -> Refused:
    """Give the error of a deletion that leaves no page. name: of the document."""
    return Refused("110002", _("{name}: these are all its pages, and a PDF needs at least one", name=name))


def check_split(work: Work) -> None:
    """Numbers, a size, patterns and a template that can work."""
    for name in ("every", "bookmarkLevel", "blankPages"):
        if name in work.parameters and work.integer(name) < 1:
            raise Refused("03000", _("{name} must be 1 or more", name=name))
    _check_size(work)
    for name, check in (("separatorCode", compiled), ("separatorText", compiled), ("partName", check_template)):
        if work.text(name):
            try:
                check(work.text(name))
            except ValueError as error:
                raise Refused("03000", f"{name} {error}") from None
    check_named_pages(work, FIRST_PAGES, AUTO, NONE)
    if work.text("separatorPage") not in ("", "auto") and not any(work.text(name) for name in SEPARATORS):
        raise Refused("03000", _("separatorPage needs one of {names}", names=", ".join(SEPARATORS)))


def check_named_pages(work: Work, name: str, *words: str) -> None:
    """Refuse what is neither one of the words nor a list of pages that names some."""
    if why := why_no_pages(name, work.text(name), *words):
        raise Refused("03000", why)


def check_compress(work: Work) -> None:
    """Flags of the contract, a size, and qualities that JPEG has."""
    known = contract().raw["compress_flag"]["values"]
    if odd := [flag for flag in work.texts("optimizeFlags") if flag not in known]:
        raise Refused("03000", _("optimizeFlags takes {known}, not {odd}", known=", ".join(known), odd=odd[0]))
    _check_size(work)
    for name in ("imageQuality", "colorImageQuality"):
        if name in work.parameters and not 0 <= work.integer(name) <= 100:
            raise Refused("03000", _("{name} must be from 0 to 100", name=name))


def check_done(work: Work) -> None:
    """Refuse values that are refused of every file, with what `check` says of them in a rule."""
    for parameter, why in refusals(contract().known(work.operation), work.parameters, ""):
        raise Refused("03000", f"{parameter}: {why}")


def check_del_watermark(work: Work) -> None:
    """Refuse what would take marks by their looks, and numbers that are none."""
    check_done(work)
    for number in work.texts("indices"):
        if not number.isascii() or not number.isdigit() or int(number[:18]) < 1:
            raise Refused("03000", _("indices are numbers of marks, counted from 1, not {odd}", odd=repr(number)))


def check_compare(work: Work) -> None:
    """Colours, and opacities from nothing to all."""
    _check_colours(work, "replaceColor", "insertColor", "overlayBaseColor", "overlayCompareColor")
    for name in ("fillAlphaBase", "fillAlphaCompare"):
        if name in work.parameters and not 0 <= work.integer(name) <= 100:
            raise Refused("03000", _("{name} must be from 0 to 100", name=name))


def _check_colours(work: Work, *names: str) -> None:
    for name in names:
        if work.text(name):
            try:
                parse_colour(work.text(name))
            except ValueError as error:
                raise Refused("03000", f"{name} {error}") from None


def _check_size(work: Work) -> None:
    if work.text("maxSize"):
        try:
            parse_size(work.text("maxSize"))
        except ValueError as error:
            raise Refused("03000", f"maxSize {error}") from None


def check_reorder(work: Work) -> None:
    """`reverse`, or a page list."""
    if work.text("order") == REVERSE:
        return
    try:
        ranges = parse_page_list(work.text("order"))
    except PageListError as error:
        raise Refused("03000", f"order: {error}") from None
    if not ranges:
        raise Refused("03000", _("order names no pages; write them in their new order, such as 3,1-2, or reverse"))


def check_add_watermark(work: Work) -> None:
    """What the kind of mark needs, and numbers that can be seen."""
    if work.text("type") == "image":
        if not any(source.part == "imageFile" for source in work.sources):
            raise Refused("03000", _("type image needs imageFile, the picture of the mark"))
    elif not work.text("text").strip():
        raise Refused("03000", _("type text needs text, which is the mark"))
    _check_colours(work, "fontColor")
    if "fontSize" in work.parameters and not 0 < work.number("fontSize") <= _MOST_POINTS:
        raise Refused("03000", _("fontSize must be more than 0 and at most {most}", most=_MOST_POINTS))
    if not 0 < work.number("opacity", 1.0) <= 1:
        raise Refused("03000", _("opacity must be more than 0, which shows nothing, and at most 1"))
    for name in ("horizontalSpacing", "verticalSpacing"):
        if work.number(name) < 0:
            raise Refused("03000", _("{name} must not be less than 0", name=name))


def check_number(work: Work) -> None:
    """A line that says something, in a size and a colour that can be seen."""
    if "text" in work.parameters and not work.text("text").strip():
        raise Refused("03000", _("text is empty; leave it out for the page's number"))
    if counts_on(work.text("text")):
        said = _(
            "{bates} counts pages over the files of a rule; of one file {number} counts them",
            bates="{bates}",
            number="{number}",
        )
        raise Refused("03000", said)
    _check_colours(work, "fontColor")
    if "fontSize" in work.parameters and not 0 < work.number("fontSize") <= _MOST_POINTS:
        raise Refused("03000", _("fontSize must be more than 0 and at most {most}", most=_MOST_POINTS))
    for name in ("start", "margin"):
        if name in work.parameters and work.number(name) < 0:
            raise Refused("03000", _("{name} must not be less than 0", name=name))


def check_impose(work: Work) -> None:
    """Edges that are none of less than nothing, and nothing that the layout asked for has no use for."""
    booklet = work.text("layout") == "booklet"
    for name in ("pagesPerSheet", "order") if booklet else ("binding",):
        known = contract().known(work.operation).parameter(name)
        if known is not None and work.text(name) not in ("", str(known.default)):  # the server fills in defaults
            layout = "booklet" if booklet else "n-up"
            raise Refused("03000", _("{name} has no effect on layout {layout}; leave it out", name=name, layout=layout))
    for name in ("margin", "gap"):
        if not 0 <= work.number(name) <= _MOST_POINTS:
            raise Refused("03000", _("{name} must be from 0 to {most}", name=name, most=_MOST_POINTS))


def check_metadata(work: Work) -> None:
    """Something that is to be said."""
    if not any(work.text(name).strip() for name in METADATA):
        raise Refused("03000", _("one of {names} is needed", names=", ".join(METADATA)))


def check_images(work: Work) -> None:
    """A scale that gives pixels."""
    if "imageScaling" in work.parameters and not 0 < work.number("imageScaling") <= _MOST_SCALING:
        raise Refused("03000", _("imageScaling must be more than 0 and at most {most}", most=_MOST_SCALING))
