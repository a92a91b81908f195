"""Scores made elsewhere: a file, or a folder of submissions, joined to a corpus."""

from tiltmeter.systems.score_files.read import Origin, ScoreFiles, answers_in, read_scores
from tiltmeter.systems.score_files.report import FileReport, ScoreDirection
from tiltmeter.systems.score_files.submissions import NamedScores

__all__ = [
    "FileReport",
    "NamedScores",
    "Origin",
    "ScoreDirection",
    "ScoreFiles",
    "answers_in",
    "read_scores",
]
