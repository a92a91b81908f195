"""Systems' stored outputs read for a rating: files, names, columns, rows, datasets."""

from tiltmeter.corpora.rating_results.reading import RatingResults, read_rating_results

__all__ = ["RatingResults", "read_rating_results"]
