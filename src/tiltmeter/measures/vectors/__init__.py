"""How vectors tilt: negative sentiment on identity terms, associations, and what mending does."""

from tiltmeter.measures.vectors.compared import compared_spaces, with_corrected_p
from tiltmeter.measures.vectors.link import LINK_GAPS, LINK_NAMES, LINKS, LinkStudy, link_study
from tiltmeter.measures.vectors.mending import (
    METHODS,
    MITIGATION,
    DirectionWords,
    MendingStudy,
    mending_study,
)
from tiltmeter.measures.vectors.rnsb import RnsbManner, RnsbStudy, rnsb_study
from tiltmeter.measures.vectors.seat import seat_study, words_of
from tiltmeter.measures.vectors.space import Space, space_of
from tiltmeter.measures.vectors.weat import WeatStudy, weat_study
from tiltmeter.measures.vectors.word_tests import WordSets
from tiltmeter.measures.vectors.words_given import Identities, Sentiment

__all__ = [
    "LINKS",
    "LINK_GAPS",
    "LINK_NAMES",
    "METHODS",
    "MITIGATION",
    "DirectionWords",
    "Identities",
    "LinkStudy",
    "MendingStudy",
    "RnsbManner",
    "RnsbStudy",
    "Sentiment",
    "Space",
    "WeatStudy",
    "WordSets",
    "compared_spaces",
    "link_study",
    "mending_study",
    "rnsb_study",
    "seat_study",
    "space_of",
    "weat_study",
    "with_corrected_p",
    "words_of",
]
