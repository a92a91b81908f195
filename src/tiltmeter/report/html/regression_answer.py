"""What the head of the page says of regressions: one sentence for each effect."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from tiltmeter.report.html.effects import Effect, Regression
from tiltmeter.report.html.regression_counts import Found, by_size, detected_of, number_of, told_of
from tiltmeter.report.html.regression_words import LISTED, opening
from tiltmeter.report.html.submissions import Submission, counted
from tiltmeter.report.numbers import points
from tiltmeter.report.regression_wording import UNSETTLED, unestimated
from tiltmeter.report.wording import amount

BELOW = "the section on the regression says why"


@dataclass(frozen=True, slots=True)
class Said:
    """What was found of one effect on one corpus."""

    title: str
    text: str
    system: str = ""
    anchor: str = ""
    after: str = ""


def said_of(one: Regression, titles: Sequence[str], of: Sequence[Submission]) -> Iterator[Said]:
    """One sentence for each effect: how many submissions show it, and the largest.

    One for all of them, where there are many. Who is counted apart is left out.
    """
    one = _counted(one, of)
    if not told_of(one, one.effects):
        yield Said("", _nothing(one))
        return
    if len(one.effects) > LISTED:
        yield Said("", opening(one, titles))
        return
    anchors = {(sub.corpus, sub.system, sub.task): sub.anchor for sub in of}
    for effect, title in zip(one.effects, titles, strict=True):
        yield _said(one, effect, title, anchors)


def _counted(one: Regression, of: Sequence[Submission]) -> Regression:
    """The regression without submissions that are counted apart, unless all are."""
    kept = {(sub.system, sub.task) for sub in counted([s for s in of if s.corpus == one.corpus])}
    fits = tuple(fit for fit in one.fits if (fit.system, fit.task) in kept)
    return replace(one, fits=fits or one.fits)


def _said(
    one: Regression, effect: Effect, title: str, anchors: Mapping[tuple[int, str, str], str]
) -> Said:
    told, detected = told_of(one, [effect]), detected_of(one, effect)
    if len(one.fits) == 1 and effect.key in one.fits[0].told:
        return Said(title, str(one.fits[0].told[effect.key]["sentence"]))
    if not told:
        return Said(title, f"cannot be estimated for any of {number_of(one, len(one.fits))}.")
    many = f"difference detected in {len(detected):,} of" if detected else _not_in(len(told))
    many = f"{many} {number_of(one, len(told))}{_where_planted(one, detected)}"
    fit, _, largest = max(detected or told, key=lambda some: by_size(one, some))
    if not largest["value"]:
        return Said(title, f"{many}.")
    size = amount(points(abs(largest["value"])), "scale")
    task = f" for {fit.task}" if len({other.task for other in one.fits}) > 1 else ""
    return Said(
        title,
        f"{many}; the largest {'is' if detected else 'estimate is'} that of",
        fit.system,
        anchors.get((one.corpus, fit.system, fit.task), ""),
        f"{task}, {size}, {effect.side(largest['value'])}.",
    )


def _not_in(many: int) -> str:
    return f"no difference detected in{' any of' if many > 1 else ''}"


def _where_planted(one: Regression, detected: Sequence[Found]) -> str:
    """What must be said of controls among the submissions with an effect."""
    many = sum(fit.system in one.planted for fit, *_ in detected)
    if not many:
        return ""
    which = "planted" if many == len(detected) else f"{many:,} of them planted"
    return f" ({which}, in {'a control' if many == 1 else 'controls'})"


def _nothing(one: Regression) -> str:
    """Where no submission has any effect."""
    if len(one.fits) == 1:
        reason = next(iter(unestimated(one.regressed)), UNSETTLED)
        return f"No effect can be estimated for {one.fits[0].system}, because {reason}."
    return f"No effect can be estimated for any of {number_of(one, len(one.fits))}; {BELOW}."


def left_out(one: Regression, of: Sequence[Submission]) -> str:
    """How many submissions have no effects, where others have some."""
    one = _counted(one, of)
    known = {(fit.system, fit.task) for fit, *_ in told_of(one, one.effects)}
    left = len(one.fits) - len(known)
    if not left or not known:
        return ""
    return f"{left:,} more {number_of(one, left).partition(' ')[2]} cannot be estimated; {BELOW}."
