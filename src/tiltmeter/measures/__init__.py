"""The measures room: how a system tilts. Sentences and scores in; estimates out."""

from tiltmeter.measures.agreement import AGREEMENT, Agreement, agreement_study
from tiltmeter.measures.agreement_rows import OTHERS
from tiltmeter.measures.contrasts import Comparisons, Contrast, comparisons, contrasts_of
from tiltmeter.measures.intervals import Bootstrap
from tiltmeter.measures.matrix import NATIVE, SCALE, ScoreMatrix, score_matrix
from tiltmeter.measures.pairs import MEAN, OWN, PairStudy, pair_study, subset_names
from tiltmeter.measures.people import People, people_study
from tiltmeter.measures.rating import READABLE as READABLE_LEVELS
from tiltmeter.measures.rating import (
    SENTIMENT,
    WORD,
    Diagram,
    RatingDataset,
    RatingGroup,
    RatingPanel,
    RatingStudy,
    rating_manner,
    rating_study,
)
from tiltmeter.measures.regression import (
    ERRORS,
    Model,
    RegressionStudy,
    Speaks,
    between_languages,
    codings_of,
    judged_measure,
    regression_study,
)
from tiltmeter.measures.resting import pivots
from tiltmeter.measures.skill import GOLD, RANKED_BY, SkillStudy, check_rank_by, skill_study
from tiltmeter.measures.stats.correlation import pearson, spearman

__all__ = [
    "AGREEMENT",
    "ERRORS",
    "GOLD",
    "MEAN",
    "NATIVE",
    "OTHERS",
    "OWN",
    "RANKED_BY",
    "READABLE_LEVELS",
    "SCALE",
    "SENTIMENT",
    "WORD",
    "Agreement",
    "Bootstrap",
    "Comparisons",
    "Contrast",
    "Diagram",
    "Model",
    "PairStudy",
    "People",
    "RatingDataset",
    "RatingGroup",
    "RatingPanel",
    "RatingStudy",
    "RegressionStudy",
    "ScoreMatrix",
    "SkillStudy",
    "Speaks",
    "agreement_study",
    "between_languages",
    "check_rank_by",
    "codings_of",
    "comparisons",
    "contrasts_of",
    "judged_measure",
    "pair_study",
    "pearson",
    "people_study",
    "pivots",
    "rating_manner",
    "rating_study",
    "regression_study",
    "score_matrix",
    "skill_study",
    "spearman",
    "subset_names",
]
