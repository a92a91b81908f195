"""Every verdict in words: how much, the margin, how sure, people moved, what a population adds."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import polars as pl

from tiltmeter.audit_run import AuditRun, PopulationFacts
from tiltmeter.ranking import coarsen
from tiltmeter.report.numbers import POINTS, count, fixed, short
from tiltmeter.schemas import Verdict
from tiltmeter.studies.paired.results import AuditResults, CorpusComparisons
from tiltmeter.studies.paired.wording import (
    Phrases,
    Sides,
    contrast_groups,
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

NEAR = 0.25
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
    system, verdict = row["system"], row["verdict"]
    both = f"sentences {sides.first} and the same sentences {sides.second}"
    if verdict == Verdict.NO_SIGNAL:
        why = f"({seen_on(row)}): {row['reason']}."
        return f"No signal from {system}, so {both} tell nothing of it {why}"
    if verdict not in (Verdict.TILTED, Verdict.EVEN, Verdict.UNDECIDED):
        return f"No verdict for {system}, {both} ({seen_on(row)}): {row['reason']}."
    size = size_and_interval(row)[0] if row["value"] else ""
    margin, whom, reach = margin_text(row["margin"]), by_whom(row), reaches(row, population)
    dropped = f", {row['n_dropped']:,} without a score" if row["n_dropped"] else ""
    people = count(row["n"], "couple" if row["subset"] == COUPLES else "name")
    seen = f"({seen_on(row)}; {interval_text(row)}; {people}{dropped})"
    if verdict == Verdict.TILTED:
        besides = f" Besides it gives no signal: {row['reason']}." if row["reason"] else ""
        return (
            f"{system} scores {sides.scored(row['value'] > 0, size)} {whom}, more than the margin "
            f"of {margin}, over {reach} {seen}.{besides}"
        )
    lean = f"{size} {sides.towards(row['value'] > 0)}" if row["value"] else "a mean difference of 0"
    if verdict == Verdict.EVEN:
        return (
            f"Equivalent within {margin} for {system} {whom}, {both}, over {reach}: {lean} {seen}."
        )
    return (
        f"Undecided for {system} {whom} at a margin of {margin}, {both}: {lean}, but {reach} may "
        f"give another number {seen}{deciding_text(row)}."
    )


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


def interval_text(row: Mapping[str, Any]) -> str:
    """The interval that decides; in words where nothing is left to chance."""
    if row["se"] is None or row["low"] is None:
        return "no interval"
    if not row["se"]:
        return "exact: everybody of the population, in every sentence"
    _, start, end = interval_towards_higher(row["value"], row["low"], row["high"], row["unit"])
    many = f", for all {row['family']:,} comparisons together" if row["family"] > 1 else ""
    return f"95 % interval {start} to {end}{many}"


def deciding_text(row: Mapping[str, Any]) -> str:
    """How many people would decide it, if the tilt is as seen; nothing where that is not known."""
    needed = row.get("needed_people")
    near = abs(abs(row["value"]) - row["margin"]) < NEAR * row["margin"]
    unit = "couples" if row["subset"] == COUPLES else "names"
    if needed is None or needed >= MOST:
        why = "it lies so near the margin that " if near else ""
        return f"; {why}no number of {unit} would decide it"
    return f"; {needed:,.0f} {unit} in all would decide it, if the difference is as seen"


MOVED = "moved"
OF_A_CLAIM = ("system", "task", "corpus", "edition", "axis", "subset")
ROUNDING = 1e-9
MANY = 1_000
"""People of whom a share says more than a number, and "none" enough."""


@dataclass(frozen=True, slots=True)
class MovedShare:
    """Of one group, or of a contrast's couples: how many were moved, and the share with them.

    Moved is whom a system scores apart by more than the margin. A mean may bury them, so the share
    stands beside the mean in every answer.
    """

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
        return abs(self.share - self.moved / self.people) > ROUNDING

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
    known = shares.get(tuple(str(claim[name]) for name in OF_A_CLAIM), {})
    couples = claim["subset"] == COUPLES
    groups = (str(claim["contrast"]),) if couples else contrast_groups(claim)
    return tuple(known[group] for group in groups if group in known)


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
        none = f"None of {count(people, unit)} moves a score {far}"
        if all(one.exact for one in shares):
            return f"{none}: everybody was met."
        most = max(one.high or 0.0 for one in shares)
        return f"{none}; up to {percent(most)} of other {unit}s might."
    who = f"{by} moves" if by else "It moves"
    intervals = [f" ({words})" if (words := between(one)) else "" for one in shares]
    if kind == COUPLES:
        return f"{who} {moved:,} of {count(people, unit)} {far}{intervals[0]}."
    many = [
        percent(one.share) if one.weighted and one.share is not None
        else f"{one.moved:,} of {one.people:,}"
        for one in shares
    ]  # fmt: skip
    groups = ", ".join(
        f"{one.group} {much}{interval}"
        for one, much, interval in zip(shares, many, intervals, strict=True)
    )
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
        return "100 %" if share >= 1 - ROUNDING else "over 99 %"
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


GROUPS = {
    "African American": "Black", "European American": "White", "Anglo": "White",
    "Latino": "Hispanic",
}  # fmt: skip
"""What groups of the Equity Evaluation Corpora are called in the Census."""
SHOWN = 4
"""Systems that the paragraph tells of."""
WORTH = 0.005
"""Half a point: smaller differences on the list are not worth a sentence."""
OF_A_PIVOT = ("system", "task", "axis", "contrast")
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

    @property
    def stays(self) -> bool:
        """Whether the population shows it tilted, the same way."""
        same = float(self.drawn["value"]) * float(self.listed["value"]) > 0
        return same and self.drawn["verdict"] == Verdict.TILTED


def population_adds(material: AuditResults) -> list[str]:
    """What the second corpus adds, a sentence for each system and axis; the clearest first.

    A difference that one name of a list makes vanishes over a population; one that the group makes
    stays. Nothing where not the same systems were audited on a list and over a population.
    """
    known = population_words_in(material.run)
    drawn = [one for one in material.compared if one.name in known]
    listed = [one for one in material.compared if one.name not in known]
    if material.tilts is None or material.tilts.is_empty() or not drawn or not listed:
        return []
    found = list[tuple[BothClaims, str]]()
    for one in listed:
        for other in drawn:
            population = known[other.name]
            whole = f"Over the {population.names:,} names of {population.title}"
            for claim in both_claims(material, one, other):
                if abs(claim.listed["value"]) < WORTH:
                    continue
                verdict = SAID_OF[claim.drawn["verdict"]]
                begin = f"{claim.system} on {one.name}: {_difference(claim.listed, one)}"
                if claim.person:
                    size = _points(claim.drawn["value"])
                    text = (
                        f"{begin}, and it comes from one name ({claim.person}). {whole} the "
                        f"difference is {size}, {verdict}."
                    )
                else:
                    text = (
                        f"{begin} ({claim.listed['n']:,} names). {whole} it stays: "
                        f"{_difference(claim.drawn, other)}, {verdict}."
                    )
                found.append((claim, text))
    found.sort(key=lambda pair: (not pair[0].vanishes, -coarsen(abs(pair[0].drawn["value"]))))
    gone = [text for claim, text in found if claim.vanishes]
    stay = [text for claim, text in found if claim.stays]
    return [*gone[: SHOWN // 2], *stay[: SHOWN // 2]]


def both_claims(
    material: AuditResults, listed: CorpusComparisons, drawn: CorpusComparisons
) -> Iterator[BothClaims]:
    """The claims by names that a list and a population have in common."""
    if material.tilts is None:
        return
    names = material.tilts.filter(pl.col("subset") == NAMES, pl.col("value").is_not_null())
    of_drawn = {
        tuple(row[name] for name in OF_A_PIVOT): row
        for row in names.filter(corpus=drawn.name).iter_rows(named=True)
    }
    pivots = pl.DataFrame() if listed.pivots is None else listed.pivots.filter(kind=NAMES)
    people = {
        tuple(row[name] for name in OF_A_PIVOT): row["person"]
        for row in pivots.iter_rows(named=True)
        if driven_by_one_person(row)
    }
    for row in names.filter(corpus=listed.name).iter_rows(named=True):
        key = row["system"], row["task"], row["axis"]
        in_census = "-".join(GROUPS.get(group, group) for group in contrast_groups(row))
        other = of_drawn.get((*key, in_census))
        if other is not None and not material.is_apart(*key[:2], listed.name):
            yield BothClaims(*key, row, other, people.get((*key, row["contrast"]), ""))


def _difference(row: Row, compared: CorpusComparisons) -> str:
    """How much higher, and where: "1.1 points higher with African American names"."""
    sides = sides_between(compared, str(row["axis"]), *contrast_groups(row))
    return f"{_points(row['value'])} {sides.towards(row['value'] > 0)}"


def _points(value: float) -> str:
    """A size in points, two decimals at most."""
    size = abs(value) * POINTS
    number = fixed(size, 1 if size >= 1 else 2)
    return f"{number} point{'s' if number != '1' else ''}"
