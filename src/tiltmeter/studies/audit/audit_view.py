"""What an audit tells its report: comparisons with their sentences, words for groups, notes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl
from numpy.typing import NDArray

from tiltmeter.claims.signal import Apart
from tiltmeter.corpora import (
    Corpus,
    group_standings,
    groups_lacking,
    unpaired_note,
    unpaired_sentences,
)
from tiltmeter.report.numbers import count
from tiltmeter.schemas import Significance
from tiltmeter.stats.moments import ERROR, Moments, QuantileGrid
from tiltmeter.studies.audit.corpus_scores import LargeRun, Run
from tiltmeter.studies.paired.comparison import REACH
from tiltmeter.studies.paired.contrasts import Contrast
from tiltmeter.studies.paired.influence import matches_from, pivots, pivots_of
from tiltmeter.studies.paired.material import AxisWords, CorpusComparisons, ShownTotals
from tiltmeter.studies.paired.pairs import MEAN, PairStudy, People, people_study
from tiltmeter.studies.paired.pairs import PairTotals as Summed
from tiltmeter.studies.paired.tilt import TILT
from tiltmeter.studies.skill.beside_tilt import Labelled, Note
from tiltmeter.systems import SCORE_FILES, FileReport

# ---- what all pairs of a large corpus come to, as its report shows them


Array = NDArray[np.float64]
QUARTILES = np.array([0.25, 0.5, 0.75])


def whole_told(sums: Summed) -> ShownTotals:
    """Boxes and points from grids, means from sums."""
    keys = sums.counts.select("axis", "contrast").rows()
    return ShownTotals(
        counts=sums.counts.select("axis", "contrast", "pairs"),
        boxes={key: _boxes(grid) for key, grid in zip(keys, sums.grids, strict=True)},
        points={
            key: tuple(grid.points(row) for row in range(grid.width.size))
            for key, grid in zip(keys, sums.grids, strict=True)
        },
        words=sums.words,
        word_means=_means(sums.word_sums),
        word_n=sums.word_sums.n,
        matches=sums.matches.select("axis", "contrast", "match"),
        match_means=_means(sums.match_sums),
        match_n=sums.match_sums.n,
        error=ERROR,
    )


def notes_on_parts(sums: Summed) -> tuple[str, ...]:
    """What differs from a study that holds every pair."""
    error = f"{100 * ERROR:.3f}".rstrip("0")
    return (
        "the corpus is too large to be held, so its sentences were gone through in parts: means, "
        "intervals and tests are of all pairs, the sign-flip test is left out, quartiles are right "
        f"within {error} points of 100, and of single pairs each system's largest are shown; label "
        "flips, the largest gap between groups, and places by size of tilt are left out",
        *sums.left_out,
    )


def _boxes(grid: QuantileGrid) -> Array:
    """Whisker, quartiles and whisker of each submission, as `boxes` gives them of all pairs."""
    found = np.full((grid.width.size, 5), np.nan)
    for row in range(grid.width.size):
        points = grid.points(row)
        if points.size:
            first, median, third = grid.quantiles(row, QUARTILES)
            reach = REACH * (third - first)
            inside = points[(points >= first - reach) & (points <= third + reach)]
            found[row] = (inside.min(), first, median, third, inside.max())
    return found


def _means(sums: Moments) -> Array:
    found: Array = np.where(sums.n > 0, sums.mean, np.nan)
    return found


# ---- what an audit tells its report: comparisons with their sentences, words for groups, notes


EXAMPLES = ("example_first", "example_second")
SET_ASIDE = ("system", "corpus", "file", "reason")
OUTLINED = 8
"""Comparisons that an audit in a few lines tells of."""


def phrases_of(corpora: Sequence[Corpus]) -> dict[tuple[str, str, str], str]:
    """By corpus, axis and group: how findings speak of the group's sentences."""
    return {
        (corpus.name, axis.name, group): axis.phrase(group)
        for corpus in corpora
        for axis in corpus.axes
        for group in axis.groups
    }


def paired_only(study: PairStudy) -> PairStudy:
    """The study without contrasts that no pair is of: there is nothing to tell of them."""
    kept = study.estimates.join(
        study.counts, on=["axis", "contrast"], how="semi", maintain_order="left"
    )
    return replace(study, estimates=kept)


def unpaired(study: PairStudy, wanted: Sequence[Contrast]) -> tuple[str, ...]:
    """A note on each contrast that no pair is of; of an axis' many groups, one for all."""
    there = set(study.counts.select("axis", "contrast").rows())
    alone = [one for one in wanted if (one.axis, one.name) not in there]
    notes = [
        f"{one.axis}: no frame has sentences of all {len(one.groups):,} groups, so none can be "
        "compared with the average of all; --all-pairs compares every two, --reference each with "
        "one"
        if one.groups
        else f"no two matched sentences differ in {one.axis} as {one.first} and {one.second} do"
        for one in alone
    ]
    return tuple(dict.fromkeys(notes))


def frames_left_out(run: Run, wanted: Sequence[Contrast]) -> tuple[str, ...]:
    """A note on each axis whose groups are compared with the average of all, but not everywhere."""
    if isinstance(run, LargeRun):
        return ()
    notes = []
    for axis in run.corpus.axes:
        if not any(one.axis == axis.name and one.groups for one in wanted):
            continue
        short, lacking = groups_lacking(run.sentences, axis)
        if short:
            group, many = max(lacking.items(), key=lambda one: one[1])
            notes.append(
                f"{axis.name}: {count(short, 'match of a frame lacks', 'matches of frames lack')} "
                f"some group and {'is' if short == 1 else 'are'} left out of the comparison with "
                f"the average of all; {group} is not in {many:,}"
            )
    return tuple(notes)


def sentences_left_out(run: Run) -> tuple[str, ...]:
    """A note on each axis of a user's table of which some sentences are in no pair.

    Templates make whole frames; a table need not, as where inflected words part its frames.
    """
    if run.corpus.design is not None:
        return ()
    blocks = run.corpus.blocks() if isinstance(run, LargeRun) else [run.sentences]
    alone, among = Counter[str](), Counter[str]()
    for sentences in blocks:
        for axis in run.corpus.axes:
            alone[axis.name] += unpaired_sentences(sentences, axis).height
            among[axis.name] += int(sentences[axis.name].count())
    return tuple(unpaired_note(axis, many, among[axis]) for axis, many in alone.items() if many)


def signal_unknown(run: Run, apart: Apart) -> Iterator[str]:
    """A note where it could not be told whether scores move with the emotion words."""
    whose: dict[str, list[str]] = {}
    for one in run.scored:
        if why := apart.not_assessed.get((one.card.name, one.card.task, run.corpus.name)):
            whose.setdefault(why, []).append(one.card.name)
    for why, names in whose.items():
        of = "" if len(names) == len(run.scored) else f" of {', '.join(dict.fromkeys(names))}"
        yield f"whether scores{of} move with the emotion words (signal) was not assessed: {why}"


def compared(run: Run, study: PairStudy, notes: Sequence[str]) -> CorpusComparisons:
    """One corpus' comparisons as the report shows them, with the sentences behind each pair."""
    corpus = run.corpus
    people, pairs = _people(run, study), _with_texts(run, study).drop(*EXAMPLES)
    axes = (
        AxisWords(axis.name, axis.groups, {group: axis.phrase(group) for group in axis.groups})
        for axis in corpus.axes
    )
    return CorpusComparisons(
        name=corpus.name,
        title=corpus.title,
        edition=corpus.edition,
        language=corpus.language,
        direction=corpus.direction,
        checksum=corpus.checksum,
        size=run.size,
        axes=tuple(axes),
        submissions=study.submissions,
        pairs=pairs,
        first=study.first,
        second=study.second,
        deltas=study.deltas,
        people=people.people,
        deviations=people.deviations,
        pivots=_pivots(run, study, people),
        sample=run.sample,
        notes=(*corpus.notes, *notes, *(notes_on_parts(study.whole) if study.whole else ())),
        people_notes=tuple(people_notes(corpus)),
        whole=None if study.whole is None else whole_told(study.whole),
    )


def people_notes(corpus: Corpus) -> Iterator[str]:
    """Who the names of a corpus are: its population, or how a list stands in the US Census."""
    if corpus.population is not None:
        yield from corpus.population.described
        return
    standings = group_standings(corpus.design) if corpus.design else ()
    if standings:
        yield (
            "These names are a list that the corpus’ authors chose. How they stand in the US "
            "Census 2020, by the people who bear them:"
        )
    yield from map(str, standings)


def _people(run: Run, study: PairStudy) -> People:
    if study.whole:
        return study.whole.people
    scores = run.scores if isinstance(run, LargeRun) else run.matrix
    return people_study(run.sentences, scores, [axis.name for axis in run.corpus.axes])


def _with_texts(run: Run, study: PairStudy) -> pl.DataFrame:
    """The pairs with an example sentence of either side."""
    if study.whole:
        return study.pairs
    texts = run.sentences["text"]
    return study.pairs.with_columns(
        text_first=texts.gather(study.pairs["example_first"]),
        text_second=texts.gather(study.pairs["example_second"]),
    )


def _pivots(run: Run, study: PairStudy, people: People) -> pl.DataFrame:
    """Whom each difference rests on; claims over a population rest on more than one name."""
    if study.whole:
        found = pivots_of(matches_from(study.whole.matches, study.whole.match_sums), people)
    else:
        found = pivots(study, people)
    return found if run.corpus.population is None else found.filter(kind="")


def outline(runs: Sequence[Run], findings: pl.DataFrame, subset: str) -> str:
    """An audit in a few lines, for a prompt: what was asked, how much was found, where to look."""
    systems, paired = findings["system"].n_unique(), pl.col("measure").is_in([MEAN, TILT])
    shown = pl.col("subset") == subset
    findings = findings.filter(shown | ~paired | (pl.col("measure") == TILT))
    corpora = ", ".join(f"{run.corpus.name} ({run.size:,} sentences)" for run in runs)
    lines = [f"Audit of {systems:,} system{'s' * (systems != 1)} on {corpora}"]
    by = ("corpus", "axis", "contrast", "measure", "subset")
    for key, part in findings.group_by(by, maintain_order=True):
        corpus, axis, contrast, measure, of = key
        where = f"{corpus}, " if len(runs) > 1 else ""
        if measure == TILT:
            lines.append(f"  {where}{axis} {contrast}, by {of}: {_verdicts(part['verdict'])}")
            continue
        found = part["significance"].is_in([Significance.UP, Significance.DOWN]).sum()
        how = "" if measure == MEAN else "regression, "
        told = f"{axis} {contrast}: difference detected in {found} of {part.height}"
        lines.append(f"  {how}{where}{told}")
    rest = len(lines) - 1 - OUTLINED
    more = [f"  … and {rest:,} more comparisons"] if rest > 0 else []
    look = "  tables: .findings .tilts .estimates .scores .sentences .skill; page: .report(folder)"
    return "\n".join([*lines[: OUTLINED + 1], *more, look])


def _verdicts(found: pl.Series) -> str:
    """As in `1 tilted, 2 even, 1 undecided`."""
    told = found.value_counts(sort=True).rows()
    return ", ".join(f"{many} {str(verdict).replace('_', ' ')}" for verdict, many in told)


def notes_of(runs: Sequence[Run], labelled: Labelled) -> pl.DataFrame:
    """What is worth knowing of each submission, a row a note."""
    rows = [*_remarks(runs), *labelled.notes]
    schema = dict.fromkeys(("system", "task", "corpus", "note"), pl.String)
    return pl.DataFrame(rows, schema, orient="row")


def _remarks(runs: Sequence[Run]) -> Iterator[Note]:
    for run in runs:
        for scored in run.scored:
            for note in scored.remarks:
                yield scored.card.name, scored.card.task, run.corpus.name, note
        for report in run.reports:
            for note in report.notes:
                yield report.system, ", ".join(report.tasks), run.corpus.name, note
            for one in report.directions:
                yield one.system, one.task, run.corpus.name, one.note


def files_set_aside(runs: Sequence[Run]) -> pl.DataFrame:
    """Every file that could not be used, with its reason: a row for each system it is of."""
    rows = [
        (system, run.corpus.name, report.name, report.set_aside)
        for run in runs
        for report in run.reports
        if report.set_aside
        for system in _whose(run, report)
    ]
    return pl.DataFrame(rows, dict.fromkeys(SET_ASIDE, pl.String), orient="row")


def _whose(run: Run, report: FileReport) -> tuple[str | None, ...]:
    """The systems of a file's own sub-folder, else the one that it would be; null for none."""
    if Path(report.name).parent == Path():
        return (report.system if report.path.suffix.lower() in SCORE_FILES else None,)
    beside = {
        one.card.name: None
        for one, source in zip(run.scored, run.sources, strict=True)
        if not isinstance(source, int) and source[0].parent == report.path.parent
    }
    return tuple(beside) or (report.system,)
