"""Things in groups as a sparse matrix: sums over groups are a product with it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array


def members(group: NDArray[np.int64], size: int) -> csr_array:
    """(things, groups): 1 where a thing is in a group.

    >>> np.array([[1.0, 2.0, 4.0]]) @ members(np.array([0, 1, 0]), 2)
    array([[5., 2.]])
    """
    things = group.size
    return csr_array((np.ones(things), (np.arange(things), group)), (things, size))
