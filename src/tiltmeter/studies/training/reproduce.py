"""The papers' reference systems trained, audited and put beside what the papers printed."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import polars as pl

from tiltmeter.corpora import read_gold
from tiltmeter.errors import IncompleteError, OutputError
from tiltmeter.files import with_formulas, write_frame, write_text
from tiltmeter.report.charts import can_draw
from tiltmeter.report.folder import Writer
from tiltmeter.scoring import Progress
from tiltmeter.studies.audit.results import Audit
from tiltmeter.studies.audit.run import audit
from tiltmeter.studies.regression.figures import language_figures
from tiltmeter.studies.regression.languages import between_languages
from tiltmeter.studies.training.data import files_of
from tiltmeter.studies.training.grid import NO_FILES, TrainedGrid, Watch, train_grid
from tiltmeter.studies.training.published_results import (
    PAPER_TASKS,
    TABLE_2,
    TABLES_3_TO_5,
    effect_cells,
)
from tiltmeter.studies.training.reproduction_page import results_page
from tiltmeter.studies.training.reproduction_tables import Results, reproduced_tables
from tiltmeter.studies.training.run import package_versions

# ---- tables 3 to 5 of Câmara et al. (2022) from the audits of a reproduction, beside the paper's


MEASURES = ("coefficient", "coefficient_naive", "marginal_effect", "least_squares")
NUMBERS = ("value", "se", "low", "high", "df", "p", "n")
TABLE_OF = {row.corpus: row.table for row in TABLES_3_TO_5}
"""In which table of the paper a corpus stands."""
RECIPES = tuple(dict.fromkeys(row.ours for row in TABLES_3_TO_5))
PUBLISHED = pl.Schema(
    {"table": pl.Int64()}
    | dict.fromkeys(("language", "corpus", "name", "recipe", "task", "axis"), pl.String())
    | {"value": pl.Float64(), "stars": pl.String()}
)


def effects_of(audits: Mapping[str, Audit], recipes: Mapping[str, str]) -> pl.DataFrame | None:
    """The regressions of the paper's systems, emotions and corpora; None where there are none.

    `audits` are by language; `recipes` has the recipe of each system.
    """
    found = [
        _effects(language, done, corpus, recipes)
        for language, done in audits.items()
        for corpus in TABLE_OF
    ]
    there = [frame for frame in found if frame is not None and frame.height]
    return pl.concat(there) if there else None


def _effects(
    language: str, done: Audit, corpus: str, recipes: Mapping[str, str]
) -> pl.DataFrame | None:
    one = next((one for one in done.regressed if one.corpus == corpus), None)
    if one is None:
        return None
    title = next(each.title for each in done.compared if each.name == corpus)
    recipe = pl.col("system").replace_strict(recipes, default=None, return_dtype=pl.String)
    rows = one.estimates.with_columns(recipe=recipe).filter(
        pl.col("measure").is_in(MEASURES),
        pl.col("task").is_in(PAPER_TASKS),
        pl.col("recipe").is_in(RECIPES),
    )
    reasons = one.fits.select("system", "task", "reason")
    return rows.join(reasons, on=["system", "task"], how="left", maintain_order="left").select(
        pl.lit(TABLE_OF[corpus], pl.Int64).alias("table"),
        pl.lit(language).alias("language"), "corpus", pl.lit(title).alias("title"),
        *("system", "recipe", "task", "axis", "contrast", "reference", "measure"),
        *(*NUMBERS, "reason"),
    )  # fmt: skip


def published_effects(corpora: Sequence[str]) -> pl.DataFrame:
    """What the paper prints of these corpora, a row a number."""
    rows = [
        (row.table, row.language, row.corpus, row.name, row.ours, task, axis, value, stars)
        for row in TABLES_3_TO_5
        if row.corpus in corpora
        for task, axis, value, stars in effect_cells(row)
    ]
    return pl.DataFrame(rows, PUBLISHED, orient="row")


def across_languages(audits: Mapping[str, Audit]) -> pl.DataFrame | None:
    """Every system that was trained in two languages: whether its effects differ between them."""
    estimates = [one.estimates for done in audits.values() for one in done.regressed]
    corpora = [run.corpus for done in audits.values() for run in done.runs]
    if not estimates:
        return None
    found = between_languages(pl.concat(estimates), corpora)
    return found if found.height else None


def group_phrases(audits: Mapping[str, Audit]) -> dict[tuple[str, str], str]:
    """How the sentences of each axis' groups are spoken of."""
    return {
        (axis.name, group): axis.phrase(group)
        for done in audits.values()
        for one in done.compared
        for axis in one.corpus.axes
        for group in axis.groups
    }


# ---- what a reproduction leaves of the paper's tables of coefficients: CSV, LaTeX, figures


def write_margins(results: Results, folder: Path) -> None:
    """Write Tables 3 to 5 in both scales, every number behind them, and the languages compared."""
    writer = Writer(folder)
    for reproduced in reproduced_tables(results):
        for one in (reproduced.beta, reproduced.least_squares):
            table = one.print_table()
            writer.csv(f"tables/{table.name}.csv", table.frame)
            writer.text(f"tables/{table.name}.tex", table.latex())
    if results.effects is not None:
        writer.csv("tables/margins.csv", results.effects)
    if results.languages is None:
        return
    writer.csv("tables/margins-languages.csv", results.languages)
    for name, data in language_figures(results.languages, results.phrases) if can_draw() else ():
        writer.data(f"figures/{name}", data)


# ---- the papers' reference systems trained, audited and put beside what the papers printed


EECS = {"en": ("eec", "eec-latino", "eec-arab"), "es": ("eec-es",), "ar": ("eec-ar",)}
"""The corpora of each language that the papers audit on."""
UNIGRAMS = "svm-unigrams"
PAGE = "results.html"


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

    Into the folder go `results.html`, which reads like a paper's results section, its tables as
    CSV, the tables of Câmara et al. (2022) in `tables/`, `models/`, and a whole audit report for
    each language. Run again, only what is missing is trained and asked.
    """
    place, say = Path(folder), stage or (lambda _: None)
    _check_folder(place)
    grid = train_grid(
        data, place / "models", recipes=recipes, languages=languages, tasks=tasks, vectors=vectors,
        seed=seed, watch=watch,
    )  # fmt: skip
    if grid.skill.is_empty():
        raise IncompleteError(f"no model could be trained: {'; '.join(_failed(grid))}")
    tilts, reports, audits = list[pl.DataFrame](), dict[str, str](), dict[str, Audit]()
    for (language,), rows in grid.skill.group_by("language", maintain_order=True):
        code = str(language)
        say(f"auditing the systems of {code}")
        done = audit(
            [str(grid.folder / one) for one in rows["folder"]], EECS[code],
            gold=_gold(Path(data), code, rows["task"].unique(maintain_order=True)),
            store=store, seed=seed, progress=progress, command=command,
        )  # fmt: skip
        done.report(place / code, force=True, figures=can_draw(), stage=stage)
        reports[code] = f"{code}/report.html"
        tilts.append(_tilts(code, done))
        audits[code] = done
    effects = effects_of(audits, dict(grid.skill.select("system", "recipe").iter_rows()))
    found = Results(
        time.strftime("%Y-%m-%d", time.gmtime()), grid.skill, _published(grid), pl.concat(tilts),
        _words(grid), reports, grid.left_out, _failed(grid), package_versions(), command, effects,
        None if effects is None else published_effects(effects["corpus"].unique().to_list()),
        across_languages(audits), group_phrases(audits),
    )  # fmt: skip
    write_frame(found.tilts, place / "tilts.csv")
    write_frame(found.skill, place / "skill.csv")
    write_margins(found, place)
    write_text(results_page(found), place / PAGE)
    return found


def _check_folder(place: Path) -> None:
    """Refuse a folder that holds something else."""
    if place.exists() and not place.is_dir():
        raise OutputError(f"{place}: is a file; expected a folder, or none yet")
    if place.is_dir() and any(place.iterdir()) and not (place / "models").is_dir():
        what = "the folder is not empty and holds no earlier reproduction; choose another with -o"
        raise OutputError(f"{place}: {what}")


def _gold(data: Path, language: str, tasks: pl.Series) -> pl.DataFrame | None:
    """The language's labelled test texts, all tasks in one table; None where there are none."""
    files = [files_of(data, NO_FILES, language, task).get("test") for task in tasks]
    frames = [read_gold(path).frame.drop("source") for path in files if path is not None]
    return pl.concat(frames) if frames else None


def _tilts(language: str, done: Audit) -> pl.DataFrame:
    """The findings over all sentences, with the spread of each system's differences."""
    keys = ["system", "task", "corpus", "axis", "contrast"]
    spread = done.estimates.filter(measure="spread", subset="all").select(
        *keys, spread=pl.col("value")
    )
    found = done.findings.filter(measure="mean_difference", subset="all")
    titles = {one.name: one.title for one in done.compared}
    words = [
        {"corpus": one.name, "axis": axis.name, "contrast": f"{first}-{second}",
         "about_first": one.phrase(axis.name, first), "about_second": one.phrase(axis.name, second)}
        for one in done.compared
        for axis in one.corpus.axes
        for first in axis.groups
        for second in axis.groups
        if first != second
    ]  # fmt: skip
    whole = found.join(spread, on=keys, how="left").join(
        pl.DataFrame(words), on=["corpus", "axis", "contrast"], how="left"
    )
    return whole.select(
        pl.lit(language).alias("language"), "corpus",
        pl.col("corpus").replace_strict(titles, default=None).alias("title"),
        *("system", "task", "axis", "about_first", "about_second", "value", "low", "high"),
        *("significance", "spread", "n"),
    )  # fmt: skip


def _published(grid: TrainedGrid) -> pl.DataFrame:
    """Câmara et al. 2022, Table 2, for the languages at hand, a row a cell."""
    there = set(grid.skill["language"])
    rows = [
        {"language": one.language, "task": task, "name": one.name, "pearson": r, "ours": one.ours}
        for one in TABLE_2
        if one.language in there
        for task, r in zip(PAPER_TASKS, one.pearson, strict=True)
    ]
    kinds = dict.fromkeys(("language", "task", "name", "ours"), pl.String) | {"pearson": pl.Float64}
    return pl.DataFrame(rows, kinds)


def _words(grid: TrainedGrid) -> pl.DataFrame | None:
    """The tables of person words that svm-unigrams left, one below the other."""
    english = grid.skill.filter(recipe=UNIGRAMS, language="en")
    frames = [
        with_formulas(pl.read_csv(grid.folder / folder / "person-words.csv")).select(
            pl.lit(task).alias("task"), pl.all()
        )
        for task, folder in english.select("task", "folder").iter_rows()
    ]
    return pl.concat(frames) if frames else None


def _failed(grid: TrainedGrid) -> tuple[str, ...]:
    return tuple(f"{cell}: {why}" for cell, why in grid.failed.items())
