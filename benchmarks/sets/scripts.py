"""Languages in other scripts than Latin, some from right to left, and prints in them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from random import Random

from benchmarks.sets import genres, hypertext, printing, truth
from benchmarks.sets.documents import Block, Heading, Table, cells, text
from benchmarks.sets.languages import Language
from benchmarks.sets.prose import Prose
from benchmarks.sets.reports import with_and_without_tags
from benchmarks.sets.writing import Sample

RIGHT_TO_LEFT = ("ar", "he")


def _words(words: str) -> tuple[str, ...]:
    return tuple(words.split("|"))


def _language(code: str, nouns: str, verbs: str, places: str, sentences: str, titles: str, headings: str) -> Language:
    names, families, months = map(_words, _NAMES[code])
    return Language(
        code=code,
        babel="",
        nouns=_words(nouns),
        verbs=_words(verbs),
        places=_words(places),
        sentences=_words(sentences),
        titles=_words(titles),
        headings=_words(headings),
        names=names,
        families=families,
        months=months,
        abstract="",
        references="",
        table="",
        figure="",
    )


_NAMES = {
    "zh": ("伟|芳|娜|静", "王|李|张|刘", "一月|三月|五月|九月"),
    "ja": ("太郎|花子|健一|美咲", "佐藤|鈴木|高橋|田中", "一月|三月|五月|九月"),
    "ko": ("민준|서연|지훈|하은", "김|이|박|최", "일월|삼월|오월|구월"),
    "ru": ("Анна|Иван|Мария|Пётр", "Соколов|Кузнецова|Орлов|Лебедева", "января|марта|мая|сентября"),
    "el": ("Ελένη|Γιώργος|Μαρία|Νίκος", "Παπαδόπουλος|Οικονόμου|Δήμου|Βασιλείου", "Ιανουαρίου|Μαρτίου|Μαΐου|Ιουνίου"),
    "ar": ("أحمد|فاطمة|يوسف|ليلى", "الخطيب|حداد|منصور|العلي", "يناير|مارس|مايو|سبتمبر"),
    "he": ("דוד|שרה|יוסף|רחל", "כהן|לוי|מזרחי|פרץ", "ינואר|מרץ|מאי|ספטמבר"),
}

LANGUAGES = (
    _language(
        "zh",
        "河流水位|区域议会|利率|地下水样本|公共图书馆|水力发电站|铁路线路|养老基金|农村学校|贸易协定|土壤剖面|年度调查",
        "影响|超过|证实|取代|限制|说明",
        "在北部地区|在低温条件下|在过去十年中|在两个样本中|改革之后",
        "{a}{place}{verb}{b}。|研究表明，{a}{verb}{b}，而{c}{verb2}{d}。"
        "|在{number}个案例中，有{small}个被排除，因为{a}{verb}{b}。|{year}年以来，{a}和{b}都{verb}{c}。",
        "{a}与{b}|论{a}对{b}的影响|{a}概述",
        "引言|数据与方法|结果|讨论|结论|研究区域|模型|致谢",
    ),
    _language(
        "ja",
        "河川の水位|地方議会|金利|地下水の試料|公共図書館|風力発電機|鉄道の駅|年金基金|農村の学校|貿易協定|土壌断面|年次調査",
        "を上回る|を裏付ける|を制限する|を説明する|に先行する|を補う",
        "北部の地域では|低温の条件下で|過去十年間に|両方の標本において|改革の後",
        "{place}、{a}は{b}{verb}。|調査によれば、{a}は{b}{verb}が、{c}は{d}{verb2}。"
        "|{number}件のうち{small}件は除外された。|{year}年以降、{a}と{b}は{c}{verb}。",
        "{a}と{b}について|{a}の概要|{a}は{b}{verb}か",
        "はじめに|データと方法|結果|考察|結論|調査地域|モデル|謝辞",
    ),
    _language(
        "ko",
        "하천 수위|지방 의회|금리|지하수 시료|공공 도서관|풍력 발전기"
        "|기차역|연금 기금|농촌 학교|무역 협정|토양 단면|연례 조사",
        "보다 크다|에 영향을 준다|을 설명한다|을 제한한다|을 보완한다",
        "북부 지역에서|저온 조건에서|지난 십 년 동안|두 표본에서|개혁 이후",
        "{place} {a} 자료는 {b} 자료{verb}.|연구에 따르면 {a} 자료는 {b} 자료{verb}."
        "|{number}건 가운데 {small}건이 제외되었다.",
        "{a}와 {b}|{a} 개요",
        "서론|자료와 방법|결과|논의|결론|연구 지역|모형|감사의 글",
    ),
    _language(
        "ru",
        "измерения|пограничные слои|областные советы"
        "|процентные ставки|контрольные группы|сельские школы|ветряные установки"
        "|торговые соглашения|почвенные профили|вклады|страховые случаи|ежегодные обследования",
        "превышают|подтверждают|ограничивают|описывают|дополняют|объясняют",
        "в северных районах|при низкой температуре|за последнее десятилетие|в обеих выборках|после реформы",
        "{A} {verb} {b} {place}."
        "|Показано, что {a} {verb} {b}, тогда как {c} {verb2} {d}.|Из {number} случаев {small} исключены.",
        "{A} и {b}|{A}: обзор|Как {a} {verb} {b}",
        "Введение|Данные и методы|Результаты|Обсуждение|Выводы|Район исследования|Модель|Благодарности",
    ),
    _language(
        "el",
        "οι μετρήσεις|τα οριακά στρώματα|τα επιτόκια|οι ομάδες ελέγχου|τα αγροτικά σχολεία|οι εμπορικές συμφωνίες"
        "|τα δείγματα|οι καταθέσεις|οι ετήσιες έρευνες|οι ανεμογεννήτριες",
        "υπερβαίνουν|επιβεβαιώνουν|περιορίζουν|περιγράφουν|συμπληρώνουν",
        "στις βόρειες περιοχές|σε χαμηλή θερμοκρασία|την τελευταία δεκαετία|και στα δύο δείγματα",
        "{A} {verb} {b} {place}."
        "|Φαίνεται ότι {a} {verb} {b}, ενώ {c} {verb2} {d}.|Από τις {number} περιπτώσεις αποκλείστηκαν {small}.",
        "{A} και {b}|Πώς {a} {verb} {b}",
        "Εισαγωγή|Δεδομένα και μέθοδοι|Αποτελέσματα|Συζήτηση|Συμπεράσματα|Περιοχή μελέτης|Ευχαριστίες",
    ),
    _language(
        "ar",
        "القياسات|المجالس المحلية|أسعار الفائدة|عينات المياه"
        "|المكتبات العامة|المدارس الريفية|اتفاقيات التجارة|الودائع الشهرية"
        "|الدراسات السنوية|محطات القطار",
        "تتجاوز|تؤكد|تحدد|تصف|تكمل",
        "في المناطق الشمالية|في درجات الحرارة المنخفضة|خلال العقد الماضي|في كلتا العينتين|بعد الإصلاح",
        "{a} {verb} {b} {place}."
        "|تبين أن {a} {verb} {b}، بينما {c} {verb2} {d}.|من بين {number} حالة استبعدت {small} حالة.",
        "{a} و{b}|دراسة عن {a} و{b}",
        "مقدمة|البيانات والطرق|النتائج|المناقشة|الخلاصة|منطقة الدراسة|شكر وتقدير",
    ),
    _language(
        "he",
        "המדידות|המועצות האזוריות|שיעורי הריבית|דגימות המים"
        "|הספריות הציבוריות|בתי הספר הכפריים|הסכמי הסחר|הפיקדונות החודשיים"
        "|הסקרים השנתיים|תחנות הרכבת",
        "עולים על|מאשרים את|מגבילים את|מתארים את|משלימים את",
        "באזורים הצפוניים|בטמפרטורה נמוכה|בעשור האחרון|בשני המדגמים|לאחר הרפורמה",
        "{a} {verb} {b} {place}.|נמצא כי {a} {verb} {b}, ואילו {c} {verb2} {d}.|מתוך {number} מקרים הוצאו {small}.",
        "{a} ו{b}|סקירה על {a} ו{b}",
        "מבוא|נתונים ושיטות|תוצאות|דיון|מסקנות|אזור המחקר|תודות",
    ),
)


def printed(number: int, seed: str, place: Path) -> Iterator[Sample]:
    """One document in the script whose turn it is, by a browser or by us."""
    language = LANGUAGES[number % len(LANGUAGES)]
    producer = ("browser", "ours")[number // len(LANGUAGES) % 2]
    chance = Random(seed)
    prose = Prose(chance, language)
    blocks = genres.newspaper(prose) if chance.random() < 0.3 else _essay(prose)
    columns = 2 if chance.random() < 0.4 else 1
    fonts = ("DejaVu Sans",) if language.code in RIGHT_TO_LEFT else ("serif", "sans-serif")
    style = hypertext.Style(chance.choice(hypertext.LOOKS), chance.choice(fonts), 11, columns=columns)
    side = "body {direction: rtl} td, th {text-align: right}" if language.code in RIGHT_TO_LEFT else ""
    page = hypertext.page(blocks, style, language.code, extra=side)
    pdf = place / "print.pdf"
    (printing.browser if producer == "browser" else printing.ours)(page, pdf)
    yield from with_and_without_tags((language.code, producer), pdf, truth.markdown(blocks))


def _essay(prose: Prose) -> list[Block]:
    """Headings, prose and a table with figures."""
    chance = prose.chance
    made: list[Block] = [Heading(prose.title(), 1)]
    for heading in prose.headings(chance.randint(3, 5)):
        made += [Heading(heading, 2), *(text(prose.sentences(2, 5)) for _ in range(chance.randint(1, 3)))]
        if chance.random() < 0.4:
            nouns = chance.sample(prose.language.nouns, chance.randint(3, 6))
            rows = [cells((noun, str(chance.randint(1, 999)), f"{chance.uniform(0, 99):.1f}")) for noun in nouns]
            made.append(Table((cells((heading, "2022", "2023"), True), *rows), 1, "", "lrr"))
    return made
