"""Which embedding to take: what the lists of terms decide between each two, and what they do not.

On each list, two embeddings are compared by the interval of their difference in RNSB, which holds
together with those of all other comparisons of the study (`compared_spaces`):

    below −MARGIN or above MARGIN, wholly    one is more even
    within ±MARGIN, wholly                   alike within MARGIN
    else                                     undecided

A difference that ordinary words have too is none of the terms': where the one that is lower lies
higher above its ordinary words than the other does above its own, the list is undecided. A list
that one of the two refuses decides nothing. `choice` makes one answer of all lists: an embedding
is taken where it is more even than each other one on some list, less even on none, and does not
surely know less. Vectors that know nothing are even too, so what they know (sentiment words told
apart; analogies and similarity where they were measured) stands beside.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum

from tiltmeter.studies.embeddings.forests import beyond
from tiltmeter.studies.embeddings.mitigation_methods import BEFORE
from tiltmeter.studies.embeddings.mitigation_metrics import OVERALL
from tiltmeter.studies.embeddings.study import Embeddings, Row, rows_of

MARGIN = 0.01
"""RNSB that makes no difference: what terms get whose shares vary by 14 % about even ones (RNSB is
close to half their squared coefficient of variation), and the smallest RNSB in the paper."""
KNOWLEDGE = ("accuracy", "analogies", "similarity")
"""Measures of what vectors know, in the order in which they are named."""
FARTHEST = 20
"""Times as large a lexicon beyond which none at hand would decide."""
LESS = 0.02
"""A share or correlation by which to know less makes no difference."""


class ListVerdict(Enum):
    """What one list says of two embeddings."""

    FIRST = "the first is more even"
    SECOND = "the second is more even"
    ALIKE = "alike"
    UNDECIDED = "undecided"


class UndecidedBy(Enum):
    """Why a list does not decide between two embeddings."""

    INTERVAL = "its interval allows both"
    ORDINARY = "ordinary words differ as much"
    NO_INTERVAL = "there is no interval"


@dataclass(frozen=True, slots=True)
class ListComparison:
    """Two embeddings on one list of terms."""

    of: str
    """The list."""
    first: str
    second: str
    difference: float
    """RNSB of the first less that of the second, on the terms that both hold."""
    low: float | None
    high: float | None
    """The interval that decides."""
    n_terms: int
    verdict: ListVerdict
    why: UndecidedBy | None = None
    """Where it is undecided."""

    @property
    def better(self) -> str | None:
        """The embedding that is more even."""
        found = {ListVerdict.FIRST: self.first, ListVerdict.SECOND: self.second}
        return found.get(self.verdict)

    @property
    def words_needed(self) -> float | None:
        """How many times as large a lexicon would decide, if the difference stayed as it is.

        Intervals shrink with the square root of the words. None where no lexicon would.

        >>> at = "list", "a", "b", 0.11, -0.09, 0.31, 12, ListVerdict.UNDECIDED
        >>> round(ListComparison(*at, UndecidedBy.INTERVAL).words_needed, 3)
        4.0
        """
        room = abs(self.difference) - MARGIN
        if self.why is not UndecidedBy.INTERVAL or room <= 0:
            return None
        if self.low is None or self.high is None:
            return None
        return ((self.high - self.low) / 2 / room) ** 2


@dataclass(frozen=True, slots=True)
class Knowledge:
    """How well vectors do what they are for, with its interval."""

    measure: str
    value: float
    low: float
    high: float


class Outcome(Enum):
    """The bottom line of a study of several embeddings."""

    TAKE = "one is more even than each other one"
    KNOWS_LESS = "one is, and knows less"
    BY_LIST = "it depends on the list"
    ALIKE = "those that are left are alike"
    OPEN = "not decided"
    ALONE = "no two embeddings have a number on the same list"


@dataclass(frozen=True, slots=True)
class Choice:
    """What all lists say together."""

    outcome: Outcome
    taken: str | None
    """The embedding that is more even than each other one."""
    left: tuple[str, ...]
    """Those that none is more even than, the one taken among them."""
    less_even: tuple[str, ...]
    """Those that some other one is more even than, on some list, and less on none."""
    refused: tuple[str, ...]
    """Those without a number on any list."""
    comparisons: tuple[ListComparison, ...]
    knows_more: str | None = None
    """Where the one that is more even knows less: one that knows more."""

    def between(self, one: str, other: str) -> list[ListComparison]:
        """What each list says of two of them."""
        return [each for each in self.comparisons if {each.first, each.second} == {one, other}]

    def lists_for(self, one: str, other: str) -> list[str]:
        """The lists on which the one is more even than the other."""
        return [each.of for each in self.between(one, other) if each.better == one]

    def undecided_between(self, one: str, other: str) -> list[str]:
        """The lists that do not decide between two."""
        return [
            each.of
            for each in self.between(one, other)
            if each.verdict is ListVerdict.UNDECIDED
        ]  # fmt: skip


def choice(study: Embeddings) -> Choice:
    """Which embedding to take by all lists of terms, and what is not decided.

    One is more even than another where some list says so and none says the opposite. Then

    * TAKE: one is more even than each of the others, and is not known to know less;
    * KNOWS_LESS: one is, but does surely worse in what vectors are for than one of the others;
    * BY_LIST: lists disagree about those that are left;
    * ALIKE: on each list those that are left are alike within MARGIN;
    * OPEN: the intervals allow several of them to be the most even.
    """
    compared = list_comparisons(study)
    named = [name for name in study.names if rows_of(study.rnsb, embedding=name)]
    numbers = {row["embedding"] for row in rows_of(study.rnsb) if row["rnsb"] is not None}
    refused = tuple(name for name in named if name not in numbers)
    known = [name for name in named if name in numbers]
    wins = {(one.better, _other(one)) for one in compared if one.better}
    beaten = {
        loser for winner, loser in wins if (loser, winner) not in wins
    }  # fmt: skip
    left = tuple(name for name in known if name not in beaten) or tuple(known)
    less_even = tuple(name for name in known if name not in left)
    best = next(
        (
            one for one in left
            if len(known) > 1 and all((one, other) in wins and (other, one) not in wins
                                      for other in known if other != one)
        ),
        None,
    )  # fmt: skip
    knowledge = known_of(study)
    knows_more = None
    if best is not None:
        others = [name for name in known if name != best]
        knows_more = next((name for name in others if knows_less(knowledge, best, name)), None)
    among = [one for one in compared if {one.first, one.second} <= set(left)]
    if not compared:
        outcome = Outcome.ALONE
    elif best is not None:
        outcome = Outcome.KNOWS_LESS if knows_more else Outcome.TAKE
    elif any((loser, winner) in wins for winner, loser in wins if {winner, loser} <= set(left)):
        outcome = Outcome.BY_LIST
    elif among and all(one.verdict is ListVerdict.ALIKE for one in among):
        outcome = Outcome.ALIKE
    else:
        outcome = Outcome.OPEN
    return Choice(outcome, best, left, less_even, refused, tuple(compared), knows_more)


def _other(one: ListComparison) -> str:
    return one.second if one.better == one.first else one.first


def list_comparisons(study: Embeddings) -> list[ListComparison]:
    """Each two embeddings on each list, in the order of the lists."""
    excess = {
        (row["embedding"], row["list"]): row["rnsb"] - row["by_chance"]
        for row in rows_of(study.rnsb)
        if row["rnsb"] is not None and row["by_chance"] is not None
    }
    found = []
    for row in rows_of(study.comparisons):
        if row["difference"] is None:
            continue
        verdict, why = _verdict(row, excess)
        found.append(
            ListComparison(
                row["list"], row["first"], row["second"], row["difference"], row["joint_low"],
                row["joint_high"], row["n_terms"], verdict, why,
            )
        )  # fmt: skip
    order = list(study.lists)
    return sorted(found, key=lambda one: order.index(one.of) if one.of in order else len(order))


def _verdict(
    row: Row, excess: Mapping[tuple[str, str], float]
) -> tuple[ListVerdict, UndecidedBy | None]:
    low, high = row["joint_low"], row["joint_high"]
    if low is None or high is None:
        return ListVerdict.UNDECIDED, UndecidedBy.NO_INTERVAL
    if -MARGIN <= low <= high <= MARGIN:
        return ListVerdict.ALIKE, None
    if low <= MARGIN and high >= -MARGIN:
        return ListVerdict.UNDECIDED, UndecidedBy.INTERVAL
    above = [excess.get((row[name], row["list"])) for name in ("first", "second")]
    first_lower = high < -MARGIN
    if above[0] is not None and above[1] is not None and (above[0] < above[1]) != first_lower:
        return ListVerdict.UNDECIDED, UndecidedBy.ORDINARY
    return (ListVerdict.FIRST if first_lower else ListVerdict.SECOND), None


def known_of(study: Embeddings) -> dict[str, dict[str, Knowledge]]:
    """What each embedding knows: sentiment words told apart; analogies, similarity if measured."""
    found: dict[str, dict[str, Knowledge]] = {name: {} for name in study.names}
    for row in rows_of(study.classifiers):
        ends = row["balanced_low"], row["balanced_high"]
        if row["balanced"] is not None and None not in ends:
            found[row["embedding"]]["accuracy"] = Knowledge("accuracy", row["balanced"], *ends)
    for row in rows_of(study.mitigation, method=BEFORE):
        whole = row["measure"] == "similarity" or row["what"] == OVERALL
        if row["measure"] in KNOWLEDGE[1:] and whole and None not in (
            row["value"], row["low"], row["high"]
        ):  # fmt: skip
            found[row["embedding"]][row["measure"]] = Knowledge(
                row["measure"], row["value"], row["low"], row["high"]
            )
    return found


def knows_less(known: Mapping[str, Mapping[str, Knowledge]], one: str, other: str) -> str | None:
    """The first measure in which the one surely does worse, by more than LESS; None: in none."""
    for measure in KNOWLEDGE:
        own, its = (known.get(name, {}).get(measure) for name in (one, other))
        if own is None or its is None:
            continue
        if own.high < its.low and its.value - own.value > LESS:
            return measure
    return None


def uneven_lists(study: Embeddings, embedding: str) -> tuple[list[str], list[str]]:
    """Lists on which terms are more uneven than ordinary words, and all held against these."""
    judged = [
        (row["list"], beyond(row))
        for row in rows_of(study.rnsb, embedding=embedding)
        if row["rnsb"] is not None and row["p_adjusted"] is not None
    ]
    return [of for of, found in judged if found], [of for of, _ in judged]
