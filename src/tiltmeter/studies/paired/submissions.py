"""What the page shows, read out of the tables: panels, submissions, a finding for each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

import polars as pl

from tiltmeter.report.numbers import DASH, SCALE, bare_p, count, fixed, short, size
from tiltmeter.report.phrases import numbered, slug
from tiltmeter.schemas import Significance
from tiltmeter.studies.paired.results import AuditResults, CorpusComparisons
from tiltmeter.studies.paired.verdict_wording import MovedShare, moved_of, moved_shares
from tiltmeter.studies.paired.wording import (
    Places,
    Sides,
    driven_by_one_person,
    interval_towards_higher,
    places_of,
)

T = TypeVar("T")
Key = tuple[str, str, str]
"""Axis, contrast, and whom it is about: names, couples, or nobody in particular."""
FoundBy = dict[tuple[str, ...], dict[Key, T]]
"""By submission (system, task, corpus, edition), then by key."""
KEYS = ("system", "task", "corpus", "edition", "axis", "contrast")
MEAN, ALL = "mean_difference", "all"
OF_A_FINDING = (
    "value", "low", "high", "se", "p_adjusted", "n", "n_dropped", "unit", "significance",
    "sentence",
)  # fmt: skip
UNTESTED = "untested"
"""Of a claim on too few templates to speak of other sentences."""
LONG = 34
"""Letters of a phrase that an end of a scale has room for."""
PLANTED = "planted"
"""The kind of control whose differences were put in on purpose."""


@dataclass(frozen=True, slots=True)
class ContrastPanel:
    """One contrast of one corpus, and how its two groups' sentences are spoken of."""

    corpus: int
    axis: str
    contrast: str
    first: str
    second: str
    about_first: str
    about_second: str
    average: bool = False
    """Whether the second is no group, but the average of all."""
    people: str = ""
    """Whom a claim is about: names or couples; nothing where all pairs are meant."""

    @property
    def key(self) -> Key:
        """What its findings are found by."""
        return self.axis, self.contrast, self.people

    @property
    def by(self) -> str:
        """As in `, by names`."""
        return f", by {self.people}" if self.people else ""

    @property
    def title(self) -> str:
        """Both sides in words."""
        return f"Sentences {self.about_first} and {self.about_second}{self.by}"

    @property
    def sides(self) -> Sides:
        """Both in words."""
        return Sides(self.about_first, self.about_second, self.average)

    def towards(self, up: bool) -> str:
        """Who is scored higher: `higher about women`."""
        return self.sides.towards(up)

    def end(self, up: bool) -> str:
        """The same at an end of a scale; the group's own name where a phrase is long."""
        if self.average or max(len(self.towards(one)) for one in (True, False)) <= LONG:
            return self.towards(up)
        return f"{self.first if up else self.second} higher"


@dataclass(frozen=True, slots=True)
class ShownVerdict:
    """What a claim comes to: its interval held against a margin."""

    verdict: str
    margin: float
    sentence: str
    reference: str
    df: float | None
    low_these: float | None
    """These people, other sentences: the interval where people are fixed."""
    high_these: float | None
    p_these: float | None


@dataclass(frozen=True, slots=True)
class ShownFinding:
    """One finding with what its picture needs; None where there is no number."""

    value: float | None
    low: float | None
    high: float | None
    se: float | None
    p_adjusted: float | None
    n: int
    n_dropped: int
    unit: str
    significance: str
    sentence: str
    in_sd: tuple[float, float, float] | None = None
    """Value, low and high in standard deviations of the system's own scores."""
    rests: str = ""
    """The one name or pair that most of a detected difference comes from; else empty."""
    tilt: ShownVerdict | None = None
    """The verdict of a claim; None of pairs."""
    moved: tuple[MovedShare, ...] = ()
    """Of each group, or of the couples: who is moved by more than the margin."""

    @property
    def detected(self) -> bool:
        """Whether a difference was detected."""
        return self.significance in (Significance.UP, Significance.DOWN)


@dataclass(frozen=True, slots=True)
class ShownSubmission:
    """A system's answers for one task on one corpus."""

    nth: int
    """Its place on the page."""
    row: int
    """Its place in the corpus' arrays."""
    corpus: int
    system: str
    task: str
    unit: str
    missing: int
    anchor: str
    told: Mapping[Key, ShownFinding]
    """What the answer tells: claims where there are any, else findings over pairs."""
    pairs: Mapping[Key, ShownFinding] = field(default_factory=dict)
    """The findings over pairs, which boxes and the papers' tables are of."""
    skill: float | None = None
    """Correlation with gold scores, by the measure that systems are ranked by."""
    rank: int | None = None
    """By skill; only for the order: what is shown are the places."""
    places: Places | None = None
    """The ranks by skill that the gold texts allow."""
    by_size: Mapping[Key, Places] = field(default_factory=dict)
    """By axis, contrast and kind: the ranks by size of tilt that the data allow."""
    control: bool = False
    """Whether it is a control."""
    no_signal: str = ""
    """Why it is taken not to read the sentences; nothing where it reads them."""

    @property
    def apart(self) -> bool:
        """Whether it is counted apart."""
        return self.control or bool(self.no_signal)


def panels(compared: CorpusComparisons, corpus: int) -> tuple[ContrastPanel, ...]:
    """The contrasts of a corpus, in its order."""
    found = compared.study.pairs.select("axis", "contrast", "first", "second").unique(
        maintain_order=True
    )
    return tuple(
        ContrastPanel(
            corpus, axis, contrast, first, second,
            compared.phrase(axis, first), compared.phrase(axis, second),
            compared.is_average(axis, second),
        )
        for axis, contrast, first, second in found.rows()
    )  # fmt: skip


def answer_panels(material: AuditResults) -> tuple[tuple[ContrastPanel, ...], ...]:
    """For each corpus what the answer is about: its claims, by names and by couples.

    A contrast without a claim, as in published mode, is of all pairs.
    """
    kinds: dict[tuple[str, ...], list[str]] = {}
    for *key, subset in (
        _claims(material).select(*KEYS[2:], "subset").unique(maintain_order=True).iter_rows()
    ):
        kinds.setdefault(tuple(map(str, key)), []).append(str(subset))
    return tuple(
        tuple(
            replace(panel, people=kind)
            for panel in panels(one, nth)
            for kind in kinds.get((one.name, one.edition, panel.axis, panel.contrast), ("",))
        )
        for nth, one in enumerate(material.compared)
    )


def _claims(material: AuditResults) -> pl.DataFrame:
    """The claims that the answer tells; none where another subset is put first."""
    if material.tilts is None:
        return material.paired_findings.clear()
    return material.tilts if material.subset == ALL else material.tilts.clear()


def groups_of(
    panels: Sequence[ContrastPanel],
) -> tuple[tuple[ContrastPanel, ...], list[tuple[ContrastPanel, ...]]]:
    """Contrasts of two groups; and those with the average of all, an axis' and kind's together."""
    axes: dict[tuple[str, str], list[ContrastPanel]] = {}
    for panel in panels:
        if panel.average:
            axes.setdefault((panel.axis, panel.people), []).append(panel)
    pairs = tuple(panel for panel in panels if not panel.average)
    return pairs, [tuple(found) for found in axes.values()]


def beside_average(panels: Sequence[ContrastPanel]) -> ContrastPanel:
    """What stands for all contrasts of an axis with the average of all."""
    return replace(panels[0], contrast="", first="each group", about_first="than the average")


def submissions(material: AuditResults) -> tuple[ShownSubmission, ...]:
    """Every submission of every corpus, with its findings on the subset the page puts first."""
    pairs, claims = _pair_findings(material), _claim_findings(material)
    skills = {
        (row["system"], row["task"]): (row[ranked_by(material)], row["rank"], places_of(row))
        for row in (material.skill.iter_rows(named=True) if material.skill is not None else ())
    }
    sizes: FoundBy[Places] = {}
    for row in material.ranks.iter_rows(named=True) if material.ranks is not None else ():
        *submission, axis, contrast = (str(row[name]) for name in KEYS)
        if places := places_of(row):
            ranks = sizes.setdefault(tuple(submission), {})
            ranks[axis, contrast, str(row["kind"])] = places
            ranks.setdefault((axis, contrast, ""), places)  # all pairs: as those by names
    every = [
        (corpus, compared, row)
        for corpus, compared in enumerate(material.compared)
        for row in compared.submissions.with_row_index("row").iter_rows(named=True)
    ]
    several_tasks = len({row["task"] for _, _, row in every}) > 1
    several = len(material.compared) > 1
    anchors = numbered([  # the same in every run of the same systems
        "system-" + ".".join(slug(part) for part in (
            row["system"], row["task"] if several_tasks else "", compared.name if several else "",
        ) if part)
        for _, compared, row in every
    ])  # fmt: skip
    found = []
    for nth, (corpus, compared, row) in enumerate(every):
        system, task = str(row["system"]), str(row["task"])
        skill, rank, ranks_by_skill = skills.get((system, task), (None, None, None))
        key = system, task, compared.name, compared.edition
        own_claims, over_pairs = claims.get(key, {}), pairs.get(key, {})
        claimed = {(axis, contrast) for axis, contrast, _ in own_claims}
        rest = {one: finding for one, finding in over_pairs.items() if one[:2] not in claimed}
        found.append(ShownSubmission(
            nth=nth, row=row["row"], corpus=corpus, system=system, task=task,
            unit=str(row["unit"]), missing=int(row["n_missing"]), anchor=anchors[nth],
            told={**own_claims, **rest}, pairs=over_pairs,
            skill=skill, rank=rank, places=ranks_by_skill, by_size=sizes.get(key, {}),
            control=system in material.controls,
            no_signal=material.apart.no_signal.get((system, task, compared.name), ""),
        ))  # fmt: skip
    return tuple(found)


def _pair_findings(material: AuditResults) -> FoundBy[ShownFinding]:
    """The findings over pairs of the page's subset."""
    estimates = material.paired_estimates.filter(subset=material.subset)
    means = estimates.filter(measure=MEAN).select(*KEYS, "se", "unit", "n_dropped")
    findings = material.paired_findings.filter(subset=material.subset, measure=MEAN)
    in_sd = {
        row[:-3]: row[-3:]
        for row in estimates.filter(measure="in_sd").select(*KEYS, "value", "low", "high").rows()
        if None not in row[-3:]
    }
    driving, found = _driving_people(material), FoundBy[ShownFinding]()
    for row in findings.join(means, on=KEYS, how="left").iter_rows(named=True):
        key = tuple(str(row[name]) for name in KEYS)
        found.setdefault(key[:4], {})[key[4], key[5], ""] = ShownFinding(
            **{name: row[name] for name in OF_A_FINDING}, in_sd=in_sd.get(key),
            rests=driving.get((*key, ""), ""),
        )  # fmt: skip
    return found


def _claim_findings(material: AuditResults) -> FoundBy[ShownFinding]:
    """The claims, each with its verdict and whom it moves."""
    shares, driving = moved_shares(material.paired_estimates), _driving_people(material)
    spread: dict[tuple[str, ...], float | None] = {
        (system, task, one.name, one.edition): sd
        for one in material.compared
        for system, task, sd in one.submissions.select("system", "task", "sd").rows()
    }
    found = FoundBy[ShownFinding]()
    for row in _claims(material).iter_rows(named=True):
        key, kind = tuple(str(row[name]) for name in KEYS), str(row["subset"])
        ends, sd, in_sd = (row["value"], row["low"], row["high"]), spread.get(key[:4]), None
        if row["unit"] == "native" and sd and None not in ends:
            in_sd = ends[0] / sd, ends[1] / sd, ends[2] / sd
        facts = {name: row[name] for name in OF_A_FINDING}
        found.setdefault(key[:4], {})[key[4], key[5], kind] = ShownFinding(
            **(facts | {"significance": shown_significance(row)}), in_sd=in_sd,
            rests=driving.get((*key, kind), ""),
            tilt=ShownVerdict(**{name: row[name] for name in ShownVerdict.__slots__}),
            moved=moved_of(row, shares),
        )  # fmt: skip
    return found


def shown_significance(claim: Mapping[str, object]) -> str:
    """Whether a difference shows with these people, over other sentences: up, down, none.

    `untested` below four templates, which say nothing of other sentences.

    >>> print(shown_significance({"value": 0.01, "low_these": 0.002, "high_these": 0.018}))
    up
    >>> shown_significance({"value": 0.01, "low_these": None, "high_these": None})
    'untested'
    """
    low, high = claim["low_these"], claim["high_these"]
    if claim["value"] is None:
        return Significance.NOT_ESTIMABLE
    if not isinstance(low, float) or not isinstance(high, float):
        return UNTESTED
    return Significance.UP if low > 0 else Significance.DOWN if high < 0 else Significance.NONE


def _driving_people(material: AuditResults) -> dict[tuple[str, ...], str]:
    """Who most of a difference comes from, where it is one person; by kind of claim, or none."""
    return {
        (
            row["system"], row["task"], one.name, one.edition, row["axis"], row["contrast"],
            row["kind"],
        ): row["person"]
        for one in material.compared
        if one.pivots is not None and material.subset == ALL
        for row in one.pivots.iter_rows(named=True)
        if driven_by_one_person(row)
    }  # fmt: skip


def counted(of: Sequence[ShownSubmission]) -> list[ShownSubmission]:
    """Those that are counted: none apart, unless all are."""
    return [one for one in of if not one.apart] or list(of)


def planted(material: AuditResults) -> set[str]:
    """The controls whose differences were put in on purpose."""
    return {system for system, kind in material.controls.items() if kind == PLANTED}


def ranked_by(material: AuditResults) -> str:
    """The correlation that systems are ranked by: pearson or spearman."""
    return material.run.gold.rank_by if material.run.gold else "pearson"


OF_A_SUBSET = ("axis", "contrast", "subset")
DESCRIBED = (
    "mean_up", "mean_down", "spread", "max_abs", "mean_abs", "standardised", "sign_flip"
)  # fmt: skip
"""Measures that stand beside the mean difference."""


def subset_names(estimates: pl.DataFrame, compared: CorpusComparisons) -> list[list[str]]:
    """Axis, contrast and name of every subset that some submission has."""
    return [list(row) for row in _subsets(estimates, compared).rows()]


def subset_rows(
    material: AuditResults, compared: CorpusComparisons
) -> list[list[list[Any] | None]]:
    """For each submission and subset: its finding as it is read; None where there is none.

    The way it leans (−1, 0 or 1), size, interval, p after correction, sign-flip p, pairs, pairs
    dropped, and significance.
    """
    names = _subsets(material.paired_estimates, compared).with_row_index("subset_nth")
    found: list[list[list[Any] | None]] = [
        [None] * names.height for _ in range(compared.submissions.height)
    ]
    units = compared.submissions["unit"].to_list()
    keys = ["system", "task", *OF_A_SUBSET]
    estimates = _mine(material.paired_estimates, compared)
    flips = estimates.filter(pl.col("measure") == "sign_flip").select(*keys, flip="p")
    dropped = estimates.filter(pl.col("measure") == MEAN).select(*keys, "n_dropped")
    table = (
        _mine(material.paired_findings, compared)
        .filter(pl.col("measure") == MEAN)
        .join(flips, on=keys, how="left")
        .join(dropped, on=keys, how="left")
        .join(names, on=list(OF_A_SUBSET))
        .join(_rows(compared), on=["system", "task"])
    )
    for row in table.iter_rows(named=True):
        found[row["row"]][row["subset_nth"]] = _subset_row(row, units[row["row"]])
    return found


def _subset_row(row: Mapping[str, Any], unit: str) -> list[Any]:
    value, low, high = row["value"], row["low"], row["high"]
    amount, between = size(None if value is None else abs(value), unit), ""
    if None not in (value, low, high):
        amount, start, end = interval_towards_higher(value, low, high, unit)
        between = f"{start} to {end}"
    return [
        0 if not value else 1 if value > 0 else -1, amount, between, bare_p(row["p_adjusted"]),
        bare_p(row["flip"]), f"{row['n']:,}", f"{row['n_dropped'] or 0:,}", row["significance"],
    ]  # fmt: skip


def descriptions(
    material: AuditResults, compared: CorpusComparisons
) -> list[list[list[list[str] | None]]]:
    """For each submission and contrast: each measure described, as it is read, and a note."""
    contrasts = compared.study.pairs.select("axis", "contrast").unique(maintain_order=True).rows()
    place = {key: nth for nth, key in enumerate(contrasts)}
    units = compared.submissions["unit"].to_list()
    found: list[list[list[list[str] | None]]] = [
        [[None] * len(DESCRIBED) for _ in contrasts] for _ in range(compared.submissions.height)
    ]
    table = (
        _mine(material.paired_estimates, compared)
        .filter(pl.col("subset") == material.subset, pl.col("measure").is_in(DESCRIBED))
        .join(_rows(compared), on=["system", "task"])
    )
    for row in table.iter_rows(named=True):
        measure, value, unit = row["measure"], row["value"], units[row["row"]]
        pairs, described = count(row["n"] or 0, "pair"), None
        if measure == "standardised":
            ends = row["low"], row["high"]
            between = "" if None in ends else " to ".join(fixed(end, 2) for end in ends)
            described = [short(value), f"95 % interval {between}" if between else ""]
        elif measure != "sign_flip":
            units_words = "points" if unit == SCALE else "own units"
            much = DASH if value is None else f"{size(abs(value), unit)} {units_words}"
            described = [much, pairs if measure in ("mean_up", "mean_down") else ""]
        elif row["p"] is not None:
            described = [bare_p(row["p"]), pairs]
        of_contrast = found[row["row"]][place[row["axis"], row["contrast"]]]
        of_contrast[DESCRIBED.index(measure)] = described
    return found


def _rows(compared: CorpusComparisons) -> pl.DataFrame:
    return compared.submissions.select("system", "task").with_row_index("row")


def _mine(frame: pl.DataFrame, compared: CorpusComparisons) -> pl.DataFrame:
    return frame.filter(pl.col("corpus") == compared.name, pl.col("edition") == compared.edition)


def _subsets(estimates: pl.DataFrame, compared: CorpusComparisons) -> pl.DataFrame:
    mine = _mine(estimates, compared).filter(pl.col("measure") == MEAN)
    return mine.select(OF_A_SUBSET).unique(maintain_order=True)
