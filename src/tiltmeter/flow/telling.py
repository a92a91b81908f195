"""What an audit tells its report: comparisons with their sentences, words for groups, notes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import polars as pl

from tiltmeter.corpora import Corpus
from tiltmeter.flow.asking import ScoreRun
from tiltmeter.flow.labelled import Labelled, Note
from tiltmeter.measures import PairStudy, people_study, pivots
from tiltmeter.report import AxisWords, Compared


def phrases_of(corpora: Sequence[Corpus]) -> dict[tuple[str, str, str], str]:
    """By corpus, axis and group: how findings speak of the group's sentences."""
    return {
        (corpus.name, axis.name, group): axis.phrase(group)
        for corpus in corpora
        for axis in corpus.axes
        for group in axis.groups
    }


def compared(run: ScoreRun, study: PairStudy) -> Compared:
    """One corpus' comparisons as the report shows them, with the sentences behind each pair."""
    corpus, texts = run.corpus, run.sentences["text"]
    people = people_study(run.sentences, run.scores, [axis.name for axis in corpus.axes])
    pairs = study.pairs.with_columns(
        text_first=texts.gather(study.pairs["example_first"]),
        text_second=texts.gather(study.pairs["example_second"]),
    ).drop("example_first", "example_second")
    axes = (
        AxisWords(axis.name, axis.groups, {group: axis.phrase(group) for group in axis.groups})
        for axis in corpus.axes
    )
    return Compared(
        name=corpus.name,
        title=corpus.title,
        edition=corpus.edition,
        language=corpus.language,
        direction=corpus.direction,
        checksum=corpus.checksum,
        size=run.sentences.height,
        axes=tuple(axes),
        submissions=study.submissions,
        pairs=pairs,
        first=study.first,
        second=study.second,
        deltas=study.deltas,
        people=people.people,
        deviations=people.deviations,
        pivots=pivots(study, people),
        sample=run.sample,
        notes=corpus.notes,
    )


def notes_of(runs: Sequence[ScoreRun], labelled: Labelled) -> pl.DataFrame:
    """What is worth knowing of each submission, a row a note."""
    rows = [*_remarks(runs), *labelled.notes]
    schema = dict.fromkeys(("system", "task", "corpus", "note"), pl.String)
    return pl.DataFrame(rows, schema, orient="row")


def _remarks(runs: Sequence[ScoreRun]) -> Iterator[Note]:
    for run in runs:
        for scored in run.scored:
            for note in scored.remarks:
                yield scored.card.name, scored.card.task, run.corpus.name, note
        for report in run.reports:
            if report.set_aside:
                yield str(report.path), "", run.corpus.name, f"set aside: {report.set_aside}"
            for note in report.notes:
                yield report.system, ", ".join(report.tasks), run.corpus.name, note
