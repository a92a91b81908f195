"""Word vectors read from a file or an installed package: only the words asked for are parsed."""

from tiltmeter.embeddings.vectors.named import NAMES
from tiltmeter.embeddings.vectors.opening import ENDINGS, open_vectors

__all__ = ["ENDINGS", "NAMES", "open_vectors"]
