"""A section for a model card, in Markdown: what was asked, found, and what it does not mean."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from tiltmeter.report.card_facts import CLAIMS, FLIPS, PAIRED, SKILL, TILT, Assessed
from tiltmeter.report.gate_wording import verdict_said
from tiltmeter.report.markdown_text import code, plain, starting
from tiltmeter.report.moved_people import MovedShare, moved_sentence
from tiltmeter.report.numbers import count, short

Row = Mapping[str, Any]
LIMITS = (
    "A verdict holds for this version of the system, this corpus and this margin, no further.",
    "“Even” means that any difference is smaller than the margin, not that there is none. "
    "“Undecided” is an answer: the data allow both.",
    "A corpus of written sentences is not the world. Groups are as the corpus assigns them to "
    "words and names; they are nobody's own account of themselves.",
    "A difference between groups is not the only harm a system can do, and a small one may matter "
    "in a use that this assessment knows nothing of.",
)


def card_markdown(of: Assessed) -> str:
    """One system's section, ready to be pasted into its model card."""
    parts = [
        "## Assessment of tilt with Tiltmeter",
        f"Does {plain(of.system)} score the same sentence alike, whoever it mentions?",
        *_asked(of),
        *_section("Verdicts", map(_verdict, of.of(TILT))),
        *_section("In these sentences", map(_said, of.of(PAIRED))),
        *_section("Axes told apart (regression)", map(_said, of.regressed())),
        *_section("Labels", _flips(of)),
        *_section("Skill", _skill(of)),
        *_section("What this does not mean", (f"- {one}" for one in LIMITS)),
        *_section("How to repeat it", _repeat(of)),
    ]
    return "\n\n".join(parts) + "\n"


def _section(title: str, lines: Iterator[str]) -> list[str]:
    listed = list(lines)
    return [f"### {title}", "\n".join(listed)] if listed else []


def _asked(of: Assessed) -> Iterator[str]:
    """What the system was asked, on each corpus."""
    for corpus in of.corpora:
        tasks = [one.task for one in of.systems if one.corpus == corpus.name]
        pairs = ", ".join(
            f"{one.pairs:,} on {plain(one.axis)} ({plain(one.contrast)})" for one in corpus.pairs
        )
        drawn = f" (a sample: {plain(corpus.sample)})" if corpus.sample else ""
        yield (
            f"It was asked for {plain(' and '.join(tasks))} of "
            f"{count(corpus.sentences, 'sentence')} of "
            f"{plain(corpus.title)} ({plain(corpus.name)}, {plain(corpus.edition)} "
            f"edition, {plain(corpus.language)}){drawn}. Pairs of sentences that differ only in "
            f"the person were compared: {pairs}. A difference is told in points of 100 of the "
            "system's scale."
        )


def _verdict(row: Row) -> str:
    said = verdict_said({"verdict": row["verdict"], "margin": row["margin"]})
    kind = f", by {row['subset']}" if row["subset"] in CLAIMS else ""
    line = (
        f"- **{said}** ({plain(row['axis'])}, {plain(row['contrast'])}{kind}): "
        f"{plain(row['sentence'])}"
    )
    return "".join((line, *_moved(row), *_next(row)))


def _moved(row: Row) -> Iterator[str]:
    """Whom it moves, by group."""
    shares = [MovedShare(**one) for one in row.get("moved", ())]
    if said := moved_sentence(shares, str(row["subset"]), row["margin"]):
        yield f" {plain(said)}"


def _next(row: Row) -> Iterator[str]:
    """What would decide it."""
    step = row.get("next") or {}
    if step.get("command"):
        asks = count(step["sentences"], "sentence")
        yield f" To decide it: {code(step['command'])}, which asks for {asks}."


def _said(row: Row) -> str:
    return f"- {starting(row['sentence'])}"


def _flips(of: Assessed) -> Iterator[str]:
    for one in of.estimated(FLIPS):
        if one["value"] is None:
            continue
        turned = round(one["value"] * one["n"])
        sure = f", 95 % interval {_percent(one['low'])} to {_percent(one['high'])}"
        yield (
            f"- {plain(one['task'])}, {plain(one['corpus'])}, {plain(one['axis'])} "
            f"({plain(one['contrast'])}): {turned:,} of {count(one['n'], 'pair')} change label "
            f"with the person ({_percent(one['value'])}{sure if one['low'] is not None else ''})."
        )


def _percent(share: float | None) -> str:
    return "–" if share is None else f"{short(100 * share)} %"


def _skill(of: Assessed) -> Iterator[str]:
    for one in of.estimated(*SKILL):
        if one["value"] is None:
            continue
        ends = f" (95 % interval {short(one['low'])} to {short(one['high'])})"
        sure = "" if one["low"] is None else ends
        yield (
            f"- {plain(one['task'])}: {one['measure'].capitalize()} {short(one['value'])}{sure} "
            f"with the gold scores of {plain(one['corpus'])}, {count(one['n'], 'text')}."
        )


def _repeat(of: Assessed) -> Iterator[str]:
    """Everything that determines the findings."""
    said = of.run.statistics
    if command := of.environment.get("command"):
        yield f"- command: {code(str(command))}"
    yield f"- Tiltmeter {plain(of.version)}, {plain(str(of.environment.get('time', ''))[:10])}"
    for one in of.systems:
        version = f", {plain(one.version)}" if one.version else ""
        scale = plain(one.scale) if one.scale else "not known"
        yield (
            f"- {plain(one.system)}{version}: fingerprint {code(one.fingerprint)}, scale "
            f"{scale}, {count(one.missing, 'answer')} missing ({plain(one.task)}, "
            f"{plain(one.corpus)})"
        )
    for corpus in of.corpora:
        yield f"- corpus {plain(corpus.name)}: SHA-256 {code(corpus.checksum)}"
    yield (
        f"- statistics: {plain(said.mode)}, {plain(said.correction)} over "
        f"{count(said.family, 'comparison')}, level {said.level:g}, seed {said.seed}"
    )
