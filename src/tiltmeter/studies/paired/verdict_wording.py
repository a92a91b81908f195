"""Every verdict in words: how much, the margin, how sure, people moved, what a population adds."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import polars as pl

from tiltmeter.audit_run import AuditRun, PopulationFacts
from tiltmeter.report.numbers import POINTS, count, fixed, short
from tiltmeter.schemas import Verdict
from tiltmeter.studies.paired.results import AuditResults, CorpusComparisons
from tiltmeter.studies.paired.wording import (
    Phrases,
    Sides,
    driven_by_one_person,
    interval_towards_higher,
    seen_on,
    sides_between,
    sides_of,
    size_and_interval,
)

SAID_OF: dict[str, str] = {
    Verdict.TILTED: "tilted",
    Verdict.EVEN: "even within the margin",
    Verdict.UNDECIDED: "undecided",
    Verdict.NO_SIGNAL: "no signal",
    Verdict.NOT_ESTIMABLE: "not estimable",
}
"""What a verdict is called."""

VERDICT_WORDING_NEAR = 0.25
"""A difference within this part of the margin from the margin itself is near it."""
MOST = 1_000_000
"""People that nobody will ask a system about."""
NAMES, COUPLES = "names", "couples"


@dataclass(frozen=True, slots=True)
class PopulationWords:
    """What a verdict says of the population that its people were drawn from."""

    title: str
    names: int
    census: bool
    weights: str

    @property
    def counted(self) -> str:
        """What counts alike."""
        return "each bearer alike" if self.weights == "bearers" else "each name alike"


Populations = Mapping[str, PopulationWords]
"""By corpus; a corpus of lists has none."""


def population_words(facts: PopulationFacts) -> PopulationWords:
    """From what run.json says of a corpus' population."""
    return PopulationWords(facts.title, facts.names, facts.census, facts.weights)


def population_words_in(run: AuditRun) -> dict[str, PopulationWords]:
    """By corpus, what a run says of the populations that its people were drawn from."""
    return {name: population_words(facts) for name, facts in run.populations.items()}


def with_verdict_sentences(
    judged: pl.DataFrame, phrases: Phrases, populations: Populations | None = None
) -> pl.DataFrame:
    """The judged tilts, each with its sentence; every other column stays."""
    known = populations or {}
    said = [
        verdict_sentence(row, sides_of(row, phrases), known.get(str(row["corpus"])))
        for row in judged.iter_rows(named=True)
    ]
    return judged.with_columns(sentence=pl.Series(said, dtype=pl.String))


def margin_text(margin: float) -> str:
    """A margin in the unit people read.

    >>> margin_text(0.01), margin_text(0.025), margin_text(0.0005)
    ('1 point of 100', '2.5 points of 100', '0.05 points of 100')
    """
    size = f"{margin * 100:.3g}"
    return f"{size} {'point' if size == '1' else 'points'} of 100"


def verdict_sentence(
    row: Mapping[str, Any], sides: Sides, population: PopulationWords | None = None
) -> str:
    """One verdict in one sentence."""
    kinds = {
        Verdict.TILTED: _tilted, Verdict.EVEN: _even, Verdict.UNDECIDED: _undecided,
        Verdict.NO_SIGNAL: _no_signal,
    }  # fmt: skip
    text = kinds.get(row["verdict"], _not_estimable)(row, sides, population)
    return text if row["verdict"] == Verdict.TILTED else text[:1].upper() + text[1:]


def by_whom(row: Mapping[str, Any]) -> str:
    """Whom a claim is about, in two words."""
    return "by couples" if row["subset"] == COUPLES else "by names"


def reaches(row: Mapping[str, Any], population: PopulationWords | None) -> str:
    """Whom a verdict reaches, past those that were met."""
    if row["subset"] == COUPLES:
        return "the couples listed" if population else "other couples like these"
    if population is None:
        return "other names like these"
    all_names = f"the {population.names:,} names of {population.title}"
    return f"{all_names}, {population.counted}"


def _seen(row: Mapping[str, Any]) -> str:
    """On what it was seen: task, corpus, people, the interval that decides."""
    unit = "couple" if row["subset"] == COUPLES else "name"
    dropped = f", {row['n_dropped']:,} without a score" if row["n_dropped"] else ""
    return f"{seen_on(row)}; {interval_text(row)}; {count(row['n'], unit)}{dropped}"


def interval_text(row: Mapping[str, Any]) -> str:
    """The interval that decides; in words where nothing is left to chance."""
    if row["se"] is None or row["low"] is None:
        return "no interval"
    if not row["se"]:
        return "exact: everybody of the population, in every sentence"
    _, start, end = interval_towards_higher(row["value"], row["low"], row["high"], row["unit"])
    many = f", for all {row['family']:,} comparisons together" if row["family"] > 1 else ""
    return f"95 % interval {start} to {end}{many}"


def _tilted(row: Mapping[str, Any], sides: Sides, population: PopulationWords | None) -> str:
    size, _ = size_and_interval(row)
    return (
        f"{row['system']} scores {sides.scored(row['value'] > 0, size)} {by_whom(row)}, more than "
        f"the margin of {margin_text(row['margin'])}, over {reaches(row, population)} "
        f"({_seen(row)}).{_besides(row)}"
    )


def _besides(row: Mapping[str, Any]) -> str:
    """What is said of a tilted system that does not read the sentences."""
    return f" Besides it gives no signal: {row['reason']}." if row["reason"] else ""


def _no_signal(row: Mapping[str, Any], sides: Sides, _: PopulationWords | None) -> str:
    return (
        f"no signal from {row['system']}, so sentences {sides.first} and the same sentences "
        f"{sides.second} tell nothing of it ({seen_on(row)}): {row['reason']}."
    )


def _even(row: Mapping[str, Any], sides: Sides, population: PopulationWords | None) -> str:
    return (
        f"equivalent within {margin_text(row['margin'])} for {row['system']} {by_whom(row)}, "
        f"sentences {sides.first} and the same sentences {sides.second}, over "
        f"{reaches(row, population)}: {_lean(row, sides)} ({_seen(row)})."
    )


def _undecided(row: Mapping[str, Any], sides: Sides, population: PopulationWords | None) -> str:
    return (
        f"undecided for {row['system']} {by_whom(row)} at a margin of "
        f"{margin_text(row['margin'])}, sentences {sides.first} and the same sentences "
        f"{sides.second}: {_lean(row, sides)}, but {reaches(row, population)} may give another "
        f"number ({_seen(row)}){deciding_text(row)}."
    )


def deciding_text(row: Mapping[str, Any]) -> str:
    """How many people would decide it, if the tilt is as seen; nothing where that is not known."""
    needed = row.get("needed_people")
    near = abs(abs(row["value"]) - row["margin"]) < VERDICT_WORDING_NEAR * row["margin"]
    unit = "couples" if row["subset"] == COUPLES else "names"
    if needed is None or needed >= MOST:
        why = "it lies so near the margin that " if near else ""
        return f"; {why}no number of {unit} would decide it"
    return f"; {needed:,.0f} {unit} in all would decide it, if the difference is as seen"


def _not_estimable(row: Mapping[str, Any], sides: Sides, _: PopulationWords | None) -> str:
    return (
        f"no verdict for {row['system']}, sentences {sides.first} and the same sentences "
        f"{sides.second} ({seen_on(row)}): {row['reason']}."
    )


def _lean(row: Mapping[str, Any], sides: Sides) -> str:
    if not row["value"]:
        return "a mean difference of 0"
    size, _ = size_and_interval(row)
    return f"{size} {sides.towards(row['value'] > 0)}"


# People moved: how many of a group a system scores apart by more than the margin, in words
# A mean may bury them, so the share stands beside the mean in every answer.

MOVED = "moved"
OF_A_CLAIM = ("system", "task", "corpus", "edition", "axis", "subset")
MOVED_PEOPLE_NEAR = 1e-9
MANY = 1_000
"""People of whom a share says more than a number, and "none" enough."""


@dataclass(frozen=True, slots=True)
class MovedShare:
    """Of one group, or of a contrast's couples: how many were moved, and the share with them."""

    group: str
    moved: int
    people: int
    share: float | None
    """Of the population that its people were drawn from, each counted as its weights say."""
    low: float | None
    high: float | None

    @property
    def weighted(self) -> bool:
        """Whether people count otherwise than one by one."""
        if self.share is None or not self.people:
            return False
        return abs(self.share - self.moved / self.people) > MOVED_PEOPLE_NEAR

    @property
    def exact(self) -> bool:
        """Whether everybody was met, so that nothing is left to chance."""
        return self.share is not None and self.low == self.high

    def facts(self) -> dict[str, Any]:
        """As findings.json holds it."""
        return asdict(self)


MovedShares = Mapping[tuple[str, ...], Mapping[str, MovedShare]]
"""By system, task, corpus, edition, axis and subset, then by group or contrast."""


def moved_shares(estimates: pl.DataFrame) -> MovedShares:
    """The shares among the estimates."""
    found: dict[tuple[str, ...], dict[str, MovedShare]] = {}
    rows = estimates.filter(pl.col("measure") == MOVED).select(
        *OF_A_CLAIM, "contrast", "statistic", "n", "value", "low", "high"
    )
    for *key, group, moved, people, share, low, high in rows.iter_rows():
        one = MovedShare(str(group), int(moved or 0), int(people or 0), share, low, high)
        found.setdefault(tuple(map(str, key)), {})[one.group] = one
    return found


def moved_of(claim: Mapping[str, Any], shares: MovedShares) -> tuple[MovedShare, ...]:
    """The shares that belong to a claim: its two groups', or its couples'."""
    mine = shares.get(tuple(str(claim[name]) for name in OF_A_CLAIM), {})
    second = str(claim["reference"])
    first = str(claim["contrast"]).removesuffix(f"-{second}")
    wanted = (str(claim["contrast"]),) if claim["subset"] == COUPLES else (first, second)
    return tuple(mine[name] for name in wanted if name in mine)


def moved_brief(shares: Sequence[MovedShare]) -> str:
    """How many in two words: of lists the number, of weighted people the share, groups alike.

    >>> moved_brief([MovedShare("a", 1, 20, 0.05, 0.0, 0.2), MovedShare("b", 0, 20, 0.0, 0.0, 0.1)])
    '1 of 40'
    >>> moved_brief([MovedShare("a", 2, 9, 0.5, 0.4, 0.6), MovedShare("b", 0, 9, 0.0, 0.0, 0.1)])
    '25 %'
    """
    if not shares:
        return ""
    moved, people = sum(one.moved for one in shares), sum(one.people for one in shares)
    known = [one.share for one in shares if one.share is not None]
    whole = len(known) == len(shares)
    if moved and whole and (people >= MANY or any(one.weighted for one in shares)):
        return percent(sum(known) / len(known))
    return f"{moved:,} of {people:,}" if moved or people < MANY else "none"


def moved_sentence(shares: Sequence[MovedShare], kind: str, margin: float, by: str = "") -> str:
    """Who is moved, by group and with its interval; how many others might be, where nobody is.

    `by` names the system where it is one of several.

    >>> none = [MovedShare("a", 0, 20, 0.0, 0.0, 0.14), MovedShare("b", 0, 20, 0.0, 0.0, 0.13)]
    >>> moved_sentence(none, "names", 0.01)
    'None of 40 names moves a score by more than 1 point; up to 14 % of other names might.'
    >>> moved_sentence([MovedShare("a-b", 8, 10, 0.8, 0.44, 0.97)], "couples", 0.01, "my system")
    'my system moves 8 of 10 couples by more than 1 point (44 to 97 %).'
    """
    if not shares:
        return ""
    unit = "couple" if kind == COUPLES else "name"
    far = f"by more than {margin_text(margin).removesuffix(' of 100')}"
    moved, people = sum(one.moved for one in shares), sum(one.people for one in shares)
    if not moved:
        said = f"None of {count(people, unit)} moves a score {far}"
        if all(one.exact for one in shares):
            return f"{said}: everybody was met."
        most = max(one.high or 0.0 for one in shares)
        return f"{said}; up to {percent(most)} of other {unit}s might."
    who = f"{by} moves" if by else "It moves"
    if kind == COUPLES:
        return f"{who} {moved:,} of {count(people, unit)} {far}{_sure(shares[0])}."
    groups = ", ".join(f"{one.group} {_many(one)}{_sure(one)}" for one in shares)
    whom = "people by their names" if any(one.weighted for one in shares) else "names"
    return f"{who} {whom} {far}: {groups}."


def percent(share: float) -> str:
    """A share as people read it.

    >>> percent(0.0), percent(0.0017), percent(0.69), percent(0.951), percent(1.0)
    ('0 %', '0.17 %', '69 %', '95 %', '100 %')
    """
    if not share:
        return "0 %"
    if share >= 0.995:
        return "100 %" if share >= 1 - MOVED_PEOPLE_NEAR else "over 99 %"
    return f"{short(100 * share)} %" if share >= 5e-5 else "below 0.01 %"


def between(one: MovedShare) -> str:
    """Its interval, from the lower end to the upper; in words where everybody was met.

    Nothing where both ends read the same.
    """
    if one.share is None or one.low is None or one.high is None:
        return ""
    if one.exact:
        return "exact: everybody was met"
    low, high = percent(one.low).removesuffix(" %"), percent(one.high)
    if not one.moved:
        return f"up to {high}"
    return f"{low} to {high}" if f"{low} %" != high else ""


def _many(one: MovedShare) -> str:
    """The share where people are weighted, else how many."""
    if one.weighted and one.share is not None:
        return percent(one.share)
    return f"{one.moved:,} of {one.people:,}"


def _sure(one: MovedShare) -> str:
    """Its interval in brackets."""
    return f" ({between(one)})" if between(one) else ""


# What a population adds to a list: the same systems on both, in a sentence each
# A difference that one name of a list makes vanishes over a population; one that the group makes
# stays.

GROUPS = {
    "African American": "Black", "European American": "White", "Anglo": "White",
    "Latino": "Hispanic",
}  # fmt: skip
"""What groups of the Equity Evaluation Corpora are called in the Census."""
SHOWN = 4
"""Systems that the paragraph tells of."""
WORTH = 0.005
"""Half a point: smaller differences on the list are not worth a sentence."""
Row = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class BothClaims:
    """One system's claim by names on a list, and the same over a population."""

    system: str
    task: str
    axis: str
    listed: Row
    drawn: Row
    person: str
    """The one name that most of the difference on the list comes from; else nothing."""

    @property
    def vanishes(self) -> bool:
        """Whether one name makes it on the list, and the population shows it even."""
        return bool(self.person) and self.drawn["verdict"] == Verdict.EVEN


def population_adds(material: AuditResults) -> list[str]:
    """What the second corpus adds, a sentence for each system and axis; the clearest first.

    Nothing where not the same systems were audited on a list and over a population.
    """
    known = population_words_in(material.run)
    drawn = [one for one in material.compared if one.name in known]
    listed = [one for one in material.compared if one.name not in known]
    if material.tilts is None or material.tilts.is_empty() or not drawn or not listed:
        return []
    found = [
        (_said(claim, one, other, known[other.name]), claim)
        for one in listed
        for other in drawn
        for claim in both_claims(material, one, other)
        if abs(claim.listed["value"]) >= WORTH
    ]
    found.sort(key=lambda pair: (not pair[1].vanishes, -abs(pair[1].drawn["value"])))
    gone = [said for said, claim in found if claim.vanishes]
    stay = [said for said, claim in found if not claim.vanishes and _stays(claim)]
    return [*gone[: SHOWN // 2], *stay[: SHOWN // 2]]


def _stays(claim: BothClaims) -> bool:
    """Whether the population shows it tilted, the same way."""
    same = float(claim.drawn["value"]) * float(claim.listed["value"]) > 0
    return same and claim.drawn["verdict"] == Verdict.TILTED


def both_claims(
    material: AuditResults, listed: CorpusComparisons, drawn: CorpusComparisons
) -> Iterator[BothClaims]:
    """The claims by names that a list and a population have in common."""
    if material.tilts is None:
        return
    names = material.tilts.filter(pl.col("subset") == NAMES, pl.col("value").is_not_null())
    there = {
        (row["system"], row["task"], row["axis"], row["contrast"]): row
        for row in names.filter(corpus=drawn.name).iter_rows(named=True)
    }
    people = _people(listed)
    for row in names.filter(corpus=listed.name).iter_rows(named=True):
        key = row["system"], row["task"]
        other = there.get((*key, row["axis"], _contrast(row)))
        if other is not None and not material.is_apart(*key, listed.name):
            person = people.get((*key, row["axis"], row["contrast"]), "")
            yield BothClaims(*key, row["axis"], row, other, person)


def _contrast(row: Row) -> str:
    """A contrast in the words of the Census."""
    second = str(row["reference"])
    first = str(row["contrast"]).removesuffix(f"-{second}")
    return f"{GROUPS.get(first, first)}-{GROUPS.get(second, second)}"


def _people(compared: CorpusComparisons) -> dict[tuple[str, ...], str]:
    """Who most of a difference by names comes from, where it is one."""
    if compared.pivots is None:
        return {}
    rows = compared.pivots.filter(kind=NAMES).iter_rows(named=True)
    return {
        (row["system"], row["task"], row["axis"], row["contrast"]): row["person"]
        for row in rows
        if driven_by_one_person(row)
    }


def _said(
    claim: BothClaims,
    listed: CorpusComparisons,
    drawn: CorpusComparisons,
    population: PopulationWords,
) -> str:
    verdict = SAID_OF[claim.drawn["verdict"]]
    begin = f"{claim.system} on {listed.name}: {_difference(claim.listed, listed)}"
    whole = f"Over the {population.names:,} names of {population.title}"
    if claim.person:
        over = f"{whole} the difference is {_points(claim.drawn['value'])}, {verdict}."
        return f"{begin}, and it comes from one name ({claim.person}). {over}"
    over = f"{whole} it stays: {_difference(claim.drawn, drawn)}, {verdict}."
    return f"{begin} ({claim.listed['n']:,} names). {over}"


def _difference(row: Row, compared: CorpusComparisons) -> str:
    """How much higher, and where: "1.1 points higher with African American names"."""
    second = str(row["reference"])
    first = str(row["contrast"]).removesuffix(f"-{second}")
    sides = sides_between(compared, str(row["axis"]), first, second)
    return f"{_points(row['value'])} {sides.towards(row['value'] > 0)}"


def _points(value: float) -> str:
    """A size in points, two decimals at most."""
    size = abs(value) * POINTS
    number = fixed(size, 1 if size >= 1 else 2)
    return f"{number} point{'s' if number != '1' else ''}"
