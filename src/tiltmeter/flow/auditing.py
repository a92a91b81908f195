"""The audit on one page: sentences, scores, measures, findings, report."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import polars as pl

from tiltmeter.corpora import Corpus, load_corpus
from tiltmeter.errors import TiltmeterError, did_you_mean
from tiltmeter.findings import Rule, judged
from tiltmeter.flow.asking import ScoreRun, manner_of, score_subjects
from tiltmeter.flow.labelled import (
    NOT_LABELLED,
    Labelled,
    about_given,
    check_askable,
    gold_given,
    labelled,
    ranked_by,
)
from tiltmeter.flow.provenance import environment, run_facts
from tiltmeter.flow.subjects import Specs, opened
from tiltmeter.flow.telling import compared, notes_of, phrases_of
from tiltmeter.measures import Contrast, PairStudy, contrasts_of, pair_study, subset_names
from tiltmeter.report import Material, summary, with_sentences, write_folder
from tiltmeter.scoring import Progress, Settings
from tiltmeter.systems import Options

MODES = ("corrected", "published")
Stage = Callable[[str], object]


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
    labelled: Labelled = NOT_LABELLED
    """What gold scores and an organiser's table say of the systems."""

    @property
    def skill(self) -> pl.DataFrame | None:
        """How well each system's scores agree with the gold ones; None without gold."""
        return self.labelled.skill

    @property
    def meta(self) -> pl.DataFrame | None:
        """What an organiser knows of the systems; None where nothing was given."""
        return self.labelled.meta

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
        both = tuple(map(compared, self.runs, self.studies))
        return Material(
            self.estimates,
            self.findings,
            both,
            self.run,
            self.environment,
            self.subset,
            skill=self.skill,
            meta=self.meta,
            notes=notes_of(self.runs, self.labelled),
        )

    def report(
        self,
        folder: Path | str = "tiltmeter-out",
        *,
        force: bool = False,
        individual: bool = False,
        stage: Stage | None = None,
    ) -> Path:
        """Write the report and everything beside it to a folder; returns the page's path.

        A folder that holds something else needs `force`; `individual` adds a page per system;
        `stage` is told what is being done.
        """
        where = Path(folder)
        told = {} if stage is None else {"stage": stage}
        write_folder(
            self.material, self.scores, self.sentences, where, force=force, individual=individual,
            **told,
        )  # fmt: skip
        return where / "report.html"

    def _repr_html_(self) -> str:
        """What a notebook shows."""
        return summary(self.material)


def audit(
    systems: Specs,
    corpus: Corpus | str | Sequence[Corpus | str] = "eec",
    *,
    tasks: Sequence[str] = (),
    gold: object = None,
    rank_by: str | None = None,
    meta: object = None,
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

    `systems` is one or several, as in `score`. `gold` has labelled texts, a path or a table: how
    well systems agree with them, by `rank_by` pearson or spearman, orders them. `meta` is a table
    with a column system and what is known of each: team, algorithm, features.
    `reference` names, by axis, the group that each other is compared with; without it every pair of
    groups is. `family` is how many comparisons to correct for, instead of as many as were made.
    """
    if mode not in MODES:
        raise TiltmeterError(f"mode is {mode!r}; expected one of {', '.join(MODES)}")
    # Whatever may be wrong is looked at first: asking a system may cost.
    rule = Rule(correction, level, family)
    corpora = _loaded(corpus, edition)
    contrasts = _contrasts(corpora, reference or {})
    _must_hold(subset, (name for one in corpora for name in subset_names(one.sentences())))
    truth, about, order = gold_given(gold), about_given(meta), ranked_by(rank_by, mode)
    manner = manner_of(options, store, settings, progress)
    with opened(systems, tasks, manner.options) as subjects:
        check_askable(truth, subjects)
        runs = tuple(score_subjects(subjects, one, manner, sample, seed) for one in corpora)
        known = labelled(truth, about, runs, subjects, manner, rank_by=order, mode=mode)
    studies = tuple(
        pair_study(run.sentences, run.scores, wanted, mode=mode, flips=flips, seed=seed)
        for run, wanted in zip(runs, contrasts, strict=True)
    )
    estimates = pl.concat(study.estimates for study in studies)
    _must_hold(subset, estimates["subset"])
    findings = with_sentences(judged(estimates, rule), phrases_of(corpora))
    facts = run_facts(runs, studies, rule, mode=mode, subset=subset, seed=seed, reference=reference)
    every = pl.concat([estimates, *known.estimates])
    facts |= known.facts
    return Audit(runs, studies, every, findings, facts, environment(command), subset, known)


def _loaded(corpus: Corpus | str | Sequence[Corpus | str], edition: str | None) -> list[Corpus]:
    """The corpora, each under a name of its own: findings tell them apart by it."""
    given = [corpus] if isinstance(corpus, str | Corpus) else list(corpus)
    corpora = [load_corpus(one, edition) if isinstance(one, str) else one for one in given]
    names = [one.name for one in corpora]
    if not names:
        raise TiltmeterError("there is no corpus to audit on; name one, as in: eec")
    if twice := [name for name in names if names.count(name) > 1]:
        what = f"two corpora are called {twice[0]!r}; expected different names"
        raise TiltmeterError(f"{what}: audit them one after the other, or rename one")
    return corpora


def _contrasts(corpora: Sequence[Corpus], reference: Mapping[str, str]) -> list[list[Contrast]]:
    """What is compared on each corpus; a reference group must be of an axis that one has."""
    axes = {axis.name for corpus in corpora for axis in corpus.axes}
    for name in reference:
        if name not in axes:
            near = did_you_mean(name, axes) or f"the axes are {', '.join(sorted(axes))}"
            raise TiltmeterError(f"no corpus here has an axis {name!r}: {near}")
    return [
        [
            contrast
            for axis in corpus.axes
            for contrast in contrasts_of(axis.name, axis.groups, reference.get(axis.name))
        ]
        for corpus in corpora
    ]


def _must_hold(subset: str, there: Iterable[str]) -> None:
    """Refuse a subset that no corpus has, and offer the nearest ones."""
    known = list(dict.fromkeys(there))
    if subset not in known:
        near = did_you_mean(subset, known) or f"there are {', '.join(known)}"
        raise TiltmeterError(f"there is no subset {subset!r} here: {near}")
