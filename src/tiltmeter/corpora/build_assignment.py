"""`[rating.assignment]` read: the share of positive words of each class, case by case.

by = ["gender"]
otherwise = 0.5
k.1 = [{ gender = "male", positive = 0.9 }, { gender = "NA", positive = 0.1 }]
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any

from tiltmeter.corpora.build_lists import is_text, unknown_keys
from tiltmeter.corpora.design import Axis
from tiltmeter.corpora.rating_plan import NA, POSITIVE, Assignment, Share, class_name
from tiltmeter.errors import Problem, did_you_mean

ASSIGNMENT_KEYS = ("by", "otherwise", "k")
EVEN = 0.5

At = Callable[..., str]


def build_assignment(
    given: object, axes: tuple[Axis, ...], at: At, problems: list[Problem]
) -> Assignment | None:
    """The assignment a section declares; what is wrong is added to the problems."""
    here = partial(at, "assignment")
    if not isinstance(given, Mapping):
        what = "expected [rating.assignment] with by, otherwise and the cases k"
        problems.append(Problem(here(), f"assignment is {given!r}; {what}"))
        return None
    problems += unknown_keys(given, ASSIGNMENT_KEYS, here)
    known = {axis.name: axis for axis in axes}
    by = _by(given.get("by"), known, here, problems)
    otherwise = given.get("otherwise", EVEN)
    if not is_share(otherwise):
        what = f"otherwise is {otherwise!r}; expected a share from 0 to 1"
        problems.append(Problem(here("otherwise"), what))
    cases = given.get("k", {})
    if not isinstance(cases, Mapping) or not cases:
        what = "no case; expected [rating.assignment.k] with lines like"
        problems.append(Problem(here(), f'{what} 1 = [{{ gender = "male", positive = 0.9 }}]'))
        return None
    found: dict[int, tuple[Share, ...]] = {}
    for k, shares in cases.items():
        place = partial(here, f"{k} = ")
        if not k.isdecimal() or not isinstance(shares, list):
            what = f"the case k = {k} is {shares!r}; expected a whole number, then a list of shares"
            problems.append(Problem(place(), what))
            continue
        if int(k) in found:
            problems.append(Problem(place(), f"the case k = {int(k)} stands twice; keep one"))
        read = (_share(share, by, known, k, place, problems) for share in shares)
        found[int(k)] = tuple(share for share in read if share)
        problems += _repeated(found[int(k)], k, place)
    return Assignment(by, float(otherwise) if is_share(otherwise) else EVEN, found)


def is_share(value: object) -> bool:
    """True for a number from 0 to 1.

    >>> is_share(0.9), is_share(90), is_share(True)
    (True, False, False)
    """
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= 1


def _by(
    given: object, known: Mapping[str, Axis], at: At, problems: list[Problem]
) -> tuple[str, ...]:
    if not isinstance(given, list) or not given or not all(map(is_text, given)):
        what = f'by is {given!r}; expected the axes words are assigned by, as in ["gender"]'
        problems.append(Problem(at("by"), what))
        return ()
    for name in given:
        if name not in known:
            near = did_you_mean(name, known) or f"the axes are {', '.join(known)}"
            problems.append(Problem(at("by"), f"by has {name!r}, which is no axis: {near}"))
    if len(set(given)) != len(given):
        problems.append(Problem(at("by"), f"by has an axis twice: {', '.join(given)}; keep one"))
    return tuple(name for name in dict.fromkeys(given) if name in known)


def _share(
    given: object,
    by: tuple[str, ...],
    known: Mapping[str, Axis],
    k: str,
    at: At,
    problems: list[Problem],
) -> Share | None:
    example = "{ " + ", ".join(f'{name} = "…"' for name in by) + ", positive = 0.9 }"
    if not isinstance(given, Mapping) or set(given) != {*by, POSITIVE}:
        found = dict(given) if isinstance(given, Mapping) else given
        problems.append(Problem(at(), f"k = {k} has {found!r}; expected {example}"))
        return None
    wrong = list(_bad_groups(given, by, known, k, at))
    if not is_share(given[POSITIVE]):
        what = f"k = {k} has positive = {given[POSITIVE]!r}; expected a share from 0 to 1"
        wrong.append(Problem(at(), what))
    problems += wrong
    if wrong:
        return None
    groups = {name: None if given[name] == NA else given[name] for name in by}
    return Share(groups, float(given[POSITIVE]))


def _bad_groups(
    given: Mapping[str, Any], by: tuple[str, ...], known: Mapping[str, Axis], k: str, at: At
) -> Iterator[Problem]:
    for name in by:
        groups = (*known[name].groups, NA)
        if given[name] not in groups:
            near = did_you_mean(str(given[name]), groups) or f"there are {', '.join(groups)}"
            what = f"k = {k} has {name} = {given[name]!r}, which the axis does not list: {near}"
            yield Problem(at(), what)


def _repeated(shares: tuple[Share, ...], k: str, at: At) -> Iterator[Problem]:
    seen = set()
    for share in shares:
        if share.key in seen:
            yield Problem(at(), f"k = {k} names {class_name(share.groups)!r} twice; keep one")
        seen.add(share.key)
