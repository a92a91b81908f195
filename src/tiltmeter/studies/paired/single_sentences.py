"""Single sentences that a page holds: whose they are, their scores, the swaps that move most.

What it may hold is bounded. A page of few submissions holds every sentence of the people whom it
shows, as far as there is room; any page holds the worst pair of each system's largest swaps.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from tiltmeter.ranking import coarsen
from tiltmeter.report.numbers import POINTS, SCALE, count
from tiltmeter.studies.paired.packing import (
    Phrasebook,
    Rounding,
    indices,
    score_rounding,
    split_texts,
)
from tiltmeter.studies.paired.results import CorpusComparisons
from tiltmeter.studies.paired.submissions import ContrastPanel, ShownSubmission
from tiltmeter.studies.paired.swaps import (
    LargestSwaps,
    Swaps,
    driving_intersections,
    intersection_words,
    largest_swaps,
    swaps_of,
)

Array = NDArray[np.float64]
Places = NDArray[np.int64]

MANY = 20
"""Submissions of a page past which it holds no single sentence but those of the largest swaps."""
CELLS = 200_000
"""Scores of single sentences that a page holds, of all submissions and corpora; 3 bytes each."""
SHOWN = 10
"""Swaps of one submission and contrast that the page shows."""


@dataclass(frozen=True, slots=True)
class ShownSwaps:
    """The largest swaps of one submission and contrast, and what is said of all."""

    largest: LargestSwaps
    driven: str
    """Which intersection drives them, in a sentence; nothing where none does."""


@dataclass(frozen=True, eq=False)
class SingleSentences:
    """Those that the page holds of one corpus."""

    compared: CorpusComparisons
    at: Places
    """Where they stand in the corpus, in order."""
    scored: bool
    """Whether every submission's scores of them are held."""
    swaps: tuple[tuple[ShownSwaps, ...], ...]
    """By submission and contrast; nothing where single sentences are not known."""

    def common(self, people: pl.DataFrame) -> dict[str, Any] | None:
        """The sentences, and whose each is: a place among the people embedded, or past them.

        None where there are none.
        """
        if self.compared.scored is None or not self.at.size:
            return None
        held = self.compared.scored.sentences[self.at]
        place = dict[str, int]()
        for nth, person in enumerate(people["person"].to_list()):
            place.setdefault(person, nth)
        persons = held["person"].fill_null("").to_list()
        others = list(dict.fromkeys(one for one in persons if one not in place))
        place |= {person: people.height + nth for nth, person in enumerate(others)}
        frames = held.unique("frame", keep="first", maintain_order=True)
        return {
            "scored": self.scored,
            "person": indices(np.array([place[person] for person in persons], np.int64)),
            "others": others,
            "template": frames["template"].to_list(),
            "emotion": frames["emotion"].to_list(),
        } | split_texts(held["text"].to_list(), held["frame"].to_list())

    def entry(
        self, nth: int, one: ShownSubmission, width: float, book: Phrasebook, notes: dict[str, int]
    ) -> dict[str, Any]:
        """One submission's scores of them, and its largest swaps by contrast.

        What is said of them goes into `notes`, each text once for a page.
        """
        if self.compared.scored is None:
            return {"singles": None, "swaps": []}
        sizes = Rounding(POINTS if one.unit == SCALE else 1.0)
        scores = score_rounding(one.unit, width)
        values = self.compared.scored.values[one.row]
        return {
            "singles": book.places(values[self.at], scores) if self.scored else None,
            "swaps": [
                {
                    "rows": self._packed(found, values, sizes, scores, book),
                    "said": [notes.setdefault(text, len(notes)) for text in swaps_words(found)],
                }
                for found in self.swaps[nth]
            ],
        }

    def _packed(
        self, found: ShownSwaps, values: Array, sizes: Rounding, scores: Rounding, book: Phrasebook
    ) -> str:
        """Each swap: its two sentences, pairs, direction, mean, worst pair, and both scores."""
        rows = found.largest.swaps[:SHOWN]
        places = np.array([swap.places for swap in rows], np.int64).reshape(-1, 2)
        numbers = np.array([[abs(swap.mean), abs(swap.worst)] for swap in rows]).reshape(-1, 2)
        columns = [
            *np.searchsorted(self.at, places).T,
            [swap.many for swap in rows],
            [int(swap.mean > 0) for swap in rows],
            *(book.codes(each, sizes) for each in numbers.T),
            *(book.codes(values[each], scores) for each in places.T),
        ]
        return indices(np.array(columns, np.int64).T.ravel()) if rows else ""


def swaps_words(found: ShownSwaps) -> list[str]:
    """What drives the largest swaps, and how many there are besides."""
    largest = found.largest
    shown = min(len(largest.swaps), SHOWN)
    said = [found.driven] if found.driven else []
    if not largest.moving:
        return [f"No swap of {largest.every:,} moves a score."] if largest.every else []
    if largest.only:
        said.append(f"Only {largest.only} moves a score: nobody else\u2019s swaps do.")
    many = count(largest.every, "swap")
    moving = "all move" if largest.moving == largest.every else f"{largest.moving:,} move"
    cap = "" if largest.only else ", nobody more than twice"
    said.append(f"The {shown} largest of {many}{cap}; {moving} a score.")
    return said


def single_sentences(
    compared: CorpusComparisons,
    panels: Sequence[ContrastPanel],
    of: Sequence[ShownSubmission],
    people: pl.DataFrame,
    budget: int = CELLS,
) -> SingleSentences:
    """What the page holds of one corpus, whose people it shows, in at most `budget` scores.

    Where not all fit, whole people are held in their order, those furthest from the average first.
    """
    if compared.scored is None:
        return SingleSentences(compared, np.zeros(0, np.int64), False, ((),) * len(of))
    by_panel = []
    for panel in panels:
        swaps = swaps_of(compared, panel.axis, panel.first, panel.second)
        if swaps is not None:
            by_panel.append([_shown_swaps(swaps, one, compared) for one in of])
    swaps_by = tuple(tuple(found[nth] for found in by_panel) for nth in range(len(of)))
    used = {
        place
        for mine in swaps_by
        for found in mine
        for swap in found.largest.swaps[:SHOWN]
        for place in swap.places
    }
    scored = 0 < len(of) <= MANY
    if scored:
        room = budget // len(of) - len(used)
        used.update(_sentences_of(compared, [one.row for one in of], people, room))
    at = np.array(sorted(used), np.int64)
    return SingleSentences(compared, at, scored, swaps_by)


def _shown_swaps(swaps: Swaps, one: ShownSubmission, compared: CorpusComparisons) -> ShownSwaps:
    largest = largest_swaps(swaps, one.row)
    driving = driving_intersections(swaps, largest)
    return ShownSwaps(largest, intersection_words(driving, compared))


def _sentences_of(
    compared: CorpusComparisons, rows: Sequence[int], people: pl.DataFrame, room: int
) -> list[int]:
    """Where the people's sentences stand, of as many whole people as there is room for."""
    if compared.scored is None:
        return []
    sentences = compared.scored.sentences.select("person").with_row_index("place")
    of_person = dict(sentences.group_by("person", maintain_order=True).agg("place").rows())
    apart = compared.by_person.deviations[list(rows)]
    reach = np.nan_to_num(np.abs(apart)).max(axis=0, initial=0.0)
    every = compared.by_person.people["person"].to_list()
    far = dict(zip(every, reach.tolist(), strict=True))
    wanted = sorted(
        dict.fromkeys(people["person"].to_list()), key=lambda one: -coarsen(far.get(one, 0.0))
    )
    found = list[int]()
    for person in wanted:
        own = of_person.get(person, [])
        if len(found) + len(own) > room:
            break
        found += own
    return found
