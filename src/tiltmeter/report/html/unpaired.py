"""The page without the paired study, where only a regression was asked for."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from tiltmeter.report.material import Compared, Material


def without_pairs(material: Material) -> Material:
    """The material with no pair, and no finding of any."""
    return replace(
        material,
        estimates=material.estimates.clear(),
        findings=material.findings.clear(),
        tilts=None,
        labels=None,
        ranks=None,
        compared=tuple(map(_bare, material.compared)),
    )


def _bare(one: Compared) -> Compared:
    none = np.zeros((one.submissions.height, 0))
    return replace(
        one, pairs=one.pairs.clear(), first=none, second=none, deltas=none,
        people=one.people.clear(), deviations=none, pivots=None, whole=None,
    )  # fmt: skip
