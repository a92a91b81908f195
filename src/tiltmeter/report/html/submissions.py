"""What the page shows, read out of the tables: panels, submissions, and a finding for each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import polars as pl

from tiltmeter.report.material import Compared, Material
from tiltmeter.report.rank_words import Places, places_of
from tiltmeter.report.slugs import numbered, slug
from tiltmeter.report.wording import Sides, hangs_on_one

KEYS = ("system", "task", "corpus", "edition", "axis", "contrast")
MEAN, IN_SD = "mean_difference", "in_sd"
_Skill = tuple[float | None, int | None, Places | None]
PLANTED = "planted"
"""The kind of control whose differences were put in on purpose."""


@dataclass(frozen=True, slots=True)
class Panel:
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

    @property
    def sides(self) -> Sides:
        """Both in words."""
        return Sides(self.about_first, self.about_second, self.average)

    def towards(self, up: bool) -> str:
        """Who is scored higher: `higher about women`."""
        return self.sides.towards(up)


@dataclass(frozen=True, slots=True)
class Verdict:
    """A tilt over people, templates and words like these, held against a margin."""

    verdict: str
    margin: float
    value: float | None
    low: float | None
    high: float | None
    se: float | None
    sentence: str


@dataclass(frozen=True, slots=True)
class Told:
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
    tilt: Verdict | None = None
    """What may be said past these sentences; None in published mode."""

    @property
    def detected(self) -> bool:
        """Whether a difference was detected."""
        return self.significance in ("up", "down")


@dataclass(frozen=True, slots=True)
class Submission:
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
    told: Mapping[tuple[str, str], Told]
    """By axis and contrast."""
    skill: float | None = None
    """Correlation with gold scores, by the measure that systems are ranked by."""
    rank: int | None = None
    """By skill; only for the order: what is shown are the places."""
    places: Places | None = None
    """The ranks by skill that the gold texts allow."""
    by_size: Mapping[tuple[str, str], Places] = field(default_factory=dict)
    """By axis and contrast: the ranks by size of tilt that the data allow."""
    control: bool = False
    """Whether it is a control."""
    no_signal: str = ""
    """Why it is taken not to read the sentences; nothing where it reads them."""

    @property
    def apart(self) -> bool:
        """Whether it is counted apart."""
        return self.control or bool(self.no_signal)


def panels(compared: Compared, corpus: int) -> tuple[Panel, ...]:
    """The contrasts of a corpus, in its order."""
    found = compared.pairs.select("axis", "contrast", "first", "second").unique(maintain_order=True)
    return tuple(
        Panel(
            corpus, axis, contrast, first, second,
            compared.phrase(axis, first), compared.phrase(axis, second),
            compared.is_average(axis, second),
        )
        for axis, contrast, first, second in found.rows()
    )  # fmt: skip


def groups_of(panels: Sequence[Panel]) -> tuple[tuple[Panel, ...], list[tuple[Panel, ...]]]:
    """Contrasts of two groups; and those with the average of all, an axis' together."""
    axes: dict[str, list[Panel]] = {}
    for panel in panels:
        if panel.average:
            axes.setdefault(panel.axis, []).append(panel)
    pairs = tuple(panel for panel in panels if not panel.average)
    return pairs, [tuple(found) for found in axes.values()]


def beside_average(panels: Sequence[Panel]) -> Panel:
    """What stands for all contrasts of an axis with the average of all."""
    return replace(panels[0], contrast="", first="each group", about_first="than the average")


def submissions(material: Material) -> tuple[Submission, ...]:
    """Every submission of every corpus, with its findings on the subset the page puts first."""
    told, skills, controls = _told(material), _skills(material), material.controls
    sizes = _by_size(material)
    anchors = iter(_anchors(material.compared))
    found: list[Submission] = []
    for corpus, compared in enumerate(material.compared):
        for row, one in enumerate(compared.submissions.iter_rows(named=True)):
            system, task = str(one["system"]), str(one["task"])
            skill, rank, places = skills.get((system, task), (None, None, None))
            found.append(
                Submission(
                    nth=len(found), row=row, corpus=corpus, system=system, task=task,
                    unit=str(one["unit"]), missing=int(one["n_missing"]), anchor=next(anchors),
                    told=told.get((system, task, compared.name, compared.edition), {}),
                    skill=skill, rank=rank, places=places, control=system in controls,
                    no_signal=material.no_signal.get((system, task, compared.name), ""),
                    by_size=sizes.get((system, task, compared.name, compared.edition), {}),
                )
            )  # fmt: skip
    return tuple(found)


def _told(material: Material) -> dict[tuple[str, ...], dict[tuple[str, str], Told]]:
    """The findings of the page's subset, by submission, then by axis and contrast."""
    estimates = material.estimates.filter(pl.col("subset") == material.subset)
    means = estimates.filter(pl.col("measure") == MEAN)
    findings = material.findings.filter(
        (pl.col("subset") == material.subset) & (pl.col("measure") == MEAN)
    ).join(means.select(*KEYS, "se", "unit", "n_dropped"), on=KEYS, how="left")
    in_sd = {
        row[:-3]: row[-3:]
        for row in estimates.filter(pl.col("measure") == IN_SD)
        .select(*KEYS, "value", "low", "high")
        .rows()
    }
    resting, tilts = _resting(material), _tilts(material)
    found: dict[tuple[str, ...], dict[tuple[str, str], Told]] = {}
    for one in findings.iter_rows(named=True):
        key = tuple(str(one[name]) for name in KEYS)
        facts = {name: one[name] for name in Told.__slots__ if name in one}
        spread = in_sd.get(key) if None not in in_sd.get(key, ()) else None
        told = Told(**facts, in_sd=spread, rests=resting.get(key, ""), tilt=tilts.get(key))
        found.setdefault(key[:4], {})[key[4], key[5]] = told
    return found


def _tilts(material: Material) -> dict[tuple[str, ...], Verdict]:
    """The verdicts on the page's subset."""
    if material.tilts is None:
        return {}
    rows = material.tilts.filter(pl.col("subset") == material.subset)
    return {
        tuple(str(one[name]) for name in KEYS): Verdict(
            **{name: one[name] for name in Verdict.__slots__}
        )
        for one in rows.iter_rows(named=True)
    }


def _resting(material: Material) -> dict[tuple[str, ...], str]:
    """Who most of a difference over all sentences comes from, where it is one person."""
    return {
        (row["system"], row["task"], one.name, one.edition, row["axis"], row["contrast"]): (
            row["person"]
        )
        for one in material.compared
        if one.pivots is not None and material.subset == "all"
        for row in one.pivots.iter_rows(named=True)
        if hangs_on_one(row)
    }


def counted(of: Sequence[Submission]) -> list[Submission]:
    """Those that are counted: none apart, unless all are."""
    return [one for one in of if not one.apart] or list(of)


def planted(material: Material) -> set[str]:
    """The controls whose differences were put in on purpose."""
    return {system for system, kind in material.controls.items() if kind == PLANTED}


def ranked_by(material: Material) -> str:
    """The correlation that systems are ranked by: pearson or spearman."""
    return str(material.run.get("gold", {}).get("rank_by", "pearson"))


def _skills(material: Material) -> dict[tuple[str, str], _Skill]:
    """Skill, rank and places by system and task."""
    if material.skill is None:
        return {}
    by = ranked_by(material)
    return {
        (row["system"], row["task"]): (row[by], row["rank"], places_of(row))
        for row in material.skill.iter_rows(named=True)
    }


def _by_size(material: Material) -> dict[tuple[str, ...], dict[tuple[str, str], Places]]:
    """Places by size of tilt, by submission, then by axis and contrast."""
    found: dict[tuple[str, ...], dict[tuple[str, str], Places]] = {}
    for row in () if material.ranks is None else material.ranks.iter_rows(named=True):
        key = tuple(str(row[name]) for name in KEYS)
        if places := places_of(row):
            found.setdefault(key[:4], {})[key[4], key[5]] = places
    return found


def _anchors(compared: tuple[Compared, ...]) -> list[str]:
    """An address for each submission, the same in every run of the same systems."""
    tasks = {task for one in compared for task in one.submissions["task"]}
    wanted = []
    for one in compared:
        for system, task in one.submissions.select("system", "task").rows():
            parts = [system, task if len(tasks) > 1 else "", one.name if len(compared) > 1 else ""]
            wanted.append("system-" + ".".join(slug(part) for part in parts if part))
    return numbered(wanted)
