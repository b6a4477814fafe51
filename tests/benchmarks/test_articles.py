"""Published articles: the XML says what they are made of, and the pages how that is shown."""

from __future__ import annotations

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


def test_every_article_has_one_half_and_a_licence() -> None:
    assert len({article.name for article in articles.ARTICLES}) == len(articles.ARTICLES) >= 2 * articles.COUNT
    assert all(article.licence.startswith("by") and len(article.commit) == 40 for article in articles.ARTICLES)
