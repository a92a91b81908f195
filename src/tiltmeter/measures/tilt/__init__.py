"""How a tilt reaches past these people and sentences: both taken as samples."""

from tiltmeter.measures.tilt.relabelled import relabelled_p
from tiltmeter.measures.tilt.resampled import Resampled, crossed_bootstrap
from tiltmeter.measures.tilt.spread import Crossed, spread
from tiltmeter.measures.tilt.study import TILT, crossed_tilt, tilt_estimates, tilts_from
from tiltmeter.measures.tilt.sums import TiltSums

__all__ = [
    "TILT",
    "Crossed",
    "Resampled",
    "TiltSums",
    "crossed_bootstrap",
    "crossed_tilt",
    "relabelled_p",
    "spread",
    "tilt_estimates",
    "tilts_from",
]
