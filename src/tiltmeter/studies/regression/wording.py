"""Every effect of a regression as one plain sentence, both sides in words."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations, pairwise
from typing import Any

import polars as pl

from tiltmeter.audit_run import AuditRun
from tiltmeter.corpora import Corpus
from tiltmeter.report.numbers import count, p_value, points
from tiltmeter.report.phrases import on_subset
from tiltmeter.schemas import AVERAGE, FINDINGS, Significance
from tiltmeter.studies.paired.results import (
    EVERYBODY,
    AuditResults,
    CorpusComparisons,
    RegressionStudy,
)
from tiltmeter.studies.paired.wording import Phrases, amount, size_and_interval
from tiltmeter.studies.regression.effects import (
    COEFFICIENT,
    COEFFICIENT_MIXED,
    COEFFICIENT_NAIVE,
    LEAST_SQUARES,
    judged_measure,
)

LANGUAGES = {"ar": "Arabic", "en": "English", "es": "Spanish"}


def language_name(code: str) -> str:
    """A language in English; its code where we have no name for it.

    >>> language_name("es"), language_name("tlh")
    ('Spanish', 'tlh')
    """
    return LANGUAGES.get(code, code)


def errors_of(run: AuditRun) -> str:
    """What errors allow for: crossed, mixed or naive."""
    return run.regression.errors if run.regression else "crossed"


def printed_measure(run: AuditRun) -> str:
    """The measure that a table as in the paper shows.

    >>> from tiltmeter.audit_run import AuditRun, AuditStatistics
    >>> published = AuditRun(statistics=AuditStatistics(mode="published"))
    >>> printed_measure(AuditRun()), printed_measure(published)
    ('coefficient', 'least_squares')
    """
    if run.statistics.mode == "published":
        return LEAST_SQUARES
    others = {"mixed": COEFFICIENT_MIXED, "naive": COEFFICIENT_NAIVE}
    return others.get(errors_of(run), COEFFICIENT)


def drawn_measure(run: AuditRun) -> str:
    """The measure that a figure draws: effects in parts of the scale, as findings are made of.

    >>> from tiltmeter.audit_run import AuditRun, RegressionSettings
    >>> drawn_measure(AuditRun(regression=RegressionSettings(errors="mixed")))
    'marginal_effect_mixed'
    """
    return judged_measure(run.statistics.mode, errors_of(run))


GroupPhrases = Mapping[tuple[str, str], str]
"""By axis and group, how its sentences are spoken of: `about women`."""
Pairs = Sequence[tuple[str, str]]
"""For each axis of an effect, how both of its sides are spoken of; nothing for the average."""


def phrases_of(corpus: Corpus) -> GroupPhrases:
    """How the sentences of each group of a corpus are spoken of."""
    return {(axis.name, group): axis.phrase(group) for axis in corpus.axes for group in axis.groups}


def sides_of(effect: tuple[str, str, str], phrases: GroupPhrases) -> Pairs:
    """Both sides of an effect, axis by axis.

    >>> sides_of(("gender", "female-male", "male"), {("gender", "female"): "about women"})
    [('about women', 'marked “male”')]
    """

    def phrase(axis: str, group: str) -> str:
        return phrases.get((axis, group), "" if group == AVERAGE else f"marked “{group}”")

    return [
        (phrase(axis, group), phrase(axis, second)) for axis, group, second in effect_parts(effect)
    ]


def all_with(held: Mapping[str, str], phrases: GroupPhrases) -> str:
    """Which sentences an effect is about, where it is not about all.

    >>> all_with({"race": "Anglo"}, {("race", "Anglo"): "with Anglo names"}), all_with({}, {})
    (', all with Anglo names', '')
    """
    groups = [phrases.get(group, f"marked “{group[1]}”") for group in held.items()]
    return f", all {' and '.join(groups)}" if groups else ""


def ends(sides: Pairs) -> tuple[str, str]:
    """What an effect means above and below zero; a second side of nothing is the average of all.

    >>> ends([("about women", "about men")])
    ('higher about women', 'higher about men')
    >>> ends([("about women", "about men"), ("with Arab names", "with Anglo names")])[1]
    'about women beside men: higher with Anglo names'
    >>> ends([("about women", "")])
    ('higher about women', 'lower about women')
    """
    lead = lead_of(sides)
    return f"{lead}{towards(sides[-1], True)}", f"{lead}{towards(sides[-1], False)}"


def lead_of(sides: Pairs) -> str:
    """What a product's ends begin with: `about women beside men: `."""
    held = ", ".join(_beside(*one) for one in sides[:-1])
    return f"{held}: " if held else ""


def _beside(first: str, second: str) -> str:
    """Two groups, without the words that both begin with: `about women beside men`."""
    if not second:
        return first
    ours, theirs = first.split(), second.split()
    while len(ours) > 1 and len(theirs) > 1 and ours[0] == theirs[0]:
        ours, theirs = ours[1:], theirs[1:]
    return f"{first} beside {' '.join(theirs)}"


def whole_contrast(sides: Pairs) -> str:
    """All groups of a product beside all that they are held against.

    >>> whole_contrast([("about women", "about men"), ("with Arab names", "with Anglo names")])
    'about women with Arab names beside men with Anglo names'
    """
    first, second = (" ".join(filter(None, some)) for some in zip(*sides, strict=True))
    return _beside(first, second or EVERYBODY)


def towards(side: tuple[str, str], up: bool) -> str:
    """Who is scored higher; lower, where the other side is the average of all."""
    first, second = side
    if up or not second:
        return f"{'higher' if up else 'lower'} {first}"
    return f"higher {second}"


def comparison_of(sides: Pairs) -> str:
    """What is compared: `sentences about women and about men`."""
    *others, (first, second) = sides
    if not others:
        return f"sentences {first} and {second or f'those {EVERYBODY}'}"
    return f"sentences {_against(others)}, {first} and {second or 'on average'}"


def question_of(sides: Pairs) -> str:
    """What an effect asks, after "whether".

    >>> question_of([("about women", "about men"), ("with Arab names", "with Anglo names")])
    'sentences about women, compared with those about men, are scored alike with Arab names and \
with Anglo names'
    """
    *others, (first, second) = sides
    if not others:
        return f"{comparison_of(sides)} are scored alike"
    alike = f"are scored alike {first} and {second or 'on average'}"
    return f"sentences {_against(others, ',')}, {alike}"


def effect_clause(sides: Pairs, up: bool, size: str) -> str:
    """What happened, with its size; a product moves the difference between its first sides."""
    *others, (first, second) = sides
    if others:
        who, than = f"sentences {_against(others, ',')}, are scored {size}", second or "on average"
        if up or not second:
            return f"{who} {towards(sides[-1], up)} than {than}"
        return f"{who} higher {second} than {first}"
    if not second:
        how = "higher" if up else "lower"
        return f"sentences {first} are scored {size} {how} than those {EVERYBODY}"
    more, less = (first, second) if up else (second, first)
    return f"sentences {more} are scored {size} higher than sentences {less}"


def _against(sides: Pairs, stop: str = "") -> str:
    """`about women compared with those about men`."""
    said = (f"{first}{stop} compared with those {second or EVERYBODY}" for first, second in sides)
    return ", and ".join(said)


UNSETTLED = "the mixed model did not converge; --errors crossed needs no such fit"
"""Where a Beta regression could be fitted and the model that was asked for could not."""
NAMED = 3
"""Submissions named before the rest is only counted."""
NOTHING = 1e-6
"""Part of the scale that counts as no difference."""
STARS = ((0.01, "***"), (0.05, "**"), (0.10, "*"))
"""p at or below each has these stars, as in Câmara et al. (2022)."""


def stars(p: float | None) -> str:
    """The paper's stars of a p-value.

    >>> stars(0.01), stars(0.05), stars(0.1), stars(0.11), stars(None)
    ('***', '**', '*', '', '')
    """
    return "" if p is None else next((mark for most, mark in STARS if p <= most), "")


def with_regression_sentences(
    judged: pl.DataFrame, phrases: Phrases, fits: pl.DataFrame
) -> pl.DataFrame:
    """The findings table of a regression: what was judged, each with its sentence.

    `fits` has system, task, corpus, people, templates and the reason where there is no fit.
    """
    by_key = {
        (row["system"], row["task"], row["corpus"]): row for row in fits.iter_rows(named=True)
    }
    listed = judged.select("corpus", "axis", "contrast", "reference").unique(maintain_order=True)
    effects = {
        str(corpus): part.drop("corpus").rows()
        for (corpus,), part in listed.partition_by("corpus", as_dict=True).items()
    }
    groups = {
        name: {key[1:]: phrase for key, phrase in phrases.items() if key[0] == name}
        for name in effects
    }
    sentences = [
        effect_sentence(
            row,
            groups[row["corpus"]],
            by_key[row["system"], row["task"], row["corpus"]],
            held_at(row["axis"], effects[row["corpus"]]) if is_held(row["measure"]) else {},
        )
        for row in judged.iter_rows(named=True)
    ]
    found = judged.with_columns(sentence=pl.Series(sentences, dtype=pl.String))
    return found.select(*FINDINGS.columns)


def effect_sentence(
    row: Mapping[str, Any], phrases: GroupPhrases, fit: Mapping[str, Any], held: Mapping[str, str]
) -> str:
    """One effect in one sentence; `held` are the other axes' groups that it is about."""
    sides = sides_of((row["axis"], row["contrast"], row["reference"]), phrases)
    among = all_with(held, phrases)
    edition = "" if row["edition"] == "corrected" else f", {row['edition']} edition"
    seen_on = f"{row['task']}, {row['corpus']}{edition}"
    if row["significance"] == Significance.NOT_ESTIMABLE:
        what, why = f"{comparison_of(sides)}{among}", fit["reason"] or UNSETTLED
        return f"Cannot be estimated for {row['system']}, {what} ({seen_on}), because {why}."
    size, spread = size_and_interval(row)
    dropped = f", {row['n_dropped']:,} without a score" if row["n_dropped"] else ""
    people = f"{count(fit['people'], 'name')} in {count(fit['templates'], 'template')}"
    which = on_subset(str(row["subset"]), str(row["task"])).removeprefix("on sentences")
    seen = f"{count(row['n'], 'sentence')}{which.removesuffix(', ')}{dropped}, {people}"
    sure = f"{spread}, {p_value(row['p_adjusted'])} after correction, {seen}"
    if row["significance"] != Significance.NONE:
        what = f"{effect_clause(sides, row['value'] > 0, size)}{among}"
        return f"{row['system']}: {what} ({seen_on}; {sure})."
    could = ""
    if row["detectable"] is not None:
        # Two scores differ by the whole scale at most, two differences by twice as much.
        impossible = row["detectable"] > 2.0 ** str(row["axis"]).count(":")
        one = f"one of {amount(points(row['detectable']), 'scale')}"
        could = f"; the data could have shown {'none of any size' if impossible else one}"
    lean = f"{size} {towards(sides[-1], row['value'] > 0)}" if row["value"] else "an effect of 0"
    inside = f"({seen_on}; {lean}, {sure}{could})."
    return f"No difference detected for {row['system']}, {comparison_of(sides)}{among} {inside}"


def unestimated(one: RegressionStudy) -> dict[str, list[str]]:
    """By reason: the submissions that have no effects, as `system (task)`."""
    none = (
        one.findings.filter(significance=Significance.NOT_ESTIMABLE)
        .select("system", "task")
        .unique()
    )
    without, found = set(none.rows()), dict[str, list[str]]()
    for system, task, reason in one.fits.select("system", "task", "reason").rows():
        if reason is not None or (system, task) in without:
            found.setdefault(reason or UNSETTLED, []).append(f"{system} ({task})")
    return found


def fitted_on(one: RegressionStudy) -> list[str]:
    """Which sentences the regressions are of: how many, which, about how many people."""
    tasks: dict[tuple[str, int, int, int], list[str]] = {}
    for (subset, task), fits in one.fits.group_by("subset", "task", maintain_order=True):
        size = int((fits["n"] + fits["n_dropped"]).to_numpy().max())
        people, templates = (int(fits[name].to_numpy().max()) for name in ("people", "templates"))
        tasks.setdefault((str(subset), size, people, templates), []).append(str(task))
    return [
        f"{', '.join(of)}: {count(size, 'sentence')}{_which(subset)}, about "
        f"{count(people, 'name')} with a group on every axis, in {count(templates, 'template')}"
        for (subset, size, people, templates), of in tasks.items()
        if size
    ]


def _which(subset: str) -> str:
    words = on_subset(subset, "the task’s own emotion")
    return words.removeprefix("on sentences").removesuffix(", ")


def opposite_signs(one: RegressionStudy, material: AuditResults) -> list[str]:
    """Where pairs and a regression lean different ways, and why they may; nothing where none do."""
    if "pairs" not in material.measures:
        return []
    of = ("system", "task", "axis", "contrast")
    shown = material.paired_findings.filter(corpus=one.corpus, subset=material.subset)
    pairs = {tuple(row[name] for name in of): row for row in shown.iter_rows(named=True)}
    apart = [
        (pair, row)
        for row in one.findings.iter_rows(named=True)
        if (pair := pairs.get(tuple(row[name] for name in of))) is not None
        and all(abs(each["value"] or 0.0) > NOTHING for each in (pair, row))
        and pair["value"] * row["value"] < 0
    ]
    if not apart:
        return []
    compared = next(other for other in material.compared if other.name == one.corpus)
    references = {(axis, contrast): reference for axis, contrast, reference in one.effects}
    lines = list[str]()
    for pair, row in apart[:NAMED]:
        key = row["axis"], row["contrast"], references[row["axis"], row["contrast"]]
        axis, *groups = effect_parts(key)[0]
        first, second = (compared.phrase(axis, group) for group in groups)
        in_pairs, in_fit = (
            f"{points(abs(each['value']))} {towards((first, second), each['value'] > 0)}"
            for each in (pair, row)
        )
        who = f"{row['system']} ({row['task']}), {axis}"
        lines.append(f"{who}: {in_pairs} in pairs, {in_fit} in the regression.")
    if len(apart) > NAMED:
        lines.append(f"{len(apart) - NAMED:,} more in the tables.")
    example, causes = apart[0][1], list[str]()
    if example["subset"] != material.subset:
        texts = (
            f"sentences{_which(material.subset)}" if material.subset != "all" else "all sentences"
        )
        causes.append(
            f"pairs are of {texts}, the regression of those{_which(str(example['subset']))}"
        )
    if len({name for axis, _, _ in one.effects for name in axis.split(":")}) > 1:
        causes.append(
            "pairs take everybody with a group on their axis, the regression only names with a "
            "group on every axis"
        )
    if is_held(str(example["measure"])):
        causes.append("a coefficient holds the other axes at their reference group")
    causes = causes or ["pairs weigh every pair of sentences alike, the regression every group"]
    why = f"They may, since {', and '.join(causes)}."
    return ["Pairs and regression lean different ways:", *lines, why]


def is_held(measure: str) -> bool:
    """Whether a measure's effects hold the other axes at their reference, not at their average."""
    return measure == LEAST_SQUARES


def held_at(axis: str, effects: Iterable[tuple[str, str, str]]) -> dict[str, str]:
    """The groups at which a coefficient holds the axes that it is multiplied by.

    >>> held_at("gender", [("gender", "female-male", "male"),
    ...                    ("gender:race", "female-male:Arab-Anglo", "male:Anglo")])
    {'race': 'Anglo'}
    """
    mine, found = set(axis.split(":")), dict[str, str]()
    for effect in effects:
        if mine < set(effect[0].split(":")):
            found |= {name: second for name, _, second in effect_parts(effect) if name not in mine}
    return {name: second for name, second in found.items() if second != AVERAGE}


def effect_means(
    effect: tuple[str, str, str], one: RegressionStudy, compared: CorpusComparisons
) -> str:
    """What an effect means above and below zero: `plus, higher about women; minus, …`."""
    phrases = phrases_of(compared.corpus)
    sides = sides_of(effect, phrases)
    measure = one.findings["measure"][0] if one.findings.height else ""
    among = all_with(held_at(effect[0], one.effects) if is_held(measure) else {}, phrases)
    more, less = towards(sides[-1], True), towards(sides[-1], False)
    return f"{lead_of(sides)}plus, {more}; minus, {less}{among}"


def effect_parts(effect: tuple[str, str, str]) -> list[tuple[str, str, str]]:
    """Axis, group and what it is held against, for each axis of an effect.

    >>> effect_parts(("gender:race", "female-male:Arab-Anglo", "male:Anglo"))
    [('gender', 'female', 'male'), ('race', 'Arab', 'Anglo')]
    """
    axes, contrast, reference = effect[0].split(":"), effect[1], effect[2]
    nothing = [""] * (len(axes) - 1)
    ways = (
        (firsts, seconds)
        for seconds in _splits(reference, len(axes))
        for firsts in _splits(contrast, len(axes))
        if all(map(str.endswith, firsts, (f"-{second}" for second in seconds)))
    )
    firsts, seconds = next(ways, ([contrast, *nothing], [reference, *nothing]))
    return [
        (axis, first.removesuffix(f"-{second}"), second)
        for axis, first, second in zip(axes, firsts, seconds, strict=True)
    ]


def _splits(text: str, many: int) -> Iterator[list[str]]:
    """The ways to take a product apart: more than one where a group's own name holds a colon."""
    parts = text.split(":")
    for cuts in combinations(range(1, len(parts)), many - 1):
        yield [":".join(parts[start:end]) for start, end in pairwise((0, *cuts, len(parts)))]
