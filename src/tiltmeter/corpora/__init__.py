"""The corpora room: what is said. Templates, people and words in; sentences out."""

from tiltmeter.corpora.catalogue import corpus_editions, corpus_names, load_corpus

__all__ = ["corpus_editions", "corpus_names", "load_corpus"]
