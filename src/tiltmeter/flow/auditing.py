"""The audit on one page: sentences, scores, measures, findings, report."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import polars as pl

from tiltmeter.corpora import Corpus, load_corpus
from tiltmeter.errors import TiltmeterError, did_you_mean
from tiltmeter.findings import Rule, judged
from tiltmeter.flow.asking import ScoreRun, Spec, score
from tiltmeter.flow.provenance import environment, run_facts
from tiltmeter.measures import PairStudy, contrasts_of, pair_study, people_study
from tiltmeter.report import AxisWords, Compared, Material, with_sentences
from tiltmeter.scoring import Progress, Settings
from tiltmeter.systems import Options

MODES = ("corrected", "published")


@dataclass(frozen=True)
class Audit:
    """What an audit found, as tables, and how to write its report."""

    runs: tuple[ScoreRun, ...]
    """The scores, a run for each corpus."""
    studies: tuple[PairStudy, ...]
    """The paired study of each run."""
    estimates: pl.DataFrame
    findings: pl.DataFrame
    run: Mapping[str, Any]
    """What determines the findings: corpora, systems, statistics."""
    environment: Mapping[str, Any]
    subset: str = "all"

    @property
    def scores(self) -> pl.DataFrame:
        """Every score, as the `scores` table."""
        return pl.concat(run.scores for run in self.runs)

    @property
    def sentences(self) -> pl.DataFrame:
        """Every sentence scored, as the `sentences` table; an axis a corpus lacks is null."""
        return pl.concat((run.sentences for run in self.runs), how="diagonal")

    @cached_property
    def material(self) -> Material:
        """What a report is made from."""
        compared = tuple(map(_compared, self.runs, self.studies))
        return Material(
            self.estimates,
            self.findings,
            compared,
            self.run,
            self.environment,
            self.subset,
            notes=_notes(self.runs),
        )


def audit(
    systems: Sequence[Spec],
    corpus: Corpus | str | Sequence[Corpus | str] = "eec",
    *,
    tasks: Sequence[str] = (),
    subset: str = "all",
    correction: str = "bonferroni",
    family: int | None = None,
    level: float = 0.05,
    mode: str = "corrected",
    reference: Mapping[str, str] | None = None,
    edition: str | None = None,
    options: Options | None = None,
    store: Path | str | None = None,
    settings: Settings | None = None,
    sample: int | None = None,
    seed: int = 0,
    flips: int | None = None,
    progress: Progress | None = None,
    command: str = "",
) -> Audit:
    """Audit systems on corpora: whether they score the same sentence alike, whoever it mentions.

    `reference` names, by axis, the group that each other is compared with; without it every pair of
    groups is. `family` is how many comparisons to correct for, instead of as many as were made.
    """
    if mode not in MODES:
        raise TiltmeterError(f"mode is {mode!r}; expected one of {', '.join(MODES)}")
    rule = Rule(correction, level, family)
    given = [corpus] if isinstance(corpus, str | Corpus) else list(corpus)
    corpora = [load_corpus(one, edition) if isinstance(one, str) else one for one in given]
    against = _references(corpora, reference or {})
    asked: dict[str, Any] = {
        "tasks": tasks, "options": options, "store": store, "settings": settings,
        "sample": sample, "seed": seed, "progress": progress,
    }  # fmt: skip
    runs = tuple(score(systems, one, **asked) for one in corpora)
    studies = tuple(_study(run, against, mode, flips, seed) for run in runs)
    estimates = pl.concat(study.estimates for study in studies)
    _must_hold(subset, estimates)
    findings = with_sentences(judged(estimates, rule), _phrases(corpora))
    facts = run_facts(runs, studies, rule, mode=mode, subset=subset, seed=seed, reference=against)
    return Audit(runs, studies, estimates, findings, facts, environment(command), subset)


def _references(corpora: Sequence[Corpus], wanted: Mapping[str, str]) -> dict[str, str]:
    """The reference groups asked for, each of an axis that some corpus has."""
    axes = {axis.name for corpus in corpora for axis in corpus.axes}
    for name in wanted:
        if name not in axes:
            near = did_you_mean(name, axes) or f"the axes are {', '.join(sorted(axes))}"
            raise TiltmeterError(f"no corpus here has an axis {name!r}: {near}")
    return dict(wanted)


def _study(
    run: ScoreRun, reference: Mapping[str, str], mode: str, flips: int | None, seed: int
) -> PairStudy:
    """The paired study of one corpus, over all its axes and contrasts."""
    contrasts = [
        contrast
        for axis in run.corpus.axes
        for contrast in contrasts_of(axis.name, axis.groups, reference.get(axis.name))
    ]
    return pair_study(run.sentences, run.scores, contrasts, mode=mode, flips=flips, seed=seed)


def _must_hold(subset: str, estimates: pl.DataFrame) -> None:
    """Refuse a subset that no corpus has, and offer the nearest ones."""
    known = estimates["subset"].unique(maintain_order=True).to_list()
    if subset not in known:
        near = did_you_mean(subset, known) or f"there are {', '.join(known)}"
        raise TiltmeterError(f"there is no subset {subset!r} here: {near}")


def _phrases(corpora: Sequence[Corpus]) -> dict[tuple[str, str, str], str]:
    return {
        (corpus.name, axis.name, group): axis.phrase(group)
        for corpus in corpora
        for axis in corpus.axes
        for group in axis.groups
    }


def _compared(run: ScoreRun, study: PairStudy) -> Compared:
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
        sample=run.sample,
        notes=corpus.notes,
    )


def _notes(runs: Sequence[ScoreRun]) -> pl.DataFrame:
    """What is worth knowing of each submission, a row a note."""
    rows = [
        (scored.card.name, scored.card.task, run.corpus.name, note)
        for run in runs
        for scored in run.scored
        for note in scored.remarks
    ]
    return pl.DataFrame(rows, ["system", "task", "corpus", "note"], orient="row")
