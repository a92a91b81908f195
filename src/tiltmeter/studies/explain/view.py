"""The page of an explanation: explain.html."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from markupsafe import Markup

from tiltmeter.ranking import coarsen
from tiltmeter.report.first_screen import Chip, ChipShape, FirstScreen, NextCommand, SentencePair
from tiltmeter.report.forest import Forest, ForestCell, ForestPanel, ForestRow, Mark, around_zero
from tiltmeter.report.numbers import POINTS, SCALE, fixed
from tiltmeter.report.page import Method, Page, Section
from tiltmeter.report.phrases import called, shortened
from tiltmeter.schemas import Verdict
from tiltmeter.shell import paste_word
from tiltmeter.studies.explain import wording
from tiltmeter.studies.explain.material import ExplainedClaim
from tiltmeter.studies.explain.sentences import SentenceExplanation
from tiltmeter.studies.explain.tables import (
    carriers_table,
    interactions_table,
    rarity_table,
    words_table,
)
from tiltmeter.studies.paired.verdict_wording import by_whom

if TYPE_CHECKING:
    from tiltmeter.studies.explain.study import ClaimExplanation, Explanation

FILE = "explain.html"
SHAPES = {
    Verdict.TILTED: ChipShape.TILTED,
    Verdict.EVEN: ChipShape.EVEN,
    Verdict.UNDECIDED: ChipShape.UNDECIDED,
}
MOST_CHIPS = 3
LONG = 34
"""Letters of a phrase that an end of a scale has room for."""
MOST_WORDS = 8
"""Words of a sentence on the first screen, those that move it most."""
FIRST = 1
"""Claims in the figure of the first screen."""
LISTED = 10
"""Rows of a table on the page; the files hold all."""


def explain_page(study: Explanation) -> Page:
    """Why a system scores as it does."""
    tables = tuple(study.tables())
    ranked = by_size(study.claims)
    return Page(
        FILE,
        question(study),
        Section("answer", "", body=first_screen(study, ranked).html()),
        (
            Section(
                "people", "Who carries it",
                body=joined(claim_body(nth, one) for nth, one in enumerate(study.claims)),
                lede="Each tilt without its people.", nav="People",
            ) if study.claims else None,
            Section(
                "words", "Words and templates",
                body=joined(map(words_body, study.claims)),
                lede="Where it shows most.",
                nav="Words",
            ) if any(one.interactions for one in study.claims) else None,
            Section(
                "why", "Why a name moves a score",
                body=joined(map(sentence_body, study.names)),
                lede="What the system answered.", nav="Names",
            ) if study.names else None,
            Section(
                "sentence", "The sentence, word by word", body=sentence_body(study.text),
                lede="What each word does.", nav="Sentence",
            ) if study.text else None,
        ),
        Method(
            "From its scores and answers."
            if study.claims else "From its answers.",
            [
                ("System", study.system),
                ("Asked", str(study.asked)),
                *(("Note", f"{note[:1].upper()}{note[1:]}.") for note in study.notes),
                ("Without somebody", "All sentences about them are taken out and the claim is "
                 "made anew, with the audit’s interval, level and margin."),
                ("What a person adds", "How far their sentences lie from the middle name’s, times "
                 "their weight in their group; over all people this adds up to the tilt."),
                ("Words", "The tilt within a word, emotion or template less the whole tilt. The "
                 "95 % interval is over people, corrected for how many of them there are."),
            ],
        ),
        tuple((f"{name}.", told) for name, told in wording.NOT_SHOWN),
        about="why a score",
        environment=study.environment,
        files=Markup('Beside this page: <a href="explain.json" download>explain.json</a>, for '
                     "programs; and the tables."),
        tables=tables,
    )  # fmt: skip


def question(study: Explanation) -> str:
    """What the page answers."""
    name = called(study.system)
    if study.claims:
        return f"Why do {name}’s scores change with the person?"
    if study.text is not None:
        return f"Why does {name} score this sentence as it does?"
    return f"Why does a name move the scores of {name}?"


def by_size(claims: Sequence[ClaimExplanation]) -> list[ClaimExplanation]:
    """The tilted first, then the largest."""
    return sorted(
        claims,
        key=lambda one: (
            one.claim.row["verdict"] != Verdict.TILTED,
            -coarsen(abs(one.claim.value)),
        ),
    )


def first_screen(study: Explanation, ranked: Sequence[ClaimExplanation]) -> FirstScreen:
    """The largest tilt, who drives it, and the sentence that shows it best."""
    shown = next(iter(study.sentences), None)
    if not ranked:
        return FirstScreen(
            lead="" if shown is None else sentence_lead(shown),
            figure=Markup() if shown is None else words_table(shown, MOST_WORDS).html(),
            pair=None if shown is None else _pair(shown, study.system),
            pair_title="The sentence, and a typical name in it",
            steps=(NextCommand(f"tiltmeter explore {paste_word(study.system)}", ""),),
        )
    top, several = ranked[0], axes_with_several(one.claim for one in ranked)
    said = label(top.claim.row, several)
    return FirstScreen(
        lead=f"{said[:1].upper()}{said[1:]}: {lead_sentence(top)}",
        chips=tuple(
            Chip(
                SHAPES.get(Verdict(one.claim.row["verdict"]), ChipShape.NO_SIGNAL),
                label(one.claim.row, several), _word(one.claim.row),
                f"#claim-{study.claims.index(one)}",
            )
            for one in ranked[:MOST_CHIPS]
        ),
        figure=apart_forest([one for one in ranked if one.carriers.moving][:FIRST], several),
        pair=None if shown is None else _pair(shown, study.system),
        pair_title="In a sentence",
        steps=(NextCommand(f"tiltmeter explore {paste_word(study.system)}", ""),),
    )  # fmt: skip


def lead_sentence(one: ClaimExplanation) -> str:
    """What explains a tilt best: one person, else that the system moves what it knows."""
    if one.carriers.driver is None and knowledge_tells(one):
        return wording.knowledge_sentence(one.rarity) if one.rarity else ""
    return wording.driving_sentence(one.carriers)


def knowledge_tells(one: ClaimExplanation) -> bool:
    """Whether names that are known surely tilt the claim's way, and others at most half as far."""
    if one.rarity is None or not one.rarity.by_knowledge:
        return False
    known, unknown = (part.claim for part in one.rarity.by_knowledge)
    if known.low is None or known.high is None or known.value is None or unknown.value is None:
        return False
    surely = known.low * known.high > 0 and wording.towards(one.claim, known.value) > 0
    return surely and abs(unknown.value) <= abs(known.value) / 2


def label(row: Mapping[str, object], several: Collection[str] = ()) -> str:
    """A claim in a few words: its axis, or its contrast on an axis that has `several`."""
    what = row["contrast"] if row["axis"] in several else row["axis"]
    return f"{what}, {by_whom(row)}"


def axes_with_several(claims: Iterable[ExplainedClaim]) -> set[str]:
    """Axes on which more than two groups are compared."""
    seen = {(one.keys["axis"], one.keys["contrast"]) for one in claims}
    return {axis for axis, many in Counter(axis for axis, _ in seen).items() if many > 1}


def _word(row: Mapping[str, object]) -> str:
    verdict = str(row["verdict"])
    return "even" if verdict == Verdict.EVEN else wording.said(verdict)


def sentence_lead(found: SentenceExplanation) -> str:
    """Which word moves a sentence's score most."""
    known = [one for one in found.found.effects if one.effect is not None]
    if not known:
        return "No word of it could be left out."
    top = max(known, key=lambda one: coarsen(abs(one.effect or 0.0)))
    change = wording.change_text(top.effect, found.unit)
    unit = " points of 100" if found.unit == SCALE else " of its own units"
    return f"“{shortened(top.word.text)}” moves it most: {change}{unit}."


def _pair(found: SentenceExplanation, system: str) -> SentencePair | None:
    """The sentence with a name, and with a typical one."""
    score, other = found.found.score, next(iter(found.with_typical), None)
    if score is None or other is None:
        return None
    swap = found.asked.swaps[0]
    where = f"Scores of {system}"
    return SentencePair(
        found.text, swap.text, wording.score_text(score, found.unit),
        wording.score_text(other, found.unit), where, "#why" if found.name else "#sentence",
        levels=(score, other) if found.unit == SCALE else None,
    )  # fmt: skip


def apart_forest(found: Sequence[ClaimExplanation], several: Collection[str]) -> Markup:
    """Each tilt of all, and of those who explain it best; every row has its own two ends."""
    rows = []
    for one in found:
        claim, carriers = one.claim, one.carriers
        sign = (POINTS if claim.unit == SCALE else 1.0) * (-1.0 if claim.value < 0 else 1.0)
        parts = [("All", claim.value, claim.row["low"], claim.row["high"])]
        if carriers.driver is None and knowledge_tells(one) and one.rarity is not None:
            names = ("Known names", "Unknown names")
            for name, part in zip(names, one.rarity.by_knowledge, strict=True):
                parts.append((name, part.claim.value or 0.0, part.claim.low, part.claim.high))
        elif carriers.people and (left := carriers.people[0].without) is not None:
            name = f"Without {shortened(carriers.people[0].name, 20)}"
            parts.append((name, left.value or 0.0, left.low, left.high))
        step = 80.0 / len(parts)
        marks = tuple(
            _mark(value, low, high, sign, 10.0 + step * (nth + 0.5), f"{name}:", filled=nth == 0)
            for nth, (name, value, low, high) in enumerate(parts)
        )
        up = claim.value >= 0
        ends = (_end(claim, not up), _end(claim, up))
        cell = ForestCell(marks, joined=True, ends=ends)
        rows.append(ForestRow(label(claim.row, several), (cell,)))
    every = [mark for row in rows for mark in row.cells[0].marks]
    far = [end for mark in every for end in (mark.low, mark.high) if end is not None]
    scale = around_zero([mark.value for mark in every], far)
    on_scale = all(one.claim.unit == SCALE for one in found)
    panel = ForestPanel("Points of 100" if on_scale else "Its own units", scale)
    title = "Each tilt of everybody, and of those who explain it"
    forest = Forest("apart", title, (panel,), tuple(rows), first="Tilt", layout="below")
    return forest.html() if rows else Markup()


def _end(claim: ExplainedClaim, up: bool) -> str:
    """An end of a scale in words; the group's own name where a phrase is long."""
    both = [claim.sides.towards(one) for one in (True, False)]
    if claim.sides.average or max(map(len, both)) <= LONG:
        return claim.sides.towards(up)
    return f"{claim.contrast.first if up else claim.contrast.second} higher"


def _mark(
    value: float | None,
    low: float | None,
    high: float | None,
    sign: float,
    level: float,
    name: str,
    *,
    filled: bool = True,
) -> Mark:
    middle = sign * (value or 0.0)
    ends = sorted(sign * end for end in (low, high) if end is not None)
    start, end = ends if len(ends) == 2 else (None, None)
    spread = f"{fixed(ends[0], 1)} to {fixed(ends[1], 1)}" if len(ends) == 2 else ""
    return Mark(
        middle, start, end, filled=filled, ink=True, level=level, name=name,
        number=fixed(middle, 1), spread=spread,
    )  # fmt: skip


# ---------------------------------------------------------------- bodies of sections


def joined(parts: Iterator[Markup] | map[Markup]) -> Markup:
    """Parts one after the other."""
    return Markup("\n").join(parts)


def paragraph(text: str) -> Markup:
    """A sentence on its own."""
    return Markup('<p dir="auto">{}</p>').format(text) if text else Markup()


def claim_body(nth: int, one: ClaimExplanation) -> Markup:
    """One claim: its size, who drives it, who adds most, and known and unknown names apart."""
    claim = one.claim
    corpus, task = claim.keys["corpus"], claim.keys["task"]
    head = Markup('<h3 id="claim-{}" dir="auto">{}</h3>').format(nth, wording.heading(claim))
    body = head + paragraph(f"{wording.whole_tilt(claim)} ({task}, {corpus}).")
    body += paragraph(wording.driving_sentence(one.carriers))
    if not one.carriers.moving:
        return body
    body += carriers_table(one.carriers, LISTED).html()
    if one.rarity is not None:
        body += paragraph(wording.rarity_sentence(one.rarity)) + rarity_table(one.rarity).html()
    return body


def words_body(one: ClaimExplanation) -> Markup:
    """One claim's words, emotions and templates."""
    if not one.carriers.moving:
        return Markup()
    body = Markup('<h3 dir="auto">{}</h3>').format(wording.heading(one.claim))
    for found in one.interactions:
        body += paragraph(wording.interaction_sentence(found))
        if any(wording.towards(one.claim, each.interaction) for each in found.found):
            body += interactions_table(found, LISTED).html()
    return body


def sentence_body(found: SentenceExplanation) -> Markup:
    """One sentence: what is known of it, and what each word does."""
    head = f"{found.name}: {found.text}" if found.name else found.text
    body = Markup('<h3 dir="auto">{}</h3>').format(shortened(head, 200))
    facts = Markup().join(
        Markup('<dt dir="auto">{}</dt><dd dir="auto">{}</dd>').format(name, value)
        for name, value in wording.readings(found)
    )
    return body + Markup('<dl class="facts">{}</dl>').format(facts) + words_table(found).html()
