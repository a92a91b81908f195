"""The measures room: how a system tilts. Sentences and scores in; estimates out."""

from tiltmeter.measures.contrasts import Comparisons, Contrast, comparisons, contrasts_of
from tiltmeter.measures.matrix import NATIVE, SCALE, ScoreMatrix, score_matrix
from tiltmeter.measures.pairs import MEAN, OWN, PairStudy, pair_study, subset_names
from tiltmeter.measures.people import People, people_study
from tiltmeter.measures.resting import pivots
from tiltmeter.measures.skill import GOLD, RANKED_BY, SkillStudy, check_rank_by, skill_study
from tiltmeter.measures.stats.correlation import pearson, spearman

__all__ = [
    "GOLD",
    "MEAN",
    "NATIVE",
    "OWN",
    "RANKED_BY",
    "SCALE",
    "Comparisons",
    "Contrast",
    "PairStudy",
    "People",
    "ScoreMatrix",
    "SkillStudy",
    "check_rank_by",
    "comparisons",
    "contrasts_of",
    "pair_study",
    "pearson",
    "people_study",
    "pivots",
    "score_matrix",
    "skill_study",
    "spearman",
    "subset_names",
]
