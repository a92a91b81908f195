"""One sentence tried: its variants scored side by side, by one system or several."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from tiltmeter.errors import TiltmeterError, TooFewScoresError, UnreachableError
from tiltmeter.scoring import ResolvedScale, resolve_scale
from tiltmeter.scoring.provenance import FAILURES, Unavailable, none_left, unavailable
from tiltmeter.systems import (
    Card,
    Missing,
    Options,
    Scale,
    ask,
    is_scores,
    open_system,
    resolve_form,
)

BRACES = re.compile(r"\{([^{}]*)\}")


@dataclass(frozen=True, slots=True)
class Tried:
    """A sentence's variants and what a system answered to each."""

    card: Card
    resolved_scale: ResolvedScale
    words: tuple[str, ...]
    """What stands in the braces, a text for each variant: `sister`."""
    texts: tuple[str, ...]
    answers: tuple[float | Missing, ...]
    note: str = ""
    """What became of a scale that was given without a system's name, where it is not this one's."""

    @property
    def scale(self) -> Scale | None:
        """The scale declared, else inferred from these answers as an audit does."""
        return self.resolved_scale.scale

    def to_dict(self) -> dict[str, Any]:
        """As plain records, for JSON."""
        scale = self.scale
        return {
            "system": self.card.name,
            "task": self.card.task,
            "scale": [scale.low, scale.high] if scale else None,
            "scale_known": str(self.resolved_scale.known),
            "answers": [
                {
                    "raw": None if isinstance(one, Missing) else one,
                    "score": scale.to_unit(one) if scale and not isinstance(one, Missing) else None,
                    "reason": one.reason if isinstance(one, Missing) else None,
                }
                for one in self.answers
            ],
        }


@dataclass(frozen=True, slots=True)
class Trial:
    """A sentence tried with one system or several."""

    words: tuple[str, ...]
    texts: tuple[str, ...]
    tried: tuple[Tried, ...]
    unavailable: tuple[Unavailable, ...] = ()
    braced: str = ""
    """The sentence with the braces that stand for it, where it was given without any."""

    def to_dict(self) -> dict[str, Any]:
        """As plain records, for JSON."""
        return {
            "sentences": list(self.texts),
            "words": list(self.words),
            "braced": self.braced or None,
            "systems": [one.to_dict() for one in self.tried],
            "unavailable": [{"system": one.system, "why": one.why} for one in self.unavailable],
        }


def variants(sentence: str) -> list[tuple[str, str]]:
    """The words that change and the sentence with them, for every variant.

    Without braces the people in it are swapped, where that can be done in one way only.

    >>> variants("{She|He} lost {her|his} keys.")
    [('She … her', 'She lost her keys.'), ('He … his', 'He lost his keys.')]
    >>> variants("She feels happy.")
    [('She', 'She feels happy.'), ('He', 'He feels happy.')]
    """
    if not BRACES.search(sentence):
        sentence = _add_braces(sentence)
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
    made = [(" … ".join(words), _fill_braces(sentence, words)) for words in taken]
    if len({text for _, text in made}) < len(made):
        raise TiltmeterError(f"two variants of {sentence!r} are the same; nothing to compare")
    return made


def _fill_braces(sentence: str, words: Iterable[str]) -> str:
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
        system = resolve_form(system)
        answers = ask(system, texts)
    finally:
        system.close()
    numbers = [None if isinstance(one, Missing) else one for one in answers]
    declared = options.scale_of(system.card.name, system.card.scale)
    scale = resolve_scale(texts, numbers, declared)
    words = tuple(words for words, _ in made)
    note = options.scales.unused_note(system.card.name, system.card.scale)
    return Tried(system.card, scale, words, tuple(texts), tuple(answers), note)


def _add_braces(sentence: str) -> str:
    """The sentence with its person in braces, and another beside."""
    from tiltmeter.corpora import swap_people  # opens the corpora, which braces need not wait for

    return swap_people(sentence).braced


def _some_score(tried: Tried) -> Tried:
    """The trial, or an error where the system gave no score at all; a control says why itself."""
    missing = [answer for answer in tried.answers if isinstance(answer, Missing)]
    if tried.card.control or len(missing) < len(tried.answers):
        return tried
    name, first = tried.card.name, missing[0]
    if first.unreachable:
        raise UnreachableError(name, first.reason)
    advice = f". {first.advice}" if first.advice else ""
    raise TooFewScoresError(name, f"gave no score for the sentence: {first.reason}{advice}")


def try_systems(specs: Sequence[str], sentence: str, options: Options | None = None) -> Trial:
    """Ask several systems for every variant of a sentence; one that is dead is named."""
    braced = "" if BRACES.search(sentence) else _add_braces(sentence)
    made = variants(braced or sentence)
    tried, failed = list[Tried](), list[Unavailable]()
    for spec in dict.fromkeys(specs):
        try:
            tried.append(_some_score(try_sentence(spec, sentence, options)))
        except FAILURES as error:
            failed.append(unavailable(error.name, error))
    if not tried:
        raise none_left(failed)
    words, texts = zip(*made, strict=True)
    return Trial(words, texts, tuple(tried), tuple(failed), braced)
