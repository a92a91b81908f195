"""What is said of stored scores that a run used: how many, of when, and whether they still hold."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime
from typing import Any

from tiltmeter.report.numbers import count

Facts = Mapping[str, Any]
"""As in `stored_scores` of an audit's environment: system, task, corpus, used, first and last (when
they were written), asked_again, agreement, reason."""

FOUND = {
    "same": "the same",
    "vary": "answers vary from one asking to the next; --repeat measures by how much",
}
NAMED = 3
"""Systems that are named before the rest is only counted."""


def stored_sentence(facts: Facts, today: datetime | None = None) -> str:
    """A system's stored scores in a line; on `today`, in its time zone, else in UTC.

    >>> stored_sentence({"used": 8640, "first": "2026-11-16T22:53:01+00:00",
    ...     "last": "2026-11-16T22:53:09+00:00", "asked_again": 16, "agreement": "same"})
    '8,640 stored scores of 16 Nov 2026 22:53 UTC used, 16 asked again: the same'
    """
    used = f"{count(facts['used'], 'stored score')}{_when(facts, today)} used"
    again, agreement = facts.get("asked_again", 0), facts.get("agreement")
    if agreement == "no answer":
        return f"{used}; {again:,} were to be asked again, without an answer: {facts['reason']}"
    if agreement in FOUND:
        return f"{used}, {again:,} asked again: {FOUND[agreement]}"
    return f"{used}, none asked again (see --check)"


def stored_lines(every: Iterable[Facts], today: datetime | None = None) -> Iterator[str]:
    """The same of several systems, each sentence once with all that it is true of."""
    whose: dict[str, dict[str, None]] = {}
    for one in every:
        whose.setdefault(stored_sentence(one, today), {})[str(one["system"])] = None
    for said, those in whose.items():
        names = list(those)
        more = f" and {len(names) - NAMED:,} more" if len(names) > NAMED else ""
        yield f"{', '.join(names[:NAMED])}{more}: {said}"


def _when(facts: Facts, today: datetime | None) -> str:
    """As in ` of 16 Nov 22:53`; nothing where it is not known."""
    ends = [facts.get(name) for name in ("first", "last")]
    times = dict.fromkeys(_moment(datetime.fromisoformat(one), today) for one in ends if one)
    return f" of {' to '.join(times)}" if times else ""


def _moment(time: datetime, today: datetime | None) -> str:
    """A day and the minute, without the year where it is this one."""
    if today is None:
        return f"{time.astimezone(UTC):%-d %b %Y %H:%M} UTC"
    here = time.astimezone(today.tzinfo)
    return f"{here:%-d %b %H:%M}" if here.year == today.year else f"{here:%-d %b %Y}"
