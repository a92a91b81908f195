"""`distilbert-sst2` (Rating 2023, §3.1): a classifier of two labels, and a signed probability.

The answer is the likelier label's probability, negated for the negative one:

    s = p(positive)   where p(positive) ≥ p(negative)
        −p(negative)  else

It is never between −0.5 and 0.5. Where two sentences lie on either side of the boundary, a hair's
breadth of probability becomes the whole of that gap. `hf:PATH` gives p(positive) itself.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from tiltmeter.errors import SystemFailure
from tiltmeter.systems.catalogue import LISTED
from tiltmeter.systems.huggingface import open_folder
from tiltmeter.systems.labels import Worth, split_labels
from tiltmeter.systems.model_folder import Head, read_folder, read_head
from tiltmeter.systems.options import Options
from tiltmeter.systems.protocol import SIGNED, UNIT, VALENCE, Answer, Card, Missing, System
from tiltmeter.vectors import Folder, find_model

NAME = "distilbert-sst2"
HUB = LISTED[NAME].weights
EXAMPLE = f"{NAME}:PATH, a folder with the weights of {HUB}"
JUMP = "the score jumps from −0.5 to 0.5 at the boundary, which magnifies differences there"


def distilbert_sst2(target: str, options: Options) -> System:
    """The published model from the hub, or any classifier of two polarities from a folder."""
    options.task_among(NAME, (VALENCE,))
    name = f"{NAME}:{target}" if target else NAME
    place, given = split_labels(name, target)
    folder = read_folder(name, find_model(name, place or HUB, SystemFailure, EXAMPLE))
    poles = _two_poles(folder, read_head(folder, options, given))
    system = open_folder(folder, Head(poles, VALENCE), options)
    return replace(system, card=_card(system.card, poles, options), answer=_signed(system.answer))


def _card(card: Card, poles: Worth, options: Options) -> Card:
    """The card of a signed probability; languages and licence only where the model is known."""
    high = poles.values.index(1.0)
    more, less = poles.labels[high], poles.labels[1 - high]
    means = f"the score is P({more}) where that label is at least as likely, else −P({less})"
    published = LISTED.get(card.name)
    return replace(
        card,
        scale=options.scale_of(card.name) or SIGNED,
        languages=published.languages if published else (),
        licence=published.licence if published else "",
        settings={**card.settings, "means": means},
        notes=(means, JUMP, *card.notes[1:]),
    )


def _two_poles(folder: Folder, head: Head) -> Worth:
    """The model's two labels worth 0 and 1, so that its score is p(positive)."""
    worth = head.worth
    if worth is None or len(worth.labels) != 2 or head.several or head.task != VALENCE:
        what = f"has the labels {', '.join(folder.labels)}; expected two, negative and positive"
        raise SystemFailure(folder.name, f"{what}; for other models use hf:PATH")
    highest = max(worth.values)
    values = tuple(float(value == highest) for value in worth.values)
    return replace(worth, values=values, scale=UNIT)


def _signed(
    answer: Callable[[Sequence[str]], Sequence[Answer]],
) -> Callable[[Sequence[str]], list[Answer]]:
    """From p(positive) to the signed probability; p(negative) is the rest."""

    def signed(texts: Sequence[str]) -> list[Answer]:
        return [one if isinstance(one, Missing) or one >= 0.5 else one - 1 for one in answer(texts)]

    return signed
