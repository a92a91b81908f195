"""What a corpus can tell before an audit, by names and by couples, and what more names would."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from tiltmeter.claims.judge import Rule
from tiltmeter.claims.power import reach
from tiltmeter.claims.verdict import Margins, thresholds
from tiltmeter.corpora import (
    BEARERS,
    CENSUS_GROUPS,
    CENSUS_SPOKEN,
    EACH_ALIKE,
    POPULATION_CELL,
    Corpus,
    Population,
    load_corpus,
    usual_frames,
)
from tiltmeter.errors import TiltmeterError
from tiltmeter.scoring import Progress, Settings
from tiltmeter.scoring.corpus_scores import score_corpus
from tiltmeter.scoring.matrix import SCALE, score_matrix
from tiltmeter.scoring.open_systems import Specs, open_systems
from tiltmeter.scoring.scoring_run import find_corpus, scoring_options
from tiltmeter.studies.audit.options import (
    check_stored,
    contrasts_wanted,
    margins_given,
    references_given,
)
from tiltmeter.studies.audit.stored_audit import read_audit
from tiltmeter.studies.paired.claims import COUPLES, NAMES, compared_sides
from tiltmeter.studies.paired.contrasts import Contrast
from tiltmeter.studies.paired.tilt import TiltStudy, tilt_study
from tiltmeter.studies.planning.design import (
    CellDesign,
    ClaimDesign,
    Spreads,
    couples_design,
    couples_spreads,
    expected_error,
    listed_cell,
    names_design,
    names_drawn,
    names_spreads,
    population_cell,
    words_in,
)
from tiltmeter.systems import Options

Array = NDArray[np.float64]

TYPICAL = Spreads(people=0.021, couples=0.0081, words=0.0, noise=0.013, moves=0.24)
"""Planned with where no system is named; docs/plan.md says what they were measured on."""
SIZES = (10, 40, 100, 300, 600)
"""Names a cell that a plan shows, and all."""
LARGEST = "names-us"
"""The population that a list of names in English is planned to grow into."""
EEC = ("eec", "eec-latino", "eec-arab")
"""Corpora in English whose sentences names-us has with other people."""
FEWEST, MOST = 2, 2**14
"""Names a cell between which a margin's need is looked for."""
NO_SCALE = "no scale is known for its scores, so no margin can be held against it; give --scale"
NO_SAMPLE = "too few people are compared, or nothing moves its scores, so nothing tells its spread"
KEYS: dict[str, type[pl.DataType]] = dict.fromkeys(
    ("system", "task", "axis", "contrast", "kind"), pl.String
)
REACH = ("half_width", "tilted_from", "even_within")
SPREADS = ("sd_people", "sd_low", "sd_high", "sd_words", "sd_noise", "moves")
SCHEMA = (
    KEYS
    | dict.fromkeys(("people", "templates", "words", "sentences"), pl.Int64)
    | dict.fromkeys(("margin", *SPREADS, "se", "df", *REACH), pl.Float64)
    | {"needed_people": pl.Int64, "reason": pl.String}
)
MORE = (
    KEYS
    | {"population": pl.String, "people": pl.Int64, "census": pl.Boolean, "sentences": pl.Int64}
    | dict.fromkeys(("se", *REACH, "half_width_high", "even_within_high"), pl.Float64)
)


@dataclass(frozen=True, slots=True)
class Plan:
    """What can be told of each claim, and what more names would tell."""

    corpus: str
    edition: str
    table: pl.DataFrame
    """A row a system and claim; docs/plan.md tells the columns of both tables."""
    more: pl.DataFrame
    """A row a system, claim by names and number of names a cell."""
    level: float
    family: int
    power: float
    assumed: Spreads | None
    """The spreads planned with, where they were not measured on a system."""

    @property
    def typical(self) -> Spreads | None:
        """The medians of the systems' spreads, where they have any."""
        if self.assumed or self.table["se"].null_count() == self.table.height:
            return None
        names, couples = (
            self.table.filter(pl.col("kind") == kind, pl.col("se") > 0) for kind in (NAMES, COUPLES)
        )

        def median(rows: pl.DataFrame, name: str) -> float:
            return float(np.median(rows[name].to_numpy())) if rows.height else 0.0

        return Spreads(
            median(names, "sd_people"), median(couples, "sd_people"), median(names, "sd_words"),
            median(names, "sd_noise"), median(names, "moves"),
        )  # fmt: skip

    @property
    def facts(self) -> dict[str, Any]:
        """What determines the numbers."""
        spreads = asdict(self.assumed) if self.assumed else "measured"
        return {
            "corpus": self.corpus, "edition": self.edition, "level": self.level,
            "family": self.family, "correction": "bonferroni", "power": self.power,
            "spreads": spreads,
        }  # fmt: skip


@dataclass(frozen=True, slots=True)
class _ClaimPlan:
    """A claim to plan for: its design, and the spreads that one system has in it."""

    system: str | None
    task: str | None
    design: ClaimDesign
    spreads: Spreads
    bounds: tuple[float, float] | None = None
    """Between which the spread of people lies."""
    reason: str | None = None


def plan(
    systems: Specs | None = None,
    corpus: Corpus | Path | str = "eec",
    *,
    folder: Path | str | None = None,
    margin: float | Mapping[str, float] | None = None,
    spreads: Spreads | None = None,
    level: float = 0.05,
    family: int | None = None,
    power: float | None = None,
    reference: Mapping[str, str] | None = None,
    all_pairs: bool = False,
    edition: str | None = None,
    columns: Mapping[str, str] | None = None,
    axes: Mapping[str, Sequence[str]] | None = None,
    language: str | None = None,
    encoding: str | None = None,
    tasks: Sequence[str] = (),
    options: Options | None = None,
    store: Path | str | None = None,
    settings: Settings | None = None,
    progress: Progress | None = None,
) -> Plan:
    """Say what tilt a corpus can show or rule out, by names and by couples, and what more would.

    The spreads are those of `systems`, asked or stored; or of an audit's `folder`; or else
    `spreads`, in parts of the scale, by default typical ones. `margin` is one for all axes, or by
    axis, with `default` for the others. `reference` and `all_pairs` say what is compared, as in
    `audit`, and `columns`, `axes`, `language` and `encoding` how a corpus that is a table is read.
    `family` is how many claims the level is shared among, by default every row of the plan.
    """
    rule = Rule(level=level, family=family)
    sure = float(thresholds()["power"]) if power is None else power
    if not 0 < sure < 1:
        raise TiltmeterError(f"the power lies between 0 and 1, as in 0.8; found {sure:g}")
    if folder is not None and systems is not None:
        raise TiltmeterError("a plan rests on systems or on an audit's folder; give one of them")
    nobody = systems is None and folder is None
    if spreads is not None and not nobody:
        what = "a plan takes a system's own spreads from its scores"
        raise TiltmeterError(f"{what}; leave out the assumed standard deviations, or the systems")
    for name, sd in asdict(spreads).items() if spreads else ():
        if not 0 <= sd < 1:
            what = f"the standard deviation of {name} is {sd:g}"
            raise TiltmeterError(f"{what}; expected a part of the scale from 0 to 1, as in 0.01")
    loaded: Corpus | None = None
    if folder is not None:
        audit = read_audit(folder)
        if len(audit.corpora) > 1:
            what = f"{audit.path}: its audit is of several corpora, {', '.join(audit.corpora)}"
            raise TiltmeterError(f"{what}; plan from an audit of one")
        name, edition = audit.corpora[0], str(audit.sentences["edition"][0])
        contrasts = audit.contrasts(name)
        if not contrasts:
            what = f"{audit.path}: its audit compared no pairs of sentences"
            raise TiltmeterError(f"{what}; audit again with the measure pairs")
        sentences, scores = (one.filter(corpus=name) for one in (audit.sentences, audit.scores))
        compared = list(dict.fromkeys(one.axis for one in contrasts))
        people = audit.people_of(name)
        study, found = _measured_spreads(sentences, scores, contrasts, compared, people)
        margins = margins_given(margin, study.axes)
    else:
        reading = {"columns": columns, "axes": axes, "language": language, "encoding": encoding}
        loaded = find_corpus(corpus, edition, reading)
        if loaded.large:
            what = f"{loaded.name} has {loaded.size:,} sentences, more than a plan holds in memory"
            hint = "plan with fewer people, and see what more of them would do"
            raise TiltmeterError(f"{what}; {hint}")
        (contrasts,) = contrasts_wanted([loaded], references_given(reference), all_pairs=all_pairs)
        name, edition = loaded.name, loaded.edition
        compared = [axis.name for axis in loaded.axes]
        margins = margins_given(margin, compared)
        if systems is None:
            study = _design_study(loaded, contrasts)
            usual = spreads or TYPICAL
            found = [_ClaimPlan(None, None, one, usual) for one in _designs(study)]
        else:  # asked, or their answers taken from the store
            manner = scoring_options(options, store, settings, progress)
            with open_systems(systems, tasks, manner.options) as subjects:
                run = score_corpus(subjects, loaded, manner, None, 0, stream=False)
                check_stored([run], manner.settings)
            scores = run.lazy_scores().collect()
            study, found = _measured_spreads(
                loaded.sentences(), scores, contrasts, compared, loaded.people
            )
    if not found:
        raise TiltmeterError(f"{name}: no two of its sentences can be compared; nothing to plan")
    shared = rule.family or len(found)
    growths = _growth(study, name, loaded)
    rows, more = _tables(found, growths, margins, level / shared, sure)
    return Plan(
        name, edition, pl.DataFrame(rows, SCHEMA), pl.DataFrame(more, MORE), level, shared, sure,
        spreads or TYPICAL if nobody else None,
    )  # fmt: skip


# ------------------------------------------------------------ spreads


def _design_study(corpus: Corpus, contrasts: Sequence[Contrast]) -> TiltStudy:
    """A study of who stands where, as if every score were 0."""
    sentences, axes = corpus.sentences(), [axis.name for axis in corpus.axes]
    nothing = np.zeros((1, sentences.height))
    return tilt_study(sentences, nothing, contrasts, axes, people=corpus.people)


def _designs(study: TiltStudy) -> Iterator[ClaimDesign]:
    """The claims that can be made, as people were drawn: of each contrast by names, by couples."""
    for contrast, couples in study.couples.items():
        sides = compared_sides(study.effects, contrast, study.axes)
        if sides:
            yield names_drawn(study.effects, sides, contrast)
        if couples.people.height:
            yield couples_design(couples, contrast)


def _measured_spreads(
    sentences: pl.DataFrame,
    scores: pl.DataFrame,
    contrasts: Sequence[Contrast],
    axes: Sequence[str],
    people: pl.DataFrame,
) -> tuple[TiltStudy, list[_ClaimPlan]]:
    """The spreads of every system and task in each claim."""
    matrix = score_matrix(scores, sentences)
    width = matrix.submissions["width"].to_numpy()
    study = tilt_study(sentences, matrix.values, contrasts, axes, width, people)
    designs = {(one.contrast, one.kind): one for one in _designs(study)}
    found = []
    for contrast in study.couples:
        sides = compared_sides(study.effects, contrast, axes)
        for claim in study.claims(contrast):
            design = designs[contrast, claim.kind]
            for row, one in enumerate(matrix.submissions.iter_rows(named=True)):
                reason = None if one["unit"] == SCALE else NO_SCALE
                if reason is None and not np.isfinite(claim.se[row]):
                    reason = NO_SAMPLE
                if claim.kind == NAMES:
                    rng = np.random.default_rng(0)
                    own, bounds = names_spreads(design, claim, row, study.effects, sides, rng)
                else:
                    moves = float(study.moves(contrast)[row])
                    own, bounds = couples_spreads(design, claim, row, moves), None
                found.append(_ClaimPlan(one["system"], one["task"], design, own, bounds, reason))
    return study, found


# ------------------------------------------------------------ more names


@dataclass(frozen=True, slots=True)
class _Growth:
    """The designs of a claim by names with more and more names a cell."""

    population: str | None
    """None: people like these, of a population without end."""
    sizes: tuple[int | None, ...]
    """Names a cell; None: everybody."""
    designs: tuple[ClaimDesign, ...]
    sentences: tuple[int, ...]
    """Of the whole corpus at each size, where it draws from a population."""


def _growth(study: TiltStudy, name: str, corpus: Corpus | None) -> dict[Contrast, _Growth]:
    """For each contrast with a claim by names, its designs with other numbers of names."""
    known = load_corpus(LARGEST, people=SIZES[1]) if name == LARGEST or name in EEC else None
    own = _source(corpus if corpus is not None and name != LARGEST else known)
    wide = _source(known)
    found = {}
    for contrast in study.couples:
        sides = compared_sides(study.effects, contrast, study.axes)
        if not sides:
            continue
        larger = _in_census(contrast)
        if own is not None and name not in EEC:
            found[contrast] = _sampled_growth(study, contrast, contrast, own)
        elif wide is not None and known is not None and larger is not None:
            beside = _design_study(known, [larger])
            found[contrast] = _sampled_growth(beside, contrast, larger, wide)
        else:
            # with more names like those listed, each in every frame
            words = words_in(study.effects.frames)
            sizes = (*SIZES, *_grid(MOST))
            designs = tuple(
                names_design(contrast, [(side.share, cell) for side in sides], words)
                for cell in (listed_cell(n, words.frames) for n in sizes)
            )
            found[contrast] = _Growth(None, sizes, designs, tuple(d.sentences for d in designs))
    return found


def _grid(most: int) -> list[int]:
    """Whole numbers from few to many, each about 3 % more than the one before."""
    steps = np.geomspace(FEWEST, most, round(np.log(most / FEWEST) / 0.03) + 1)
    return [int(one) for one in np.unique(np.round(steps))]


@dataclass(frozen=True, slots=True)
class _Source:
    """The population that a corpus draws from, and how it does."""

    name: str
    population: Population
    weight: Array
    """(names,): what each counts."""
    frames: int | None
    """How many frames a name meets that counts no more than others; None: all."""
    couples: int
    """Sentences of those who are not drawn."""


def _source(corpus: Corpus | None) -> _Source | None:
    deal = corpus.design.deal if corpus is not None and corpus.design else None
    if corpus is None or deal is None:
        return None
    population, options = deal.sample.population, deal.sample.options
    column = BEARERS if options.weights == BEARERS else EACH_ALIKE
    frames = usual_frames(options, deal.all_frames)
    others = corpus.people.filter(pl.col("match") != population.match)["frames"].sum()
    return _Source(
        corpus.name, population, population.table[column].to_numpy().astype(np.float64),
        frames if isinstance(frames, int) else None, int(others),
    )  # fmt: skip


def _in_census(contrast: Contrast) -> Contrast | None:
    """The same comparison among the groups of names-us, where it has them."""
    if contrast.groups:
        return None
    if contrast.axis == "gender":
        return contrast if {contrast.first, contrast.second} == {"female", "male"} else None
    groups = [
        CENSUS_SPOKEN.get(CENSUS_GROUPS.get(one, "")) for one in (contrast.first, contrast.second)
    ]
    if None in groups or contrast.axis != "race":
        return None
    return replace(contrast, first=str(groups[0]), second=str(groups[1]))


def _sampled_growth(
    study: TiltStudy, contrast: Contrast, compared: Contrast, source: _Source
) -> _Growth:
    """With more names drawn from a population; `compared` is the contrast among its groups."""
    words, effects = words_in(study.effects.frames), study.effects
    population, weight = source.population, source.weight
    cell = population.table[POPULATION_CELL].to_numpy()
    of_groups = {
        tuple(population.groups(number).get(axis) for axis in study.axes): number
        for number in range(len(population.cells))
    }
    sides = []
    for side in compared_sides(effects, compared, study.axes):
        some = effects.people[side.people].select(study.axes).unique().rows()
        there = np.isin(cell, [of_groups[row] for row in some if row in of_groups])
        sides.append((side.share, weight[there]))
    most = max(own.size for _, own in sides)
    every = [weight[cell == number] for number in range(len(population.cells))]
    shown: list[int | None] = [*(n for n in SIZES if n < most), None]
    sizes = (*shown, *_grid(most), None)

    def drawn(own: Array, n: int | None) -> CellDesign:
        return population_cell(own, n, source.frames, words.frames)

    designs = [
        names_design(contrast, [(share, drawn(own, n)) for share, own in sides], words)
        for n in sizes
    ]
    asked = [source.couples + round(sum(drawn(own, n).sentences for own in every)) for n in shown]
    asked += [0] * (len(sizes) - len(shown))
    return _Growth(source.name, sizes, tuple(designs), tuple(asked))


# ------------------------------------------------------------ tables


def _tables(
    found: Sequence[_ClaimPlan],
    growths: Mapping[Contrast, _Growth],
    margins: Margins,
    level: float,
    power: float,
) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Rows of either table of the plan."""
    rows, more = [], []
    for claim in found:
        design, spreads, contrast = claim.design, claim.spreads, claim.design.contrast
        margin = margins.of(contrast.axis, contrast.name)
        keys: dict[str, Any] = {
            "system": claim.system, "task": claim.task, "axis": contrast.axis,
            "contrast": contrast.name, "kind": design.kind,
        }  # fmt: skip
        row = keys | {
            "people": design.people, "templates": design.templates, "words": design.words,
            "sentences": design.sentences, "margin": margin, "reason": claim.reason,
        }  # fmt: skip
        rows.append(row)
        if claim.reason is not None:
            continue
        low, high = claim.bounds or (None, None)
        error = expected_error(design, spreads)
        reached = reach(error.se, error.df, margin, level, power)
        row |= {
            "sd_people": spreads.people if design.kind == NAMES else spreads.couples,
            "sd_low": low, "sd_high": high, "sd_words": spreads.words,
            "sd_noise": spreads.noise, "moves": spreads.moves, "se": error.se, "df": error.df,
            **{name: float(getattr(reached, name)) for name in REACH},
        }  # fmt: skip
        growth = growths.get(contrast) if design.kind == NAMES else None
        if growth is None:
            continue
        # What each number of names would tell, and the first that would do for the margin.
        wide = replace(spreads, people=high) if high is not None else spreads
        errors, largest = (
            [expected_error(larger, each) for larger in growth.designs] for each in (spreads, wide)
        )
        expected, at_most = (
            reach([e.se for e in some], [e.df for e in some], margin, level, power)
            for some in (errors, largest)
        )
        sizes = growth.sizes
        people = [
            size if size is not None else larger.people
            for size, larger in zip(sizes, growth.designs, strict=True)
        ]
        shown = sizes.index(None) + 1 if None in sizes else len(SIZES)
        more += [
            keys
            | {
                "population": growth.population, "people": people[nth],
                "census": sizes[nth] is None, "sentences": growth.sentences[nth],
                "se": errors[nth].se,
                **{name: float(getattr(expected, name)[nth]) for name in REACH},
                "half_width_high": float(at_most.half_width[nth]),
                "even_within_high": float(at_most.even_within[nth]),
            }
            for nth in range(shown)
        ]  # fmt: skip
        enough = (people[nth] for nth in range(shown, len(sizes)) if expected.decides[nth])
        row["needed_people"] = next(enough, None)
    return rows, more
