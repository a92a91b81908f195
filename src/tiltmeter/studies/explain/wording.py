"""How an explanation speaks: sizes towards the tilt, who drives it, what it does not show.

All numbers of one claim point the claim's own way: 1.1 points higher about women, and −0.2 for what
lies on the other side.
"""

from __future__ import annotations

from collections.abc import Iterator

from tiltmeter.report.numbers import DASH, POINTS, SCALE, count, fixed, interval, short, size
from tiltmeter.report.phrases import called, listed
from tiltmeter.studies.explain.carriers import Carriers
from tiltmeter.studies.explain.interactions import EMOTION, TEMPLATE, WORD, Interactions
from tiltmeter.studies.explain.knowledge import LinearScore
from tiltmeter.studies.explain.material import ClaimAgain, ExplainedClaim
from tiltmeter.studies.explain.rarity import KNOWN, UNKNOWN, Rarity
from tiltmeter.studies.explain.sentences import SentenceExplanation
from tiltmeter.studies.paired.claims import COUPLES
from tiltmeter.studies.paired.verdict_wording import SAID_OF, by_whom
from tiltmeter.studies.paired.wording import DUST, amount

KINDS = {WORD: "emotion words", EMOTION: "emotions", TEMPLATE: "templates"}
NAMED = 3
"""People who are named in a sentence."""
FINE = 0.1
"""Points below which a size has two decimals and no more."""
NOT_SHOWN = (
    (
        "Who carries a tilt",
        "Taking people out shows whom the number hangs on, not what in their name does it.",
    ),
    (
        "Words and templates",
        "Each is set against all others with these people: the words were chosen, nobody drew "
        "them, and the largest of many is large by chance too.",
    ),
    (
        "Known and unknown names",
        "A list tells which names a system has a number for. That a name moves no score does not "
        "show that it is unknown.",
    ),
    (
        "Words left out",
        "Effects of words need not add up, and show what this score hangs on, not how the system "
        "computes it.",
    ),
    (
        "Near words",
        "Vectors that point alike suggest where a name’s score may come from; they are the "
        "system’s own only where it reads these vectors.",
    ),
)
"""What each part of an explanation does not show."""


def towards(claim: ExplainedClaim, value: float) -> float:
    """A number as it points the claim's own way; dust is nothing."""
    value = -value if claim.value < 0 else value
    return 0.0 if abs(value) < DUST * (1.0 if claim.unit == SCALE else abs(claim.value)) else value


def sized(claim: ExplainedClaim, value: float | None) -> str:
    """A number of a claim, in points of 100 or the system's own units, without the unit."""
    if value is None:
        return DASH
    value = towards(claim, value)
    if claim.unit == SCALE and 0 < abs(value) * POINTS < FINE:
        return fixed(value * POINTS, 2)
    return size(value, claim.unit) if value else "0"


def with_unit(claim: ExplainedClaim, value: float) -> str:
    """The same with its unit."""
    return amount(sized(claim, value), claim.unit)


def ends(claim: ExplainedClaim, value: float | None, low: float | None, high: float | None) -> str:
    """An interval, from the side that the claim points to."""
    if value is None or low is None or high is None:
        return ""
    if claim.value < 0:
        value, low, high = -value, -high, -low
    _, start, end = interval(value, low, high, POINTS if claim.unit == SCALE else 1.0)
    return f"{start} to {end}"


def ends_of(claim: ExplainedClaim, left: ClaimAgain) -> str:
    """The interval of a claim made anew."""
    return ends(claim, left.value, left.low, left.high)


def direction(claim: ExplainedClaim) -> str:
    """Which way a claim's numbers point: `higher about women`."""
    return claim.sides.towards(claim.value >= 0)


def heading(claim: ExplainedClaim) -> str:
    """Axis, kind of people, corpus, and what is compared."""
    where = f"{claim.row['axis']}, {by_whom(claim.row)}, {claim.keys['corpus']}"
    return f"{where}: {claim.sides.first} and {claim.sides.second}"


def verdict_of(claim: ExplainedClaim) -> str:
    """The claim's verdict in words."""
    return said(str(claim.row["verdict"]))


def said(verdict: str) -> str:
    """A verdict in words."""
    return SAID_OF.get(verdict, verdict.replace("_", " "))


def whole_tilt(claim: ExplainedClaim) -> str:
    """The tilt itself, with what decided it."""
    if not towards(claim, claim.value):
        return f"no difference ({verdict_of(claim)})"
    spread = ends(claim, claim.value, claim.row["low"], claim.row["high"])
    told = f"{spread}, {verdict_of(claim)}" if spread else verdict_of(claim)
    return f"{with_unit(claim, claim.value)} {direction(claim)} ({told})"


def people_word(claim: ExplainedClaim, many: int) -> str:
    """A number of names or couples."""
    return count(many, "couple" if claim.kind == COUPLES else "name")


def left_words(claim: ExplainedClaim, left: ClaimAgain) -> str:
    """What is left without somebody: a size, its interval, its verdict where it is another."""
    spread = ends_of(claim, left)
    other = left.verdict if left.verdict != claim.row["verdict"] else ""
    more = ", ".join(filter(None, (spread, said(other) if other else "")))
    return f"{sized(claim, left.value)} without{f' ({more})' if more else ''}"


def driving_sentence(found: Carriers) -> str:
    """Who drives one claim, in one sentence."""
    claim, total = found.claim, len(found.people)
    every = people_word(claim, total)
    if not found.moving:
        return f"None of {every} moves a score, so nobody carries a tilt."
    driver = found.driver
    if driver is not None and driver.without is not None:
        now = with_unit(claim, claim.value)
        alone = left_words(claim, driver.without)
        return f"Driven by {called(driver.name)}: {now} with it, {alone}."
    if not towards(claim, claim.value):
        return f"{found.moving:,} of {every} move scores, and cancel out."
    if not found.notable:
        little = with_unit(claim, claim.value)
        return f"{little} {direction(claim)}: too little to ask whose it is."
    if few := found.driving:
        many, left = few
        names = listed([one.name for one in found.people[:many]], most=NAMED)
        now = with_unit(claim, claim.value)
        return (
            f"No single one drives it. {many} of {every} do: {now} with {names}, "
            f"{left_words(claim, left)}."
        )
    top = found.people[0]
    if top.without is None:
        return f"Nobody alone drives it: {found.moving:,} of {every} move scores."
    now, rest = with_unit(claim, claim.value), sized(claim, top.without.value)
    return f"Nobody alone drives it: {now} with {called(top.name)}, who adds most, {rest} without."


def interaction_sentence(found: Interactions) -> str:
    """Whether a tilt differs between words, emotions or templates, in one sentence."""
    claim, many = found.claim, len(found.found)
    kinds = KINDS[found.of]
    if not any(towards(claim, one.interaction) for one in found.found):
        return f"The same in all {many} {kinds}."
    top = found.found[0]
    spread = ends(claim, top.interaction, top.low, top.high)
    told = f", {spread}" if spread else ", alike for all here" if top.alike else ""
    rest = sized(claim, top.interaction)
    sure = {0: "none differs", 1: "one differs"}.get(
        found.apart, f"{found.apart} differ beyond chance"
    )
    return (
        f"Of {many} {kinds}, {sure} from the others; furthest lies "
        f"{category_words(found.of, top.category)}: {sized(claim, top.tilt)} there, {rest} from "
        f"the whole{told}."
    )


def category_words(of: str, category: str) -> str:
    """What a category is called."""
    if category == "none":
        return "no emotion word"
    return f"template {category}" if of == TEMPLATE else category


def rarity_sentence(found: Rarity) -> str:
    """Whether the tilt is among names that the system knows; nothing where nobody can tell."""
    parts = {one.part: one for one in found.by_knowledge}
    if not parts:
        return ""
    claim, known, unknown = found.claim, parts[KNOWN], parts[UNKNOWN]
    every = known.names + unknown.names
    if not unknown.names:
        return f"All {every:,} names stand in {found.source}, so none can be set beside them."
    if not known.names:
        return f"None of {every:,} names stands in {found.source}."
    told = []
    for part, who in ((known, "those it knows"), (unknown, "those it does not")):
        spread = ends_of(claim, part.claim)
        value = part.claim.value
        told.append(
            f"{sized(claim, value)} among {who}{f' ({spread})' if spread else ''}"
            if value is not None
            else f"too few of {who} to compare"
        )
    stand = "stands" if known.names == 1 else "stand"
    return (
        f"{known.names:,} of {every:,} names {stand} in {found.source}. The tilt, "
        f"{direction(claim)}: {told[0]}, {told[1]}."
    )


def knowledge_sentence(found: Rarity) -> str:
    """That a system moves what it knows, shortly."""
    claim = found.claim
    known, unknown = (sized(claim, part.claim.value) for part in found.by_knowledge)
    return (
        f"{with_unit(claim, claim.value)}; it moves what it knows: {known} among known names, "
        f"{unknown} among others."
    )


# ---------------------------------------------------------------- sentences and names


def score_text(score: float | None, unit: str) -> str:
    """A score in points of 100, or in the system's own units."""
    if score is None:
        return DASH
    return fixed(POINTS * score, 1) if unit == SCALE else short(score, 3)


def change_text(change: float | None, unit: str) -> str:
    """A difference of two scores, with its sign."""
    if change is None:
        return DASH
    times = POINTS if unit == SCALE else 1.0
    if abs(change) < DUST:
        return "0"
    text = fixed(times * change, 1) if unit == SCALE else short(change, 3)
    return text if change < 0 else f"+{text}"


def readings(found: SentenceExplanation) -> Iterator[tuple[str, str]]:
    """What is known of a sentence and its names besides the words' effects: a name and a text."""
    unit = found.unit
    yield "The sentence", score_text(found.found.score, unit)
    names = found.asked.probe.names
    if names:
        without = found.found.without_names
        yield f"Without {listed(list(names))}", score_text(without, unit)
    for swap, score in zip(found.asked.swaps, found.with_typical, strict=True):
        yield f"With {called(swap.typical)} instead", score_text(score, unit)
    for name in names:
        yield f"{called(name)} alone", score_text(found.found.names_alone.get(name), unit)
    for name in names:
        knows = found.knows_names.get(name)
        if knows is None:
            yield f"{called(name)} in its words", "not known: its words cannot be read from here"
            continue
        parts = {part: value for part, value in found.known.items() if part in name.lower()}
        numbers = ", ".join(f"{part} {short(value)}" for part, value in parts.items())
        yield (
            f"{called(name)} in its words",
            (f"in {found.source}: {numbers}" if knows else f"not in {found.source}"),
        )
    yield from readings_of_system(found)


def readings_of_system(found: SentenceExplanation) -> Iterator[tuple[str, str]]:
    """What its tokenizer, word vectors and linear weights make of a sentence, asking nothing."""
    for name, pieces in found.subwords.items():
        yield f"{called(name)} in pieces", " ".join(pieces)
    for name, near in found.near.items():
        words = ", ".join(
            f"{one.word} ({fixed(one.cosine, 2)}, rated {fixed(one.rating, 1)})" for one in near
        )
        yield f"Words near {called(name)}", words
    if found.linear is not None:
        yield "Its own weights", weights_sentence(found.linear)


def weights_sentence(linear: LinearScore) -> str:
    """How a linear model's weights add up to its decision value."""
    parts = linear.parts
    shown = " + ".join(f"{name} {short(value, 3)}" for name, value in parts[:8])
    more = f" + {len(parts) - 8} more" if len(parts) > 8 else ""
    start = f"{shown}{more} + " if parts else ""
    return (
        f"{start}intercept {short(linear.intercept, 3)} = {short(linear.total, 4)}; "
        f"the model says {short(linear.decision, 4)}"
    )
