"""Words for a study of embeddings: identity terms, lexicons, word tests, directions, quality."""

from tiltmeter.corpora.words.lexicon import LEXICONS, Lexicon, load_lexicon
from tiltmeter.corpora.words.quality import load_analogies, load_similarities
from tiltmeter.corpora.words.word_lists import (
    DIRECTIONS,
    TERM_LISTS,
    WORD_TESTS,
    Direction,
    Term,
    TermList,
    WordTest,
    load_direction,
    load_ordinary_words,
    load_sentence_templates,
    load_terms,
    load_word_tests,
)

__all__ = [
    "DIRECTIONS",
    "LEXICONS",
    "TERM_LISTS",
    "WORD_TESTS",
    "Direction",
    "Lexicon",
    "Term",
    "TermList",
    "WordTest",
    "load_analogies",
    "load_direction",
    "load_lexicon",
    "load_ordinary_words",
    "load_sentence_templates",
    "load_similarities",
    "load_terms",
    "load_word_tests",
]
