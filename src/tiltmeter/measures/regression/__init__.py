"""Intersectional regression: coefficients for axes and their products, for many systems at once."""

from tiltmeter.measures.regression.languages import Speaks, between_languages
from tiltmeter.measures.regression.rows import judged_measure
from tiltmeter.measures.regression.study import (
    ERRORS,
    Model,
    RegressionStudy,
    codings_of,
    regression_study,
)

__all__ = [
    "ERRORS",
    "Model",
    "RegressionStudy",
    "Speaks",
    "between_languages",
    "codings_of",
    "judged_measure",
    "regression_study",
]
