"""Intersectional regression: coefficients for axes and their products, for many systems at once."""

from tiltmeter.measures.regression.found import RegressionStudy
from tiltmeter.measures.regression.languages import Speaks, between_languages
from tiltmeter.measures.regression.model import ERRORS, Model, codings_of
from tiltmeter.measures.regression.rows import LEAST_SQUARES, judged_measure
from tiltmeter.measures.regression.streamed import RegressionSums, SqueezedSums, check_streamed
from tiltmeter.measures.regression.study import regression_study

__all__ = [
    "ERRORS",
    "LEAST_SQUARES",
    "Model",
    "RegressionStudy",
    "RegressionSums",
    "Speaks",
    "SqueezedSums",
    "between_languages",
    "check_streamed",
    "codings_of",
    "judged_measure",
    "regression_study",
]
