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


def noisy_space(seed=0, terms=10, spread=1.0, dimension=8, each=300, name="noisy"):
    """Lexicon words about two centres, terms anywhere."""
    rng = np.random.default_rng(seed)
    words = [f"good{n}" for n in range(each)] + [f"bad{n}" for n in range(each)]
    centre = np.zeros(dimension)
    centre[0] = 1.0
    vectors = np.vstack(
        [
            rng.normal(size=(each, dimension)) - centre,
            rng.normal(size=(each, dimension)) + centre,
            rng.normal(size=(terms, dimension)) * spread,
        ]
    )
    return Space(name, (*words, *(f"term{n}" for n in range(terms))), vectors)


SIX_HUNDRED = lexicon(
    "noise", tuple(f"good{n}" for n in range(300)), tuple(f"bad{n}" for n in range(300))
)
TEN = tuple(f"term{n}" for n in range(10))
