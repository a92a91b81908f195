"""Words for a study of embeddings: identity terms, lexicons, word tests, directions, quality."""

from tiltmeter.corpora.words.analogies import load_analogies
from tiltmeter.corpora.words.directions import DIRECTIONS, load_direction
from tiltmeter.corpora.words.lexicon import LEXICONS, load_lexicon
from tiltmeter.corpora.words.plain_words import load_ordinary_words, load_sentence_templates
from tiltmeter.corpora.words.records import Direction, Lexicon, Term, TermList, WordTest
from tiltmeter.corpora.words.similarities import load_similarities
from tiltmeter.corpora.words.terms import TERM_LISTS, load_terms
from tiltmeter.corpora.words.word_tests import WORD_TESTS, load_word_tests

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
