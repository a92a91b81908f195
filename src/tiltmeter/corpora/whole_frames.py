"""Batches of sentences recut so that no frame is parted: what is compared stands together."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import polars as pl


def whole_frames(batches: Iterable[pl.DataFrame], rows: int) -> Iterator[pl.DataFrame]:
    """Batches of about `rows` sentences, each cut where a frame ends.

    A frame that alone has more sentences makes a larger batch. The cuts depend on the sentences
    and on `rows` alone, so the same corpus is always cut alike.

    >>> batch = pl.DataFrame({"frame": ["a", "a", "b", "b", "b", "c"]})
    >>> [part["frame"].to_list() for part in whole_frames([batch[:3], batch[3:]], 4)]
    [['a', 'a'], ['b', 'b', 'b', 'c']]
    """
    waiting: list[pl.DataFrame] = []
    many = 0
    for batch in batches:
        waiting.append(batch)
        many += batch.height
        while many > rows:
            held = pl.concat(waiting)
            cut = _cut(held["frame"], rows)
            if cut == held.height:
                waiting = [held]
                break
            yield held[:cut]
            waiting, many = [held[cut:]], held.height - cut
    if many:
        yield pl.concat(waiting)


def _cut(frame: pl.Series, rows: int) -> int:
    """Where to cut: the last end of a frame within `rows`, else the first one after them."""
    ends = (frame != frame.shift(1)).fill_null(False).arg_true()
    before = ends.filter(ends <= rows)
    if before.len():
        return int(before[-1])
    return int(ends[0]) if ends.len() else frame.len()
