"""The guard: which edits save tokens, counted on the lines around them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from tokaudit.model.edits import Edit
from tokaudit.model.measure import Tokenizer
from tokaudit.model.rules import Guard
from tokaudit.pipeline.engine.windows import Accepted, Window, apply_window, boundary

Counts = tuple[int, ...]
"""Tokens, in the order of the guard's tokenizers."""
_BREAK = "x\n"
"""Stands between windows that are encoded together: after it every pattern cuts, whatever a window begins with."""
_MOST_KNOWN = 1 << 16
"""Windows whose counts are remembered: the same line is counted for many rules."""
MOST_TRIED = 100_000
"""Characters, times edits, up to which the edits of a line are tried one by one where all together do not save."""


def keeps(guard: Guard, before: Counts, after: Counts) -> bool:
    """True if the guard accepts edits that change the tokens of a window like this."""
    if guard == "never" or not before:
        return True
    pairs = list(zip(before, after, strict=True))
    if guard == "any":
        return any(new < old for old, new in pairs)
    if guard == "all":
        return all(new < old for old, new in pairs)
    return sum(after) < sum(before) and all(new <= old for old, new in pairs)


class WindowCounter:
    """Counts windows for several tokenizers, many at once and each only once."""

    def __init__(self, tokenizers: Sequence[Tokenizer]) -> None:
        self.tokenizers = tokenizers
        self._known: dict[str, Counts] = {"": (0,) * len(tokenizers)}

    def counts(self, texts: Sequence[str]) -> list[Counts]:
        """Tokens of each text. All but the first and last of a document begin and end at boundaries."""
        if not self.tokenizers:
            return [()] * len(texts)
        known = self._known
        unknown = [text for text in dict.fromkeys(texts) if text not in known]
        if unknown:
            if len(known) > _MOST_KNOWN:
                recent = {text: known[text] for text in texts if text in known}
                known.clear()
                known.update({"": (0,) * len(self.tokenizers)}, **recent)
            known.update(self._counted(unknown))
        return [known[text] for text in texts]

    def _counted(self, texts: Sequence[str]) -> dict[str, Counts]:
        together = [text for text in texts if text.endswith("\n") and boundary(f"x\n{text}", 2)]
        alone = set(texts).difference(together)
        counted = {text: tuple(tokenizer.count(text) for tokenizer in self.tokenizers) for text in alone}
        if len(together) > 1:
            joined = _BREAK + _BREAK.join(together)
            offsets = [0]
            for text in together:
                offsets.append(offsets[-1] + len(_BREAK))
                offsets.append(offsets[-1] + (len(text) if text.isascii() else len(text.encode())))
            columns = [
                tokenizer.encoding(joined).within(offsets[:-1])[1::2]
                if getattr(tokenizer, "places", True)
                else list(map(tokenizer.count, together))
                for tokenizer in self.tokenizers
            ]
            counted |= {text: tuple(int(column[at]) for column in columns) for at, text in enumerate(together)}
        elif together:
            counted[together[0]] = tuple(tokenizer.count(together[0]) for tokenizer in self.tokenizers)
        return counted


def saving_alone(
    text: str,
    guard: Guard,
    failing: Sequence[tuple[Window, Counts]],
    accepted: Accepted,
    counter: WindowCounter,
) -> Iterable[list[Edit]]:
    """For each window that does not save as a whole, the edits that save by themselves; a long line has many."""
    batch: list[tuple[Window, Counts]] = []
    size = 0
    for window, counts in failing:
        batch.append((window, counts))
        size += (window.end - window.start) * len(window.edits)
        if size > MOST_TRIED:
            yield from _saving(text, guard, batch, accepted, counter)
            batch, size = [], 0
    yield from _saving(text, guard, batch, accepted, counter)


def _saving(
    text: str, guard: Guard, batch: Sequence[tuple[Window, Counts]], accepted: Accepted, counter: WindowCounter
) -> Iterable[list[Edit]]:
    tried: list[Sequence[Edit]] = []
    texts: list[str] = []
    for window, _ in batch:
        size = (window.end - window.start) * len(window.edits)
        few = len(window.edits) < 2 or window.chosen or size > MOST_TRIED or not counter.tokenizers
        tried.append(() if few else window.edits)
        there = [] if few else accepted.within(window.start, window.end)
        texts += [apply_window(text, window, sorted([*there, edit])) for edit in tried[-1]]
    after = iter(counter.counts(texts))
    for (_, before), edits in zip(batch, tried, strict=True):
        # The edits come first, so that none of the counts is taken in vain.
        yield [edit for edit, counts in zip(edits, after, strict=False) if keeps(guard, before, counts)]
