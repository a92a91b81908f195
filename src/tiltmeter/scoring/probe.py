"""Whether a text's answer depends on the other texts in its batch, or on the moment.

Padding in a batch can move a float32 model a little, and a faulty one a lot. Before a system that
takes batches is asked for real, a few texts are asked together, again, and one by one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from tiltmeter.systems.protocol import Answer, System, ask

TOLERANCE = 1e-5
"""Of the scale; what a float32 model may move without being noticed."""
PROBED = 8


def settle_batches(system: System, texts: Sequence[str]) -> tuple[System, list[str]]:
    """The system to ask, one text at a time where its batches matter, and what to say about it."""
    few = list(dict.fromkeys(texts))[:PROBED]
    if system.pace.one_by_one or system.pace.batch == 1 or len(few) < 2:
        return system, []
    together, again = ask(system, few), ask(system, few)
    width = system.card.scale.width if system.card.scale else _spread(together)
    if _apart(together, again) > TOLERANCE * width:
        note = "answers differ from one call to the next; --repeat N measures by how much"
        return system, [note]
    alone = [answer for text in few for answer in ask(system, [text])]
    moved = _apart(together, alone)
    if moved <= TOLERANCE * width:
        return system, []
    note = f"answers move by {moved:.2g} with the batch they are in, so texts are asked one by one"
    return replace(system, pace=replace(system.pace, batch=1)), [note]


def _apart(first: Sequence[Answer], second: Sequence[Answer]) -> float:
    """The largest difference between two rounds of answers; a null against a score is infinite."""
    return max(
        (
            abs(a - b) if isinstance(a, float) and isinstance(b, float) else _unlike(a, b)
            for a, b in zip(first, second, strict=True)
        ),
        default=0.0,
    )


def _unlike(a: Answer, b: Answer) -> float:
    return 0.0 if isinstance(a, float) == isinstance(b, float) else float("inf")


def _spread(answers: Sequence[Answer]) -> float:
    numbers = [answer for answer in answers if isinstance(answer, float)]
    return max((max(numbers) - min(numbers)) if numbers else 0.0, 1.0)
