"""The embeddings room: words and texts in; rows of numbers out."""

from tiltmeter.embeddings.encoder import Encoder, Rows, WordVectors

__all__ = ["Encoder", "Rows", "WordVectors"]
