"""The section on regressions, put together: what its template shows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from tiltmeter.ranking import coarsen
from tiltmeter.report.numbers import count, points
from tiltmeter.report.page import trusted
from tiltmeter.schemas import Significance
from tiltmeter.studies.paired.results import AuditResults
from tiltmeter.studies.paired.submissions import ShownSubmission, counted
from tiltmeter.studies.paired.wording import amount
from tiltmeter.studies.regression.effects import LEAST_SQUARES, MARGINAL_NAIVE
from tiltmeter.studies.regression.forests import (
    EffectPlot,
    Fit,
    LanguageForest,
    Numbers,
    Regression,
    ShownEffect,
    audit_languages,
    effect_plots,
    regressions,
    titles,
)
from tiltmeter.studies.regression.page_data import embedded_fits
from tiltmeter.studies.regression.wording import (
    UNSETTLED,
    errors_of,
    fitted_on,
    is_held,
    opposite_signs,
    unestimated,
)

Found = tuple[Fit, ShownEffect, Numbers]
"""A finding with a number: whose, of which effect."""


def findings_of(one: Regression, effects: Sequence[ShownEffect]) -> list[Found]:
    """Every finding with a number."""
    return [
        (fit, effect, row)
        for fit in one.fits
        for effect in effects
        if (row := fit.findings.get(effect.key)) and row["value"] is not None
    ]


def detected_of(one: Regression, effect: ShownEffect) -> list[Found]:
    """The findings of a difference on one effect."""
    return [
        some
        for some in findings_of(one, [effect])
        if some[2]["significance"] in (Significance.UP, Significance.DOWN)
    ]


def all_detected(one: Regression) -> list[Found]:
    """Every finding of a difference."""
    return [some for effect in one.effects for some in detected_of(one, effect)]


def by_size(one: Regression, some: Found) -> tuple[bool, float]:
    """Orders by size; what was planted comes last."""
    return some[0].system not in one.planted, coarsen(abs(some[2]["value"]))


def number_of(one: Regression, many: int) -> str:
    """So many of what is counted: `1 system`, `2 tasks`."""
    systems, tasks = ({getattr(fit, name) for fit in one.fits} for name in ("system", "task"))
    called = "system" if len(tasks) == 1 else "task" if len(systems) == 1 else "submission"
    return f"{many:,} {called}{'s' if many > 1 else ''}"


LISTED = 4
"""Effects that one sentence can count."""


def title_of(found: Sequence[Regression]) -> str:
    """What the section is called: `Gender, race and both together`."""
    axes = list(dict.fromkeys(axis for one in found for axis in one.axes))
    if not any(effect.product for one in found for effect in one.effects):
        text = " and ".join(axes)
    else:
        text = f"{', '.join(axes)} and {'both' if len(axes) == 2 else 'all'} together"
    return text[:1].upper() + text[1:]


def opening(one: Regression, titles: Sequence[str]) -> str:
    """How many submissions show each effect after correction, and the largest effect."""
    return " ".join(filter(None, (_counted_effects(one, titles), _largest(one))))


def _counted_effects(one: Regression, titles: Sequence[str]) -> str:
    """How many submissions show each effect after correction; nothing where none has any."""
    every, found = findings_of(one, one.effects), all_detected(one)
    if not every:
        return ""
    many = len({(fit.system, fit.task) for fit, *_ in every})
    left = len(one.fits) - many
    who = number_of(one, many) + (f" ({left:,} more cannot be estimated)" if left else "")
    if len(one.fits) == 1 or len(one.effects) > LISTED:
        effects = count(len(every), "effect")
        many_of = f"a difference is detected in {len(found):,} of {effects}"
        first = many_of if found else f"no difference is detected in any of {effects}"
    elif not found:
        any_of = "any of " if many > 1 else ""
        first = f"no difference is detected for {_and(titles, 'or')} in {any_of}{who}"
    else:
        counts = [len(detected_of(one, effect)) for effect in one.effects]
        parts = [f"for {title} in {_many(n)}" for title, n in zip(titles, counts, strict=True)]
        parts[0] += f" of {who}"
        first = f"a difference is detected {_and(parts)}"
    return f"After correction, {first}."


def _many(number: int) -> str:
    return f"{number:,}" if number else "none"


def _and(parts: Sequence[str], word: str = "and") -> str:
    """Several things in one sentence: `a, b and c`."""
    return f" {word} ".join(filter(None, (", ".join(parts[:-1]), parts[-1])))


def _largest(one: Regression) -> str:
    every = findings_of(one, one.effects)
    found = all_detected(one)
    if not every:
        return "No effect can be estimated."
    fit, effect, row = max(found or every, key=lambda some: by_size(one, some))
    if not row["value"]:
        return "Every effect is 0."
    size = amount(points(abs(row["value"])), "scale")
    means = f"{effect.full}, {effect.side(row['value'])}"
    planted = ", a control with a planted tilt" if fit.system in one.planted else ""
    called = "effect" if found else "estimate"
    return f"The largest {called} is {size} ({means}; {fit.system}, {fit.task}{planted})."


def too_sure(one: Regression, material: AuditResults) -> str:
    """What errors that take all sentences as independent claim, beside those that do not."""
    level = material.run.statistics.level
    fits = [fit for fit in one.fits if not fit.reason]
    many = len(findings_of(one, one.effects))
    if one.main == LEAST_SQUARES or not many:
        return ""
    wary = one.behind if one.main == MARGINAL_NAIVE else one.main
    near, naive = (
        sum(
            (row := fit.number(effect, measure)) is not None
            and row["p"] is not None
            and row["p"] <= level
            for fit, effect, _ in findings_of(one, one.effects)
        )
        for measure in (wary, MARGINAL_NAIVE)
    )
    people, templates = (_range(fits, name) for name in ("people", "templates"))
    shared = " and ".join(
        f"{number} {name}{'' if number == '1' else 's'}"
        for number, name in ((people, "name"), (templates, "template"))
    )
    return (
        f"Before correction, {_many(near)} of {count(many, 'effect')} "
        f"{'have' if near > 1 else 'has'} p ≤ {level:g}, allowing for the {shared} that sentences "
        f"share; if all {_range(fits, 'n')} sentences counted as independent, {_many(naive)} would."
    )


def _range(fits: Sequence[Fit], name: str) -> str:
    """A number of the fits, or from which to which it goes."""
    low, high = (end(int(fit.facts[name]) for fit in fits) for end in (min, max))
    return f"{low:,}" if low == high else f"{low:,} to {high:,}"


NAMED = 3
"""Submissions named before the rest is only counted."""


def _listed(who: Sequence[str]) -> str:
    more = f" and {len(who) - NAMED:,} more" if len(who) > NAMED else ""
    return ", ".join(who[:NAMED]) + more


ERRORS = {
    "crossed": (
        "Sentences that share a name or a template are not independent. Errors are clustered over "
        "names and over templates at once, corrected for how few there are (CR2, Satterthwaite "
        "degrees of freedom). In simulations (benchmarks/simulate_regression.py) such intervals "
        "hold the truth as often as they promise, with one exception: where a tilt rests on few "
        "names, all in one direction, they held it in 77 % of cases instead of 95 %. Then look at "
        "the names that pull it."
    ),
    "mixed": (
        "Sentences that share a name or a template are not independent. Names and templates are "
        "random parts of a linear model of the logit; the coefficients beside it are those of the "
        "Beta regression."
    ),
    "naive": (
        "Errors are those of the fit itself, as if all sentences were independent. Sentences share "
        "names and templates, so that they are often far too small."
    ),
}
PUBLISHED = (
    "The paper calls its coefficients Beta coefficients; the code behind it reports ordinary least "
    "squares, so they are on the scale of scores, not of the logit. Its errors treat all sentences "
    "as independent. A coefficient of one axis is the difference where the other axes are at their "
    "reference group, not an average over all of it."
)


def notes(found: Sequence[Regression], material: AuditResults) -> Iterator[str]:
    """How it was fitted, each a short paragraph; nothing where nothing was."""
    if all(fit.reason for one in found for fit in one.fits):
        return
    if any(one.main == LEAST_SQUARES for one in found):
        yield PUBLISHED
    else:
        yield ERRORS[errors_of(material.run)]
    parts = [
        f"{one.regressed.corpus}, {which}" if len(found) > 1 else which
        for one in found
        for which in fitted_on(one.regressed)
    ]
    yield f"Fitted on: {'; '.join(parts)}."
    for one in found:
        if said := opposite_signs(one.regressed, material):
            yield " ".join(said)
    fits = [fit for one in found for fit in one.fits if not fit.reason]
    if squeezed := [fit for fit in fits if fit.facts["edge"]]:
        named = [
            f"{fit.system} ({fit.task}) {fit.facts['edge']:,} of {fit.facts['n']:,}"
            for fit in squeezed
        ]
        clipped = sum(int(fit.facts["clipped"]) for fit in squeezed)
        beyond = f", {clipped:,} of them from beyond it" if clipped else ""
        yield (
            "A Beta distribution has no 0 and no 1. Where some scores stand at an end, all of the "
            f"submission’s are squeezed inwards, y to (y (n − 1) + 0.5) / n: {_listed(named)} "
            f"scores{beyond}. Least squares takes every score as it is."
        )
    converged = sum(bool(fit.facts["converged"]) for fit in fits)
    if len(fits) == 1 and converged:
        yield f"The fit converged in {count(int(fits[0].facts['iterations']), 'step')}."
    else:
        most = max(int(fit.facts["iterations"]) for fit in fits)
        yield f"{converged:,} of {count(len(fits), 'fit')} converged, in {most} steps or fewer."


BELOW = "the section on the regression says why"


@dataclass(frozen=True, slots=True)
class EffectAnswer:
    """What was found of one effect on one corpus."""

    title: str
    text: str
    system: str = ""
    anchor: str = ""
    after: str = ""


def effect_answers(
    one: Regression, titles: Sequence[str], of: Sequence[ShownSubmission]
) -> Iterator[EffectAnswer]:
    """One sentence for each effect: how many submissions show it, and the largest.

    One for all of them, where there are many. Who is counted apart is left out.
    """
    one = _without_apart(one, of)
    if not findings_of(one, one.effects):
        text = f"No effect can be estimated for any of {number_of(one, len(one.fits))}; {BELOW}."
        if len(one.fits) == 1:
            reason = next(iter(unestimated(one.regressed)), UNSETTLED)
            text = f"No effect can be estimated for {one.fits[0].system}, because {reason}."
        yield EffectAnswer("", text)
        return
    if len(one.effects) > LISTED:
        yield EffectAnswer("", opening(one, titles))
        return
    anchors = {(sub.corpus, sub.system, sub.task): sub.anchor for sub in of}
    for effect, title in zip(one.effects, titles, strict=True):
        yield _said(one, effect, title, anchors)


def _without_apart(one: Regression, of: Sequence[ShownSubmission]) -> Regression:
    """The regression without submissions that are counted apart, unless all are."""
    kept = {(sub.system, sub.task) for sub in counted([s for s in of if s.corpus == one.corpus])}
    fits = tuple(fit for fit in one.fits if (fit.system, fit.task) in kept)
    return replace(one, fits=fits or one.fits)


def _said(
    one: Regression, effect: ShownEffect, title: str, anchors: Mapping[tuple[int, str, str], str]
) -> EffectAnswer:
    every, detected = findings_of(one, [effect]), detected_of(one, effect)
    if len(one.fits) == 1 and effect.key in one.fits[0].findings:
        return EffectAnswer(title, str(one.fits[0].findings[effect.key]["sentence"]))
    if not every:
        return EffectAnswer(
            title, f"cannot be estimated for any of {number_of(one, len(one.fits))}."
        )
    any_of = " any of" if len(every) > 1 else ""
    many = (
        f"difference detected in {len(detected):,} of"
        if detected
        else (f"no difference detected in{any_of}")
    )
    planted = sum(fit.system in one.planted for fit, *_ in detected)
    controls = ""
    if planted:
        which = "planted" if planted == len(detected) else f"{planted:,} of them planted"
        controls = f" ({which}, in {'a control' if planted == 1 else 'controls'})"
    many = f"{many} {number_of(one, len(every))}{controls}"
    fit, _, largest = max(detected or every, key=lambda some: by_size(one, some))
    if not largest["value"]:
        return EffectAnswer(title, f"{many}.")
    size = amount(points(abs(largest["value"])), "scale")
    task = f" for {fit.task}" if len({other.task for other in one.fits}) > 1 else ""
    return EffectAnswer(
        title,
        f"{many}; the largest {'is' if detected else 'estimate is'} that of",
        fit.system,
        anchors.get((one.corpus, fit.system, fit.task), ""),
        f"{task}, {size}, {effect.side(largest['value'])}.",
    )


def left_out(one: Regression, of: Sequence[ShownSubmission]) -> str:
    """How many submissions have no effects, where others have some."""
    one = _without_apart(one, of)
    known = {(fit.system, fit.task) for fit, *_ in findings_of(one, one.effects)}
    left = len(one.fits) - len(known)
    if not left or not known:
        return ""
    return f"{left:,} more {number_of(one, left).partition(' ')[2]} cannot be estimated; {BELOW}."


INTERVALS = {
    "crossed": "allowing for names and templates",
    "mixed": "with random names and templates",
    "naive": "as if all sentences were independent",
}
"""What an interval allows for."""


@dataclass(frozen=True, slots=True)
class CorpusRegression:
    """What is said of one corpus' regressions."""

    corpus: int
    name: str
    title: str
    formula: str
    said: tuple[EffectAnswer, ...]
    """One sentence an effect, for the head of the page."""
    left_out: str
    summary: str
    """How many submissions show each effect."""
    opening: str
    """The same, and the largest effect."""
    too_sure: str
    reasons: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class TwoLanguages:
    """One system in two languages: the figure, and what it comes to."""

    drawn: LanguageForest
    titles: tuple[str, ...]
    """Of the two corpora."""
    summary: str


def _two_languages(one: LanguageForest, found: Sequence[Regression]) -> TwoLanguages:
    known = {each.compared.name: each for each in found}
    first, effects = known[one.corpora[0]], count(one.rows.height, "effect")
    differ = one.rows.filter(one.rows["p"] <= 0.05).height
    summary = (
        f"Of {effects} in both languages, {differ:,} {'differs' if differ == 1 else 'differ'} with "
        f"p ≤ 0.05 before correction; about {one.rows.height / 20:.2g} would by chance alone."
    )
    if not set(one.rows["system"]) <= {fit.system for fit in first.fits}:
        summary += (
            " A system trained for each language counts as one; its name is without the language."
        )
    return TwoLanguages(one, tuple(known[name].compared.title for name in one.corpora), summary)


@dataclass(frozen=True, slots=True)
class RegressionSection:
    """Everything the section shows."""

    title: str
    found: tuple[CorpusRegression, ...]
    products: tuple[ShownEffect, ...]
    plots: tuple[EffectPlot, ...]
    errors: str
    """What the intervals allow for."""
    behind: str
    """What the intervals behind them allow for."""
    stricter: bool
    """Whether a difference must hold past these names and templates."""
    held: bool
    """Whether an effect holds the other axes at their reference, not at their average."""
    languages: tuple[TwoLanguages, ...]
    notes: tuple[str, ...]
    common: Any
    """What the page's script draws from, as JSON."""
    entries: dict[int, Any]
    words: dict[int, list[str]]
    """By submission: its findings in words."""


WORDS = 400
"""Findings that are told in words on the page; where there are more, those without a
difference detected are left out."""


def regression_section(
    material: AuditResults, of: Sequence[ShownSubmission]
) -> RegressionSection | None:
    """The section; None where nothing was regressed."""
    found = regressions(material)
    if not found:
        return None
    drawn = effect_plots(found, of)
    placed = {(one.corpus, one.system, one.task): one.nth for one in of}
    every = [
        (placed[one.corpus, fit.system, fit.task], row)
        for one in found
        for fit in one.fits
        for effect in one.effects
        if (row := fit.findings.get(effect.key))
    ]
    words, told = dict[int, list[str]](), dict[int, list[str]]()
    for nth, row in every:
        if len(every) <= WORDS or row["significance"] != Significance.NONE:
            words.setdefault(nth, []).append(str(row["sentence"]))
    if "pairs" not in material.measures:
        told = {one.nth: [f"{one.system}, {one.task}: no difference detected."] for one in of}
    title, alone = title_of(found), len({one.system for one in of}) == 1
    told = {} if alone else told | words
    common, entries = embedded_fits(found, of, drawn, told, title)
    main = found[0].main
    behind = "crossed" if main == MARGINAL_NAIVE else "naive"
    return RegressionSection(
        title=title,
        found=tuple(
            CorpusRegression(
                one.corpus,
                one.compared.name,
                one.compared.title,
                one.regressed.formula,
                said=tuple(effect_answers(one, titles(one.effects), of)),
                left_out=left_out(one, of),
                summary=_counted_effects(one, titles(one.effects)) or _largest(one),
                opening=opening(one, titles(one.effects)),
                too_sure=too_sure(one, material),
                reasons=tuple(
                    (_listed(who), why) for why, who in unestimated(one.regressed).items()
                ),
            )
            for one in found
        ),
        products=tuple(effect for effect in found[0].effects if effect.product),
        plots=drawn,
        errors=INTERVALS["naive" if is_held(main) else errors_of(material.run)],
        behind=INTERVALS[behind] if found[0].behind else "",
        stricter=not is_held(main) and errors_of(material.run) != "naive",
        held=is_held(main),
        languages=tuple(_two_languages(one, found) for one in audit_languages(material)),
        notes=tuple(notes(found, material)),
        common=trusted(common),
        entries={nth: trusted(entry) for nth, entry in entries.items()},
        words=words,
    )
