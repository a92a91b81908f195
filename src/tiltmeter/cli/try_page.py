"""What `tiltmeter try` prints."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tiltmeter.cli.console import say, table, visible

if TYPE_CHECKING:
    from tiltmeter.flow import Trial, Tried
    from tiltmeter.systems import Missing


def show_trial(trial: Trial) -> None:
    """Print the variants and everyone's scores: one system's under each other, several in one."""
    if trial.braced:
        say(visible(f"Swapped: {trial.braced}"))
        say()
    if len(trial.tried) == 1:
        show_tried(trial.tried[0])
        return
    for nth, text in enumerate(trial.texts, 1):
        say(visible(f"{nth}  {text}"))
    say()
    numbers = [str(nth) for nth in range(1, len(trial.texts) + 1)]
    rows = [
        (one.card.name, _scale(one), *(_scores(one, answer)[0] for answer in one.answers))
        for one in trial.tried
    ]
    table(("system", "scale", *numbers), rows, right=numbers)
    for one in trial.tried:
        for line in _differences(one):
            say(visible(f"{one.card.name}: {line}"))


def _scale(tried: Tried) -> str:
    return f"{tried.scale}, {tried.settled.known}" if tried.scale else "none known"


def show_tried(tried: Tried) -> None:
    """Print the variants under each other, with their scores and what lies between them."""
    how = ", inferred" if tried.settled.known != "declared" else ""
    on = f", scale {tried.scale}{how}" if tried.scale else ", no known scale"
    say(visible(f"{tried.card.name} ({tried.card.task}{on})"), style="bold")
    columns = ("sentence", "score", "of 100") if tried.scale else ("sentence", "score")
    rows = [
        (text, *_scores(tried, answer))
        for text, answer in zip(tried.texts, tried.answers, strict=True)
    ]
    table(columns, rows, right=columns[1:])
    for line in _differences(tried):
        say(visible(line))
    say()


def _scores(tried: Tried, answer: float | Missing) -> tuple[str, ...]:
    """The answer as given, and on a scale of 100 where its scale is known."""
    from tiltmeter.report import short

    native = _number(answer)
    if native is None:
        return ("–", "–") if tried.scale else ("–",)
    given = short(native, 3)
    return (given, short(100 * tried.scale.to_unit(native), 3)) if tried.scale else (given,)


def _differences(tried: Tried) -> list[str]:
    """Every later variant against the first, in words."""
    from tiltmeter.report import points, short
    from tiltmeter.systems import Missing

    first, *rest = zip(tried.words, tried.answers, strict=True)
    lines = []
    for words, answer in rest:
        one, other = first[1], answer
        if isinstance(one, Missing) or isinstance(other, Missing):
            reasons = (side.reason for side in (one, other) if isinstance(side, Missing))
            lines.append(f"No score to compare: {next(reasons)}")
            continue
        gap = one - other
        if not gap:
            lines.append(f"The same score with “{first[0]}” and “{words}”.")
            continue
        more, less = (first[0], words) if gap > 0 else (words, first[0])
        size = (
            f"{points(abs(gap) / tried.scale.width)} points of 100"
            if tried.scale
            else f"{short(abs(gap))} of its own units"
        )
        lines.append(f"{size} higher with “{more}” than with “{less}”.")
    return lines


def _number(answer: float | Missing) -> float | None:
    return answer if isinstance(answer, float | int) else None
