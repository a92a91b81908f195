"""Causal rating of systems, 1 to L: Lakkaraju et al. (2023), and how sure a rating is."""

from tiltmeter.measures.rating.diagram import SENTIMENT, WORD, Diagram
from tiltmeter.measures.rating.group import RatingDataset, RatingGroup
from tiltmeter.measures.rating.manner import READABLE, rating_manner
from tiltmeter.measures.rating.stored_rows import stored_group
from tiltmeter.measures.rating.study import RatingStudy, rating_study
from tiltmeter.measures.rating.variant import RatingPanel

__all__ = [
    "READABLE",
    "SENTIMENT",
    "WORD",
    "Diagram",
    "RatingDataset",
    "RatingGroup",
    "RatingPanel",
    "RatingStudy",
    "rating_manner",
    "rating_study",
    "stored_group",
]
