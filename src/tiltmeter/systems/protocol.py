"""What a system is: texts in, one number per text out, or a reason why there is none.

An adapter is a function that returns a `System`: a card that says what it is, a function that
answers, and a pace at which to ask it. Everything that changes an answer goes on the card, since
the card's fingerprint keys the stored scores.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import cache
from numbers import Real
from typing import TYPE_CHECKING, Literal

from tiltmeter.columns import TASKS
from tiltmeter.errors import SystemFailure

if TYPE_CHECKING:
    import polars as pl

VALENCE = TASKS[0]

SHOWN_TEXT = 80
"""How much of an offending text a message shows."""


@dataclass(frozen=True, slots=True)
class Scale:
    """The range a system's answers are meant to lie in."""

    low: float
    high: float

    def to_unit(self, raw: float) -> float:
        """The answer on 0..1; outside the range it stays outside.

        >>> Scale(-1.0, 1.0).to_unit(0.5)
        0.75
        """
        return (raw - self.low) / (self.high - self.low)

    @property
    def width(self) -> float:
        """How long the scale is."""
        return self.high - self.low

    @property
    def ends(self) -> str:
        """As a user writes it: -1:1."""
        return f"{self.low:.17g}:{self.high:.17g}"

    def __str__(self) -> str:
        return f"{exact(self.low)} to {exact(self.high)}"


def exact(value: float) -> str:
    """An answer as it was given, every digit of it, with a real minus sign.

    >>> exact(-1.0), exact(1.0000001), exact(-0.004)
    ('−1', '1.0000001', '−0.004')
    """
    return repr(float(value)).removesuffix(".0").replace("-", "−")


UNIT, SIGNED = Scale(0.0, 1.0), Scale(-1.0, 1.0)


@dataclass(frozen=True, slots=True)
class Missing:
    """No score for a text, and why; what the system said instead is part of the reason."""

    reason: str
    unreachable: bool = field(default=False, compare=False)
    """Whether the service itself did not work: no connection, a timeout, an error of its own."""
    advice: str = field(default="", compare=False)
    """What mends it, where asking again does not."""


Answer = float | Missing


class Control(StrEnum):
    """What a control is for: a system whose answer is known beforehand."""

    NO_TILT = "no tilt"
    """Its answers have nothing to do with whom a sentence mentions."""
    PLANTED = "planted"
    """Its differences were put in on purpose."""


@dataclass(frozen=True, slots=True)
class Card:
    """What a system is. Name, task, version, settings and weights make its fingerprint."""

    name: str
    task: str = VALENCE
    scale: Scale | None = None
    """The native scale; None: not declared, to be seen from the scores."""
    languages: tuple[str, ...] = ()
    """Codes such as en; none: any."""
    version: str = ""
    licence: str = ""
    settings: Mapping[str, object] = field(default_factory=dict)
    """Whatever changes its answers, as plain values; never a secret."""
    weights: str = ""
    """A hash of the model's files, where it has any."""
    price: float = 0.0
    """The cost of one text, in the user's currency."""
    notes: tuple[str, ...] = ()
    """What the report should say: a prompt, a label mapping, how a scale was chosen."""
    control: Control | None = None
    """Of what kind, where it is a control: such are counted apart from the systems audited."""

    @property
    def fingerprint(self) -> str:
        """The same for the same answers: 32 hexadecimal digits."""
        parts = [self.name, self.task, self.version, self.weights, dict(self.settings)]
        text = json.dumps(parts, sort_keys=True, ensure_ascii=False, default=str)
        return hashlib.sha256(text.encode()).hexdigest()[:32]


@dataclass(frozen=True, slots=True)
class Pace:
    """How the engine should ask: how many texts at once, and what may run side by side."""

    batch: int = 256
    parallel: Literal["processes", "threads", "none"] = "none"
    """processes: pure Python, worth several cores; threads: waits for a network or a program."""
    workers: int | None = None
    """How many side by side at most; None: as many as there are cores."""
    one_by_one: bool = True
    """True where a text's answer cannot depend on the others in its batch; else it is tested."""


@dataclass(frozen=True)
class System:
    """Something that scores texts."""

    card: Card
    answer: Callable[[Sequence[str]], Sequence[Answer]] = field(repr=False)
    """Texts to answers, in order, one each."""
    pace: Pace = Pace()
    reopen: Callable[[], System] | None = field(default=None, repr=False)
    """Opens the same system in another process; must pickle. None: it stays in this one."""
    close: Callable[[], None] = field(default=lambda: None, repr=False)
    rows: Callable[[pl.DataFrame], Sequence[Answer]] | None = field(default=None, repr=False)
    """For controls only: answers from the sentences' rows; such scores are never stored."""
    find_form: Callable[[], System] | None = field(default=None, repr=False)
    """Finds out by asking which of its forms it has; None: opening told everything."""
    forms: tuple[System, ...] = field(default=(), repr=False)
    """What it may turn out to be; scores are looked for under each before anything is asked."""
    estimator: object | None = field(default=None, repr=False)
    """The fitted scikit-learn estimator that it asks, whose weights may explain a score."""
    subwords: Callable[[str], Sequence[str]] | None = field(default=None, repr=False)
    """The pieces that its tokenizer cuts a text into, where it has one."""

    @property
    def costs(self) -> bool:
        """True where asking has a price or burdens a service: only done where scores are wanted."""
        return self.card.price > 0 or self.pace.parallel == "threads"


def with_unknown_form(forms: Sequence[System], find_form: Callable[[], System]) -> System:
    """A system whose form only asking tells: it is asked once, and not before scores are wanted.

    Until then its first form stands for it.
    """
    found = cache(find_form)
    return replace(
        forms[0], answer=lambda texts: found().answer(texts), find_form=found, forms=tuple(forms)
    )


def resolve_form(system: System) -> System:
    """The system in the form it has; asked for it where opening could not tell."""
    return system.find_form() if system.find_form else system


def ask(system: System, texts: Sequence[str]) -> list[Answer]:
    """Ask a system and check what comes back: as many answers as texts, each a number."""
    answers = system.answer(texts)
    if not hasattr(answers, "__len__"):
        answers = list(answers)
    if len(answers) != len(texts):
        what = f"gave {len(answers):,} answers to {len(texts):,} texts; expected one for each"
        raise SystemFailure(system.card.name, what, shorten(texts[0]) if texts else "")
    checked: list[Answer] = []
    for text, given in zip(texts, answers, strict=True):
        if (type(given) is float and math.isfinite(given)) or isinstance(given, Missing):
            checked.append(given)
            continue
        if given is None:
            checked.append(Missing("the system gave no score"))
            continue
        if not isinstance(given, Real):
            what = f"answered {type(given).__name__} {shorten(str(given))}; expected a number"
            raise SystemFailure(system.card.name, what, shorten(text))
        try:
            number = float(given)
        except OverflowError:
            number = math.inf
        if not math.isfinite(number):
            what = f"answered {number}; expected a finite number"
            raise SystemFailure(system.card.name, what, shorten(text))
        checked.append(number)
    return checked


def shorten(text: str) -> str:
    """A text as a message quotes it, cut where it grows long."""
    return repr(text if len(text) <= SHOWN_TEXT else text[:SHOWN_TEXT] + "…")
