"""One sentence tried: its variants scored side by side, at once."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from tiltmeter.errors import TiltmeterError
from tiltmeter.systems import (
    Card,
    Missing,
    Options,
    Scale,
    ask,
    is_scores,
    open_system,
    settled,
)

BRACES = re.compile(r"\{([^{}]*)\}")


@dataclass(frozen=True, slots=True)
class Tried:
    """A sentence's variants and what a system answered to each."""

    card: Card
    scale: Scale | None
    words: tuple[str, ...]
    """What stands in the braces, a text for each variant: `sister`."""
    texts: tuple[str, ...]
    answers: tuple[float | Missing, ...]


def variants(sentence: str) -> list[tuple[str, str]]:
    """The words that change and the sentence with them, for every variant.

    >>> variants("{She|He} lost {her|his} keys.")
    [('She … her', 'She lost her keys.'), ('He … his', 'He lost his keys.')]
    """
    choices = [found.split("|") for found in BRACES.findall(sentence)]
    sizes = {len(choice) for choice in choices}
    if not choices or min(sizes) < 2:
        raise TiltmeterError(
            f"the sentence {sentence!r} has nothing to compare; write what changes in braces: "
            "'My {sister|brother} feels angry.'"
        )
    if len(sizes) > 1:
        counts = " and ".join(str(len(choice)) for choice in choices)
        raise TiltmeterError(
            f"the braces hold {counts} words; expected as many in each: they change together"
        )
    taken = [[word.strip() for word in chosen] for chosen in zip(*choices, strict=True)]
    made = [(" … ".join(words), _filled(sentence, words)) for words in taken]
    if len({text for _, text in made}) < len(made):
        raise TiltmeterError(f"two variants of {sentence!r} are the same; nothing to compare")
    return made


def _filled(sentence: str, words: Iterable[str]) -> str:
    """The sentence with a word in each pair of braces, in turn."""
    left = iter(words)
    return BRACES.sub(lambda _: next(left), sentence)


def try_sentence(spec: str, sentence: str, options: Options | None = None) -> Tried:
    """Ask a system for every variant of a sentence; nothing is stored."""
    made = variants(sentence)
    if is_scores(spec):
        raise TiltmeterError(f"{spec} holds scores made elsewhere; name a system that can be asked")
    options = options or Options()
    system = open_system(spec, options)
    texts = [text for _, text in made]
    try:
        system = settled(system)
        answers = ask(system, texts)
    finally:
        system.close()
    scale = options.scale_of(system.card.name) or system.card.scale
    return Tried(
        system.card, scale, tuple(words for words, _ in made), tuple(texts), tuple(answers)
    )
