"""Lists of words made up for tests, as the corpora's loaders would give them."""

from tiltmeter.corpora.design import Provenance
from tiltmeter.corpora.words.lexicon import Lexicon
from tiltmeter.corpora.words.word_lists import Direction, Term, TermList, WordTest

NOWHERE = Provenance("made up", "", "")


def word_test(name, title, *sets, published=None):
    """A test; sets are the name and the words of first, second, good and bad."""
    return WordTest(name, title, *sets, NOWHERE, published)


def direction(name, title, first_name, second_name, pairs=(), first=(), second=(), neutral=()):
    """The words of a direction."""
    return Direction(name, title, first_name, second_name, pairs, first, second, neutral, NOWHERE)


def term_list(name, title, terms, groups=()):
    """Identity terms, in groups or not."""
    of = groups or (None,) * len(terms)
    made = tuple(Term(text, group) for text, group in zip(terms, of, strict=True))
    return TermList(name, title, "", "en", made, NOWHERE, "corrected")


def lexicon(name, positive, negative):
    """Positive and negative words."""
    return Lexicon(name, name, "en", tuple(positive), tuple(negative), NOWHERE)
