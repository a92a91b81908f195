"""The page of a rating: rating.html, self-contained, without a script."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import polars as pl
from markupsafe import Markup

from tiltmeter.report import phrases
from tiltmeter.report.glossary import RATING_GLOSSARY
from tiltmeter.report.numbers import count
from tiltmeter.report.page import Method, Page, Section, environment, trusted
from tiltmeter.report.phrases import unavailable_said
from tiltmeter.report.table import Table
from tiltmeter.studies.rating import wording
from tiltmeter.studies.rating.answer import (
    about,
    answer,
    beyond_chance,
    how_sure,
    other_variant,
    question,
    unrated,
)
from tiltmeter.studies.rating.figures import (
    Arrow,
    arrow_results,
    cards,
    column_results,
    diagram_svg,
    edges_of,
    label_files,
    small_grade,
    wash,
)
from tiltmeter.studies.rating.first_screen import first_screen, remarks, scales
from tiltmeter.studies.rating.groups import Measure
from tiltmeter.studies.rating.study import OVERALL, RatedSystem, Ratings, Row
from tiltmeter.studies.rating.tables import (
    arrow_name,
    arrows_table,
    ate_table,
    die_table,
    in_page_order,
    psi_table,
    ratings_table,
    shares_table,
    t_table,
)

MANY = 12
"""Systems above which a page shows rows instead of cards and draws one diagram for all."""
MOST_PAIRS = 20
"""Pairs of systems that are listed."""
MODES = {
    "published": "published: the paper’s critical values (a tail halved twice), pooled degrees of "
    "freedom",
    "corrected": "corrected: two-sided critical values, Welch’s degrees of freedom",
}
HOW = Markup(
    "After Lakkaraju, Srivastava and Valtorta (2023), <cite>Rating Sentiment Analysis Systems for "
    "Bias through a Causal Lens</cite>. Every system scores the same sentences. Where all people "
    'meet the same words, t-tests compare the scores of any two <a href="#g-class">classes</a>; '
    "where who is spoken of decides the words, means are compared before and after a "
    '<a href="#g-backdoor">backdoor adjustment</a>. Systems are then put in order and rated.'
)
RAWS = {
    "die": "DIE %: how far mean scores move once the words are adjusted for who is spoken of",
    "ate": "change of the words’ effect by the adjustment, in per cent",
}


def rating_page(study: Ratings) -> Page:
    """The whole page."""
    labels = {(row[0], row[1], row[2]): f"labels/{row[3]}" for row in label_files(study).rows()}
    own_cards, matrices = list(cards(study)), list(variant_matrices(study))
    one = len(own_cards) == 1
    return Page(
        "rating.html",
        question(study),
        Section("answer", "", "rating/answer.html",
                {"screen": first_screen(study), "remarks": list(remarks(study))}),
        (
            Section("labels", "The label" if one else "Labels",
                    "rating/labels.html",
                    {"cards": own_cards, "labels": labels, "many": len(own_cards) > MANY,
                     "said": filter(None, (answer(study), beyond_chance(study),
                                           other_variant(study)))},
                    lede="What drove each rating.",
                    nav="Label" if one else "Labels"),
            Section("matrix", "Ratings by group", "rating/matrix.html", nav="Groups",
                    lede="Gender, race and both apart."),
            Section("groups", "Evidence", "rating/groups.html",
                    {"groups": list(page_groups(study))}, nav="Evidence",
                    lede="Every arrow of cause and every test."),
            Section("repeats", "How sure the ratings are", "rating/repeats.html",
                    {"steadiness": list(steadiness(study)), "how_sure": how_sure(study)},
                    nav="", lede="How often each rating came again."
                    if study.repeats else "Everything was drawn once, so nobody knows."),
        ),
        Method(
            "After Lakkaraju, Srivastava and Valtorta (2023): settings, limits, notes, files.",
            facts(study),
            more=trusted(environment().get_template("rating/notes.html").render(
                study=study,
                unrated=[*unavailable_said(study.run.get("unavailable", ()), rated=True),
                         *unrated(study)],
            )),
        ),
        tuple(limits(study)),
        RATING_GLOSSARY,
        about="rating",
        environment=study.environment,
        files=Markup(
            'Beside this page: <a href="ratings.json" download>ratings.json</a>, every rating for '
            "programs and as a panel for <code>--reference</code>; labels as SVG in "
            "<code>labels/</code>; and the tables."
        ),
        tables=tuple(sorted(study.tables(), key=lambda table: table.name)),
        facts={
            "study": study, "matrices": matrices, "phrases": phrases, "wording": wording,
            "many_tasks": study.overall["task"].n_unique() > 1,
        },
        kind="rating",
        styles=("rating/rating.css",),
    )  # fmt: skip


def variant_matrices(study: Ratings) -> Iterator[dict[str, Any]]:
    """The ratings of all systems in each variant, the ψ behind them, and why cells are empty."""
    for variant in study.variants:
        own = [one.variants[variant] for one in study.systems if variant in one.variants]
        reasons: dict[str, dict[str, list[str]]] = {}
        for rated in own:
            for why, names in rated.reasons.items():
                called = [wording.column_named(rated.columns[name]) for name in names]
                systems = reasons.setdefault(why, {})
                systems.setdefault(rated.overall["system"], []).extend(called)
        notes = []
        for why, systems in reasons.items():
            columns = ", ".join(dict.fromkeys(name for some in systems.values() for name in some))
            notes.append(f"{phrases.listed(list(systems))}, {columns}: {why}.")
        grades = [small_grade(row, study.levels) for one in own for row in one.columns.values()]
        title = f"Ratings from {wording.VARIANTS.get(variant, variant)}"
        ratings = replace(ratings_table(study, variant), caption=title, notes=())
        yield {
            "variant": variant,
            "ratings": in_page_order(study, ratings).html(),
            "psi": in_page_order(study, psi_table(study, variant)).html(),
            "notes": notes,
            "any_x": any(one.x for one in grades),
            "any_doubt": any(one.doubt for one in grades) or any(one.may_be_chance for one in own),
        }


def page_groups(study: Ratings) -> Iterator[dict[str, Any]]:
    """Every group of datasets: what it asks, its causal diagram, what each variant shows."""
    many = len(study.systems) > MANY

    def shown(variant: str) -> list[RatedSystem]:
        return [one for one in study.systems if variant in one.variants and not many]

    def figure(one: RatedSystem, columns: Sequence[Row], variant: str) -> dict[str, Any]:
        """A system's diagram and what its arrows say."""
        rated = one.variants[variant]
        arrows = arrow_results(study, rated, columns, edges_of(columns[0]["edges"]))
        results = column_results(study, rated, columns)
        return {
            "system": one.system,
            "task": one.task,
            "svg": _diagram(columns[0], arrows),
            "results": [(arrow_name(study, name), arrow) for name, arrow in results.items()],
        }

    for (name,), rows in study.columns.group_by("group", maintain_order=True):
        columns = rows.to_dicts()
        named = [part for row in columns for part in phrases.attributes(about(row))]
        yield {
            "title": wording.group_words(columns) if str(name).isdigit() else str(name),
            "code": f"group {name}" if str(name).isdigit() else wording.group_words(columns),
            "question": wording.group_question(
                columns[0]["measure"], " and ".join(dict.fromkeys(named))
            ),
            "columns": list(map(wording.column_named, columns)),
            "facts": list(_group_facts(columns)),
            "shared": _diagram(columns[0], {}) if many else None,
            "variants": [
                {
                    "called": wording.VARIANTS.get(variant, variant),
                    "figures": [figure(one, columns, variant) for one in shown(variant)],
                    "arrows": arrows_table(study, columns, variant).html(quiet=True)
                    if many
                    else "",
                    "evidence": list(_evidence(study, columns, variant)),
                }
                for variant in study.variants
            ],
        }


def _group_facts(columns: Sequence[Row]) -> Iterator[str]:
    """What is adjusted for and how many sentences there are, each said once."""
    plain = all(row["identifiable"] and not row["adjustment"] for row in columns)
    found: dict[str, list[str]] = {}
    for row in columns[-1:] if plain else columns:  # the last is about all attributes
        found.setdefault(str(row["sentence"] or ""), []).append(wording.column_named(row))
    for sentence, names in found.items():
        if sentence:
            whole = phrases.whole_sentence(sentence)
            yield f"{', '.join(names)}: {whole}" if len(found) > 1 else whole
    for row in columns:
        if row.get("about_na"):
            yield phrases.whole_sentence(str(row["about_na"]))
    sizes = dict.fromkeys((row["sentences"], len(row["datasets"])) for row in columns)
    yield from (wording.sizes(*one) for one in sizes)
    yield from (f"{words}." for words in dict.fromkeys("; ".join(row["sets"]) for row in columns))


def _diagram(row: Row, arrows: dict[tuple[str, str], Arrow]) -> Markup:
    return trusted(diagram_svg(edges_of(row["edges"]), arrows, row.get("unobserved") or ()))


def _evidence(
    study: Ratings, columns: Sequence[Row], variant: str
) -> Iterator[tuple[str, Markup | str, Markup, str]]:
    """What is folded away of each column: a title, how to read it, a table, and what it lacks."""
    called = wording.VARIANTS.get(variant, variant)

    def shown(table: Table, caption: str) -> Markup:
        return in_page_order(study, replace(table, caption=caption, notes=())).html()

    for row in columns:
        part, column = ("", str(row["column"]), variant), wording.column_named(row)
        own = {"column": str(row["column"]), "variant": variant}
        if row["measure"] == Measure.WRS:
            if study.tests.filter(**own).height:
                raised = phrases.kept(wording.raised(study.confidence))
                yield (
                    f"t-values, {column}",
                    f"t without its sign. Raised: {raised}. ◂ the class named first is scored "
                    "higher, ▸ the second. H: very large, because the scores of both classes never "
                    "vary.",
                    shown(t_table(study, *part), f"{column}, {called}"),
                    "",
                )
            continue
        effects = study.effects.filter(**own)
        if effects.height:
            x = " X: the mean before is 0 and moved." if effects["x"].any() else ""
            rows = effects.filter(pl.col("empty") != "").unique(
                ["dataset", "polarity", "empty"], maintain_order=True
            )
            empty = [
                f"{own['dataset']}: no {own['polarity']} sentence for {own['empty']}"
                for own in rows.iter_rows(named=True)
            ]
            more = f"; and {len(empty) - 8} more" if len(empty) > 8 else ""
            lacking = (
                "* Some classes have no sentence of that polarity. Both means leave them out, and "
                f"the others are weighed anew: {'; '.join(empty[:8])}{more}."
            )
            yield (
                "Mean scores before and after the adjustment",
                "E[S | e]: mean scores of sentences with negative and positive words, as they "
                "fell. E[S | do(e)]: the same once each class has the weight it has among all "
                f"sentences. DIE %: how far that moves them; the largest is the raw score.{x}",
                shown(die_table(study, *part), f"{column}, {called}"),
                lacking if empty else "",
            )
        if study.ates.filter(**own).height:
            yield (
                "Effects of the words, three ways",
                Markup('<a href="#g-ate">ATE</a>: how much higher sentences with positive words '
                       "are scored. Unmatched: sentences for which no partner was found. Change: "
                       "how far the adjustment moves the naive effect."),
                shown(ate_table(study, *part), f"{column}, {called}"),
                "",
            )  # fmt: skip


def steadiness(study: Ratings) -> Iterator[dict[str, Any]]:
    """How often each rating came up, and whose order is not certain; none without repeats."""
    if not study.repeats or study.frequencies.is_empty():
        return
    shares: dict[tuple[str, str, str, str], dict[int, float]] = {}
    for row in study.frequencies.iter_rows(named=True):
        if row["rating"] is not None and row["share"]:
            key = row["system"], row["task"], row["variant"], row["column"]
            shares.setdefault(key, {})[row["rating"]] = row["share"]

    def bar(one: RatedSystem, own: dict[int, float]) -> dict[str, Any]:
        pieces, x = [], 0.0
        for rating in sorted(own):
            wide = 100 * own[rating]
            text = str(rating) if wide >= 6 else ""
            pieces.append((round(x, 2), round(wide, 2), wash(rating, study.levels), text))
            x += wide
        return {"system": one.system, "task": one.task, "pieces": pieces,
                "shares": wording.shares(own)}  # fmt: skip

    for variant in study.variants:
        called = wording.VARIANTS.get(variant, variant)
        rated = [one for one in study.systems if (one.system, one.task, variant, OVERALL) in shares]
        pairs = study.order.filter(variant=variant, column=OVERALL)
        unsure = pairs.filter(~pl.col("certain")).rows(named=True)
        by_group = shares_table(study, variant, rated, shares)
        yield {
            "called": called,
            "bars": [bar(one, shares[one.system, one.task, variant, OVERALL]) for one in rated],
            "by_group": by_group.html(quiet=True),
            "pairs": [wording.uncertain(row) for row in unsure[:MOST_PAIRS]],
            "pairs_more": max(0, len(unsure) - MOST_PAIRS),
            "pairs_all": pairs.height,
        }


def facts(study: Ratings) -> Iterator[tuple[str, str | Markup]]:
    """What determines the ratings, label by label."""
    run, many = study.settings, study.overall.select("system", "task").n_unique()
    rated = f"{count(many, 'system')} against each other"
    levels = (
        f"{study.levels}: systems in the order of their raw scores, split into {study.levels} "
        "parts of nearly equal size; equal ones share the better part; overall is the mean over "
        "groups, rounded half up"
    )
    if study.reference:
        rated = (
            f"{count(many, 'system')} against the stored panel {study.reference}; the panel’s own "
            "systems decide where one rating ends and the next begins"
        )
    elif study.alone:
        rated = f"one system by itself: 1 where the raw score is 0, {study.levels} otherwise"
        levels = str(study.levels)
    yield "How", HOW
    yield "Rated", rated
    if said := [
        f"{one.scale} of {phrases.listed(list(one.systems), most=8)}, "
        f"{'inferred: every score lies within it' if one.inferred else 'declared'}"
        for one in scales(study)
    ]:
        yield "Scales", "; ".join(said)
    if mode := str(run.get("mode", "")):
        yield "Mode", MODES.get(mode, mode)
    if run.get("edition"):
        yield "Edition of the sentences", str(run["edition"])
    yield "Levels", levels
    weights = zip(study.confidence, study.config.weights, strict=False)
    yield (
        "Confidence and weights",
        ", ".join(f"{100 * level:g} % counts {weight:g}" for level, weight in weights),
    )
    if run.get("raw"):
        yield "Groups with decided words", RAWS.get(str(run["raw"]), str(run["raw"]))
    if run.get("shares"):
        yield "Words decided by", "shares of positive words of your own"
    elif run.get("k") is not None:
        strength = "" if run.get("strength") is None else f", at strength {run['strength']:g}"
        case = f"case k = {run['k']}{strength} of each group’s cases"
        yield "Words decided by", f"{case}; those of groups 2 and 4 follow the paper’s Table 8"
    if run.get("seed") is not None:
        yield "Seed", str(run["seed"])
    if run.get("multiplicity") not in (None, "", "none"):
        yield "Many tests", f"corrected by {run['multiplicity']}"
    repeats = (
        f"{study.repeats:,}: words drawn with other seeds, and people resampled with all their "
        "sentences (templates where a class has few people, sentences where nobody is named); a "
        "spread holds 95 % of them"
    )
    yield "Repeats", repeats if study.repeats else "none: how steady the ratings are is not known"
    groups = []
    for row in study.column_rows.values():
        size = f"{count(row['sentences'], 'sentence')} in {count(len(row['datasets']), 'dataset')}"
        unknown = "" if row["identifiable"] else ", not identifiable"
        groups.append(f"{wording.column_named(row)}: {size}{unknown}")
    yield "Groups", "; ".join(groups)


def limits(study: Ratings) -> Iterator[tuple[str, str]]:
    """What the ratings do not show: a claim, and why."""
    if study.alone:
        yield (
            "One system was rated.",
            "Its rating says whether anything was detected, not how it stands among others.",
        )
    else:
        among = "the reference panel" if study.reference else "these systems"
        yield (
            f"A rating is relative to {among}.",
            "1 is the least tilt among them, not none; the last is the most among them, however "
            "small. Other systems beside it may give a system another rating.",
        )
    lowest = min(study.confidence, default=0.6)
    yield (
        "Some rejections are chance.",
        f"At {100 * lowest:g} % confidence a test rejects by chance in {100 - 100 * lowest:g} % of "
        "cases where there is no difference. The table of raw scores says what the same "
        "scores give when sentences are dealt out to the classes by chance, and p what people "
        "dealt by chance do.",
    )
    if set(study.columns["measure"]) - {Measure.WRS}:
        yield (
            "Means may move though people do not matter.",
            "Words of one polarity differ in strength, and some people are given the stronger ones "
            "more often. Then the raw score is above 0 for a system that never looks at people; p "
            "is large.",
        )
    yield (
        "No difference detected is not no difference.",
        "The datasets are small, and tests on them miss small differences.",
    )
    yield (
        "Templates are not the world.",
        "The sentences come from a few templates, names and words; which group a name or word "
        "stands for is what their authors assigned. Other sentences may give other ratings.",
    )
    yield (
        "The diagram is an assumption.",
        "What is adjusted for follows from the arrows that were declared. Causes that are not in "
        "the diagram are not allowed for.",
    )
    yield "Skill is not rated.", "A system that gives every sentence the same score is rated 1."
