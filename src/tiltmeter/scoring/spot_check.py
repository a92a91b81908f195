"""Whether answers hold: stored ones against asking again, and batches against single texts.

A fingerprint covers a system's card, which is not all that its answers depend on: a function loads
a model file, a program reads its data, a service is changed behind its address. Where stored scores
are about to be used, some of their texts are asked again first. Of n texts drawn at random, one
that has changed is among them with probability 1 − (1 − q)ⁿ, q being the share that has changed:
16 texts find 95 of 100 changes that move a sixth of the answers.

A gate asks more, and across groups and words (`draw_across_groups`): n = 200 texts, or 16 where a
text has a price. Half are drawn from all texts alike, so a change of a sixth of the answers, of
whichever, goes unnoticed with probability (5/6)^(n/2) at most: 1.2e-8 of 200, 0.23 of 16. The other
half goes to the groups and words drawn least: while there are n/2 of them at most, each is asked
about. So a change of all answers about one group, or with one word, is noticed for certain. Each of
an axis' G groups gets about n/G texts (66 of 200 for G = 3 in the EEC), and about n/2G where one of
them has nearly all sentences. With m texts of a group, a change of a share q of the answers about
it is noticed with probability 1 − (1 − q)^m: of 66, a change of every tenth in 99.9 % of cases.

Padding in a batch can move a float32 model a little, and a faulty one a lot. So before a system
that takes batches is asked for real, a few texts are asked together, again, and one by one.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

import numpy as np
import polars as pl
from numpy.typing import NDArray

from tiltmeter.scoring.local import ask_all
from tiltmeter.systems.protocol import Answer, Missing, System, ask

Array = NDArray[np.float64]

ASKED_AGAIN = 16
"""Texts asked again of a system that is free to ask; of others as many as the user says."""
ASKED_FOR_GATE = 200
"""Texts asked again before a gate rests on stored scores, where no price is stated."""
ASKED_AT_PRICE = 16
"""The same where each text has a price."""
TOLERANCE = 1e-6
"""Of the scale: what the measures take for no difference. A system that takes batches may move by
as much as the batch probe lets pass, since its stored answers come from other batches."""
BATCH_TOLERANCE = 1e-5
"""Of the scale; what a float32 model may move without being noticed."""
PROBED = 8
"""Texts asked together and one by one."""
ASKED_FIRST = 8
"""Texts that a service is asked first: where it answers none, the others are not sent to it."""
LEAST_LIKELY = 1e-4
"""How rarely chance alone may make stored answers of a varying system look like another one's."""
EXCHANGES = 100_000
"""Random exchanges of stored and new answers that a varying system's are compared with."""
EXCHANGED_AT_ONCE = 1_000
LOST_TWICE = 3
"""Texts without an answer in two askings from which on a varying system has changed: 1 % of texts
may lack one, so chance loses three of 200 twice once in a million checks."""


class Agreement(StrEnum):
    """What came of asking again."""

    NOT_ASKED = "not asked"
    NOT_WANTED = "not wanted"
    """The user said to ask nothing."""
    SAME = "same"
    VARY = "vary"
    """The new answers differ from each other too: the stored ones are as good as any."""
    CHANGED = "changed"
    NO_ANSWER = "no answer"


@dataclass(frozen=True, slots=True)
class SpotCheck:
    """What became of a few stored scores that were asked again."""

    agreement: Agreement = Agreement.NOT_ASKED
    texts: int = 0
    """How many were asked again."""
    moved: int = 0
    """How many of them differ from what is stored."""
    largest: float = 0.0
    """The largest difference, in the system's own unit; infinite where there is no answer now."""
    reason: str = ""
    """Why there was no answer."""
    few_for_price: bool = False
    """Whether so few were asked because each text has a price."""

    @property
    def notes(self) -> tuple[str, ...]:
        """What to say where a system no longer answers as its stored scores say."""
        if self.agreement is not Agreement.CHANGED:
            return ()
        far = f", by up to {self.largest:.2g}" if np.isfinite(self.largest) else ""
        return (
            f"it has changed under the same version and settings: {self.moved:,} of "
            f"{self.texts:,} stored scores asked again differ{far}; what was stored of it is "
            "dropped, and everything was asked anew",
        )


NOT_CHECKED = SpotCheck()
NOT_WANTED = SpotCheck(Agreement.NOT_WANTED)
NO_TEXTS = pl.DataFrame(schema={"text": pl.String(), "raw": pl.Float64()})


def texts_to_check(system: System, wanted: int | None, *, for_gate: bool = False) -> int:
    """How many texts to ask again: as the user says, else as many as a gate needs.

    Without a gate none where asking costs.
    """
    if wanted is not None:
        return wanted
    if for_gate:
        return ASKED_AT_PRICE if system.card.price > 0 else ASKED_FOR_GATE
    return 0 if system.costs else ASKED_AGAIN


def draw(stored: pl.DataFrame, many: int, fingerprint: str) -> pl.DataFrame:
    """Some stored scores (text, raw), the same for the same fingerprint and scores."""
    known = stored.filter(pl.col("raw").is_not_null() & (pl.col("repeat") == 0))
    drawn = _generator(fingerprint).choice(known.height, min(many, known.height), replace=False)
    return known[np.sort(drawn)].select("text", "raw")


def draw_across_groups(stored: Iterable[pl.DataFrame], size: int, fingerprint: str) -> pl.DataFrame:
    """Some stored scores (text, raw) of every group and word, the same for the same fingerprint.

    `stored` comes block by block: text, raw, and in each further column which group the text is
    about, or its word; null is a group too. Half are drawn from all alike; each further one is of
    the group or word drawn least so far for how many its column has. The module's docstring says
    what that finds.

    >>> texts = [str(number) for number in range(100)]
    >>> groups = ["a"] * 96 + ["b", "b", "c", None]
    >>> frame = pl.DataFrame({"text": texts, "raw": [0.5] * 100, "race": groups})
    >>> drawn = draw_across_groups([frame], 8, "0123456789abcdef")
    >>> drawn.height, set(texts[-4:]) <= set(drawn["text"])
    (8, True)
    """
    rng, lots = _generator(fingerprint), NO_TEXTS.with_columns(lot=pl.lit(0.0))
    columns: list[str] = []
    for block in stored:
        known = block.filter(pl.col("raw").is_not_null())
        columns = known.columns[2:]
        lot = pl.Series("lot", rng.random(known.height))
        lots = pl.concat([lots, known.with_columns(lot)], how="diagonal").sort("lot")
        if columns:  # no more than `size` of a cell can be drawn, whatever else there is
            lots = lots.filter(pl.int_range(pl.len()).over(columns) < size)
    at_random = lots.head(size // 2 if columns else size)
    rest = lots[at_random.height :]
    wanted = min(size - at_random.height, rest.height) if columns else 0
    chosen = _least_drawn(at_random.select(columns), rest.select(columns), wanted)
    return pl.concat([at_random, rest[chosen]]).select("text", "raw")


def _least_drawn(drawn: pl.DataFrame, rest: pl.DataFrame, size: int) -> list[int]:
    """Rows of `rest` that even out how often each value of each column is drawn."""
    if not size:
        return []
    every = pl.concat([drawn, rest]).select(pl.all().fill_null("").rank("dense") - 1)
    codes = every.to_numpy().astype(np.int64)
    of_drawn, of_rest = codes[: drawn.height], codes[drawn.height :]
    cells, cell_of = np.unique(of_rest, axis=0, return_inverse=True)
    rows = [list(np.flatnonzero(cell_of.ravel() == cell)[::-1]) for cell in range(len(cells))]
    values = [int(column.max()) + 1 for column in codes.T]
    counts = [
        np.bincount(column, minlength=n) for column, n in zip(of_drawn.T, values, strict=True)
    ]
    chosen: list[int] = []
    for _ in range(size):
        # How many texts there would be, were all values of a column drawn as often as the cell's
        sums = np.array(
            [count[cells[:, at]] * values[at] for at, count in enumerate(counts)], np.int64
        )
        empty = [not left for left in rows]
        cell = int(np.lexsort((sums.sum(axis=0), sums.min(axis=0), empty))[0])
        chosen.append(int(rows[cell].pop()))
        for at, count in enumerate(counts):
            count[cells[cell, at]] += 1
    return chosen


def _generator(fingerprint: str) -> np.random.Generator:
    return np.random.default_rng(int(fingerprint[:16], 16))


def spot_check(system: System, drawn: pl.DataFrame, workers: int | None = None) -> SpotCheck:
    """Ask drawn texts again; a second time where the answers are others, to tell change from noise.

    Texts are asked one by one where a batch may matter: what is stored is within the batch probe's
    tolerance of that, whatever batches it was asked in. A service that answers too few of them, or
    none, has not changed; one that refuses a text and answers others has.
    """
    if drawn.is_empty():
        return NOT_CHECKED
    alone = system.pace.one_by_one
    asked = system if alone else replace(system, pace=replace(system.pace, batch=1))
    texts, stored = drawn["text"].to_list(), drawn["raw"].to_numpy()
    answers = _ask(asked, texts[:ASKED_FIRST] if system.costs else texts, workers)
    if system.costs:
        if not all(isinstance(answer, Missing) for answer in answers):
            answers += _ask(asked, texts[ASKED_FIRST:], workers)
        reached = _reached(answers)
        if 2 * reached.sum() < len(texts) or np.isnan(_numbers(answers)).all():
            reasons = (answer.reason for answer in answers if isinstance(answer, Missing))
            return SpotCheck(Agreement.NO_ANSWER, len(texts), reason=next(reasons, ""))
        texts = [text for text, there in zip(texts, reached, strict=True) if there]
        answers = [answer for answer, there in zip(answers, reached, strict=True) if there]
        stored = stored[reached]
    again, size = _numbers(answers), len(texts)
    scale = system.card.scale
    width = scale.width if scale else float(np.ptp(stored))
    tolerance = (TOLERANCE if alone else BATCH_TOLERANCE) * width
    distances = _distances(stored, again)
    moved = int((distances > tolerance).sum())
    if not moved:
        return SpotCheck(Agreement.SAME, size)
    second = _ask(asked, texts, workers)
    once_more = _numbers(second)
    if system.costs:  # what it could not be reached for says nothing
        once_more = np.where(_reached(second), once_more, again)
    varies = bool((_distances(again, once_more) > tolerance).any())
    changed = not varies or stored_answers_differ(stored, again, once_more)
    agreement = Agreement.CHANGED if changed else Agreement.VARY
    return SpotCheck(agreement, size, moved, float(distances.max()))


def stored_answers_differ(stored: Array, again: Array, once_more: Array) -> bool:
    """Whether a varying system's stored answers are surely not of the same kind as the new ones.

    Of three answers of one kind to a text, each is as likely as the others to be the one stored. So
    the stored answers' distances from the mean of the other two, summed over texts, are compared
    with the sums after random exchanges: a permutation test, whatever the noise is like. A change
    of a few answers that is larger than the noise stands out, also among many that only vary.

    >>> noise = np.arange(60.0) / 10_000
    >>> moved = 0.5 * (np.arange(60) < 20)
    >>> stored_answers_differ(noise, moved - noise, moved + noise)
    True
    >>> stored_answers_differ(noise, -noise, 2 * noise)
    False
    """
    lost = np.isnan(again) & np.isnan(once_more)
    if lost.sum() >= LOST_TWICE:
        return True
    answers = np.stack([stored, again, once_more])
    answers = answers[:, ~np.isnan(answers).any(axis=0)]
    others = (answers.sum(axis=0) - answers) / 2
    distances = np.abs(answers - others)
    observed = distances[0].sum()
    texts, rng = np.arange(distances.shape[1]), np.random.default_rng(0)
    as_far = 0
    for _ in range(EXCHANGES // EXCHANGED_AT_ONCE):
        exchanged = rng.integers(0, 3, (EXCHANGED_AT_ONCE, len(texts)))
        # A rounding error short of as far is as far
        sums = distances[exchanged, texts].sum(axis=1)
        as_far += int((sums >= observed * (1 - TOLERANCE)).sum())
        if (as_far + 1) / (EXCHANGES + 1) >= LEAST_LIKELY:
            return False
    return True


def _ask(system: System, texts: Sequence[str], workers: int | None) -> list[Answer]:
    found: dict[str, Answer] = {}
    for batch in ask_all(system, texts, workers):
        found.update(zip(batch.texts, batch.answers, strict=True))
    return [found[text] for text in texts]


def _numbers(answers: Sequence[Answer]) -> Array:
    return np.array([np.nan if isinstance(one, Missing) else one for one in answers])


def _reached(answers: Sequence[Answer]) -> NDArray[np.bool_]:
    """Which texts a service took, whatever it answered."""
    return np.array(
        [not (isinstance(answer, Missing) and answer.unreachable) for answer in answers], bool
    )


def _distances(first: Array, second: Array) -> Array:
    """How far answers lie apart; without end where only one of two is there."""
    lost = np.isnan(first) != np.isnan(second)
    distances: Array = np.where(lost, np.inf, np.nan_to_num(np.abs(first - second), nan=0.0))
    return distances


def check_batch_invariance(system: System, texts: Sequence[str]) -> tuple[System, list[str]]:
    """The system to ask, one text at a time where its batches matter, and what to say about it."""
    few = list(dict.fromkeys(texts))[:PROBED]
    if system.pace.one_by_one or system.pace.batch == 1 or len(few) < 2:
        return system, []
    together, again = _numbers(ask(system, few)), _numbers(ask(system, few))
    there = together[~np.isnan(together)]
    spread = max(float(np.ptp(there)) if there.size else 0.0, 1.0)
    tolerance = BATCH_TOLERANCE * (system.card.scale.width if system.card.scale else spread)
    if _distances(together, again).max() > tolerance:
        note = "answers differ from one call to the next; --repeat N measures by how much"
        return system, [note]
    alone = _numbers([answer for text in few for answer in ask(system, [text])])
    moved = _distances(together, alone).max()
    if moved <= tolerance:
        return system, []
    note = f"answers move by {moved:.2g} with the batch they are in, so texts are asked one by one"
    return replace(system, pace=replace(system.pace, batch=1)), [note]
