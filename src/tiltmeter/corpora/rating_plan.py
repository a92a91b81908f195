"""What a rating group declares: sets of words, a causal diagram, and who gets which words.

A *group* is a family of datasets with one causal diagram (Lakkaraju et al. 2023, Table 1). A
*dataset* is a group with one set of emotion words. Where words are assigned, each slot (a template
with a person) takes one word, positive with the share of the person's class.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

NA = "NA"
"""How files and pages name the people without a value; in the sentences table they are null."""
POSITIVE, NEGATIVE = "positive", "negative"
EMOTION_WORD, SENTIMENT = "emotion word", "sentiment"
"""The nodes of every diagram besides the axes."""


@dataclass(frozen=True, slots=True)
class Share:
    """How often the people of one class are given a positive word."""

    groups: Mapping[str, str | None]
    """The class, a group for each axis; None where people have no value."""
    positive: float

    @property
    def key(self) -> tuple[tuple[str, str | None], ...]:
        """The class as something that can be compared and looked up."""
        return tuple(sorted(self.groups.items()))

    def __str__(self) -> str:
        return f"{class_name(self.groups)} {self.positive:g}"


@dataclass(frozen=True, slots=True)
class Assignment:
    """Which words go to whom: by which axes, and the shares of each case k."""

    by: tuple[str, ...]
    otherwise: float
    """The share of every class that a case does not name."""
    cases: Mapping[int, tuple[Share, ...]]


@dataclass(frozen=True, slots=True)
class RatingPlan:
    """What `[rating]` says of a corpus."""

    group: str
    sets: Mapping[str, tuple[str, ...]]
    """Lemmas by the name of their set: e3 → grim, happy."""
    polarity: Mapping[str, str]
    """Emotion → positive or negative."""
    edges: tuple[tuple[str, str], ...]
    """The arrows of the causal diagram, cause first."""
    unobserved: tuple[str, ...] = ()
    assignment: Assignment | None = None
    """None: every word stands in every slot."""


@dataclass(frozen=True, slots=True)
class Dataset:
    """Which dataset of a group a corpus is, and how its words were drawn."""

    group: str
    """The name of the corpus it is taken from: rating-2."""
    words: str
    lemmas: tuple[str, ...]
    seed: int | None = None
    """None where nothing is drawn, and so are the next two."""
    shares: tuple[Share, ...] = ()
    otherwise: float | None = None
    chosen: str = ""
    """Where the shares come from: "k = 1", "k = 1 at strength 0.8", "a table of its own"."""

    @property
    def drawn(self) -> bool:
        """True where words were assigned at random."""
        return self.seed is not None

    @property
    def notes(self) -> tuple[str, ...]:
        """The dataset in words, for its page and for reports."""
        said = (f"{self.group}, words {self.words}: {', '.join(self.lemmas)}",)
        if not self.drawn:
            return (*said, "every word stands with every person in every template")
        shares = "; ".join([*map(str, self.shares), f"all others {self.otherwise:g}"])
        drawn = f"one word for each person in each template, drawn with seed {self.seed}"
        return (*said, drawn, f"share of positive words ({self.chosen}): {shares}")


def class_name(groups: Mapping[str, str | None]) -> str:
    """A class as people read it, its groups in the order of the axes.

    >>> class_name({"race": "European American", "gender": "male"})
    'European American male'
    >>> class_name({"race": None, "gender": None})
    'NA'
    """
    named = [group for group in groups.values() if group is not None]
    if not named:
        return NA
    return " ".join(NA if group is None else group for group in groups.values())


def is_share(value: object) -> bool:
    """True for a number from 0 to 1.

    >>> is_share(0.9), is_share(90), is_share(True)
    (True, False, False)
    """
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= 1
