"""What stands over, and under, the tables of Câmara et al. (2022)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tiltmeter.report.regression_names import (
    COEFFICIENT,
    COEFFICIENT_MIXED,
    COEFFICIENT_NAIVE,
    LEAST_SQUARES,
)
from tiltmeter.report.regression_wording import parts_of
from tiltmeter.schemas import AVERAGE

FIRST = ("race", "gender")
"""The paper's order of axes; any other after them, as the formula has it."""
TIMES = " × "
NOT_ASKED = "Empty where a system has no scores for the task."
STARS = "* p ≤ 0.10, ** p ≤ 0.05, *** p ≤ 0.01, two-sided, not corrected for how many there are."
PRODUCT = "A product is what groups together have beyond their sum"
NUMBERS = {
    LEAST_SQUARES: "Coefficients of least squares, in parts of the scale, as the paper prints",
    COEFFICIENT_MIXED: "Coefficients of a linear model of the logit, random names and templates",
}
"""What the numbers are; Beta coefficients otherwise."""
BETA = "Coefficients of Beta regression, on the logit"
ERRORS = {
    COEFFICIENT: "Errors let names and templates vary (crossed clusters, CR2, Satterthwaite).",
    COEFFICIENT_MIXED: "Errors let names and templates vary (a mixed model).",
    COEFFICIENT_NAIVE: "Errors as if all sentences were independent.",
    LEAST_SQUARES: "Errors as if all sentences were independent, as in the paper.",
}

Effect = tuple[str, str, str]
"""Axis, contrast and reference."""


def effect_order(effects: Sequence[Effect]) -> tuple[Effect, ...]:
    """Race, gender, other axes, then products, as in print.

    >>> given = [("gender", "f-m", "m"), ("race", "a-b", "b"), ("gender:race", "f-m:a-b", "m:b")]
    >>> [axis for axis, _, _ in effect_order(given)]
    ['race', 'gender', 'gender:race']
    """
    known = [*FIRST, *(axis for axis, _, _ in effects)]
    return tuple(sorted(effects, key=lambda one: (one[0].count(":"), known.index(one[0]))))


def effect_title(effect: Effect, effects: Sequence[Effect]) -> str:
    """What stands over a column: the axes, and the groups where an axis has several.

    >>> effect_title(("gender:race", "f-m:a-b", "m:b"), [("gender:race", "f-m:a-b", "m:b")])
    'Race × gender'
    >>> effect_title(("race", "a-b", "b"), [("race", "a-b", "b"), ("race", "c-b", "b")])
    'Race: a − b'
    """
    parts = effect[0].split(":")
    title = TIMES.join(sorted(parts, key=[*FIRST, *parts].index))
    title = title[:1].upper() + title[1:]
    several = sum(axis == effect[0] for axis, _, _ in effects) > 1
    return f"{title}: {groups_of(effect)}" if several else title


def groups_of(effect: Effect) -> str:
    """The groups of an effect as a difference.

    >>> groups_of(("race", "African American-European American", "European American"))
    'African American − European American'
    >>> groups_of(("gender:race", "f-m:a-b", "m:b"))
    '(f − m) × (a − b)'
    """
    parts = parts_of(dict(zip(("axis", "contrast", "reference"), effect, strict=True)))
    told = [f"{group} − {second}" for _, group, second in parts]
    return told[0] if len(told) == 1 else TIMES.join(f"({one})" for one in told)


def caption(titles: str, effects: Sequence[Effect], measure: str, on: Sequence[str]) -> str:
    """Which numbers these are, which errors they have, what the stars mean."""
    groups = "; ".join(
        f"{one[0]}: {groups_of(one)}" for one in effects if ":" not in one[0]
    )  # fmt: skip
    said = (
        f"{NUMBERS.get(measure, BETA)}. {titles}; {' or '.join(on)}, of people with a group on "
        f"every axis.",
        f"Above 0: sentences of the first group are scored higher ({groups}).",
        *_of_products(effects),
        ERRORS.get(measure, ""),
        STARS,
    )
    return " ".join(filter(None, said))


def _of_products(effects: Sequence[Effect]) -> Iterator[str]:
    """What a product is, and what it leaves to the axes beside it."""
    products = [one for one in effects if ":" in one[0]]
    if not products:
        return
    references = dict.fromkeys(
        second
        for one in products
        for _, _, second in parts_of(dict(zip(("axis", "contrast", "reference"), one, strict=True)))
    )
    beside = [one for one in references if one != AVERAGE]
    held = f"; beside it, each axis is told for the others’ reference ({', '.join(beside)})"
    yield f"{PRODUCT}{held if beside else ''}."
