"""Studies of corpora too large to be held: blocks of sentences and scores, reduced as they come.

A reducer's `add` takes a block, whole frames of sentences and their scores; memory depends on the
block and on how many people, words and templates there are, never on the number of sentences.
"""

from tiltmeter.measures.streamed.pairs import PairSums
from tiltmeter.measures.streamed.summary import ScoreSummary

__all__ = ["PairSums", "ScoreSummary"]
