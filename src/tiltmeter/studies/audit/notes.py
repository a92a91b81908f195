"""What is worth knowing besides: what could not be compared, and remarks on scores and files."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

import polars as pl

from tiltmeter.claims.signal import Exclusions
from tiltmeter.corpora import groups_lacking, unpaired_note, unpaired_sentences
from tiltmeter.report.numbers import count
from tiltmeter.scoring.corpus_scores import LargeRun, Run
from tiltmeter.studies.paired.contrasts import Contrast
from tiltmeter.studies.paired.pairs import PairStudy
from tiltmeter.studies.skill.beside_tilt import Labelled, Note
from tiltmeter.systems import SCORE_FILES, FileReport

SET_ASIDE = ("system", "corpus", "file", "reason")


def unpaired_contrasts(study: PairStudy, contrasts: Sequence[Contrast]) -> tuple[str, ...]:
    """A note on each contrast that no pair is of; of an axis' many groups, one for all."""
    there = set(study.counts.select("axis", "contrast").rows())
    unpaired = [one for one in contrasts if (one.axis, one.name) not in there]
    notes = [
        f"{one.axis}: no frame has sentences of all {len(one.groups):,} groups, so none can be "
        "compared with the average of all; --all-pairs compares every two, --reference each with "
        "one"
        if one.groups
        else f"no two matched sentences differ in {one.axis} as {one.first} and {one.second} do"
        for one in unpaired
    ]
    return tuple(dict.fromkeys(notes))


def frames_left_out(run: Run, contrasts: Sequence[Contrast]) -> tuple[str, ...]:
    """A note on each axis whose groups are compared with the average of all, but not everywhere."""
    if isinstance(run, LargeRun):
        return ()
    notes = []
    for axis in run.corpus.axes:
        if not any(one.axis == axis.name and one.groups for one in contrasts):
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
    unpaired, among = Counter[str](), Counter[str]()
    for sentences in blocks:
        for axis in run.corpus.axes:
            unpaired[axis.name] += unpaired_sentences(sentences, axis).height
            among[axis.name] += int(sentences[axis.name].count())
    return tuple(unpaired_note(axis, many, among[axis]) for axis, many in unpaired.items() if many)


def signal_unknown(run: Run, apart: Exclusions) -> Iterator[str]:
    """A note where it could not be told whether scores move with the emotion words."""
    whose: dict[str, list[str]] = {}
    for one in run.scored:
        if why := apart.not_assessed.get((one.card.name, one.card.task, run.corpus.name)):
            whose.setdefault(why, []).append(one.card.name)
    for why, names in whose.items():
        of = "" if len(names) == len(run.scored) else f" of {', '.join(dict.fromkeys(names))}"
        yield f"whether scores{of} move with the emotion words (signal) was not assessed: {why}"


def submission_notes(runs: Sequence[Run], labelled: Labelled) -> pl.DataFrame:
    """What is worth knowing of each submission, a row a note."""
    rows = list[Note]()
    for run in runs:
        name = run.corpus.name
        for scored in run.scored:
            rows += [(scored.card.name, scored.card.task, name, note) for note in scored.remarks]
        for report in run.reports:
            tasks = ", ".join(report.tasks)
            rows += [(report.system, tasks, name, note) for note in report.notes]
            rows += [(one.system, one.task, name, one.note) for one in report.directions]
    rows += labelled.notes
    schema = dict.fromkeys(("system", "task", "corpus", "note"), pl.String)
    return pl.DataFrame(rows, schema, orient="row")


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
