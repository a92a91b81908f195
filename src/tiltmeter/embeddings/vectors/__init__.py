"""Word vectors read from a file or an installed package: only the words asked for are parsed."""

from tiltmeter.embeddings.vectors.named import NAMES
from tiltmeter.embeddings.vectors.opening import ENDINGS, known_endings, open_vectors
from tiltmeter.embeddings.vectors.source import SourceVectors, said

__all__ = ["ENDINGS", "NAMES", "SourceVectors", "known_endings", "open_vectors", "said"]
