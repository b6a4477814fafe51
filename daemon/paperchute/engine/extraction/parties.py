"""Who a document is from and whom it is for: by labels, the window of an envelope, letterhead, foot and bank."""

from __future__ import annotations

import re
from collections.abc import Container, Iterator, Sequence
from dataclasses import replace
from itertools import chain, islice

from paperchute.engine.extraction.addresses import (
    ADDRESSES,
    Address,
    blocks_of,
    flush_lines,
    is_address,
    is_flush,
    is_head_address,
    is_return,
    is_role,
    is_window,
)
from paperchute.engine.extraction.confidence import CERTAINTY, CONFIDENCE
from paperchute.engine.extraction.days import days_in
from paperchute.engine.extraction.findings import Candidate, Found, opened, sure, unsure
from paperchute.engine.extraction.heads import head_name, is_roll
from paperchute.engine.extraction.lookup import (
    Named,
    beside,
    has_colon_apart,
    is_listed,
    named,
    right_of,
    under,
)
from paperchute.engine.extraction.measures import LENGTHS, PLACES
from paperchute.engine.extraction.names import (
    LABELS,
    NAMES,
    PARTED,
    TITLES,
    cleaned,
    has_form,
    is_name,
    is_town,
    joined,
    may_precede,
    names_of,
)
from paperchute.engine.extraction.printed import Piece, Sheet
from paperchute.engine.extraction.vocabulary import plain
from paperchute.language import N_

_WAYS = frozenset(map(plain, ("From", "To", "Von", "An", "De", "À", "A", "Para", "Da", "Van", "Aan", "Od", "Do")))
"""Labels of people that those of journeys and periods are, too."""
_DASHED = re.compile(r"\s*[·•|∙]\s*|\s+[-*–—]\s+")
"""What parts the street and the town of an address in one line; a town in the United States has a comma itself."""
_HOUSE = re.compile(r"\d{1,5}\s?[A-Za-z]?(?:[/-]\w{1,4})?")
"""The number of a house behind the comma of its street: `Corso Italia, 104`."""
_UNADDRESSED = (None, "receipt", "statement")
"""Kinds of documents that may name a journey or a period: a ticket is a receipt."""
_SOLD = (None, "receipt", "invoice", "credit_note", "order", "delivery_note")
"""Kinds of documents that shops print on a roll of paper."""


def parties(sheets: Sequence[Sheet], kind: str | None, language: str) -> tuple[Found[str], Found[str]]:
    """The names of sender and recipient of a document of a kind. An address alone may be either's.

    language: of the document (ISO 639-1); France has the window of its envelopes on the right (NF Z 11-001).
    """
    if not sheets:
        return Found(), Found()
    blocks = list(blocks_of(sheets[0]))
    to = _named(sheets[:1], "recipient", kind)
    if is_roll(sheets[0]) and kind in _SOLD:
        return _of_strip(sheets, kind, to or Found())
    hints = _hints(sheets, blocks)
    windowed = {key for block in blocks if is_window(block, sheets[0]) for key in block.own_keys()}
    if kind == "statement":  # of a bank: its account is that of the reader, who is written to
        to = to or _agreed([holder for holder in hints["bank"] if _key(holder.value) in windowed])
    if to is None:  # a company in the window of an envelope is no letterhead, unless somebody else is written to
        head = hints["letterhead"]
        hints["letterhead"] = [c for c in head if _key(c.value) not in windowed or _others(blocks, c.value)]
    if to is None:
        own = {_key(candidate.value) for candidates in hints.values() for candidate in candidates}
        windows = [block for block in blocks if is_window(block, sheets[0])]
        if language == "fr" and own:
            windows += [block for block in blocks if is_window(block, sheets[0], on_right=True)]
        to = _agreed([name for b in windows if not own & b.own_keys() for name in b.names(CONFIDENCE.placed)])
        if to is not None and to.value and not own and not _others(blocks, to.value):
            to = opened(to, N_("it may be the sender or the recipient"))
    if kind == "contract":
        hints["party"] = list(_contracting(sheets[:1]))
    receivers = {_key(to.value)} if to is not None and to.value else set()
    sender = _named(sheets[:1], "sender", kind, receivers)
    if sender is not None and sender.value is not None and not has_form(sender.value):  # a person who sells for one
        companies = {c.value: c for c in chain(*hints.values()) if has_form(c.value) and _key(c.value) not in receivers}
        if companies and not any(_key(sender.value) in _key(name) for name in companies):
            sender = unsure([*sender.possible, *companies.values()], N_("there are several names"))
    if sender is None:
        hints["address"] = [n for b in blocks if is_head_address(b, sheets[0]) for n in b.names(CONFIDENCE.placed)]
        sender = _elected(hints, receivers, kind, alone=bool(receivers) or kind == "receipt")
    return sender, to or Found()


def _of_strip(sheets: Sequence[Sheet], kind: str | None, to: Found[str]) -> tuple[Found[str], Found[str]]:
    """The parties of what a shop prints on a roll of paper: it has no envelope, and all its lines look alike."""
    receivers = {_key(to.value)} if to.value else set()
    sender = _named(sheets[:1], "sender", kind, receivers) or head_name(sheets[0])
    if sender.value is not None and _key(sender.value) in receivers:
        return opened(sender), to
    elsewhere = {_key(name.value) for name in (*_foot(sheets[0]), *_labelled(sheets, "account_holder"))} - receivers
    again = [one for one in sender.candidates if _key(one.value) in elsewhere]
    return (sure(again[0]) if len(again) == 1 else sender), to


def _key(name: str) -> str:
    return plain(name)


def _hints(sheets: Sequence[Sheet], blocks: Sequence[Address]) -> dict[str, list[Candidate[str]]]:
    """The names in the places where only a sender's stands."""
    return {
        "letterhead": list(_letterhead(sheets[0], blocks)),
        "return": list(_return_lines(sheets[0], blocks)),
        "foot": list(_foot(sheets[0])),
        "bank": list(_labelled(sheets, "account_holder")),
    }


def _others(blocks: Sequence[Address], name: str) -> bool:
    """Decide whether there is an address of somebody else."""
    return any(is_address(block) and _key(name) not in block.own_keys() for block in blocks)


def _elected(hints: dict[str, list[Candidate[str]]], receivers: set[str], kind: str | None, alone: bool) -> Found[str]:
    """The name that most places agree on. alone: an address at the top can only be the sender's."""
    votes: dict[str, dict[str, Candidate[str]]] = {}
    for place, candidates in hints.items():
        for candidate in candidates:
            if (key := _key(candidate.value)) and key not in receivers:
                votes.setdefault(key, {}).setdefault(place, candidate)
    ranked = sorted(votes.values(), key=lambda places: (-len(places.keys() - {"address"}), -len(places)))
    if not ranked:
        return Found()
    best = list(ranked[0].values())
    heads = sum("letterhead" in places for places in ranked)
    is_even = len(ranked) > 1 and len(ranked[1]) == len(best)
    if heads > 1 and len(ranked[1].keys() - {"address"}) == len(ranked[0].keys() - {"address"}):
        is_even = True  # that one of them stands in an address says nothing
    read = min(max(candidate.confidence for candidate in best) / CONFIDENCE.placed, 1.0)
    everything = [next(iter(places.values())) for places in ranked]
    if is_even:
        return unsure(everything, N_("there are several names"))
    if list(ranked[0]) == ["party"] or (not alone and list(ranked[0]) == ["address"]):
        return unsure(everything, N_("it may be the sender or the recipient"))
    if kind is None and len(best) == 1:  # a heading, or a company that it comes to speak of
        return unsure(everything, N_("nothing confirms it"))
    if len(best) == 1 and read < CERTAINTY.letters:
        return unsure(everything, N_("it could not be read with certainty"))
    confidence = (CONFIDENCE.labelled if len(best) > 1 else CONFIDENCE.placed) * read
    evidence = tuple(e for candidate in best for e in candidate.evidence)
    return sure(Candidate(best[0].value, confidence, evidence))


def _named(sheets: Sequence[Sheet], role: str, kind: str | None, others: Container[str] = ()) -> Found[str] | None:
    """The one name that the labels of a role have, but what others are; not sure where they may name a place or day."""
    found = _agreed([name for name in _labelled(sheets, role) if _key(name.value) not in others])
    if found is None or found.value is None or kind not in _UNADDRESSED or has_form(found.value):
        return found
    begin = [at for at in named(sheets, role) if at.label.first == 0]
    if all(_key(at.piece.text[: at.piece.after(at.label)]) in _WAYS for at in begin):
        return opened(found)
    return found


def _labelled(sheets: Sequence[Sheet], role: str) -> Iterator[Candidate[str]]:
    """The names behind, beside or below the labels of a role."""
    for at in map(_whole_label, named(sheets, role)):
        if at.label.first > 0 or len(at.piece.tokens) > LENGTHS.line + at.label.after:
            continue
        after = at.piece.after(at.label)
        own = at.piece.text[after:]
        short = len(plain(at.piece.text[:after])) <= NAMES.shortest
        marked = own.lstrip().startswith((":", "：")) or at.piece.text[:after].endswith((":", "："))
        if own.strip(" :：") and not marked:
            continue  # `From the beginning`, `Kunde werden`
        if short and not marked:
            continue  # `A`, `An` and `To` are words, too
        yield from _values(at)


def _whole_label(at: Named) -> Named:
    """A label with another name of the same behind it: `Käufer/Leistungsempfänger:`."""
    label = at.label
    for other in at.piece.labels:
        if other.first == label.after and other.phrase.roles & label.phrase.roles:
            label = replace(label, after=other.after)
    return at._replace(label=label)


def _values(at: Named) -> Iterator[Candidate[str]]:
    """The name of one label; two where it is not sure how many lines it takes."""
    start = at.piece.after(at.label)
    text = at.piece.text[start:].lstrip(" :：")
    if text and is_name(text):
        begin = len(at.piece.text) - len(text)
        confidence = CONFIDENCE.titled * at.piece.certainty(begin)
        yield Candidate(cleaned(text), confidence, (at.piece.evidence(begin),))
        return
    if any(map(str.isdecimal, text)):
        return  # `Customer: 4711`: what follows below is of something else
    right = right_of(at.piece, at.sheet)
    if right is not None and _key(at.piece.text[:start]) in _WAYS and any(True for _ in days_in(right)):
        return  # `From` and `To` of a period
    for lower in islice(under(at.piece, at.sheet), PLACES.rows):
        if is_listed(lower, at.sheet):
            return  # the first of many
        if lower.box.left >= at.piece.box.right or is_role(lower) or lower.begins_as("greeting"):
            break
        if plain(lower.text) in LABELS and (value := right_of(lower, at.sheet)) is not None and is_name(value.text):
            yield _cell(value, at.sheet)
            return
        if not _is_detail(lower, at.sheet) and is_name(lower.text):
            if _is_beside(right, lower, at.sheet):
                break
            yield from Address(tuple(flush_lines(lower, at.sheet))).names(CONFIDENCE.titled)
            return
        if not any(map(str.isdecimal, at.sheet.rows[lower.row].whole.text)):
            break
    for place in beside(at):
        if place.piece is not at.piece and is_name(place.piece.text):
            yield joined([place.piece], CONFIDENCE.titled)
            return


def _is_beside(right: Piece | None, lower: Piece, sheet: Sheet) -> bool:
    """Tell if labels stand in a column with their values right of them, so that the next line is the next label."""
    if (
        right is None
        or right.labels
        or not is_name(right.text)
        or any(is_town(p.text) for p in flush_lines(lower, sheet))
    ):
        return False
    value = right_of(lower, sheet)
    return value is not None and abs(value.box.left - right.box.left) <= PLACES.same_edge


def _cell(piece: Piece, sheet: Sheet) -> Candidate[str]:
    """The name in a form's cell, whose label may stand beside the last of its lines."""
    lines = [piece]
    for row in reversed(sheet.rows[max(piece.row - PLACES.rows, 0) : piece.row]):
        if len(row.pieces) > 1 or row.whole.labels or not is_flush(lines[0], row.whole) or not is_name(row.whole.text):
            break
        lines.insert(0, row.whole)
    if plain(lines[0].text) in TITLES and len(lines) > 1:
        lines = lines[1:]
    return joined(lines, CONFIDENCE.titled)


def _is_detail(piece: Piece, sheet: Sheet) -> bool:
    """Tell whether a line gives a number of somebody rather than the name: `Nummer : 549910`, `GLN: 4000001123452`."""
    named = piece.begins_as("number", "other_number")
    return named or has_colon_apart(piece, sheet) or ":" in piece.text or "：" in piece.text


def _agreed(candidates: Sequence[Candidate[str]]) -> Found[str] | None:
    """The one name that all places have; None for no place."""
    found: dict[str, Candidate[str]] = {}
    for candidate in candidates:
        found.setdefault(_key(candidate.value), candidate)
    if not found:
        return None
    if len(found) > 1:
        return unsure(list(found.values()), N_("there are several names"))
    (only,) = found.values()
    if only.confidence < CERTAINTY.letters * CONFIDENCE.placed:
        return unsure([only], N_("it could not be read with certainty"))
    return sure(only)


def _return_lines(sheet: Sheet, blocks: Sequence[Address]) -> Iterator[Candidate[str]]:
    """The sender's line right above the address in the window."""
    for block in blocks:
        if is_window(block, sheet):
            for row in sheet.rows[max(block.lines[0].row - 3, 0) : block.lines[0].row]:
                for piece in row.pieces:
                    end = len(PARTED.split(piece.text)[0])
                    if is_return(piece) and is_name(piece.text[:end]) and not _is_street(piece.text):
                        confidence = CONFIDENCE.placed * piece.certainty(0, end)
                        yield Candidate(cleaned(piece.text[:end]), confidence, (piece.evidence(0, end),))


def _contracting(sheets: Sequence[Sheet]) -> Iterator[Candidate[str]]:
    """Those who conclude a contract, as it names them with their addresses below `between`."""
    for at in named(sheets, "between"):
        if at.label.first > 0 or not at.piece.is_named(at.label):
            continue
        for row in at.sheet.rows[at.piece.row + 1 : at.piece.row + 1 + PLACES.head]:
            for piece in row.pieces:
                part = PARTED.split(piece.text)[0]
                if is_return(piece) and is_name(part):
                    yield _part(piece, part)


def _is_street(text: str) -> bool:
    """Tell if a line begins with a street, as the address below a letterhead does: `9 High Street - Leeds LS1 4DY`."""
    first, *others = PARTED.split(text)
    is_numbered = first[:1].isdecimal() or (bool(others) and _HOUSE.fullmatch(others[0].strip()) is not None)
    return is_numbered and not has_form(first)


def _is_reachable(piece: Piece, sheet: Sheet) -> bool:
    """Decide whether the lines below a name say where it is: with a postcode, else it is a heading."""
    below = islice(under(piece, sheet), ADDRESSES.lines[0])
    return any(is_town(part) for line in below for part in _DASHED.split(line.text))


def _letterhead(sheet: Sheet, blocks: Sequence[Address]) -> Iterator[Candidate[str]]:
    """The name at the top of the page: of a company, or in the largest type there.

    An address above or beside its own may be that of who writes, and the company who is written to.
    """
    usual = sheet.usual_size
    pieces = [p for p in sheet.pieces() if p.box.bottom < ADDRESSES.top * sheet.height]
    names = [
        p
        for p in pieces
        if not is_listed(p, sheet)
        and not any(label.phrase.kinds or label.phrase.roles for label in p.labels[:1] if label.first == 0)
    ]
    for piece in names:
        part = PARTED.split(piece.text)[0]
        if has_form(part) and is_name(part):
            yield _part(piece, part)
            upper = next(
                (p for p in reversed(names[: names.index(piece)]) if piece in flush_lines(p, sheet)[1:2]), None
            )
            if upper is not None and part == piece.text and may_precede(upper, piece):
                yield joined([upper, piece], CONFIDENCE.placed)
            own = next((block for block in blocks if piece in block.lines), None)
            if own is not None and is_address(own):
                others = (block for block in blocks if block is not own and is_head_address(block, sheet))
                first = (block for block in others if block.lines[0].row <= own.lines[-1].row)
                yield from (name for block in first for name in block.names(CONFIDENCE.placed))
            return
    large = [p for p in names if p.size >= PLACES.larger * usual and is_name(p.text) and _is_reachable(p, sheet)]
    if large:
        biggest = max(large, key=lambda piece: piece.size)
        yield from names_of(flush_lines(biggest, sheet), CONFIDENCE.placed)


def _part(piece: Piece, part: str) -> Candidate[str]:
    """The beginning of a line as a name."""
    return Candidate(cleaned(part), CONFIDENCE.placed * piece.certainty(0, len(part)), (piece.evidence(0, len(part)),))


def _foot(sheet: Sheet) -> Iterator[Candidate[str]]:
    """Companies named in the foot of the page."""
    for piece in sheet.pieces():
        if piece.box.top < PLACES.frame[1] * sheet.height:
            continue
        part = PARTED.split(piece.text)[0]
        if has_form(part) and is_name(part):
            yield _part(piece, part)
            return
