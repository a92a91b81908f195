"""Values as text to numbers: many lines at once where they are plain, one by one where not."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np
from numpy.typing import NDArray

from tiltmeter.vectors.formats.text_layout import is_number


def plain_rows(lines: Sequence[bytes], dimension: int, separator: bytes) -> NDArray[np.float32]:
    """Lines of values as rows; one with anything but finite numbers has a value that is not.

    Every line must have one separator less than it has values.

    >>> plain_rows([b"1 2", b"3 four"], 2, b" ")
    array([[ 1.,  2.],
           [ 3., nan]], dtype=float32)
    """
    import polars as pl

    # Polars reads floats several times sooner than NumPy, and is no more lenient than Python.
    schema = {str(column): pl.Float32 for column in range(dimension)}
    read = partial(pl.read_csv, has_header=False, quote_char=None, ignore_errors=True)
    try:
        frame = read(b"\n".join(lines), separator=separator.decode(), schema=schema)
        rows = frame.to_numpy(order="c")
    except pl.exceptions.PolarsError:
        rows = np.empty((0, 0), np.float32)
    if rows.shape != (len(lines), dimension):
        return np.full((len(lines), dimension), np.nan, np.float32)
    return rows


def wrong_values(values: Sequence[bytes], dimension: int) -> str:
    """What is wrong with the values of a line; nothing where they are so many numbers.

    >>> wrong_values([b"1", b"two"], 2)
    "found 'two' among the values; expected numbers"
    """
    if len(values) != dimension:
        return f"found {len(values):,} values; expected {dimension:,}"
    wrong = [value[:40].decode(errors="replace") for value in values if not is_number(value)]
    return f"found {wrong[0]!r} among the values; expected numbers" if wrong else ""
