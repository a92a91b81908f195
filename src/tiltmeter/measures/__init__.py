"""The measures room: how a system tilts. Sentences and scores in; estimates out."""

from tiltmeter.measures.contrasts import Comparisons, Contrast, comparisons, contrasts_of
from tiltmeter.measures.matrix import NATIVE, SCALE, ScoreMatrix, score_matrix
from tiltmeter.measures.pairs import MEAN, OWN, PairStudy, pair_study
from tiltmeter.measures.people import People, people_study

__all__ = [
    "MEAN",
    "NATIVE",
    "OWN",
    "SCALE",
    "Comparisons",
    "Contrast",
    "PairStudy",
    "People",
    "ScoreMatrix",
    "comparisons",
    "contrasts_of",
    "pair_study",
    "people_study",
    "score_matrix",
]
