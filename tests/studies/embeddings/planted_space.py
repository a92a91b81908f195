"""A space whose RNSB is known: on its first axis a term's log-odds of being negative can be read.

Positive words stand at −1, negative ones at +1, as many of each, so with RIDGE the classifier's
slope is 1 and its intercept 0 (tests/stats/test_ridge_logistic.py derives it). A term at
log(p / (1 − p)) then has the probability p, exactly.
"""

import numpy as np

from made_up_words import lexicon, term_list
from tiltmeter.studies.embeddings.space import Space

EACH = 60
RIDGE = 2 * EACH / (1 + np.e)
POSITIVE = tuple(f"good{nth}" for nth in range(EACH))
NEGATIVE = tuple(f"bad{nth}" for nth in range(EACH))
SENTIMENT = lexicon("planted", POSITIVE, NEGATIVE)


def planted_space(probabilities, dimension=3, name="planted"):
    """Lexicon words and terms; the other dimensions hold nothing."""
    at = [-1.0] * EACH + [1.0] * EACH + [np.log(p / (1 - p)) for p in probabilities.values()]
    vectors = np.zeros((len(at), dimension))
    vectors[:, 0] = at
    return Space(name, (*POSITIVE, *NEGATIVE, *probabilities), vectors)


def listed(terms, groups=(), name="people"):
    """A list of terms."""
    return term_list(name, name.capitalize(), tuple(terms), tuple(groups))
