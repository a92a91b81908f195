"""The rating on one page: groups, scores, raw scores, ratings, report."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from tiltmeter.corpora import Corpus, Share, read_rating_results, read_shares
from tiltmeter.errors import ArgumentError, TiltmeterError, argument
from tiltmeter.files import without_folders
from tiltmeter.scoring import Progress, Settings
from tiltmeter.scoring.open_systems import Specs
from tiltmeter.scoring.provenance import environment
from tiltmeter.scoring.scoring_run import scoring_options
from tiltmeter.studies.rating.answer import rating_notes
from tiltmeter.studies.rating.grades import rating_config
from tiltmeter.studies.rating.measure import rating_study
from tiltmeter.studies.rating.panel import merge_terms, read_panel
from tiltmeter.studies.rating.scored_groups import (
    all_sentences,
    load_groups,
    score_groups,
    stored_groups,
)
from tiltmeter.studies.rating.study import Ratings
from tiltmeter.systems import Options

LEVELS, LEVELS_ALONE = 3, 2
"""Rating levels of several systems, and of one by itself."""
DRAWS = 200
AXES = ("race", "gender")
DRAWN = ("k", "strength", "shares")
"""What says how words are drawn."""


def rate(
    systems: Specs = (),
    *,
    results: Path | str | None = None,
    groups: Sequence[str | Path] | None = None,
    levels: int | None = None,
    k: int | None = None,
    strength: float | None = None,
    shares: Path | str | Sequence[Share] | None = None,
    raw: str | None = None,
    mode: str | None = None,
    edition: str | None = None,
    discretise: str = "both",
    weights: Sequence[float] | None = None,
    multiplicity: str | None = None,
    draws: int = DRAWS,
    reference: Path | str | None = None,
    positive: Sequence[str] = (),
    negative: Sequence[str] = (),
    axes: Sequence[str] | Mapping[str, Sequence[str]] = (),
    columns: Mapping[str, str] | None = None,
    encoding: str | None = None,
    tasks: Sequence[str] = (),
    options: Options | None = None,
    store: Path | str | None = None,
    settings: Settings | None = None,
    check: int | None = None,
    seed: int | None = None,
    progress: Progress | None = None,
    command: str = "",
) -> Ratings:
    """Rate systems from 1 to `levels` by how far their scores depend on who is spoken of.

    `systems` as in `audit`, or `results`: stored outputs with Gender, Race, Emotion and Sentiment.
    `groups` are 1, 2, 3, 4 or files of your own; words are assigned by Table 8's case `k`, at
    another `strength`, or by a table of `shares`. `raw` is what confounded groups are rated on, die
    or ate. `draws` is how often everything is drawn anew, to tell how sure a rating is. `reference`
    is a stored `ratings.json`: its settings hold, and systems are rated against its panel.
    Of `results`, `axes` are the columns with people's groups, perhaps with the groups expected, and
    `columns` says which column of a file is which of ours.
    """
    panel = None if reference is None else read_panel(reference)
    if isinstance(shares, str | Path):
        shares = read_shares(Path(shares))
    given = {
        "mode": mode, "edition": edition, "raw": raw, "k": k, "strength": strength,
        "shares": None if shares is None else tuple(shares), "seed": seed,
        "weights": None if weights is None else tuple(map(float, weights)),
        "multiplicity": multiplicity, "levels": levels,
        "groups": None if groups is None else tuple(map(str, groups)),
    }  # fmt: skip
    for_stored = {
        "axes": axes, "columns": columns, "positive": positive, "negative": negative,
        "encoding": encoding,
    }  # fmt: skip
    stored = argument("results", "--scores")
    if results is None:
        if said := [name for name, value in for_stored.items() if value]:
            option = {"axes": "--axis", "columns": "--column"}.get(said[0], "")
            what = f"tells how stored outputs are read, and none are given; give them with {stored}"
            raise ArgumentError(said[0], f"{what}, or leave it out", option)
    else:
        if said := [name for name in (*DRAWN, "edition") if given[name] is not None]:
            what = f"{argument(said[0])} tells which sentences systems are asked for"
            raise TiltmeterError(f"{what}; with {stored} they are already answered: leave it out")
        if len(tasks) > 1:
            what = f"names {', '.join(tasks)}; stored outputs are answers to one; name one"
            raise ArgumentError(
                "tasks", f"{what}, and rate the others from files of their own", "--task"
            )
    terms = merge_terms(given, panel)
    config = rating_config(
        mode=terms.mode, raw=terms.raw, discretise=discretise, weights=terms.weights,
        multiplicity=terms.multiplicity, repeats=draws, seed=terms.seed, levels=terms.levels,
    )  # fmt: skip
    if results is not None:
        if not isinstance(systems, Sequence) or len(systems):
            what = f"systems are named, and stored outputs are given with {stored}"
            raise TiltmeterError(f"{what}; expected one of the two")
        outputs = read_rating_results(
            Path(results),
            axes=axes or AXES,
            columns=columns or {},
            positive=positive,
            negative=negative,
            encoding=encoding,
        )
        scored = stored_groups(outputs, tuple(map(str, groups or ())), options, tasks)
    else:
        if panel is not None and groups is None:
            panel.check_groups()
        how = scoring_options(options, store, settings, progress, check=check)
        drawn = [name for name in DRAWN if given[name] is not None]
        scored = score_groups(systems, terms, draws, tasks, how, drawn)
    usual = LEVELS_ALONE if len(scored.submissions) == 1 else LEVELS
    highest = usual if terms.levels is None else terms.levels
    study = rating_study(
        scored.groups, scored.submissions, highest, config, panel.scores if panel else None
    )
    if panel is not None:
        panel.check(study, scored.facts)
    rating_facts = {
        **terms.facts, "weights": config.weights, "levels": highest, "repeats": draws,
        "variants": config.variants, "confidence": study.confidence,
    }  # fmt: skip
    return replace(
        study,
        run={"rating": rating_facts, **scored.facts},
        environment=environment(command, scored.stored),
        notes=(*rating_notes(study, against_panel=panel is not None), *scored.notes),
        reference="" if panel is None else without_folders(panel.path),
        phrases=scored.phrases,
        scores=scored.scores,
        sentences=scored.sentences,
        unavailable=scored.unavailable,
    )


def rated_sentences(
    groups: Sequence[str | Path] | None = None, mode: str | None = None, edition: str | None = None
) -> Corpus:
    """Every sentence that `rate` would ask a system for, as one corpus."""
    terms = merge_terms({"mode": mode, "edition": edition, "groups": groups}, None)
    return all_sentences(load_groups(terms.groups, terms.edition))
