"""What is found in stacks, beside where their documents begin."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.stacks.documents import Maker, Stack
from paperchute.engine.extraction.first_pages import FirstPage
from paperchute.engine.pdf.first_pages import found_in
from paperchute.engine.work import Source, Work


@dataclass
class Score:
    """Counts over several stacks. starts: of documents behind the first one of a stack."""

    stacks: int = 0
    pages: int = 0
    starts: int = 0
    found: int = 0
    false: int = 0
    sure: int = 0
    sure_false: int = 0
    whole: int = 0
    """Stacks of which every first page was found, and none beside them."""
    wrong: list[str] = field(default_factory=list)

    @property
    def precision(self) -> float:
        """Of what is proposed, the share that is right."""
        return self.found / max(self.found + self.false, 1)

    @property
    def recall(self) -> float:
        """Of what there is, the share that is proposed."""
        return self.found / max(self.starts, 1)

    def __str__(self) -> str:
        return (
            f"{self.stacks} stacks, {self.pages} pages, {self.starts} documents begin: {self.found} proposed, "
            f"{self.starts - self.found} missed, {self.false} false (precision {self.precision:.3f}, recall "
            f"{self.recall:.3f}); {self.sure} sure, of them {self.sure_false} false; {self.whole} stacks without "
            "a fault"
        )


def looked_for(stack: Stack, folder: Path) -> list[FirstPage]:
    """What is found in a stack."""
    source = Source("file", stack.path, stack.path.name, "pdf")
    return found_in(Work("pdf-split", (source,), {}, folder))


def measured(seeds: Iterable[int], folder: Path, *, attached: bool = False) -> Score:
    """The score of the stacks of some seeds. attached: of documents with annexes that count by themselves."""
    score = Score()
    for seed in seeds:
        maker = Maker(seed)
        stack = maker.attached(folder) if attached else maker.write(folder)
        found = {one.index: one for one in looked_for(stack, folder)}
        wanted = set(stack.starts[1:])
        score.stacks += 1
        score.pages += stack.pages
        score.starts += len(wanted)
        score.found += len(wanted & found.keys())
        score.false += len(found.keys() - wanted)
        score.sure += sum(one.is_sure for one in found.values())
        score.sure_false += sum(one.is_sure for index, one in found.items() if index not in wanted)
        score.whole += wanted == found.keys()
        score.wrong += [f"{seed}: missed {index}" for index in sorted(wanted - found.keys())]
        score.wrong += [f"{seed}: false {index} {found[index].reasons}" for index in sorted(found.keys() - wanted)]
        stack.path.unlink()
    return score
