"""What was done to a space, in sentences."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from tiltmeter.measures.vectors.mending.directions import IdentityDirection
from tiltmeter.measures.vectors.mending.methods import Mended
from tiltmeter.measures.vectors.mending.probing import Proportion
from tiltmeter.measures.vectors.mending.rows import per_cent


def notes_of(
    space: str,
    direction: IdentityDirection,
    mended: Mapping[str, Mended],
    chance: Proportion | None,
    *,
    scored: bool,
) -> tuple[str, ...]:
    """A sentence for the direction, for each method and for what a reader should beware of."""
    of = f"{space}, {direction.words.name}"
    return tuple(f"{of}{told}" for told in _told(direction, mended, chance, scored=scored))


def _told(
    direction: IdentityDirection,
    mended: Mapping[str, Mended],
    chance: Proportion | None,
    *,
    scored: bool,
) -> Iterator[str]:
    yield f": {_about(direction)}"
    for each in mended.values():
        yield f", {each.method}: {each.note or f'refused, {each.reason}'}"
    if chance is not None:
        share, low, high = map(per_cent, (chance.value, chance.low, chance.high))
        by = f"by chance {share} of {chance.n:,} words would be in the cluster of their side"
        yield f", cluster: {by} ({low} to {high})"
    if not scored:
        yield ": similarity is not measured, no word pairs scored by people were given"


def _about(direction: IdentityDirection) -> str:
    """What the direction was made from."""
    words = direction.words
    between = f"the direction from {words.second_name} to {words.first_name}"
    if direction.reason is not None:
        return f"{between} was not found, {direction.reason}"
    lacks = f"; not in the embedding: {', '.join(direction.missing)}" if direction.missing else ""
    if direction.share is None:
        return f"{between} is the difference of the means of {direction.n} words{lacks}"
    told = f"holds {per_cent(direction.share)} of the variance of {direction.n} pairs"
    return f"{between} {told}{lacks}"
