"""Sentences that stand twice among records: said once more, or with another score."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tiltmeter.corpora.rating_results.records import Brief
from tiltmeter.corpora.table_file import NAMED

Index = NDArray[np.int64]

MIXED = np.uint64(0x9E3779B97F4A7C15)
"""Odd, so that no two datasets give a sentence the same hash."""


@dataclass(frozen=True, slots=True)
class Apart:
    """Sentences with several scores: how many, and those that stand first."""

    many: int = 0
    first: tuple[tuple[int, int], ...] = ()
    """The number of their first row, and their hash."""

    def __add__(self, other: Apart) -> Apart:
        return Apart(self.many + other.many, tuple(sorted(self.first + other.first)[:NAMED]))


def once(some: Brief, dataset: Index, people: Index) -> tuple[Brief, Apart]:
    """Each sentence once for a dataset and group of people, and those with several scores.

    `dataset` and `people` are numbers by tally. All records of a sentence must be among `some`.
    """
    again = np.flatnonzero(_may_be_again(some, dataset))
    those = some[again]
    which, who = dataset[those["tally"]], people[those["tally"]]
    order = np.lexsort((those["row"], those["raw"], who, those["check"], those["hash"], which))
    those, which, who = those[order], which[order], who[order]
    new = _differs(which) | _differs(those["hash"]) | _differs(those["check"])
    drop = again[order][~(new | _differs(who))]  # scores come before none at all
    return np.delete(some, drop), _apart(those, np.flatnonzero(new))


def _may_be_again(some: Brief, dataset: Index) -> NDArray[np.bool_]:
    """Where the hash of a sentence and its dataset is not the only one."""
    mixed = some["hash"] ^ (dataset[some["tally"]].astype(np.uint64) * MIXED)
    order = np.argsort(mixed, kind="stable")
    same = mixed[order][1:] == mixed[order][:-1]
    found = np.zeros(some.size, dtype=bool)
    found[order[1:][same]] = True
    found[order[:-1][same]] = True
    keyed: NDArray[np.bool_] = some["keyed"]
    return found & keyed


def _differs(ordered: NDArray[np.generic]) -> NDArray[np.bool_]:
    """Where a value is another than the one before."""
    first = np.ones(min(1, ordered.size), dtype=bool)
    return np.concatenate([first, ordered[1:] != ordered[:-1]])


def _apart(those: Brief, starts: Index) -> Apart:
    """The sentences, each from a start on, whose scores are not all the same."""
    if not starts.size:
        return Apart()
    low, high = (end.reduceat(those["raw"], starts) for end in (np.fmin, np.fmax))
    several = low < high
    rows = np.minimum.reduceat(those["row"], starts)[several].tolist()
    found = zip(rows, those["hash"][starts[several]].tolist(), strict=True)
    return Apart(len(rows), tuple(sorted(found)[:NAMED]))
