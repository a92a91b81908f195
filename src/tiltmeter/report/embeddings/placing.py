"""Labels put beside their points so that they cover each other as little as can be."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tiltmeter.report.embeddings.picture import line, text, width_of
from tiltmeter.report.ratings.label import fitting

SIZE, TALL, AWAY, LONGEST = 11.0, 12.0, 6.0, 110.0
"""Letters, height of a label, its distance from its point, its largest width."""


@dataclass(frozen=True, slots=True)
class Box:
    """Where a label would stand."""

    x: float
    y: float
    wide: float
    tall: float = TALL

    @property
    def edges(self) -> tuple[float, float, float, float]:
        """Left, top, right, bottom."""
        return self.x, self.y, self.x + self.wide, self.y + self.tall

    def outside(self, wide: float, tall: float) -> float:
        """How far it sticks out of a frame."""
        return sum(
            max(0.0, part)
            for part in (-self.x, self.x + self.wide - wide, -self.y, self.y + self.tall - tall)
        )


@dataclass(frozen=True, slots=True)
class Label:
    """A text beside its point; led by a line where it stands far away."""

    words: str
    box: Box
    point: tuple[float, float]
    led: bool


def placed(
    points: Sequence[tuple[float, float, str]],
    wide: float,
    tall: float,
    others: Sequence[tuple[float, float]] = (),
) -> list[Label]:
    """A label for each point: the place of least overlap, of some around it, one after another.

    `others` are points without a label that should not be covered either.
    """
    marks = [*((x, y) for x, y, _ in points), *others]
    taken = [Box(x - 5, y - 5, 10, 10) for x, y in marks]
    labels = []
    for x, y, words in points:
        words = fitting(words, LONGEST, SIZE)
        across = width_of(words, SIZE)
        tried = [Box(*spot, across) for spot in _spots(x, y, across)]
        costs = 2 * covered(tried, taken) + [
            nth + 600 * box.outside(wide, tall) for nth, box in enumerate(tried)
        ]
        best = tried[int(np.argmin(costs))]
        taken.append(best)
        far = abs(best.y + TALL / 2 - y) > TALL or best.x > x + 12 or best.x + across < x - 12
        labels.append(Label(words, best, (x, y), far))
    return labels


def labelled(labels: Sequence[Label]) -> str:
    """The labels drawn, with a thin line to a point that is far."""
    leads = "".join(line(*one.point, *_nearest(one), "lead") for one in labels if one.led)
    return leads + "".join(
        text(one.box.x, one.box.y + TALL - 2.5, one.words, "label") for one in labels
    )


def _nearest(label: Label) -> tuple[float, float]:
    """The place of a label that is nearest to its point."""
    box, (x, y) = label.box, label.point
    return min(max(x, box.x), box.x + box.wide), min(max(y, box.y + 2), box.y + TALL - 2)


def _spots(x: float, y: float, across: float) -> list[tuple[float, float]]:
    """Around a point: right, left, above, below, the corners, then farther out."""
    sides = []
    for out in (0.0, 12.0, 26.0, 42.0, 60.0, 80.0):
        middle, right, left = x - across / 2, x + AWAY + out, x - AWAY - out - across
        level, above, below = y - TALL / 2, y - AWAY - TALL - out + 2, y + AWAY + out - 2
        sides += [(right, level), (left, level), (middle, above), (middle, below)]
        sides += [(right, above), (right, below), (left, above), (left, below)]
    return sides


def covered(boxes: Sequence[Box], taken: Sequence[Box]) -> NDArray[np.float64]:
    """For each box, the area it shares with those that stand already, summed over them."""
    left, top, right, bottom = np.array([box.edges for box in boxes]).T[:, :, None]
    begun, over, ended, under = np.array([box.edges for box in taken]).T[:, None, :]
    across = np.minimum(right, ended) - np.maximum(left, begun)
    down = np.minimum(bottom, under) - np.maximum(top, over)
    area: NDArray[np.float64] = (across.clip(0) * down.clip(0)).sum(axis=1)
    return area
