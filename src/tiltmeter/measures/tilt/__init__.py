"""How a tilt reaches past these people: claims by names and by couples, and who is moved."""

from tiltmeter.measures.tilt.claims import COUPLES, NAMES, Claim, compared_sides
from tiltmeter.measures.tilt.moved import moved_names
from tiltmeter.measures.tilt.study import (
    BY_NAMES,
    MATCHED,
    MOVED,
    THESE,
    TILT,
    TiltStudy,
    TiltSums,
    tilt_estimates,
    tilt_study,
    tilts_from,
)

__all__ = [
    "BY_NAMES",
    "COUPLES",
    "MATCHED",
    "MOVED",
    "NAMES",
    "THESE",
    "TILT",
    "Claim",
    "TiltStudy",
    "TiltSums",
    "compared_sides",
    "moved_names",
    "tilt_estimates",
    "tilt_study",
    "tilts_from",
]
