"""Scores made elsewhere: a file, or a folder of submissions, joined to a corpus."""

from tiltmeter.systems.predictions.read import ScoreFiles, read_scores
from tiltmeter.systems.predictions.report import FileReport

__all__ = ["FileReport", "ScoreFiles", "read_scores"]
