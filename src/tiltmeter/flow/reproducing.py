"""The papers' reference systems trained, audited and put beside what the papers printed."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import polars as pl

from tiltmeter.corpora import read_gold
from tiltmeter.errors import IncompleteError, OutputError
from tiltmeter.files import with_formulas, write_frame, write_text
from tiltmeter.flow.auditing import Audit, audit
from tiltmeter.flow.grid import Grid, Watch, train_grid
from tiltmeter.flow.grid_cells import NO_FILES
from tiltmeter.flow.margins import (
    across_languages,
    effects_of,
    group_phrases,
    published_effects,
)
from tiltmeter.flow.training import package_versions
from tiltmeter.flow.training_data import files_of
from tiltmeter.report import Results, can_draw, results_page, write_margins
from tiltmeter.scoring import Progress
from tiltmeter.training import PAPER_TASKS, TABLE_2

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
    titles = {one.name: one.title for one in done.material.compared}
    words = [
        {"corpus": one.name, "axis": axis.name, "contrast": f"{first}-{second}",
         "about_first": one.phrase(axis.name, first), "about_second": one.phrase(axis.name, second)}
        for one in done.material.compared
        for axis in one.axes
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


def _published(grid: Grid) -> pl.DataFrame:
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


def _words(grid: Grid) -> pl.DataFrame | None:
    """The tables of person words that svm-unigrams left, one below the other."""
    english = grid.skill.filter(recipe=UNIGRAMS, language="en")
    frames = [
        with_formulas(pl.read_csv(grid.folder / folder / "person-words.csv")).select(
            pl.lit(task).alias("task"), pl.all()
        )
        for task, folder in english.select("task", "folder").iter_rows()
    ]
    return pl.concat(frames) if frames else None


def _failed(grid: Grid) -> tuple[str, ...]:
    return tuple(f"{cell}: {why}" for cell, why in grid.failed.items())
