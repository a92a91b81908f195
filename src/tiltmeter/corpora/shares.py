"""How often each class is given a positive word: a case k of the group, or a user's own table."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from tiltmeter.corpora.design import Axis
from tiltmeter.corpora.rating_plan import NA, POSITIVE, Assignment, Share, class_name, is_share
from tiltmeter.errors import CorpusError, Problem, TiltmeterError, cap_problems, did_you_mean
from tiltmeter.table_files import read_table

SUBJECT = "the table of shares cannot be used"
DECLARED = 0.9
"""The larger share of Table 8, which a strength stands in for."""
EVEN = 0.5


def read_shares(path: Path | str) -> tuple[Share, ...]:
    """A user's own assignment from a CSV, TSV, JSONL or Parquet file.

    A row for each class: a column for each axis it is by, NA or nothing for people without a group,
    and `positive`, the share of positive words from 0 to 1.
    """
    table = read_table(Path(path), subject=SUBJECT)
    names = [name for name in table.frame.columns if name != POSITIVE]
    if POSITIVE not in table.frame.columns or not names:
        found = ", ".join(table.frame.columns)
        what = f"found the columns {found}; expected {POSITIVE} and an axis or more, as in gender"
        raise CorpusError(SUBJECT, [Problem(table.at(), what)])
    shares, unfit, repeated = list[Share](), list[Problem](), list[Problem]()
    seen: dict[object, int] = {}
    for line, row in zip(table.lines, table.frame.rows(named=True), strict=True):
        positive = _number(row[POSITIVE])
        if positive is None:
            found = "nothing" if row[POSITIVE] is None else repr(row[POSITIVE])
            what = f"found {found} for {POSITIVE}; expected a share from 0 to 1, as in 0.9"
            unfit.append(Problem(table.at(line), what))
        groups = {name: None if row[name] in (None, NA) else str(row[name]) for name in names}
        share = Share(groups, EVEN if positive is None else positive)
        shares.append(share)
        if share.key in seen:
            before = table.among([seen[share.key]])
            what = f"{class_name(groups)!r} has a row already, in {before}; keep one"
            repeated.append(Problem(table.at(line), what))
        seen.setdefault(share.key, line)
    if problems := [
        *cap_problems(unfit, "shares like these"),
        *cap_problems(repeated, "classes like these"),
    ]:
        raise CorpusError(SUBJECT, problems)
    return tuple(shares)


def _number(text: object) -> float | None:
    """The share a cell holds; None where it holds none."""
    try:
        value = float(str(text))
    except ValueError:
        return None
    return value if is_share(value) else None


def shares_of_case(assignment: Assignment, k: int) -> tuple[Share, ...]:
    """The shares that a group declares for a case; an error lists the cases there are."""
    if k not in assignment.cases:
        there = ", ".join(str(case) for case in sorted(assignment.cases))
        raise TiltmeterError(f"there is no case k = {k} here; expected one of {there}")
    return assignment.cases[k]


def fitting(shares: Sequence[Share], axes: tuple[Axis, ...]) -> tuple[Share, ...]:
    """A user's shares, with an error for every axis or group that the corpus does not have."""
    known = {axis.name: (*axis.groups, NA) for axis in axes}
    problems = []
    for share in shares:
        if not is_share(share.positive):
            what = f"{class_name(share.groups)!r} has positive = {share.positive!r}"
            problems.append(f"{what}; expected a share from 0 to 1")
        for axis, group in share.groups.items():
            if axis not in known:
                near = did_you_mean(axis, known) or f"the axes are {', '.join(known)}"
                problems.append(f"the column {axis!r} is no axis of the corpus: {near}")
            elif group is not None and group not in known[axis]:
                near = did_you_mean(group, known[axis]) or f"there are {', '.join(known[axis])}"
                problems.append(f"{axis} has no group {group!r}: {near}")
    if not shares:
        problems.append("it is empty; expected a share for one class or more")
    if len({tuple(sorted(share.groups)) for share in shares}) > 1:
        problems.append("its rows are by different axes; expected the same axes in each")
    if len({share.key for share in shares}) < len(shares):
        problems.append("a class stands in it twice; keep one row for each")
    if problems:
        raise CorpusError(SUBJECT, [Problem("", what) for what in dict.fromkeys(problems)])
    return tuple(shares)


def at_strength(share: float, strength: float | None) -> float:
    """The share rescaled so that a declared 0.9 becomes the strength: 0.5 + (p − 0.5)(s − 0.5)/0.4.

    >>> [round(at_strength(share, 0.7), 3) for share in (0.9, 0.5, 0.1)]
    [0.7, 0.5, 0.3]
    """
    if strength is None:
        return share
    if not isinstance(strength, int | float) or not EVEN <= strength <= 1:
        what = f"the strength is {strength!r}; expected a number from 0.5 (even) to 1 (always)"
        raise TiltmeterError(what)
    scaled = EVEN + (share - EVEN) * (strength - EVEN) / (DECLARED - EVEN)
    if not -1e-9 <= scaled <= 1 + 1e-9:
        what = f"strength {strength:g} would make the declared share {share:g} one of {scaled:g}"
        raise TiltmeterError(f"{what}; expected 0 to 1: choose a smaller one, or give shares")
    return min(max(scaled, 0.0), 1.0)
