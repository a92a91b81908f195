"""Mitigation, measured: a direction taken out of vectors, and what is left of everything else."""

from tiltmeter.measures.vectors.mending.directions import (
    DirectionWords,
    IdentityDirection,
    direction_of,
)
from tiltmeter.measures.vectors.mending.methods import BEFORE, METHODS, Mended
from tiltmeter.measures.vectors.mending.projections import equalised
from tiltmeter.measures.vectors.mending.rows import MITIGATION
from tiltmeter.measures.vectors.mending.ruler import LEANING, Measured
from tiltmeter.measures.vectors.mending.study import (
    MendingStudy,
    mending_study,
)

__all__ = [
    "BEFORE",
    "LEANING",
    "METHODS",
    "MITIGATION",
    "DirectionWords",
    "IdentityDirection",
    "Measured",
    "Mended",
    "MendingStudy",
    "direction_of",
    "equalised",
    "mending_study",
]
