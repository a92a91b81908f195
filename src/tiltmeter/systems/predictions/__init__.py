"""Scores made elsewhere: a file, or a folder of submissions, joined to a corpus."""

from tiltmeter.systems.predictions.read import Origin, ScoreFiles, read_scores
from tiltmeter.systems.predictions.report import Direction, FileReport
from tiltmeter.systems.predictions.submissions import NamedScores

__all__ = ["Direction", "FileReport", "NamedScores", "Origin", "ScoreFiles", "read_scores"]
