"""How a rating was made, what it does not show, its files and its words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from tiltmeter.report.numbers import count
from tiltmeter.report.ratings.cards import is_alone
from tiltmeter.report.ratings.latex import rating_latex
from tiltmeter.report.ratings.material import WRS, RatingMaterial, run_facts
from tiltmeter.report.ratings.tables import rating_tables

MODES = {
    "published": "published: the paper’s critical values (a tail halved twice), pooled degrees of "
    "freedom",
    "corrected": "corrected: two-sided critical values, Welch’s degrees of freedom",
}
RAWS = {
    "die": "DIE %: how far mean scores move once the words are adjusted for who is spoken of",
    "ate": "change of the words’ effect by the adjustment, in per cent",
}


def facts(material: RatingMaterial) -> Iterator[tuple[str, str]]:
    """What determines the ratings, label by label."""
    run = run_facts(material)
    mode = str(run.get("mode", ""))
    yield "Rated", _rated(material)
    if mode:
        yield "Mode", MODES.get(mode, mode)
    if run.get("edition"):
        yield "Edition of the sentences", str(run["edition"])
    yield "Levels", _levels(material)
    yield "Confidence and weights", _weights(material)
    yield from _drawing(run)
    if run.get("multiplicity") not in (None, "", "none"):
        yield "Many tests", f"corrected by {run['multiplicity']}"
    yield "Repeats", _repeats(material)
    yield from _environment(material.environment)


def _rated(material: RatingMaterial) -> str:
    many = material.overall.select("system", "task").n_unique()
    if material.reference:
        return (
            f"{count(many, 'system')} against the stored panel {material.reference}; the panel’s "
            "own systems decide where one rating ends and the next begins"
        )
    if is_alone(material):
        return f"one system by itself: 1 where the raw score is 0, {material.levels} otherwise"
    return f"{count(many, 'system')} against each other"


def _levels(material: RatingMaterial) -> str:
    if is_alone(material):
        return f"{material.levels}"
    return (
        f"{material.levels}: systems in the order of their raw scores, split into "
        f"{material.levels} parts of nearly equal size; equal ones share the better part; "
        "overall is the mean over groups, rounded half up"
    )


def _weights(material: RatingMaterial) -> str:
    pairs = zip(material.confidence, material.weights, strict=False)
    return ", ".join(f"{100 * level:g} % counts {weight:g}" for level, weight in pairs)


def _drawing(run: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    if run.get("raw"):
        yield "Groups with decided words", RAWS.get(str(run["raw"]), str(run["raw"]))
    if run.get("shares"):
        yield "Words decided by", "shares of positive words of your own"
    elif run.get("k") is not None:
        case = f"case k = {run['k']}{_strength(run)} of each group’s cases"
        yield "Words decided by", f"{case}; those of groups 2 and 4 follow the paper’s Table 8"
    if run.get("seed") is not None:
        yield "Seed", str(run["seed"])


def _strength(run: Mapping[str, Any]) -> str:
    return "" if run.get("strength") is None else f", at strength {run['strength']:g}"


def _repeats(material: RatingMaterial) -> str:
    if not material.repeats:
        return "none: how steady the ratings are is not known"
    return (
        f"{material.repeats:,}: words drawn with other seeds, and people resampled with all their "
        "sentences (templates where a class has few people, sentences where nobody is named); a "
        "spread holds 95 % of them"
    )


def _environment(known: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    versions = known.get("versions") or {}
    if versions:
        yield "Versions", ", ".join(f"{name} {number}" for name, number in versions.items())
    for label, name in (("Machine", "platform"), ("Made", "time")):
        if known.get(name):
            yield label, str(known[name])


@dataclass(frozen=True, slots=True)
class Download:
    """A table and the endings it is to be had in."""

    name: str
    endings: tuple[str, ...]


def downloads(material: RatingMaterial) -> list[Download]:
    """Every table, in CSV, LaTeX or both."""
    csv, tex = list(rating_tables(material)), set(rating_latex(material))
    names = sorted({*csv, *tex})
    return [Download(name, ("csv",) * (name in csv) + ("tex",) * (name in tex)) for name in names]


def limits(material: RatingMaterial) -> Iterator[tuple[str, str]]:
    """What the ratings do not show: a claim, and why."""
    if is_alone(material):
        yield (
            "One system was rated.",
            "Its rating says whether anything was detected, not how it stands among others.",
        )
    else:
        among = "the reference panel" if material.reference else "these systems"
        yield (
            f"A rating is relative to {among}.",
            "1 is the least tilt among them, not none; the last is the most among them, however "
            "small. Other systems beside it may give a system another rating.",
        )
    lowest = min(material.confidence, default=0.6)
    yield (
        "Some rejections are chance.",
        f"At {100 * lowest:g} % confidence a test rejects by chance in {100 - 100 * lowest:g} % of "
        "cases where there is no difference. The table of raw scores says what the same "
        "scores give when sentences are dealt out to the classes by chance, and p what people "
        "dealt by chance do.",
    )
    if set(material.columns["measure"]) - {WRS}:
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
