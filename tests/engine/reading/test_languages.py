"""The language that a document's words show, and where it goes."""

from __future__ import annotations

import re
from pathlib import Path

import docx
import pytest

from paperchute.engine.document.model import Facts
from paperchute.engine.reading.languages import LanguageSurvey
from paperchute.engine.reading.source import document_of
from paperchute.engine.work import Source, Work
from paperchute.engine.writing.docx.writer import write_docx
from paperchute.engine.writing.rtf.writer import write_rtf
from tests.engine.reading.printing import printed

_TEXTS = """
en The quick survey of the northern harbours showed that most of the older quays had been rebuilt in brick,
   while the newer ones are still made of timber.
de Die schnelle Untersuchung der nördlichen Häfen hat gezeigt, dass die meisten der alten Kais aus Ziegeln neu
   gebaut wurden und die neuen noch immer aus Holz sind.
fr L'étude rapide des ports du nord a montré que la plupart des vieux quais avaient été reconstruits en
   brique, tandis que les nouveaux sont encore en bois.
es El rápido estudio de los puertos del norte mostró que la mayoría de los muelles antiguos se habían
   reconstruido con ladrillo, y que los nuevos son de madera.
it La rapida indagine dei porti del nord ha mostrato che la maggior parte dei moli più vecchi era stata
   ricostruita in mattoni, e che i nuovi sono di legno.
pt O rápido levantamento dos portos do norte mostrou que a maior parte dos cais mais antigos foi reconstruída
   em tijolo, e que os novos são de madeira.
nl Het snelle onderzoek van de noordelijke havens toonde aan dat de meeste van de oudere kades met baksteen
   zijn herbouwd en dat de nieuwe nog van hout zijn.
da Den hurtige undersøgelse af de nordlige havne viste, at de fleste af de ældre kajer var blevet genopført i
   mursten, og at de nye blev bygget af træ efter krigen.
nb Den raske undersøkelsen av de nordlige havnene viste at de fleste av de eldre kaiene var bygd opp igjen i
   murstein etter krigen, og at de nye ble bygd av tre.
sv Den snabba undersökningen av de norra hamnarna visade att de flesta av de äldre kajerna hade byggts upp i
   tegel och att de nya är av trä.
fi Pohjoisten satamien nopea tutkimus osoitti, että useimmat vanhat laiturit oli rakennettu uudelleen tiilestä
   ja että uudet ovat yhä puuta, mutta se ei ole niin tärkeää kuin voi luulla.
pl Szybkie badanie portów północnych wykazało, że większość starszych nabrzeży została odbudowana z cegły, a
   nowe są nadal z drewna i nie jest to od dawna dla nikogo nowe.
cs Rychlý průzkum severních přístavů ukázal, že většina starších nábřeží byla přestavěna z cihel a že nová
   jsou stále ze dřeva, ale to je pro nás také dobré.
hu Az északi kikötők gyors felmérése azt mutatta, hogy a legtöbb régi rakpartot téglából építették újjá, és
   hogy az új még mindig fából van, de ez nem baj.
ro Studiul rapid al porturilor din nord a arătat că cele mai multe dintre cheiurile vechi au fost reconstruite
   din cărămidă și că cele noi sunt din lemn, pentru că este mai ieftin.
tr Kuzey limanlarının hızlı incelemesi, eski rıhtımların çoğunun tuğla ile yeniden yapıldığını ve yenilerin
   daha çok ahşap olduğunu, bu da bir sorun olarak gösterdi.
uk Швидкий огляд північних гаваней показав, що більшість старих причалів перебудована з цегли.
bg Бързият преглед на северните пристанища показа, че повечето от старите кейове са построени отново с тухли.
sr Брзи преглед северних лука показао је да је већина старих кејова обновљена опеком, а нови су још увек од
   дрвета.
ru Быстрый осмотр северных гаваней показал, что большинство старых причалов перестроено из кирпича, а новые
   всё ещё сделаны из дерева. Отчёт за 2024 год: 1 250 судов, 37 % больше.
el Η γρήγορη επιθεώρηση των βόρειων λιμανιών έδειξε ότι οι περισσότερες παλιές προβλήτες είχαν ξαναχτιστεί με
   τούβλα. Έκθεση 2024: 1.250 πλοία, 37 % περισσότερα.
ja 北の港の調査によると、古い岸壁の多くは煉瓦で再建されていた。新しい岸壁は今も木で
   造られている。報告書は来月に公表される予定であるという。詳細は市役所で確認できる 。
zh 对北方港口的快速调查表明，大多数旧码头都已用砖重建，而新码头仍由木材制成。该报告
   将于下个月发表，详情可在市政府查询，所有居民都可以免费领取一份报告的副本。
ko 북쪽 항구에 대한 빠른 조사에 따르면 오래된 부두 대부분이 벽돌로 재건되었으며 새로운 부두는 여전히 목재로
   만들어졌다. 2024년 보고서: 선박 1,250척, 37% 증가.
ar أظهر المسح السريع للموانئ الشمالية أن معظم الأرصفة القديمة أعيد بناؤها بالطوب بينما كانت الأرصفة الجديدة
   مصنوعة من الخشب. تقرير عام 2024: 1250 سفينة.
he הסקר המהיר של הנמלים הצפוניים הראה שרוב הרציפים הישנים נבנו מחדש בלבנים. דוח 2024: 1250 ספינות.
hi उत्तरी बंदरगाहों के त्वरित सर्वेक्षण से पता चला कि अधिकांश पुराने घाट ईंट से दोबारा बनाए गए थे, जबकि नए घाट
   अभी भी लकड़ी के थे। रिपोर्ट 2024: 1250 जहाज।
th การสำรวจอย่างรวดเร็วของท่าเรือทางเหนือแสดงให้เห็นว่าท่าเรือเก่าส่วนใหญ่ได้รับการสร้างใหม่ด้วยอิฐ รายงานปี
   2024 เรือ 1250 ลำ
"""
TEXTS = {text[:2]: " ".join(text[3:].split()) for text in re.split(r"\n(?=\w)", _TEXTS.strip())}
LABELS = (
    "Invoice No 4711 Customer 88 Item Qty Price Total Net VAT Gross EUR IBAN DE12 5001 BIC Date 12.03.2024 Bank "
    "Account Order Position Amount"
)


def _shown(text: str) -> str:
    survey = LanguageSurvey()
    survey.add(text.split())
    return survey.result()


@pytest.mark.parametrize("language", TEXTS)
def test_two_sentences_show_their_language(language: str) -> None:
    assert _shown(f"{TEXTS[language]} {TEXTS[language]}") == language


@pytest.mark.parametrize("text", [LABELS, "", "12 345,00 EUR 17 %", "de de de de de de de de", "Łódź Kraków Gdańsk"])
def test_what_shows_none_is_not_guessed(text: str) -> None:
    assert _shown(text) == ""


def test_a_mixture_shows_none() -> None:
    assert _shown(f"{TEXTS['de']} {TEXTS['fr']}") == ""
    assert _shown(f"{TEXTS['ru']} {TEXTS['el']}") == ""


@pytest.mark.parametrize(
    ("facts", "number", "attribute"),
    [
        (Facts(1, shows=lambda: "de"), 0x0407, ("val", "de")),
        (Facts(1, language="de-CH", shows=lambda: "fr"), 0x0807, ("val", "de-CH")),
        (Facts(1, shows=lambda: "ja"), 0x0411, ("eastAsia", "ja")),
        (Facts(1, shows=lambda: "he"), 0x040D, ("bidi", "he")),
        (Facts(1), 0x0409, None),
    ],
)
def test_word_and_rtf_say_it(facts: Facts, number: int, attribute: tuple[str, str] | None, tmp_path: Path) -> None:
    made = write_rtf(facts, [], tmp_path / "a.rtf", boxed=False).read_text("ascii")
    assert f"\\deflang{number}\n" in made
    document = docx.Document(str(write_docx(facts, [], tmp_path / "a.docx", boxed=False)))
    assert document.core_properties.language == facts.spoken
    found = re.findall(r'<w:lang w:(\w+)="([^"]+)"', document.styles.element.xml)
    assert found == ([attribute] if attribute else [])


def test_a_document_is_read_with_it(tmp_path: Path) -> None:
    path = printed(tmp_path / "a.pdf", f"<p>{TEXTS['nl']}</p>")
    source = Source("file", path, path.name, "pdf")
    with document_of(Work("pdf-to-html", (source,), {"enableOcr": 0}, tmp_path)) as document:
        assert (document.facts.language, document.facts.spoken) == ("", "nl")
