"""Published articles: the XML says what they are made of, and the pages how that is shown."""

from __future__ import annotations

from pathlib import Path

import pytest
from benchmarks.sets import articles, jats
from benchmarks.sets.printing import ours
from benchmarks.sets.shown import Pages

LONG = "The samples were counted twice by two of the authors, and the sums were compared afterwards."
PRINTED = f"""
<h1>Of Rivers</h1><p>Ann Berg<sup>1</sup></p><p>{LONG}</p><h2>2. METHODS</h2>
<p><b>Design.</b> Every river was visited in spring, and again in the autumn of the same year, by boat.</p>
<p>Table 1 Rivers and lengths</p><table><tr><th>River</th><th>Length</th></tr><tr><td>Isar</td><td>292</td></tr></table>
<p>Afterwards the boats were sold to a school, which keeps them in the old harbour of the town.</p>
<h2>References</h2><p>1. Moor C. Water. 2019;7(2):11-19.</p>
"""
XML = f"""<article><front><article-meta><title-group><article-title>Of Rivers</article-title></title-group>
<contrib-group><contrib><name><surname>Berg</surname><given-names>Ann</given-names></name><xref>1</xref></contrib>
</contrib-group><abstract><p>{LONG}</p></abstract></article-meta></front><body><sec><title>Methods</title>
<sec><title>Design</title><p>Every river was visited in spring, and again in the autumn of the same year, by boat.
<inline-formula><alternatives><tex-math>hidden</tex-math></alternatives></inline-formula></p>
<p>Afterwards the boats were sold to a school, which keeps them in the old harbour of the town.</p>
<p>Only the supplement has this sentence, which no page shows to anybody who reads.</p>
<table-wrap><label>Table 1</label><caption><p>Rivers and lengths</p></caption><table><thead><tr><th>River</th>
<th>Length</th></tr></thead><tbody><tr><td>Isar</td><td>292</td></tr></tbody></table></table-wrap></sec></sec></body>
<back><ref-list><ref><label>1.</label><element-citation><name><surname>Moor</surname><given-names>C</given-names></name>
<source>Water</source><year>2019</year><volume>7</volume><issue>2</issue><fpage>11</fpage><lpage>19</lpage>
</element-citation></ref></ref-list></back></article>"""


@pytest.fixture(scope="module")
def shown(tmp_path_factory: pytest.TempPathFactory) -> str:
    pdf = tmp_path_factory.mktemp("article") / "article.pdf"
    ours(PRINTED, pdf)
    return jats.markdown(XML.encode(), Pages(pdf))


def test_an_article_reads_as_its_pages_show_it(shown: str) -> None:
    parts = [
        "# Of Rivers",
        "Ann Berg1",
        LONG,
        "## 2. METHODS",
        "Design Every river",
        "Table 1 Rivers",
        "| Isar | 292 |",
        "Afterwards the boats",
        "## References",
        "1. Moor C Water 2019 7(2):11-19",
    ]
    places = [shown.find(part) for part in parts]
    assert -1 not in places
    assert places == sorted(places)


@pytest.mark.parametrize("unseen", ["hidden", "supplement", "Design\n"])
def test_what_no_page_shows_is_not_in_the_truth(shown: str, unseen: str) -> None:
    assert unseen not in shown


NOTE = "<sec><title>Additional files</title><p>All the counts of the rivers are kept by the library.</p></sec>"
NOTE_PRINTED = """<h2 style="page-break-before: always">Additional files</h2>
<p>All the counts of the rivers are kept by the library.</p>"""


def test_a_note_of_the_last_page_draws_no_float_to_the_front(tmp_path: Path) -> None:
    """The XML has it in the abstract and in the body; the page shows it once, behind all the rest."""
    pdf = tmp_path / "article.pdf"
    ours(PRINTED.replace("<h2>References", f"{NOTE_PRINTED}<h2>References"), pdf)
    xml = XML.replace("</abstract>", f"{NOTE}</abstract>").replace("</sec></body>", f"</sec>{NOTE}</body>")
    shown = jats.markdown(xml.encode(), Pages(pdf))
    places = [shown.find(part) for part in ("Every river", "Table 1", "| Isar", "Afterwards", "Additional", "## Ref")]
    assert -1 not in places
    assert places == sorted(places)
    assert shown.count("Additional files") == shown.count("kept by the library") == 1


@pytest.mark.parametrize(
    "caption",
    ["Figure 1 The river and the boats that have been on it since it was found in a forest", "Figure 1 Boats"],
)
def test_a_float_under_both_columns_stands_behind_both(tmp_path: Path, caption: str) -> None:
    said = [f"In the {n}th year the river was {n} feet deeper than anybody had thought." for n in range(4, 10)]
    left, right = ("".join(f"<p>{text}</p>" for text in said[at : at + 3]) for at in (0, 3))
    pdf = tmp_path / "article.pdf"
    ours(f"<table><tr><td>{left}</td><td>{right}</td></tr></table><p>{caption}</p>", pdf)
    words = "".join(f"<p>{text}</p>" for text in said)
    figure = f"<fig><caption><p>{caption}</p></caption></fig>"
    shown = jats.markdown(f"<article><body><sec>{words}{figure}</sec></body></article>".encode(), Pages(pdf))
    assert shown.split("\n\n") == [*said, f"{caption}\n"]


FRONT_PRINTED = f"""
<p>S T U DY Open Access</p><p>Journal of Rivers (2020) 7:1</p><h1>Of Rivers</h1><h3>A second look</h3>
<p>Ann Berg<sup>1</sup></p><p>{LONG}</p><p><b>Keywords:</b> rivers, lengths</p><h2>Author details</h2>
<p>1 Chair of Rivers, Graz</p><h2>A Note</h2><p>We keep all the maps in the archive of the chair.</p>"""
FRONT_XML = f"""<article><front><article-meta><article-categories><subj-group><subject>Study</subject></subj-group>
</article-categories><title-group><article-title>Of Rivers</article-title><subtitle>A second look</subtitle>
</title-group>
<contrib-group><contrib><name><surname>Berg</surname><given-names>Ann</given-names></name><xref>1</xref></contrib>
<aff><label>1</label><institution-id>grid.7</institution-id><institution>Chair of Rivers, </institution>Graz</aff>
</contrib-group><abstract><p>{LONG}</p></abstract><kwd-group><kwd>rivers</kwd><kwd>lengths</kwd></kwd-group>
</article-meta></front><back><fn-group><fn><p><bold>A Note</bold></p>
<p>We keep all the maps in the archive of the chair.</p></fn></fn-group></back></article>"""


def test_the_front_reads_as_its_page_shows_it(tmp_path: Path) -> None:
    """What stands above the title, a second title, and headings that the XML has as bold words or not at all."""
    pdf = tmp_path / "article.pdf"
    ours(FRONT_PRINTED, pdf)
    assert jats.markdown(FRONT_XML.encode(), Pages(pdf)).split("\n\n") == [
        "STUDY Open Access",
        "Journal of Rivers (2020) 7:1",
        "# Of Rivers",
        "# A second look",
        "Ann Berg1",
        LONG,
        "Keywords: rivers, lengths",
        "## Author details",
        "1 Chair of Rivers, Graz",
        "## A Note",
        "We keep all the maps in the archive of the chair.\n",
    ]


def test_a_running_head_is_not_in_the_truth(tmp_path: Path) -> None:
    head, pdf = "Berg, Journal of Rivers (2020) 7:1", tmp_path / "article.pdf"
    second = f"<p style='page-break-before: always; margin-top: 0'>{head} Page 2</p>"
    ours(f"<p style='margin-top: 0'>{head}</p><p>Study</p>{PRINTED}{second}", pdf)
    assert jats.markdown(XML.encode(), Pages(pdf)).startswith("Study\n\n# Of Rivers\n\nAnn Berg1")


def test_keywords_that_are_words_of_the_title_stand_where_they_are_listed(tmp_path: Path) -> None:
    title = "A Study of the Lengths of Rivers in the Alps and their Boats"
    words = ("lengths of rivers in the Alps and their boats", "harbours")
    pdf = tmp_path / "article.pdf"
    ours(f"<h1>{title}</h1><p>Ann Berg</p><p>{LONG}</p><p>Keywords: {', '.join(words)}</p>", pdf)
    listed = "".join(f"<kwd>{word}</kwd>" for word in words)
    xml = f"""<article><front><article-meta><title-group><article-title>{title}</article-title></title-group><abstract>
    <p>{LONG}</p></abstract><kwd-group>{listed}</kwd-group></article-meta></front></article>"""
    shown = jats.markdown(xml.encode(), Pages(pdf)).split("\n\n")
    assert shown == [f"# {title}", LONG, f"Keywords: {', '.join(words)}\n"]


def test_columns_are_told_apart_where_the_margins_differ(tmp_path: Path) -> None:
    said = [f"In the {n}th year the river was {n} feet deeper than anybody had thought." for n in range(4, 10)]
    left, right = ("".join(f"<p>{text}</p>" for text in said[at : at + 3]) for at in (0, 3))
    pdf = tmp_path / "article.pdf"
    ours(f'<table style="width: 60%"><tr><td>{left}</td><td><p>Figure 1 Boats</p>{right}</td></tr></table>', pdf)
    words = "".join(f"<p>{text}</p>" for text in said)
    figure = "<fig><caption><p>Figure 1 Boats</p></caption></fig>"
    shown = jats.markdown(f"<article><body><sec>{words}{figure}</sec></body></article>".encode(), Pages(pdf))
    assert shown.split("\n\n") == [*said[:3], "Figure 1 Boats", *said[3:5], f"{said[5]}\n"]


def test_references_under_both_columns_of_the_text_stand_behind_both(tmp_path: Path) -> None:
    said = [f"In the {n}th year the river was {n} feet deeper than anybody had thought." for n in range(4, 10)]
    left, right = ("".join(f"<p>{text}</p>" for text in said[at : at + 3]) for at in (0, 3))
    pdf = tmp_path / "article.pdf"
    right += "<h2>Thanks</h2><p>We thank the boatmen.</p>"
    table = f"<table><tr><td style='width: 55%'>{left}</td><td>{right}</td></tr></table>"
    ours(f"{table}<h2>References</h2><p>Moor C. Water. 2019.</p>", pdf)
    body = "".join(f"<p>{text}</p>" for text in said)
    back = """<ack><title>Thanks</title><p>We thank the boatmen.</p></ack><ref-list><title>References</title><ref>
    <mixed-citation>Moor C. Water. 2019.</mixed-citation></ref></ref-list>"""
    shown = jats.markdown(f"<article><body><sec>{body}</sec></body><back>{back}</back></article>".encode(), Pages(pdf))
    assert shown.split("\n\n")[6:] == ["## Thanks", "We thank the boatmen.", "## References", "Moor C. Water. 2019.\n"]


def test_every_article_has_one_half_and_a_licence() -> None:
    assert len({article.name for article in articles.ARTICLES}) == len(articles.ARTICLES) >= 2 * articles.COUNT
    assert all(article.licence.startswith("by") and len(article.commit) == 40 for article in articles.ARTICLES)
