"""Skill by itself: how well systems agree with gold scores, for whom, and how sure that is."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import polars as pl

from tiltmeter.corpora import Gold
from tiltmeter.errors import TiltmeterError
from tiltmeter.scoring import Progress, Scored, Settings
from tiltmeter.scoring.open_systems import Specs, open_systems
from tiltmeter.scoring.provenance import stored_facts
from tiltmeter.scoring.scoring_run import scoring_options
from tiltmeter.stats.bootstrap import Bootstrap
from tiltmeter.studies.skill.gold import (
    Unscored,
    check_askable,
    gold_by_task,
    gold_given,
    score_gold,
)
from tiltmeter.studies.skill.measure import AGREEMENT, RANKS, UNITS, skill_study
from tiltmeter.systems import FileReport, Options

Note = tuple[str, str]
"""Whom it is about, and what is worth knowing."""
OUTLINED = 12
"""Lines of a result at a prompt."""
Stage = Callable[[str], object]
"""Is told what is being done."""
MOST_GROUPS = 50
"""A column with more different values is no group but something like an ID."""
FEW = 20
"""Texts below which a group's numbers say little."""


@dataclass(frozen=True, slots=True)
class Skill:
    """How well systems agree with gold scores; `measure.AGREEMENT` has the columns."""

    table: pl.DataFrame
    """All of it, a row a number."""
    how: Bootstrap
    family: int
    """How many differences of one measure the adjusted intervals are corrected for."""
    gold: Gold
    by: str | None = None
    notes: tuple[Note, ...] = ()
    ranks: pl.DataFrame | None = None
    """system, task, rank, rank_best, rank_worst, tied, of: by Pearson, and what the texts allow."""
    reports: tuple[FileReport, ...] = ()
    """What was found in each file of scores made elsewhere."""
    stored: tuple[Mapping[str, Any], ...] = ()
    """What was used of the store."""

    @property
    def overall(self) -> pl.DataFrame:
        """Over all texts."""
        return self.table.filter(pl.col("group").is_null())

    @property
    def groups(self) -> pl.DataFrame:
        """For each group."""
        return self.table.filter(pl.col("group").is_not_null() & pl.col("against").is_null())

    @property
    def differences(self) -> pl.DataFrame:
        """Between groups: `group` minus `against`."""
        return self.table.filter(pl.col("against").is_not_null())

    @property
    def facts(self) -> dict[str, Any]:
        """What determines the numbers."""
        return {
            "gold": self.gold.name,
            "files": [asdict(file) for file in self.gold.files],
            "by": self.by,
            "groups": self.groups["group"].unique(maintain_order=True).to_list(),
            "level": self.how.level,
            "resamples": self.how.resamples,
            "seed": self.how.seed,
            "family": self.family,
        }

    def __repr__(self) -> str:
        shown = self.table.filter(pl.col("measure") == "pearson")
        lines = [f"Skill on {self.gold.name}: Pearson ({self.how.sure} intervals)"]
        for row in shown.head(OUTLINED).iter_rows(named=True):
            whom = " − ".join(row[name] for name in ("group", "against") if row[name] is not None)
            number = f"none; {row['reason']}"
            if row["value"] is not None:
                ends = "" if row["low"] is None else f" ({row['low']:.2f} to {row['high']:.2f})"
                number = f"{row['value']:.2f}{ends}".replace("-", "−")
            named = ", ".join(filter(None, [row["system"], row["task"], whom]))
            lines.append(f"  {named}: {number}")
        rest = shown.height - OUTLINED
        more = [f"  … and {rest:,} more"] if rest > 0 else []
        return "\n".join([*lines, *more, "  tables: .overall .groups .differences .table"])

    def _repr_html_(self) -> str:
        """What a notebook shows."""
        return self.table.drop("reason")._repr_html_()


def skill(
    systems: Specs,
    gold: object,
    *,
    by: str | None = None,
    language: str = "",
    tasks: Sequence[str] = (),
    level: float = 0.05,
    resamples: int = 2_000,
    seed: int = 0,
    family: int | None = None,
    options: Options | None = None,
    store: Path | str | None = None,
    settings: Settings | None = None,
    progress: Progress | None = None,
    stage: Stage | None = None,
) -> Skill:
    """State how well systems agree with gold scores, over all texts and by group of them.

    `systems` is one or several, as in `score`; `gold` has labelled texts, a path or a table; `by`
    names a column of it with a group for each text: who wrote it, in what dialect, on what topic.
    `language` (en, es, ar) chooses among SemEval-2018's files where they are in several.
    Pearson, Spearman, mean absolute and mean signed error have bootstrap intervals of 1 − `level`;
    `family` is how many differences to correct for, instead of as many as a measure has. `stage` is
    told what is being done.
    """
    how = Bootstrap(level, resamples, seed, family)
    truth = gold_given(gold, by, language=language)
    if truth is None:
        raise TiltmeterError("there is no gold to state a skill on; give a path or a table")
    if by is not None:
        _check_groups(truth, by)
    manner = scoring_options(options, store, settings, progress)
    with open_systems(systems, tasks, manner.options) as subjects:
        check_askable(truth, subjects)
        answered, reports = score_gold(truth, subjects, manner)
    scored = [one for one in answered if isinstance(one, Scored)]
    unscored = [one for one in answered if isinstance(one, Unscored)]
    if not scored:
        broken = [one.error for one in unscored if one.error]
        if len(broken) == len(unscored) == 1:
            raise broken[0]
        why = dict.fromkeys(f"  {one.system} ({one.task}): {one.reason}" for one in unscored)
        error = TiltmeterError("\n".join(["no skill can be stated:", *why]))
        if broken and len(broken) == len(unscored):
            error.exit_code = type(broken[0]).exit_code
        raise error
    if stage:
        stage(f"drawing the texts again {resamples:,} times for {len(scored):,} systems")
    keys = [(one.card.name, one.card.task) for one in scored]
    study = skill_study(
        pl.concat(one.scores for one in scored),
        pl.concat(gold_by_task(truth, [task for _, task in keys]).values()),
        pl.DataFrame(keys, {"system": pl.String, "task": pl.String}, orient="row"),
        bootstrap=how,
        by=by,
    )
    without = [
        {"system": one.system, "task": one.task, "measure": name, "n": 0, "reason": one.reason}
        for one in unscored
        for name in UNITS
    ]
    table = pl.concat([study.table, pl.from_dicts(without, AGREEMENT)]) if without else study.table
    # In the reports on files the gold texts stand for a corpus.
    reports = tuple(
        replace(one, set_aside=one.set_aside and one.set_aside.replace("the corpus", "the gold"))
        for one in reports
    )
    return Skill(
        table, how, study.family, truth, by, tuple(_notes(truth, scored, table, by)),
        study.skill.select("system", "task", *RANKS), reports,
        tuple(stored_facts(truth.name, scored)),
    )  # fmt: skip


def _check_groups(gold: Gold, by: str) -> None:
    """Refuse a column that tells no groups apart, before anything is asked."""
    groups = gold.frame["group"].drop_nulls()
    many = groups.n_unique()
    if many > MOST_GROUPS:
        what = f"the column {by!r} has {many:,} different values in {groups.len():,} texts"
        raise TiltmeterError(
            f"{what}; expected at most {MOST_GROUPS} groups: a column of IDs or of text is none, "
            "and numbers can be cut into a few ranges first"
        )
    if many < 2:
        found = f"has only the value {groups[0]!r}" if many else "is empty throughout"
        raise TiltmeterError(f"the column {by!r} {found}; expected two groups or more")


def _notes(
    gold: Gold, scored: Sequence[Scored], table: pl.DataFrame, by: str | None
) -> Iterator[Note]:
    """What was left out of the gold, what to know of each system's scores, and small samples."""
    yield from ((gold.name, note) for note in gold.notes if "left out" in note)
    for one in scored:
        # Without the text an odd answer was given to: the terms of gold texts may forbid a copy.
        private = replace(one, resolved_scale=replace(one.resolved_scale, first_outside=""))
        yield from ((one.card.name, note) for note in private.remarks_with_scale)
        if one.missing:
            size = one.scores.height
            what = f"its skill rests on {size - one.missing:,} of {size:,} gold texts"
            yield one.card.name, f"{what}; it has no score for the others"
    if by is not None and (empty := gold.frame["group"].null_count()):
        what = f"{empty:,} of {gold.frame.height:,} texts have no group"
        yield by, f"{what}; they count over all texts, and in no group"
    small = table.filter(pl.col("against").is_null() & (pl.col("n") < FEW) & (pl.col("n") > 0))
    for group, n in small.group_by("group", maintain_order=True).agg(pl.col("n").min()).rows():
        whose = gold.name if group is None else f"{by} {group}"
        texts = f"{n:,} text{'s' * (n != 1)}"
        yield whose, f"{texts}: fewer than {FEW}, so the numbers say little"
