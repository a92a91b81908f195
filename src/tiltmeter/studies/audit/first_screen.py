"""What an audit's page says in ten seconds: who tilts, how sure, on which pair, what to do next.

One claim leads: the largest that tilts, else the largest undecided, else the largest even; of pairs
without verdicts, the largest detected. Where people were drawn by lot the answer is about them, and
lists of names come beside it. The strip shows as many rows as 150 words leave room for.
"""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from markupsafe import Markup

from tiltmeter.report.first_screen import Chip, ChipShape, FirstScreen, NextCommand, SentencePair
from tiltmeter.report.forest import Forest
from tiltmeter.report.numbers import SCALE, count
from tiltmeter.report.page import NOTHING, environment, trusted
from tiltmeter.schemas import Verdict
from tiltmeter.shell import paste_word, paste_words
from tiltmeter.studies.audit.first_strip import (
    MORE,
    PANELS,
    ROWS,
    ScreenClaim,
    claims_of,
    elsewhere_chips,
    fitted,
    many_words,
    people_dots,
    strip_of_many,
    strip_of_one,
)
from tiltmeter.studies.paired.advice import NAMED, NextSteps, next_steps
from tiltmeter.studies.paired.results import AuditResults
from tiltmeter.studies.paired.strip import StripBlock
from tiltmeter.studies.paired.submissions import ContrastPanel, ShownSubmission, counted
from tiltmeter.studies.paired.swaps import TellingPair, telling_pair
from tiltmeter.studies.paired.verdict_wording import COUPLES, margin_text, moved_brief, percent
from tiltmeter.studies.regression.view import RegressionSection

WORDS = 120
"""What the screen may hold besides the page's heading, its links and the first fold."""
NARROW = 2
"""Rows with several panels that a phone shows (first_screen.css)."""


def audit_screen(
    audit: AuditResults,
    of: Sequence[ShownSubmission],
    shown: Sequence[Sequence[ContrastPanel]],
    blocks: Sequence[StripBlock],
    caveats: Sequence[str] = (),
) -> FirstScreen:
    """The first screen of an audit with pairs."""
    claims = claims_of(of, shown)
    if not claims:
        return FirstScreen(lead=NOTHING_COMPARED if not any(shown) else NOTHING_SCORED)
    drawn = [claim for claim in claims if audit.compared[claim.one.corpus].name
             in audit.run.populations]  # fmt: skip
    first = (drawn or claims)[0]
    alone = len({claim.one.system for claim in claims}) == 1
    inside = drawn or claims  # never a verdict on a population said of a list beside it
    if not alone:
        inside = [one for one in inside if one.one.corpus == first.one.corpus]
    made = FirstScreen(
        lead=_where(audit, claims, inside, alone=alone)
        + lead_of(inside, first, alone=alone)
        + _too_few(audit, inside, first, alone=alone),
        pair=_pair(audit, first, alone=alone),
        moved=_moved(first, alone=alone),
        moved_figure=people_dots(audit.compared[first.one.corpus], first),
        steps=_explain(audit, first) or _steps(audit, inside),
        pair_title="A telling pair" if first.state != Verdict.EVEN else "A pair that differs",
        steps_title="Next",
    )
    small = (
        strip_of_one(audit, inside, first, blocks)
        if alone
        else strip_of_many(audit, claims, first, blocks)
    )
    left = [claim for claim in claims if claim not in small.claims]
    elsewhere = list(elsewhere_chips(audit, of, left, first))
    used = sum(map(many_words, (made.html(), *elsewhere, *caveats)))
    strip = fitted(small.forest, WORDS - used - MORE * bool(small.hidden))
    hidden = len(small.forest.rows) - len(strip.rows) + small.hidden
    further = 0 if alone else max(0, len(strip.rows) - NARROW)
    more = _more(hidden, small.called), _more(hidden + further, small.called)
    return replace(made, figure=_figure(strip, elsewhere, more, "#strip", caveats))


def _more(hidden: int, called: str) -> str:
    """How many rows are left for below."""
    return f"{hidden:,} more {called}{'s' * (hidden > 1)}" if hidden else ""


def regression_screen(
    audit: AuditResults,
    of: Sequence[ShownSubmission],
    section: RegressionSection | None,
    caveats: Sequence[str] = (),
) -> FirstScreen:
    """The first screen of an audit that has regressions alone."""
    if section is None:
        return FirstScreen(lead=NOTHING_SCORED)
    first, figure = section.found[0], NOTHING
    elsewhere = [
        Chip(ChipShape.NO_SIGNAL, one.name, "below", "#regression").html()
        for one in section.found[1:]
    ]
    if section.plots:
        forest = section.plots[0].forest
        products = {one.title for one in section.products}
        plain = [at for at, panel in enumerate(forest.panels) if panel.title not in products]
        plain = plain[:PANELS] or [0]
        elsewhere += [Chip(ChipShape.NO_SIGNAL, title, "below", "#regression").html()
                      for title in sorted(products)]  # fmt: skip
        rows = tuple(
            replace(row, cells=tuple(replace(row.cells[at], spread="", says=()) for at in plain))
            for row in forest.rows[:ROWS]
        )
        left = len(forest.rows) - len(rows)
        panels = tuple(forest.panels[at] for at in plain)
        strip = replace(forest, name="first-strip", panels=panels, rows=rows, most=None,
                        first=first.name)  # fmt: skip
        more = _more(left, "row")
        figure = _figure(strip, elsewhere, (more, more), "#regression", caveats)
    systems = list(dict.fromkeys(one.system for one in counted(of)))[:NAMED]
    return FirstScreen(lead=first.summary, figure=figure, steps=_try_yourself(audit, systems),
                       steps_title="Next")  # fmt: skip


def _figure(
    strip: Forest,
    elsewhere: Sequence[Markup],
    more: tuple[str, str],
    href: str,
    caveats: Sequence[str] = (),
) -> Markup:
    """The strip and what it leaves out: `more` rows on a wide screen, and on a phone."""
    template = environment().get_template("audit/first_strip.html")
    return trusted(
        template.render(
            strip=strip.html(), elsewhere=elsewhere, more=more, href=href, caveats=caveats
        )
    )


NOTHING_COMPARED = "There is nothing to compare: no axis of the corpus has sentences of two groups."
NOT_ESTIMABLE = "Not estimable: scores are missing on one side of the pairs."
OWN_UNITS = "No verdict: the scale of these scores is not known. Give it with --scale LOW:HIGH."
NOTHING_SCORED = "Nothing was compared: no pair of sentences has both scores."


def lead_of(claims: Sequence[ScreenClaim], first: ScreenClaim, *, alone: bool) -> str:
    """The bottom line: how many tilt, are undecided or even, and the largest of those."""
    system, size = first.one.system, first.size
    if first.finding.tilt is None:
        return _lead_of_pairs(claims, first, alone=alone)
    margin = margin_text(first.finding.tilt.margin)
    judged = [one for one in claims if one.finding.tilt]
    states = [one.state for one in judged]
    if alone:
        many = count(len(judged), "comparison")
        if first.state == Verdict.TILTED:
            some = f" on {states.count(Verdict.TILTED)} of {many}" if len(judged) > 1 else ""
            return f"Tilted{some}{', most' if some else ''}: {size}."
        if first.state == Verdict.NO_SIGNAL:
            return f"No signal: {first.one.no_signal}."
        if first.state == Verdict.EVEN:
            return f"Even within {margin}, on {'all ' * (len(judged) > 1)}{many}."
        if first.state == Verdict.UNDECIDED:
            even = states.count(Verdict.EVEN)
            rest = f"; {even} of {many} {'is' if even == 1 else 'are'} even" if even else ""
            return f"Undecided at a margin of {margin}{rest}."
        return NOT_ESTIMABLE if first.finding.value is None else OWN_UNITS
    worst = _worst_states(judged)
    n = {state: list(worst.values()).count(state) for state in Verdict}
    systems = count(len(worst), "system")
    if n[Verdict.TILTED]:
        are = "tilts" if n[Verdict.TILTED] == 1 else "tilt"
        most = "" if n[Verdict.TILTED] == 1 else " most,"
        return f"{n[Verdict.TILTED]:,} of {systems} {are}: {system}{',' * (not most)}{most} {size}."
    parts = [
        f"{n[state]:,} {words}"
        for state, words in (
            (Verdict.UNDECIDED, "undecided"), (Verdict.EVEN, "even"),
            (Verdict.NO_SIGNAL, "without a signal"), (Verdict.NOT_ESTIMABLE, "not estimable"),
        )
        if n[state]
    ]  # fmt: skip
    if len(parts) == 1:
        return f"All {systems}: {parts[0].split(' ', 1)[1]} at a margin of {margin}."
    return f"Of {systems} {', '.join(parts)}, at a margin of {margin}."


def _where(
    audit: AuditResults,
    claims: Sequence[ScreenClaim],
    inside: Sequence[ScreenClaim],
    *,
    alone: bool,
) -> str:
    """Which corpora one system's answer is of, where there are others."""
    names = dict.fromkeys(audit.compared[one.one.corpus].name for one in inside)
    return f"On {', '.join(names)}: " if alone and len(inside) < len(claims) else ""


def _too_few(
    audit: AuditResults, claims: Sequence[ScreenClaim], first: ScreenClaim, *, alone: bool
) -> str:
    """Why one system is undecided, where more people would decide it."""
    undecided = [one for one in claims if one.state == Verdict.UNDECIDED]
    larger = any(step.step.larger for step in next_steps(audit.tilts, audit.run))
    if not alone or first.state != Verdict.UNDECIDED or not larger:
        return ""
    met = {one.panel.people: sum(part.people for part in one.finding.moved) for one in undecided}
    people = " and ".join(f"{many:,} {kind}" for kind, many in met.items() if many)
    return f" {people[:1].upper()}{people[1:]} are too few." if people else ""


def _worst_states(claims: Sequence[ScreenClaim]) -> dict[str, str]:
    """By system, the state of its claim that leads."""
    worst: dict[str, str] = {}
    for one in claims:
        worst.setdefault(one.one.system, one.state)
    return worst


def _lead_of_pairs(claims: Sequence[ScreenClaim], first: ScreenClaim, *, alone: bool) -> str:
    found = [claim for claim in claims if claim.finding.detected]
    what = count(len(claims), "comparison")
    if first.finding.value is None:
        return NOT_ESTIMABLE
    if not found:
        return f"No difference detected in {'any of ' * (len(claims) > 1)}{what}."
    by = "" if alone else f" ({first.one.system})"
    return f"Difference detected in {len(found):,} of {what}; the largest{by} is {first.size}."


def _pair(audit: AuditResults, first: ScreenClaim, *, alone: bool) -> SentencePair | None:
    compared = audit.compared[first.one.corpus]
    pair = telling_pair(compared, first.one, first.panel)
    if pair is None:
        return None
    return SentencePair(
        pair.first, pair.second, *pair.texts, where=_whose(pair, first, alone=alone),
        href="#closer" if alone else f"#{first.one.anchor}", language=compared.corpus.language,
        levels=pair.levels, opens=first.one.anchor,
    )  # fmt: skip


def _whose(pair: TellingPair, first: ScreenClaim, *, alone: bool) -> str:
    """Whose scores these are, of how many sentences, and how rare that is where they are even."""
    unit = "points of 100" if pair.unit == SCALE else "units of its own"
    many = max(pair.averaged)
    each = f", each the average of {many:,} sentences" if many > 1 else ""
    rare = ""
    if first.state == Verdict.EVEN and (moved := moved_brief(first.finding.moved)):
        rare = f"; such people are few: {moved}"
    whose = "" if alone else f"{first.one.system}, "
    return f"{whose}{unit}{each}{rare}"


def _moved(first: ScreenClaim, *, alone: bool) -> str:
    """Of the claim that leads, how many people its system moves; how many others it might."""
    finding = first.finding
    brief = moved_brief(finding.moved)
    if not brief or finding.tilt is None:
        return ""
    unit = "couples" if first.panel.people == COUPLES else "names"
    by = "" if alone else f"{first.one.system}: "
    far = f"by more than {margin_text(finding.tilt.margin).removesuffix(' of 100')}"
    if not sum(one.moved for one in finding.moved):
        met = sum(one.people for one in finding.moved)
        most = max((one.high or 0.0) for one in finding.moved)
        others = f"; up to {percent(most)} of others might be" if most else ""
        return f"{by}None of {met:,} {unit} {far}{others}."
    rests = f"; most of it is {finding.rests}" if finding.rests else ""
    whom = "of people " if alone else ""
    return f"{by}{brief} {whom if brief.endswith('%') else f'{unit} '}{far}{rests}."


def _explain(audit: AuditResults, first: ScreenClaim) -> tuple[NextCommand, ...]:
    """Where something tilts: how to ask why; nothing where the audit's folder is not known."""
    words = shlex.split(str(audit.environment.get("command") or ""))
    folders = [after for before, after in pairwise(words) if before in ("-o", "--output")]
    if first.state != Verdict.TILTED or not folders:
        return ()
    system, folder = paste_word(first.one.system), paste_word(folders[-1])
    return (NextCommand(f"tiltmeter explain {system} --from {folder}", "says why"),)


def _steps(audit: AuditResults, claims: Sequence[ScreenClaim]) -> tuple[NextCommand, ...]:
    """What decides what is undecided, or how to look closer; one of them."""
    corpora = {audit.compared[claim.one.corpus].name for claim in claims}
    systems = {claim.one.system for claim in claims}
    steps = [one for one in next_steps(audit.tilts, audit.run)
             if one.corpus in corpora and systems & set(one.systems)]  # fmt: skip
    best = next((one for one in steps if one.step.larger), steps[0] if steps else None)
    if best is not None:
        return (_next(best),)
    return _try_yourself(audit, sorted(systems)[:NAMED])


def _try_yourself(audit: AuditResults, systems: Sequence[str]) -> tuple[NextCommand, ...]:
    """Where nothing is left to decide: the explorer.

    Nothing for scores from a file, and for functions of a program, which no command can name.
    """
    if set(audit.run.scores_from_files or ()) & set(systems) or not audit.environment.get(
        "command"
    ):
        return ()
    named = paste_words(systems)
    return (NextCommand(f"tiltmeter explore {named}", "tries sentences of your own"),)


def _next(best: NextSteps) -> NextCommand:
    if best.step.larger is None:
        return NextCommand("", f"More people would not decide {best.claims[0]}.")
    several = " each" if len(best.systems) > 1 else ""
    then = "; have them scored, and audit the scores" if best.step.stored else several
    return NextCommand(best.step.command(best.systems), f"{best.step.cost}{then}")
