"""Skill beside tilt: labelled texts put to the systems that are audited."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import polars as pl
from msgspec import UNSET

from tiltmeter.audit_run import GoldSource, MetadataSource
from tiltmeter.corpora import Corpus, Gold, SystemMetadata, read_gold, read_system_metadata
from tiltmeter.errors import TiltmeterError, did_you_mean
from tiltmeter.schemas import SCORES
from tiltmeter.scoring.open_systems import Subjects, as_polars
from tiltmeter.scoring.scoring_run import UNKNOWN, ScoringOptions
from tiltmeter.studies.skill.gold import (
    Found,
    GoldAnswers,
    ScoredSystems,
    gold_answers,
    gold_by_task,
    submissions_of,
)
from tiltmeter.studies.skill.measure import RANKED_BY, SkillStudy, check_rank_by, skill_study
from tiltmeter.systems import FileReport, ScoreDirection

Note = tuple[str, str, str, str]
KEYS = ("system", "task")
NO_SCORES = pl.Schema(
    {name: pl.String() for name in SCORES.columns}
    | {"repeat": pl.Int64(), "raw": pl.Float64(), "score": pl.Float64()}
)
NO_GOLD = pl.Schema(dict.fromkeys(("id", "task", "gold"), pl.String()) | {"score": pl.Float64()})


@dataclass(frozen=True, slots=True)
class Labelled:
    """What gold scores and an organiser's table say of the systems audited."""

    study: SkillStudy | None = None
    meta: pl.DataFrame | None = None
    notes: tuple[Note, ...] = ()
    """system, task, corpus, note."""
    gold: GoldSource | None = None
    about: MetadataSource | None = None

    @property
    def skill(self) -> pl.DataFrame | None:
        """A row a submission; None without gold scores."""
        return self.study.skill if self.study else None

    @property
    def estimates(self) -> list[pl.DataFrame]:
        """The correlations as the `estimates` table, where there are any."""
        return [self.study.estimates] if self.study else []


NOT_LABELLED = Labelled()


def gold_given(
    given: object, by: str | None = None, corpora: Sequence[Corpus] = (), language: str = ""
) -> Gold | None:
    """The gold scores at a path or in a table of any kind, or None where none are given.

    Of an archive in several languages those of the corpora are read, or of the one named.
    """
    if given is None:
        return None
    spoken = list(dict.fromkeys(one.language.split("-")[0] for one in corpora))
    languages = [language] if language else [] if UNKNOWN in spoken else spoken
    return read_gold(_path_or_table(given, "gold"), by=by, languages=languages)


def about_given(given: object) -> SystemMetadata | None:
    """What is known of the systems, likewise."""
    return None if given is None else read_system_metadata(_path_or_table(given, "meta"))


def _path_or_table(given: object, what: str) -> Path | pl.DataFrame:
    if isinstance(given, str | Path):
        return Path(given)
    frame = as_polars(given)
    if frame is None:
        found = f"found {type(given).__name__} for {what}"
        raise TiltmeterError(f"{found}; expected a path, or a pandas or Polars table")
    return frame


def check_askable(gold: Gold | None, subjects: Subjects) -> None:
    """Refuse gold that nothing here can use: it was given on purpose, so silence would mislead."""
    if gold and not subjects.scores and gold.frame["text"].null_count() == gold.frame.height:
        what = f"the gold scores in {gold.name} have IDs but no texts, and every system is asked"
        raise TiltmeterError(f"{what}; add a column text, or give files of scores to join by ID")


def ranked_by(wanted: str | None, mode: str) -> str:
    """What orders the systems: the official metric, or in published mode that of K&M 2018."""
    check_rank_by(wanted or RANKED_BY[0])
    return wanted or ("spearman" if mode == "published" else "pearson")


def labelled(
    gold: Gold | None,
    about: SystemMetadata | None,
    runs: Sequence[ScoredSystems],
    subjects: Subjects,
    manner: ScoringOptions,
    *,
    rank_by: str,
    mode: str,
) -> Labelled:
    """The skill of everything audited, and what is known of it, as far as either was given."""
    every = submissions_of(runs)
    study, notes, source = None, tuple[Note, ...](), None
    if gold:
        study, notes = skill_of(gold, every, subjects, manner, rank_by=rank_by, mode=mode)
        source = GoldSource(
            name=gold.name,
            files=tuple(asdict(file) for file in gold.files),
            rows=gold.frame.height,
            tasks=tuple(task or "any" for task in gold.tasks),
            rank_by=rank_by,
            notes=tuple(gold.notes),
            choice=gold.choice or UNSET,
        )
    meta, described = None, None
    if about:
        meta, described = _about(about, dict.fromkeys(one.system for one in every))
    return Labelled(study, meta, notes, source, described)


def skill_of(
    gold: Gold,
    every: Sequence[GoldAnswers],
    subjects: Subjects,
    manner: ScoringOptions,
    *,
    rank_by: str,
    mode: str,
) -> tuple[SkillStudy, tuple[Note, ...]]:
    """The skill of submissions, and why it is not known or rests on fewer texts than there are."""
    by_task = gold_by_task(gold, [one.task for one in every])
    found = gold_answers(gold, by_task, every, subjects, manner)
    scores = [
        rows.with_columns(system=pl.lit(one.system))
        for one, rows in found.items()
        if isinstance(rows, pl.DataFrame)
    ]
    study = skill_study(
        pl.concat([NO_SCORES.to_frame(), *scores]),
        pl.concat([NO_GOLD.to_frame(), *(part.select(*NO_GOLD) for part in by_task.values())]),
        pl.DataFrame([(one.system, one.task) for one in found], KEYS, orient="row"),
        rank_by,
        mode=mode,
    )
    return study, tuple(_notes(gold, study, found))


def _notes(gold: Gold, study: SkillStudy, found: Found) -> Iterator[Note]:
    """Why there is no skill where there is none, and how much is missing where there is."""
    for one, rows in found.items():
        if isinstance(rows, str):
            yield one.system, one.task, gold.called(one.task), f"no skill is known: {rows}"
    for system, task, name, reason in study.reasons.rows():
        yield system, task, name, f"no skill is known: {reason}"
    known = study.estimates.filter(pl.col("measure") == RANKED_BY[0]).drop_nulls("value")
    partly = known.filter(pl.col("n_dropped") > 0)
    for system, task, name, n, lost in partly.select(*KEYS, "corpus", "n", "n_dropped").rows():
        what = f"its skill rests on {n:,} of {n + lost:,} gold texts"
        yield system, task, name, f"{what}; it has no score for the others"


def directions_by_gold(
    reports: Sequence[FileReport], every: Sequence[GoldAnswers], skill: pl.DataFrame | None
) -> tuple[FileReport, ...]:
    """The reports on files, each doubt of a direction decided where gold scores decide it."""
    if skill is None:
        return tuple(reports)
    names = ("pearson", "pearson_low", "pearson_high")
    rows = skill.drop_nulls(names).select(*KEYS, *names).rows()
    known = {(system, task): (value, low, high) for system, task, value, low, high in rows}
    doubts = {(one.system, one.task): one for each in reports for one in each.directions}
    mine: dict[Path, list[ScoreDirection]] = {}
    for one in every:
        key = one.system, one.task
        found = replace(doubts.get(key, ScoreDirection(*key)), gold=known.get(key))
        if isinstance(one.source, tuple) and (found.others is not None or found.against_gold):
            mine.setdefault(one.source[0], []).append(found)
    return tuple(replace(one, directions=tuple(mine.get(one.path, ()))) for one in reports)


def _about(about: SystemMetadata, audited: Iterable[str]) -> tuple[pl.DataFrame, MetadataSource]:
    """The rows on systems that are audited, and who is left out on either side."""
    names = list(audited)
    mine = about.frame.filter(pl.col("system").is_in(names))
    if mine.is_empty():
        first = about.frame["system"][0]
        near = did_you_mean(first, names) or f"audited are {', '.join(names[:8])}"
        what = f"{about.name} speaks of none of the systems audited; it has {first!r}: {near}"
        raise TiltmeterError(what)
    described = set(mine["system"])
    return mine, MetadataSource(
        name=about.name,
        sha256=about.sha256,
        systems=mine.height,
        not_audited=tuple(name for name in about.frame["system"] if name not in described),
        not_described=tuple(name for name in names if name not in described),
        notes=tuple(about.notes),
    )
