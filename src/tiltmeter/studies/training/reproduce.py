"""A reproduction on one page: the papers' systems trained, audited and put beside the papers'."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import polars as pl

from tiltmeter.corpora import read_gold
from tiltmeter.errors import IncompleteError, OutputError
from tiltmeter.files import check_unlinked, read_capped, with_formulas, without_folders
from tiltmeter.report.charts import can_draw
from tiltmeter.report.folder import begin_run, check_folder, marked
from tiltmeter.report.json_files import json_document
from tiltmeter.report.page import Page
from tiltmeter.report.study import Study, StudyFile, write
from tiltmeter.report.table import Table
from tiltmeter.scoring import Progress
from tiltmeter.scoring.provenance import environment
from tiltmeter.studies.audit.results import Audit
from tiltmeter.studies.audit.run import audit
from tiltmeter.studies.regression.forests import (
    RegressionFigure,
    language_figures,
    language_forests,
)
from tiltmeter.studies.regression.wording import phrases_of
from tiltmeter.studies.training.data import files_of
from tiltmeter.studies.training.grid import NO_FILES, Watch, check_grid, train_grid
from tiltmeter.studies.training.paper_tables import (
    across_languages,
    effects_of,
    paper_tables,
    published_effects,
    published_skill,
)
from tiltmeter.studies.training.recipes import PERSON_WORDS
from tiltmeter.studies.training.results_page import results_page
from tiltmeter.studies.training.run import package_versions

EECS = {"en": ("eec", "eec-latino", "eec-arab"), "es": ("eec-es",), "ar": ("eec-ar",)}
"""The corpora of each language that the papers audit on."""
STUDY = "reproduction"
"""What run.json calls the study."""
SCHEMA_VERSION = 1
"""Of results.json."""


@dataclass(frozen=True, eq=False, repr=False)
class Results(Study):
    """Reference systems trained anew: their skill, their tilt, and what the papers printed."""

    skill: pl.DataFrame
    """A row a model: language, task, system, recipe, train_rows, dev_pearson, test_n, test_pearson
    with _low and _high, test_spearman, test_mae."""
    published: pl.DataFrame
    """language, task, name, pearson, ours: the system of ours that is built alike, or null."""
    tilts: pl.DataFrame
    """language, corpus, title, system, task, axis, about_first, about_second, value, low, high,
    significance, spread, n: a row a comparison over all sentences."""
    words: pl.DataFrame | None = None
    """task, word, weight, texts, mean_score: what words that name people are worth to
    svm-unigrams-en."""
    effects: pl.DataFrame | None = None
    """table (3, 4 or 5 of the paper), language, corpus, title, system, recipe, task, axis,
    contrast, reference, measure, value, se, low, high, df, p, n, reason: the regressions of the
    systems that the paper has too."""
    published_effects: pl.DataFrame | None = None
    """table, language, corpus, name, recipe (ours that is built alike), task, axis, value, stars:
    what the paper prints of them; null where it cannot be read."""
    languages: pl.DataFrame | None = None
    """One system's effects in two languages, and whether they differ."""
    phrases: Mapping[tuple[str, str], str] = field(default_factory=dict)
    """By axis and group: what follows "sentences", as in "about women"."""
    reports: Mapping[str, str] = field(default_factory=dict)
    """By language, where the whole report of its audit stands."""
    left_out: tuple[str, ...] = ()
    """What could not be trained here, and what it would need."""
    failed: tuple[str, ...] = ()
    """Models that were to be trained and could not be, and why."""
    run: Mapping[str, Any] = field(default_factory=dict)
    environment: Mapping[str, Any] = field(default_factory=dict)

    def page(self) -> Page:
        """results.html, which reads like a paper's results section."""
        return results_page(self)

    def document(self) -> tuple[str, str]:
        """results.json."""
        head = {
            "schema_version": SCHEMA_VERSION, "environment": self.environment, "run": self.run,
            "left_out": self.left_out, "failed": self.failed,
        }  # fmt: skip
        frames = {
            "skill": self.skill, "published": self.published, "tilts": self.tilts,
            "effects": self.effects, "published_effects": self.published_effects,
            "languages": self.languages,
        }  # fmt: skip
        known = {name: frame for name, frame in frames.items() if frame is not None}
        return "results.json", json_document(
            head, {name: frame.to_dicts() for name, frame in known.items()}
        )

    def tables(self) -> list[Table]:
        """Tables 3 to 5 as printed, every number behind them, each system in two languages."""
        printed = [
            table.print_table()
            for one in paper_tables(self)
            for table in (one.beta, one.least_squares)
        ]
        frames = {"margins": self.effects, "margins-languages": self.languages}
        known = [Table(name, frame) for name, frame in frames.items() if frame is not None]
        return printed + known

    def figures(self) -> Iterator[StudyFile]:
        """Each two languages beside each other."""
        for figure in self.language_figures:
            for name, data in figure.files():
                yield StudyFile(f"figures/{name}", data)

    @property
    def language_figures(self) -> list[RegressionFigure]:
        """The figures that stand beside the page, where they can be drawn."""
        forests = list(language_forests(self.languages, lambda _: self.phrases))
        return language_figures(forests) if can_draw() else []

    def files(self) -> Iterator[StudyFile]:
        """Skill and tilt, beside the page."""
        yield StudyFile("skill.csv", self.skill)
        yield StudyFile("tilts.csv", self.tilts)

    def __repr__(self) -> str:
        return f"Results of {self.skill.height} models\n  tables: .skill .tilts .effects .languages"


def reproduce(
    data: Path | str,
    folder: Path | str,
    *,
    recipes: Sequence[str] = (),
    languages: Sequence[str] = (),
    tasks: Sequence[str] = (),
    vectors: Mapping[str, str] | None = None,
    seed: int = 0,
    store: Path | str | None = None,
    watch: Watch | None = None,
    progress: Progress | None = None,
    stage: Callable[[str], object] | None = None,
    command: str = "",
) -> Results:
    """Train every reference system, audit each on the EECs of its language, write one report.

    Into the folder go run.json, first and last; `models/`; a whole audit report for each language;
    and what `Results` leaves. Run again, only what is missing is trained and asked.
    """
    place, say = Path(folder), stage or (lambda _: None)
    run_before = (marked(place) or {}).get("run") if place.is_dir() else None
    own = (place / "models").is_dir() or (  # older reproductions left no run.json
        isinstance(run_before, dict) and run_before.get("study") == STUDY
    )
    if place.is_dir() and any(place.iterdir()) and not own:
        what = "the folder is not empty and holds no earlier reproduction; choose another with -o"
        raise OutputError(f"{place}: {what}")
    check_folder(place, force=own)
    grid_of: dict[str, Any] = {
        "recipes": recipes, "languages": languages, "tasks": tasks, "vectors": vectors,
        "seed": seed,
    }  # fmt: skip
    check_unlinked(place, Path("models", "en"))
    cells = check_grid(data, place / "models", **grid_of)
    for cell in cells:
        check_unlinked(place, Path(cell.language, "report.html"))
    run = {
        "study": STUDY,
        "models": [str(cell) for cell in cells],
        "vectors": {code: without_folders(name) for code, name in (vectors or {}).items()},
        "seed": seed,
    }
    around = environment(command)
    around["versions"] |= package_versions()
    begin_run(place, run, around)
    grid = train_grid(data, place / "models", **grid_of, watch=watch)
    failed = tuple(f"{cell}: {why}" for cell, why in grid.failed.items())
    if grid.skill.is_empty():
        raise IncompleteError(f"no model could be trained: {'; '.join(failed)}")
    audits = dict[str, Audit]()
    for (language,), rows in grid.skill.group_by("language", maintain_order=True):
        code = str(language)
        say(f"auditing the systems of {code}")
        tests = [
            files_of(data, NO_FILES, code, task).get("test")
            for task in rows["task"].unique(maintain_order=True)
        ]
        gold = [read_gold(path).frame.drop("source") for path in tests if path is not None]
        audits[code] = audit(
            [str(grid.folder / one) for one in rows["folder"]], EECS[code],
            gold=pl.concat(gold) if gold else None,
            store=store, seed=seed, progress=progress, command=command,
        )  # fmt: skip
        audits[code].report(place / code, force=True, figures=can_draw(), stage=stage)
    effects = effects_of(audits, dict(grid.skill.select("system", "recipe").iter_rows()))
    words = [
        with_formulas(pl.read_csv(read_capped(grid.folder / path / PERSON_WORDS))).select(
            pl.lit(task).alias("task"), pl.all()
        )
        for task, path in grid.skill.filter(recipe="svm-unigrams", language="en")
        .select("task", "folder").iter_rows()
    ]  # fmt: skip
    results = Results(
        grid.skill,
        published_skill(grid.skill),
        pl.concat([_tilts(code, done) for code, done in audits.items()]),
        pl.concat(words) if words else None,
        effects,
        None if effects is None else published_effects(effects),
        across_languages(audits),
        group_phrases(audits),
        {code: f"{code}/report.html" for code in audits},
        grid.left_out,
        failed,
        run,
        around,
    )
    write(results, place, stage=say)
    return results


def _tilts(language: str, done: Audit) -> pl.DataFrame:
    """The findings over all sentences, with the spread of each system's differences."""
    keys = ["system", "task", "corpus", "axis", "contrast"]
    spread = done.estimates.filter(measure="spread", subset="all").select(
        *keys, spread=pl.col("value")
    )
    found = done.findings.filter(measure="mean_difference", subset="all")
    words = [
        {"corpus": one.name, "axis": axis.name, "contrast": f"{first}-{second}", "title": one.title,
         "about_first": one.phrase(axis.name, first), "about_second": one.phrase(axis.name, second)}
        for one in done.compared
        for axis in one.corpus.axes
        for first in axis.groups
        for second in axis.groups
        if first != second
    ]  # fmt: skip
    return (
        found.join(spread, on=keys, how="left")
        .join(pl.DataFrame(words), on=["corpus", "axis", "contrast"], how="left")
        .select(
            pl.lit(language).alias("language"), "corpus", "title", "system", "task", "axis",
            *("about_first", "about_second", "value", "low", "high", "significance", "spread", "n"),
        )
    )  # fmt: skip


def group_phrases(audits: Mapping[str, Audit]) -> dict[tuple[str, str], str]:
    """How the sentences of each axis' groups are spoken of."""
    return {
        key: phrase
        for done in audits.values()
        for one in done.compared
        for key, phrase in phrases_of(one.corpus).items()
    }
