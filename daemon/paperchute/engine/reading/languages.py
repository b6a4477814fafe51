"""The language of a document that does not say it: by its script, its letters and its most common words.

Own, as the small libraries for it hold models of 100 MB in memory, and guess where a page says too little.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache

from paperchute.engine.reading.layout.typography import TYPOGRAPHY


@dataclass(frozen=True, slots=True)
class LanguageSettings:
    """When words show a language: sentences of 26 languages do, a list of an invoice's labels does not."""

    most_words: int = 3_000
    """Words of a document that are looked at: a bound on time."""

    told_by_letter: float = 0.004
    """The share that letters have that only one language of a script has."""

    ahead: float = 1.8
    """Times those of the next language: Danish and Norwegian share most."""


LANGUAGES = LanguageSettings()

_WORDS = """
    en the of and to in is that for it with as was on are be by this from or an which have not but at were their
    de der die das und den von zu mit sich des auf für ist im dem nicht ein eine als auch es an werden aus er hat wird
    fr le la les de des et du en un une est que dans qui pour par sur au pas plus il ce ne sont avec aux cette
    es el la los las de que y en un una por con no su para es al se del lo como más o pero sus está fue
    it il di che e la per un una in è con non del della le si da al dei nel come anche sono gli alla più delle
    pt o a os as de que e do da em um uma para com não por dos das no na se ao mais são foi pela como
    nl de het een van en in is dat op te zijn met voor niet aan er om ook als bij naar door wordt uit maar
    da og i at det er en til af på som med for den de ikke der et har var han hun efter blev også eller
    nb og i det er en til av på som med for den de ikke et har var han hun etter ble også eller fra seg
    sv och i att det är en till av på som med för den de inte ett har var han hon efter blev också eller från
    fi ja on ei se että oli hän mutta ovat kun niin myös tai joka sen kuin voi ole sekä ollut mukaan jos
    pl i w na z do się nie jest to że o od za po jak przez dla są oraz ale co jego być
    cs a v na je se z že s do i o k to za pro po byl jako jsou ale by od které také
    hu a az és hogy nem is egy volt meg csak ez van de már mint még el vagy azt akkor kell
    ro și de în a la cu pe care nu este din un o că pentru mai sau fost sunt prin ale lui
    tr ve bir bu da de için ile olarak daha çok olan gibi kadar sonra ise ya en ne değil olduğu
    id yang dan di dari untuk dengan ini itu pada tidak adalah dalam akan ke oleh juga atau telah
    vi và của là có trong được cho không một các những với này đã người để khi từ theo về
    hi है के में की और का से को पर यह हैं कि ने भी था एक नहीं लिए
    mr आहे आणि च्या या हे ते आहेत व होते एक तो ही करण्यात नाही पण
    ne छ र को मा का ले हो पनि गर्न छन् यो भएको लागि एक गरेको
"""

_SCRIPTS = (
    ("Latin", 0x41, 0x24F),
    ("el", 0x370, 0x3FF),
    ("Cyrillic", 0x400, 0x52F),
    ("hy", 0x530, 0x58F),
    ("he", 0x590, 0x5FF),
    ("Arabic", 0x600, 0x6FF),
    ("Devanagari", 0x900, 0x97F),
    ("bn", 0x980, 0x9FF),
    ("gu", 0xA80, 0xAFF),
    ("ta", 0xB80, 0xBFF),
    ("te", 0xC00, 0xC7F),
    ("kn", 0xC80, 0xCFF),
    ("ml", 0xD00, 0xD7F),
    ("th", 0xE00, 0xE7F),
    ("lo", 0xE80, 0xEFF),
    ("ka", 0x10A0, 0x10FF),
    ("ko", 0x1100, 0x11FF),
    ("km", 0x1780, 0x17FF),
    ("Latin", 0x1E00, 0x1EFF),
    ("el", 0x1F00, 0x1FFF),
    ("kana", 0x3040, 0x30FF),
    ("Han", 0x3400, 0x9FFF),
    ("ko", 0xAC00, 0xD7A3),
)
"""Ranges of Unicode in their order. A script that is one language's goes by its code (ISO 639-1)."""

_STARTS = [first for _, first, _ in _SCRIPTS]

_LETTERS = {
    "Cyrillic": (
        ("be", "ў"),
        ("kk", "қғңәұ"),
        ("mk", "ѓќѕ"),
        ("sr", "јљњћђџ"),
        ("uk", "іїєґ"),
        ("ru", "ыэё"),
        ("bg", "ъ"),
    ),
    "Arabic": (("ur", "ٹڈڑںے"), ("fa", "پچژگ"), ("ar", "ةأإىؤئ")),
}
"""Letters of a script that tell one of its languages; the first whose letters are there is it."""

_BETWEEN = "\0"
"""Between words, which hold none."""

_SIGNS = re.compile(r"[\s\d.,:;!?()\[\]{}\"'«»„“”‘’…/|·•*&%$€£।-]+")


@cache
def _common_words() -> Mapping[str, tuple[str, ...]]:
    """The languages of each common word."""
    found: dict[str, list[str]] = {}
    for line in _WORDS.strip().splitlines():
        language, *words = line.split()
        for word in words:
            found.setdefault(word, []).append(language)
    return {word: tuple(languages) for word, languages in found.items()}


@dataclass(slots=True)
class LanguageSurvey:
    """Takes in words in any order, then tells the language of most of them."""

    _count: int = 0
    _letters: Counter[str] = field(default_factory=Counter)
    _common: Counter[str] = field(default_factory=Counter)
    _texts: list[str] = field(default_factory=list)
    _waiting: int = 0

    def add(self, words: Sequence[str]) -> None:
        """Take in words as they are printed; they are counted when somebody asks for the language, as few do."""
        if self._count >= LANGUAGES.most_words:
            return
        self._texts.append(_BETWEEN.join(words))
        self._waiting += len(words)
        if self._waiting >= LANGUAGES.most_words:
            self._count_waiting()

    def _count_waiting(self) -> None:
        for text in self._texts:
            bare = _SIGNS.sub("", text).lower()  # at once, which is several times as quick
            taken = [word for word in bare.split(_BETWEEN) if word][: LANGUAGES.most_words - self._count]
            self._count += len(taken)
            self._letters.update("".join(taken))
            self._common.update(filter(_common_words().__contains__, taken))
        self._texts.clear()
        self._waiting = 0

    def result(self) -> str:
        """ISO 639-1, empty where it does not show."""
        self._count_waiting()
        scripts: Counter[str] = Counter()
        for letter, count in self._letters.items():
            scripts[_script(letter)] += count
        total = scripts.total() - scripts[""]
        han = scripts["Han"] + scripts["kana"]
        if scripts["kana"] >= TYPOGRAPHY.hardly * max(han, 1):
            scripts["ja"], scripts["Han"], scripts["kana"] = han, 0, 0
        script, most = max(scripts.items(), key=lambda item: item[1] if item[0] else 0, default=("", 0))
        if most < TYPOGRAPHY.most * total or most < TYPOGRAPHY.line_chars:
            return ""
        if script in _LETTERS:
            return self._by_letters(script, most)
        if script in ("Latin", "Devanagari"):
            return self._by_words()
        return {"Han": "zh", "kana": "ja"}.get(script, script)

    def _by_letters(self, script: str, total: int) -> str:
        for language, letters in _LETTERS[script]:
            if sum(self._letters[letter] for letter in letters) >= LANGUAGES.told_by_letter * total:
                return language
        return ""

    def _by_words(self) -> str:
        scores: defaultdict[str, float] = defaultdict(float)
        different: Counter[str] = Counter()
        hits: Counter[str] = Counter()
        for word, count in self._common.items():
            languages = _common_words()[word]
            for language in languages:
                scores[language] += count / len(languages)
                different[language] += 1
                hits[language] += count
        ranked = sorted(scores.items(), key=lambda item: -item[1])
        (best, score), (_, second) = (*ranked, ("", 0.0), ("", 0.0))[:2]
        shows = (
            score >= max(TYPOGRAPHY.few, LANGUAGES.ahead * second)
            and different[best] >= TYPOGRAPHY.few
            and hits[best] >= TYPOGRAPHY.tenth * self._count
        )
        return best if shows else ""


@cache
def _script(letter: str) -> str:
    """A letter's script, empty for signs and for scripts that tell nothing here."""
    number = bisect_right(_STARTS, ord(letter)) - 1
    if number < 0 or not unicodedata.category(letter).startswith(("L", "M")):
        return ""
    name, _, last = _SCRIPTS[number]
    return name if ord(letter) <= last else ""
