"""What a classifier's labels are worth: a number each, so that a score is Σ p(label) · value.

Labels that say what they mean are read: negative and positive, 1 star to 5 stars, the names of
emotions. Labels that do not, such as LABEL_0, are never guessed; the user says what they are worth:
`hf:PATH?labels=LABEL_0:0,LABEL_1:1`.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass

from tiltmeter.columns import TASKS
from tiltmeter.errors import SystemFailure, did_you_mean
from tiltmeter.systems.options import Options
from tiltmeter.systems.protocol import UNIT, VALENCE, Scale

POLARITIES = {
    -2: ("very negative", "extremely negative", "strongly negative", "muy negativo"),
    -1: ("negative", "neg", "bad", "negativo", "negativa", "سلبي"),
    0: ("neutral", "neu", "neutro", "neutra", "محايد"),
    1: ("positive", "pos", "good", "positivo", "positiva", "إيجابي", "ايجابي"),
    2: ("very positive", "extremely positive", "strongly positive", "muy positivo"),
}
STEPS = {word: step for step, words in POLARITIES.items() for word in words}
EMOTIONS = {
    "anger": ("anger", "angry", "ira", "enojo", "غضب"),
    "fear": ("fear", "afraid", "scared", "miedo", "خوف"),
    "joy": ("joy", "happy", "happiness", "alegría", "alegria", "فرح"),
    "sadness": ("sadness", "sad", "tristeza", "حزن"),
}
STARS = re.compile(r"(\d+)\s*stars?")


@dataclass(frozen=True, slots=True)
class LabelValues:
    """What each label is worth, in the model's own order, and what the score then means."""

    labels: tuple[str, ...]
    values: tuple[float, ...]
    scale: Scale
    task: str

    @property
    def counted(self) -> int:
        """How many labels are worth more or less than nothing."""
        return sum(value != 0 for value in self.values)

    def __str__(self) -> str:
        named = zip(self.labels, self.values, strict=True)
        if self.counted == 1 and 1.0 in self.values:
            only = self.labels[self.values.index(1.0)]
            return f"the score is the probability of the label {only!r}"
        sums = " + ".join(f"{value:g} · P({label})" for label, value in named)
        return f"the score is {sums}".replace("+ -", "− ").replace("is -", "is −")


def split_labels(name: str, target: str) -> tuple[str, dict[str, float]]:
    """A target cut into the path and what the user says its labels are worth.

    >>> split_labels("hf:m", "m?labels=LABEL_0:-1,LABEL_1:1")
    ('m', {'LABEL_0': -1.0, 'LABEL_1': 1.0})
    """
    path, *rest = re.split(r"\?labels?=", target, maxsplit=1)
    pairs = [item.rpartition(":") for item in rest[0].split(",")] if rest else []
    try:
        given = {label.strip(): float(value) for label, _, value in pairs}
    except ValueError:
        given = {}
    usable = len(given) == len(pairs) and all(map(math.isfinite, given.values()))
    if usable and (not pairs or ("" not in given and len(set(given.values())) > 1)):
        return path, given
    what = f"cannot read {rest[0]!r}; expected ?labels=LABEL:NUMBER,LABEL:NUMBER,… with each label"
    raise SystemFailure(name, f"{what} once and at least two different numbers")


def label_values(
    name: str,
    labels: Sequence[object],
    options: Options,
    given: Mapping[str, float],
    *,
    numbers_count: bool = False,
) -> LabelValues:
    """What a model's labels are worth: as given, else as their names say, else an error.

    `numbers_count` says that labels such as 4 are the values that the model was trained on.
    """
    named = tuple(str(label) for label in labels)
    if given:  # the user's word, which must speak of every label and of no other
        for label in (label for label in given if label not in named):
            near = did_you_mean(label, named) or f"it has {', '.join(named)}"
            raise SystemFailure(name, f"has no label {label!r}: {near}")
        for label in (label for label in named if label not in given):
            raise SystemFailure(name, f"has a label {label!r} of which ?labels= says nothing")
        worth = tuple(given[label] for label in named)
        task = options.task_among(name, TASKS)
        return LabelValues(named, worth, Scale(min(worth), max(worth)), task)
    plain = [re.sub(r"[\s_-]+", " ", label).strip().casefold() for label in named]
    emotions = {
        task: next(at for at, label in enumerate(plain) if label in words)
        for task, words in EMOTIONS.items()
        if set(words) & set(plain)
    }
    if emotions:
        task = options.task_among(name, tuple(emotions))
        chosen = [float(at == emotions[task]) for at in range(len(named))]
        return LabelValues(named, tuple(chosen), UNIT, task)
    stars = [STARS.fullmatch(label) for label in plain]
    values = tuple(float(star[1]) for star in stars if star) if all(stars) else _polarities(plain)
    if not values and numbers_count:
        with suppress(TypeError, ValueError):
            numbers = tuple(float(label) for label in labels)  # type: ignore[arg-type]
            values = numbers if all(map(math.isfinite, numbers)) else None
    if values is None or len(set(values)) < 2:
        example = ",".join(f"{label}:{at}" for at, label in enumerate(named))
        raise SystemFailure(
            name,
            f"has the labels {', '.join(named)}, whose worth cannot be told from their names; look "
            f"up what they mean and say it after the path, for example ?labels={example} (from "
            "Python: labels={…})",
        )
    task = options.task_among(name, (VALENCE,))
    return LabelValues(named, values, Scale(min(values), max(values)), task)


def _polarities(plain: Sequence[str]) -> tuple[float, ...] | None:
    """Two poles give 0 and 1, so the score is P(positive); more labels lie evenly on −1..1."""
    if not all(label in STEPS for label in plain):
        return None
    steps = [STEPS[label] for label in plain]
    if min(steps) >= 0 or max(steps) <= 0:
        return None
    if sorted(steps) == [-1, 1]:
        return tuple(float(step > 0) for step in steps)
    furthest = max(map(abs, steps))
    return tuple(step / furthest for step in steps)
