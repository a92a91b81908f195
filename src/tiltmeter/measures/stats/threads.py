"""Many small matrices are soonest solved by one thread."""

from __future__ import annotations

from contextlib import AbstractContextManager


def one_thread() -> AbstractContextManager[object]:
    """Linear algebra on one thread within.

    Its library would share each matrix of a stack out among all cores, and on busy ones wait ten
    times longer for them than it computes; the last digit would depend on how many there are.
    """
    from threadpoolctl import threadpool_limits

    limits: AbstractContextManager[object] = threadpool_limits(1)
    return limits
