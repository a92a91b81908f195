"""Systems' stored outputs read for a rating: files, names, columns, rows, datasets."""

from tiltmeter.corpora.rating_results.reading import read_rating_results
from tiltmeter.corpora.rating_results.results import Ranges as ScoreRanges
from tiltmeter.corpora.rating_results.results import RatingResults
from tiltmeter.corpora.rating_results.results import Split as ScoreSplit

__all__ = ["RatingResults", "ScoreRanges", "ScoreSplit", "read_rating_results"]
