"""What a line says that tells what it is: the usual titles of sections, captions, theorems, labels with their value."""

from __future__ import annotations

import re

from paperchute.engine.words import one_of, words

_TITLES = frozenset(
    title.replace(" ", "")
    for titles in (
        "abstract, introduction, conclusion, conclusions, references, bibliography, literature cited, works cited",
        "acknowledgments, acknowledgements, acknowledgment, acknowledgement, appendix, appendices, contents",
        "table of contents, list of figures, list of tables, preface, foreword, glossary, executive summary",
        "author contributions, authors' contributions, author details, authors' information, author information",
        "conflict of interest, conflicts of interest, conflict of interest statement, competing interests",
        "competing interests statement, declaration of competing interest, declarations, disclosure, disclosures",
        "data availability, data availability statement, data sharing statement, availability of data and materials",
        "code availability, funding, financial support, abbreviations, publisher's note",
        "ethics approval, ethics approval and consent to participate, ethics statement, ethical approval",
        "compliance with ethical standards, consent for publication, references and notes, additional information",
        "supplementary material, supplementary materials, supplementary information, supporting information",
        "zusammenfassung, kurzfassung, einleitung, inhalt, inhaltsverzeichnis, abbildungsverzeichnis",
        "tabellenverzeichnis, literatur, literaturverzeichnis, danksagung, anhang, vorwort, präambel, fazit",
        "résumé, sommaire, table des matières, références, bibliographie, remerciements, annexes, préambule",
        "resumen, introducción, índice, referencias, bibliografía, agradecimientos, conclusiones, preámbulo",
        "sommario, introduzione, indice, riferimenti bibliografici, bibliografia, ringraziamenti, conclusioni",
        "resumo, introdução, sumário, referências, agradecimentos, conclusões",
        "摘要, 引言, 绪论, 目录, 目錄, 参考文献, 參考文獻, 致谢, 致謝, 附录, 結論, 结论",
    )
    for title in titles.split(", ")
)
_APPENDIX = frozenset({"appendix", "anhang", "annexe", "annex", "anexo", "apéndice", "appendice", "附录", "附錄"})
_OTHER_FLOATS = ("plate", "chart", "box", "scheme", "photo", "illustration", "algorithm", "algorithmus", "algorithme")
_CAPTION_WORDS = rf"(?:{one_of('table', 'figure')}|(?:{'|'.join(_OTHER_FLOATS)}|algoritmo|listing)(?![^\W\d_]))"
_CAPTION = re.compile(
    rf"^{_CAPTION_WORDS}\.?\s?(?:[A-Z]?\d+(?:[.-]\d+)*[a-z]?|[IVXL]+)(?:\s*[.:|–—-]|\s|$)", re.IGNORECASE
)
_CONTINUED = re.compile(rf"(?<![^\W_]){one_of('continued')}[.)]*$", re.IGNORECASE)
_FLOAT = re.compile(one_of("table", "figure"), re.IGNORECASE)
_FIGURE = re.compile(rf"{one_of('figure')}|chart|scheme|photo|illustration|plate", re.IGNORECASE)
_THEOREM_WORDS = (
    "theorem|lemma|proposition|corollary|definition|remark|example|proof|claim|conjecture|assumption|exercise|notation"
    "|satz|beweis|korollar|bemerkung|beispiel|théorème|lemme|preuve|démonstration|remarque|exemple|teorema|lema"
    "|demostración|dimostrazione|definición|definizione"
)
_THEOREM = re.compile(
    rf"^(?:{_THEOREM_WORDS})"
    r"(?:\s+(?:[A-Z]?\d+(?:\.\d+)*|[A-Z]|[IVX]+))?(?:\s*\([^)]*\))?(?:\s*[.:]|$|\s+(?=[A-Z]))",
    re.IGNORECASE,
)
_NUMBERED_THEOREM = re.compile(r"^\w+\s+(?:[A-Z]?\d+(?:\.\d+)*)")
_LEADS = ("abstract", "keyword", "keywords", "key words", "index terms", "zusammenfassung", "résumé", "resumen")
_LEAD = re.compile(rf"^(?:{'|'.join(_LEADS)})\s*[.:—–-]", re.IGNORECASE)
_LABEL = re.compile(r"^[^\W\d_][^:]{1,38}:\s+\S")
_BETWEEN_NAMES = re.compile(r"[,;·•|&]|\b(?:and|und|et|y|e|og|en)\b")
_NAME_MARKS = re.compile(r"[\d*†‡§¶#∥✉]+")
_NAME_WORD = (
    r"(?:[^\W\d_a-zß-ö][\w.'’‐–-]*"
    r"|de|da|do|di|du|del|della|der|den|dos|das|la|le|van|von|zu|ter|ten|al|el|bin|af)"
)
_NAME = re.compile(rf"{_NAME_WORD}(?: {_NAME_WORD}){{1,5}}")
_MOST_WORDS = 6  # of a usual title
_MOST_CAPTION_WORDS = 5  # of one that only says that its table goes on
_TITLE_BEGINNINGS = frozenset(title[:end] for title in _TITLES for end in range(1, len(title) + 1))
_FIRST_WORDS = frozenset([*_THEOREM_WORDS.split("|"), *(lead.split()[0] for lead in _LEADS)])
_CAPTION_BEGINNINGS = (
    *(word for table in words().values() for kind in ("table", "figure") for word in table[kind]),
    *(*_OTHER_FLOATS, "algoritmo", "listing"),
)


def may_begin_phrase(word: str) -> bool:
    """Tell if a word may be the first of a usual title, a caption or a statement, which few are; of ASCII letters."""
    word = word.lower()
    return word in _TITLE_BEGINNINGS or word in _FIRST_WORDS or word.startswith(_CAPTION_BEGINNINGS)


def is_usual_title(text: str) -> bool:
    """Decide whether a line is the title of a section that most documents of some kind have, such as `References`."""
    words = text.replace("’", "'").split()
    return len(words) <= _MOST_WORDS and "".join(words).rstrip(".:").casefold() in _TITLES


def is_appendix(text: str) -> bool:
    """Decide whether a line says nothing but `Appendix`."""
    return text.strip(".: ").casefold() in _APPENDIX


def is_caption(text: str) -> bool:
    """Decide whether a line begins a caption: `Figure 3: ...`, `TABLE II`."""
    return bool(_CAPTION.match(text))


def is_float_caption(text: str) -> bool:
    """Tell if a line begins the caption of a table or figure: `Table 3: ...`; the parts of a table may be schemes."""
    return bool(_FLOAT.match(text)) and is_caption(text)


def is_continued_caption(text: str) -> bool:
    """Tell if a line says nothing but that a table goes on here: `Table 1: Continued.`, `Tabelle 2 (Fortsetzung)`."""
    return is_float_caption(text) and len(text.split()) <= _MOST_CAPTION_WORDS and bool(_CONTINUED.search(text))


def is_figure_caption(text: str) -> bool:
    """Decide whether a line begins the caption of a figure: `Figure 3: ...`, `Scheme 1`."""
    return bool(_FIGURE.match(text)) and is_caption(text)


def is_statement(text: str) -> bool:
    """Decide whether a line begins a theorem, a proof or the like, or an abstract that goes on behind its own head."""
    found = _THEOREM.match(text)
    return bool(_LEAD.match(text)) or (
        found is not None and (bool(_NUMBERED_THEOREM.match(text)) or found[0].rstrip().endswith((".", ":")))
    )


def is_label_with_value(text: str) -> bool:
    """Decide whether a line is a label and its value: `Account holder: F. Abbott`."""
    return bool(_LABEL.match(text))


def is_names(text: str, least: int) -> bool:
    """Tell whether a text is nothing but names of persons, `least` of them or more: `Ada M. Lovelace1,2, Alan Turing*`.

    Of each there are two words or more; the numbers and signs of their places do not count, nor do letters alone.
    """
    parts = [" ".join(part.split()).strip(" .") for part in _BETWEEN_NAMES.split(_NAME_MARKS.sub(" ", text))]
    named = [part for part in parts if len(part) > 1]
    return len(named) >= least and all(map(_NAME.fullmatch, named))
