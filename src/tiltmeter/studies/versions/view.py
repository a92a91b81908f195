"""The pages of two versions and of a drift check."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl

from tiltmeter.report import phrases
from tiltmeter.report.glossary import GlossaryTerm
from tiltmeter.report.numbers import DASH, POINTS, count, fixed
from tiltmeter.report.page import own_text, policy, rendered, trusted
from tiltmeter.report.phrases import called
from tiltmeter.report.scale import SymmetricScale, scale_for
from tiltmeter.studies.paired.verdict_wording import SAID_OF, by_whom, margin_told
from tiltmeter.studies.paired.wording import Sides, seen_on, sides_of
from tiltmeter.studies.versions import view as method
from tiltmeter.studies.versions import wording as drift_wording
from tiltmeter.studies.versions.material import (
    COMPARISON,
    Changed,
    DriftMaterial,
    VersionMaterial,
    drift_tables,
    version_tables,
    weight,
)
from tiltmeter.studies.versions.wording import (
    SPOKEN,
    answer,
    cards,
    change_interval,
    in_points,
    places_of,
    question,
    tilt,
    unpaired_words,
    versions,
)

# ---- either version's tilt on one scale, the old above the new, and the change in words


Row = Mapping[str, Any]
MANY = 30
"""Versions that stand in a block before the rest is folded away."""
ABOVE, BELOW = 30, 70
"""Where the old and the new version's marks stand, in per cent of the height."""


@dataclass(frozen=True, slots=True)
class VersionMark:
    """One version's tilt on the scale, in per cent of the width."""

    at: float
    low: float
    high: float
    lean: str
    """up, down or none: which way it leans, where its interval leaves 0 out."""


@dataclass(frozen=True, slots=True)
class VersionLine:
    """One pair of versions."""

    name: str
    about: str
    old: VersionMark | None
    new: VersionMark | None
    margin: tuple[float, float]
    """Where the margin around 0 begins and how wide it is, in per cent."""
    old_words: str
    new_words: str
    verdict: str
    verdict_words: str
    change: str
    spread: str
    said: str


@dataclass(frozen=True, slots=True)
class VersionStrip:
    """One contrast on one corpus, by names or by couples."""

    title: str
    ends: tuple[str, str]
    ticks: Sequence[tuple[float, str]]
    lines: tuple[VersionLine, ...]
    rest: tuple[VersionLine, ...] = ()
    """Where there are many: those to be folded away, weightier verdicts first."""


def blocks(material: Changed) -> list[VersionStrip]:
    """A block for each corpus, contrast and kind of people."""
    by = ("corpus", "edition", "axis", "contrast", "reference", "subset")
    parts = material.changes.group_by(by, maintain_order=True)
    several = material.changes["corpus"].n_unique() > 1
    return [_block(part, material, several) for _, part in parts]


def _block(part: pl.DataFrame, material: Changed, several: bool) -> VersionStrip:
    rows = part.to_dicts()
    sides = sides_of(rows[0], material.phrases)
    scale = _scale(rows)
    where = f" ({rows[0]['corpus']})" if several else ""
    whom = f"{rows[0]['axis']} {by_whom(rows[0])}"
    title = f"{whom}: sentences {sides.first} and the same sentences {sides.second}"
    tasks = len({row["task"] for row in rows}) > 1
    if len(rows) > MANY:
        rows.sort(key=weight)
    lines = tuple(_line(row, sides, scale, tasks) for row in rows)
    return VersionStrip(
        f"{title}{where}",
        (sides.towards(False), sides.towards(True)),
        scale.ticks,
        lines[:MANY],
        lines[MANY:],
    )


def _scale(rows: Iterable[Row]) -> SymmetricScale:
    known = [row for row in rows if row["old"] is not None and row["unit"] == "scale"]
    values = [POINTS * row[one] for row in known for one in ("old", "new")]
    margins = [2.0 * POINTS * row["margin"] for row in known]
    ends = [
        POINTS * row[f"{one}_{end}"]
        for row in known
        for one in ("old", "new")
        for end in ("low", "high")
        if row[f"{one}_{end}"] is not None
    ]
    return scale_for([*values, *margins], ends)


def _line(row: Row, sides: Sides, scale: SymmetricScale, tasks: bool) -> VersionLine:
    known = row["change_low"] is not None and row["unit"] == "scale"
    change, spread = change_interval(row) if known else ("–", "")
    bound = POINTS * row["margin"]
    low, high = scale.at(-bound), scale.at(bound)
    return VersionLine(
        versions(row),
        row["task"] if tasks else "",
        _mark(row, "old", scale) if known else None,
        _mark(row, "new", scale) if known else None,
        (low, round(high - low, 2)),
        _own_words(row, "old", sides),
        _own_words(row, "new", sides),
        row["verdict"],
        SPOKEN[row["verdict"]],
        change,
        spread.removeprefix("95 % interval "),
        f"{seen_on(row)}: {row['sentence']}",
    )


def _mark(row: Row, one: str, scale: SymmetricScale) -> VersionMark:
    sure = row[f"{one}_low"] is not None
    ends = ("", "_low", "_high") if sure else ("", "", "")
    value, low, high = (POINTS * row[f"{one}{end}"] for end in ends)
    lean = "none" if not sure else "up" if low > 0 else "down" if high < 0 else "none"
    return VersionMark(scale.at(value), scale.at(low), scale.at(high), lean)


def _own_words(row: Row, one: str, sides: Sides) -> str:
    places = None if row["change_low"] is None else places_of(row)
    return f"{tilt(row[one], sides, places)}: {SAID_OF[row[f'{one}_verdict']]}"


# ---- the pairs of sentences that moved most: both sentences, and what either version gave them


SHOWN = 5
"""Pairs shown in either direction; the table beside the page has more."""
MOST = 30
"""Comparisons whose pairs are shown."""


@dataclass(frozen=True, slots=True)
class MovedSentence:
    """One sentence, or one of those that are averaged, and both versions' scores."""

    text: str
    many: str
    old: str
    new: str


@dataclass(frozen=True, slots=True)
class MovedPair:
    """One pair."""

    first: MovedSentence
    second: MovedSentence
    old_apart: str
    new_apart: str
    moved: str
    """How much further apart, or closer, in words."""


@dataclass(frozen=True, slots=True)
class MovedPairs:
    """The pairs of one comparison."""

    title: str
    apart: tuple[MovedPair, ...]
    """Those whose scores moved apart most."""
    together: tuple[MovedPair, ...]
    open: bool


def moved_parts(material: Changed) -> list[MovedPairs]:
    """The pairs of each comparison, those of weighty verdicts first."""
    rows = sorted(material.changes.to_dicts(), key=weight)
    parts = [_part(row, material.moved, nth == 0) for nth, row in enumerate(rows[:MOST])]
    return [part for part in parts if part.apart or part.together]


def _part(row: Mapping[str, Any], moved: pl.DataFrame, first: bool) -> MovedPairs:
    keys = [name for name in COMPARISON if name in moved.columns]
    own = moved.filter(pl.col(name) == row[name] for name in keys)
    apart = own.filter(pl.col("further") > 0).head(SHOWN).to_dicts()
    together = own.filter(pl.col("further") < 0).head(SHOWN).to_dicts()
    unit = row["unit"] == "scale"
    whom = f"{row['axis']} {by_whom(row)}, {row['contrast']}"
    title = f"{whom}: {versions(row)} ({row['task']}, {row['corpus']})"
    return MovedPairs(
        title,
        tuple(_moved(one, unit) for one in apart),
        tuple(_moved(one, unit) for one in together),
        first,
    )


def _moved(pair: Mapping[str, Any], on_scale: bool) -> MovedPair:
    further = pair["further"]
    way = "further apart" if further > 0 else "closer"
    return MovedPair(
        _side(pair, "first"),
        _side(pair, "second"),
        _size(pair["old_delta"], on_scale),
        _size(pair["new_delta"], on_scale),
        f"{_size(further, on_scale)} {way}",
    )


def _size(value: float, on_scale: bool) -> str:
    if not value:
        return "0"
    return in_points(abs(value)) if on_scale else f"{abs(value):.3g}"


def _side(pair: Mapping[str, Any], side: str) -> MovedSentence:
    many = pair[f"n_{side}"]
    told = f"and {many - 1:,} like it, averaged" if many > 1 else ""
    scores = (fixed(POINTS * pair[f"{one}_{side}"], 1) for one in ("old", "new"))
    return MovedSentence(pair[f"text_{side}"], told, *scores)


# ---- how two versions were compared, and what the verdicts do not say


def facts(material: VersionMaterial) -> Iterator[tuple[str, str]]:
    """Label and value of what determines the verdicts."""
    yield "Old audit", _audit(material.old, material.run["audits"]["old"])
    yield "New audit", _audit(material.new, material.run["audits"]["new"])
    sizes = [
        f"{count(one['sentences'], 'sentence')} of {one['name']}" for one in material.run["corpora"]
    ]
    yield "Compared on", "; ".join(sizes)
    margins = {row[0]: row[1] for row in material.changes.select("axis", "margin").rows()}
    alike = len(set(margins.values())) == 1
    told = (
        [margin_told(next(iter(margins.values())))]
        if alike
        else [f"{axis} {margin_told(margin)}" for axis, margin in margins.items()]
    )
    yield "Margin", ", ".join(told)
    yield "Rule", str(material.changes["rule"][0])
    yield from environment_facts(material.environment)


def _audit(folder: str, run: Mapping[str, Any]) -> str:
    systems = run.get("systems")
    told = [
        f"{one.get('system')}{f', {version}' if (version := one.get('version')) else ''}"
        for one in (systems if isinstance(systems, list) else ())
        if isinstance(one, dict)
    ]
    listed = "; ".join(dict.fromkeys(told[:6])) + (" …" if len(told) > 6 else "")
    return f"{folder} ({listed})"


def environment_facts(known: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Versions, machine and time, where they are known."""
    versions = known.get("versions") or {}
    if versions:
        yield "Versions", ", ".join(f"{name} {number}" for name, number in versions.items())
    for label, name in (("Machine", "platform"), ("Made", "time")):
        if known.get(name):
            yield label, str(known[name])


METHOD_LIMITS = (
    (
        "Better is not even.",
        "The tilt shrank, and may still be larger than you can accept: see either version’s own "
        "verdict.",
    ),
    (
        "Worse is not large.",
        "The tilt surely grew, by whatever the interval says. A change within the margin is called "
        "the same, however sure it is.",
    ),
    (
        "Same is not none.",
        "The change is shown to be smaller than the margin. Two versions can be equally tilted, "
        "and the same in the mean while single pairs moved: they are listed.",
    ),
    (
        "Undecided is an answer.",
        "The data allow both. More people would decide it; looking at it longer does not.",
    ),
    (
        "A corpus is not the world.",
        "The verdict reaches to people like these, in these templates, and no further.",
    ),
)

METHOD_GLOSSARY = (
    GlossaryTerm(
        "tilt",
        "tilt",
        "The mean difference between the scores of matched sentences about two "
        "groups, in points of 100 of the scale.",
    ),
    GlossaryTerm(
        "change",
        "change",
        "The new version’s tilt minus the old one’s. Both scored the same "
        "sentences, so what they make of them alike cancels, and a small change shows.",
    ),
    GlossaryTerm(
        "size",
        "grew, shrank",
        "How much larger the tilt is than before, whichever way it leans: "
        "|new| − |old|. It is shown only where both the change and the sum of the two tilts "
        "differ from 0; so chance around 0 is not taken for a change.",
    ),
    GlossaryTerm(
        "margin", "margin", "The change that does not matter to you, named before looking."
    ),
    GlossaryTerm(
        "same",
        "same within the margin",
        "Two one-sided tests show that the change is smaller than the margin in either direction.",
    ),
    GlossaryTerm(
        "sample",
        "by names, by couples",
        "People are random: intervals allow for other names, or "
        "couples such as my mother and my father, and for other words of the same emotions. "
        "Templates and emotions are as they are.",
    ),
    GlossaryTerm(
        "correction",
        "after correction",
        "Who makes many comparisons finds some changes by "
        "chance. Corrected p-values allow for how many were made.",
    ),
    GlossaryTerm(
        "skill",
        "skill",
        "How well scores agree with gold scores of labelled texts (Pearson’s "
        "r). An audit keeps no answers to gold texts, so the difference is not paired, and its "
        "interval is as wide as it could be.",
    ),
)


def downloads(material: VersionMaterial) -> list[str]:
    """The tables beside the page."""
    return list(version_tables(material))


# ---- the page of two versions: compare.html, self-contained, without a script


STYLES = ("page.css", "versions.css")


def compare_page(material: VersionMaterial) -> str:
    """The whole page."""
    css = "\n".join(map(own_text, STYLES))
    return rendered(
        "compare.html",
        material=material,
        question=question(material.changes),
        answer=answer(material.changes),
        cards=cards(material.changes),
        notes=[*material.notes, *unpaired_words(material)],
        blocks=blocks(material),
        rows=(ABOVE, BELOW),
        moved=moved_parts(material),
        skill=material.skill.to_dicts(),
        r=lambda value: DASH if value is None else fixed(value, 3),
        method=method,
        facts=list(method.facts(material)),
        downloads=method.downloads(material),
        glossary=method.METHOD_GLOSSARY,
        phrases=phrases,
        css=trusted(css),
        policy=policy(css),
    )


# ---- the page of a drift check: drift.html, self-contained, without a script


DRIFT_PAGE_LIMITS = (
    (
        "Steady is not even.",
        "The system answers as it did in the baseline. If it was tilted then, it still is.",
    ),
    (
        "Drifted is not worse.",
        "Answers moved. Whether a tilt grew or shrank is said for each comparison.",
    ),
    (
        "Undecided is an answer.",
        "The data allow both. Ask more often (--repeat) or for more frames.",
    ),
    (
        "Only these sentences were asked.",
        "A service may have changed for texts that are not in the corpus.",
    ),
)
DRIFT_PAGE_GLOSSARY = (
    GlossaryTerm(
        "noise",
        "noise",
        "How far two answers to the same text are apart when asked at the same "
        "time. A service that answers differently each time has some.",
    ),
    GlossaryTerm(
        "beyond",
        "beyond noise",
        "How much further an answer of then is from one of now than two "
        "answers of now are from each other; 0 on average where nothing moved.",
    ),
    *(one for one in METHOD_GLOSSARY if one.anchor != "skill"),
)


def drift_page(material: DriftMaterial) -> str:
    """The whole page."""
    css = "\n".join(map(own_text, STYLES))
    names = material.answers["new_system"].unique(maintain_order=True).to_list()
    return rendered(
        "drift.html",
        material=material,
        question=f"Does {called(names[0])} still answer as it did?",
        answer=drift_wording.drift_answer(material.verdict, material.answers, material.changes),
        answers=material.answers.to_dicts(),
        wording=drift_wording,
        notes=list(material.notes),
        blocks=blocks(material),
        rows=(ABOVE, BELOW),
        moved=moved_parts(material),
        facts=list(_facts(material)),
        limits=DRIFT_PAGE_LIMITS,
        downloads=list(drift_tables(material)),
        glossary=DRIFT_PAGE_GLOSSARY,
        phrases=phrases,
        css=trusted(css),
        policy=policy(css),
    )


def _facts(material: DriftMaterial) -> Iterator[tuple[str, str]]:
    run = material.run
    yield "Baseline", material.baseline
    for row in material.versions.to_dicts():
        was = f"{row['old_version'] or 'unknown'}, {_short(row['old_fingerprint'])}"
        now = f"{row['new_version'] or 'unknown'}, {_short(row['new_fingerprint'])}"
        yield f"{row['new_system']} ({row['task']}, {row['corpus']})", f"then {was}; now {now}"
    times = "once" if run["repeats"] == 1 else f"{run['repeats']} times"
    yield "Asked for", f"{count(run['sentences'], 'sentence')}, each text {times}; nothing stored"
    yield "Margin", margin_told(material.answers["margin"][0])
    yield "Rule", str(material.changes["rule"][0])
    yield from environment_facts(material.environment)


def _short(fingerprint: str | None) -> str:
    return f"fingerprint {fingerprint[:12]}" if fingerprint else "fingerprint unknown"
