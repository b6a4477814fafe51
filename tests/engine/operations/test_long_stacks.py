"""Long stacks with sheets of ours and of others, labels and payment codes, turned, skewed and noisy: what is missed."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import PIL.Image
import PIL.ImageDraw
import PIL.ImageFont
import pytest
import zxingcpp

from paperchute.engine.pdf.separators import at_codes
from tests.engine.operations.papers import work
from tests.engine.operations.pictures import photo
from tests.engine.operations.stacks import SPARSE, blank, printed, scanned, sparse, stack, with_back
from tests.engine.operations.test_splitting_stacks import EURO, LINEAR, MATRIX, QR, SWISS, sheet, with_code

SEPARATORS = 8


class Stack:
    """A stack that is made by chance, and what it should become. Of sheets both sides are scanned, or one."""

    def __init__(self, folder: Path, seed: int, *, duplex: bool) -> None:
        self._chance, self._folder, self._duplex = random.Random(seed), folder, duplex
        self._pages: list[PIL.Image.Image] = []
        self.parts: list[list[int]] = []
        for _separator in range(SEPARATORS):
            kind = self._chance.random()
            if kind < 0.6:
                self._put(sheet(folder, self._chance.choice(["", f"customer={seed}"])))
            elif kind < 0.8:
                self._put(self._other_sheet())
            self.parts.append([])
            if kind >= 0.8:
                turn = self._chance.choice((0, 0, 20, 45))
                label = with_code(printed(self._chance, 10), "customer=7", self._chance.choice((QR, MATRIX)), turn)
                self._add(label)
            for _page in range(self._chance.randrange(1, 4)):
                self._add(self._page())
        self.count = len(self._pages)

    def saved(self) -> Path:
        return stack(self._folder / "stack.pdf", *self._pages)

    def _add(self, page: PIL.Image.Image) -> None:
        start = len(self._pages)
        self._put(page, self._page() if self._duplex and self._chance.random() < 0.6 else None)
        self.parts[-1] += range(start, len(self._pages))

    def _put(self, front: PIL.Image.Image, back: PIL.Image.Image | None = None) -> None:
        turn, skew = self._chance.choice((0, 0, 0, 90, 180, 270)), self._chance.uniform(-4, 4)
        if self._duplex:
            shining = with_back(back or blank(), front, self._chance.uniform(0.1, 0.3))
            self._pages.append(self._noisy(scanned(front, self._chance, turn=turn, skew=skew)))
            self._pages.append(self._noisy(scanned(shining, self._chance, turn=-turn % 360, skew=-skew)))
        else:
            self._pages.append(self._noisy(scanned(front, self._chance, turn=turn, skew=skew)))

    def _noisy(self, page: PIL.Image.Image) -> PIL.Image.Image:
        if self._chance.random() > 0.3:
            return page
        noise = np.random.default_rng(self._chance.randrange(1 << 30)).normal(0, 12, page.size[::-1])
        return PIL.Image.fromarray(np.clip(np.asarray(page, np.float32) + noise, 0, 255).astype(np.uint8))

    def _other_sheet(self) -> PIL.Image.Image:
        page = blank()
        bars = np.array(zxingcpp.create_barcode("PATCHT", self._chance.choice(LINEAR)).to_image(scale=1))
        code = PIL.Image.fromarray(bars)
        page.paste(code.resize((code.width * self._chance.choice((2, 3, 4)), 120)), (200, 400))
        PIL.ImageDraw.Draw(page).text((200, 700), "PATCH CODE T", 0, PIL.ImageFont.load_default(40))
        return page

    def _page(self) -> PIL.Image.Image:
        kind, chance = self._chance.random(), self._chance
        if kind < 0.6:
            return printed(chance, chance.choice((6, 12, 24)))
        if kind < 0.7:
            return sparse(chance.choice(SPARSE))
        if kind < 0.8:
            page = blank()
            page.paste(photo((900, 700)).convert("L"), (150, 300))
            return page
        if kind < 0.9:
            return with_code(
                printed(chance, 12), chance.choice((EURO, SWISS, "https://example.com/7", "4006381333931"))
            )
        return with_code(printed(chance, 20), "RE-20261", chance.choice(LINEAR))


@pytest.mark.slow
@pytest.mark.parametrize("seed", [101])
@pytest.mark.parametrize("duplex", [False, True])
def test_nothing_is_missed_nothing_parted_wrongly_and_no_page_lost(tmp_path: Path, seed: int, *, duplex: bool) -> None:
    made = Stack(tmp_path, seed, duplex=duplex)
    asked = work("pdf-split", tmp_path, made.saved(), separatorCode="PATCHT|customer=.*")
    found = at_codes(asked)
    own = {page for part in made.parts for page in part}
    assert not own & set(found.taken_out)
    kept = set(range(made.count)) - own - set(found.taken_out)
    assert len(kept) <= (3 if duplex else 0), "backs of sheets that are not surely blank stay"
    assert [[page for page in part.pages if page in own] for part in found.parts] == made.parts
