"""Systems' stored outputs read for a rating: files, rows, datasets."""

from tiltmeter.corpora.rating_results.reading import RatingResults, read_rating_results

__all__ = ["RatingResults", "read_rating_results"]
