"""Word vectors read from a file or an installed package: only the words asked for are parsed."""

from tiltmeter.vectors.formats.named import NAMES
from tiltmeter.vectors.formats.opening import ENDINGS, known_endings, open_vectors
from tiltmeter.vectors.formats.source import SourceVectors, said

__all__ = ["ENDINGS", "NAMES", "SourceVectors", "known_endings", "open_vectors", "said"]
