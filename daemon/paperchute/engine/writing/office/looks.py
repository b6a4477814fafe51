"""What running text looks like, from the first page and what is known of the whole document."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from statistics import median

from paperchute.engine.document.model import Facts, Page
from paperchute.engine.writing.office.fonts import SANS, family, natural_pitch
from paperchute.engine.writing.office.placing import pitch_of, size_of

_USUAL_SIZE = 10.0


@dataclass(frozen=True, slots=True)
class Looks:
    """Font family and size of running text, and from line to line as a multiple of that size."""

    family: str
    size: float
    pitch: float

    @classmethod
    def of(cls, facts: Facts, page: Page | None) -> Looks:
        """page: the first one, if any."""
        families: Counter[str] = Counter()
        sizes: Counter[float] = Counter()
        pitches = []
        for block in page.blocks if page is not None else ():
            lines = [*block.lines, *(line for item in block.items for line in item.lines)]
            if block.kind not in ("text", "list", "footnote"):
                continue
            for line in lines:
                for span in line.spans:
                    if not span.style.mono:
                        families[family(span.style.font)] += len(span.text)
            if size := size_of(lines):
                sizes[size] += sum(len(line.text) for line in lines)
            stretches = [block.lines, *(item.lines for item in block.items)]
            pitches += [pitch for stretch in stretches if len(stretch) > 1 and (pitch := pitch_of(stretch))]
        del families[""]
        name = families.most_common(1)[0][0] if families else SANS
        size = facts.body_size or (sizes.most_common(1)[0][0] if sizes else _USUAL_SIZE)
        return cls(
            name,
            round(min(max(size, 4.0), 96.0) * 2) / 2,
            min(max(median(pitches), 1.0), 2.0) if pitches else natural_pitch(name),
        )
