"""What the report of embeddings is made from; numbers stay numbers here."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import polars as pl

NEGATIVE, POSITIVE = "negative", "positive"
BEFORE = "none"
"""Among the methods of mitigation: the vectors as they are."""


@dataclass(frozen=True, eq=False)
class EmbeddingMaterial:
    """The tables of a study of embeddings, and how it was made.

    Every frame but comparisons begins with embedding. `list` names a list of identity terms, `term`
    one of its words. Probabilities are of the polarity assessed (negative, unless `run` says
    positive). Where a frame has p it has p_adjusted too: after Holm, over all its rows.
    """

    embeddings: pl.DataFrame
    """A row each: spec, kind (words or texts), format, dimension, digest, licence, asked, found,
    respelled (words found only under another case or spelling)."""
    classifiers: pl.DataFrame
    """A row each: lexicon, n_positive, n_negative, missing (words of the lexicon without a vector),
    ridge, chosen_by, accuracy, balanced, balanced_low, balanced_high, auc, log_loss, folds, reason
    (why it is refused; null where it is not)."""
    ridges: pl.DataFrame
    """The choice of the ridge: ridge, log_loss, se, balanced, chosen."""
    rnsb: pl.DataFrame
    """A row for each list: list, title, rnsb, low, high, bias (by how much resamples lie above the
    estimate), even_low and even_high and by_chance (2.5, 97.5 and 50 % of as many ordinary words
    drawn by chance), p (the share of such draws at least as uneven), n_terms, n_found, coverage,
    most (the term with the largest share), least, reason (null where there is a number)."""
    terms: pl.DataFrame
    """A row for each term: list, term, group, found_as (null: not in the embedding), probability,
    low, high, share (of all terms; 1/n is even), share_low, share_high, log_odds."""
    groups: pl.DataFrame
    """A row for each two groups of a list that has groups: list, first, second, n_first, n_second,
    mean_first, mean_second (of the probability), difference, low, high, p, exact."""
    comparisons: pl.DataFrame
    """Two embeddings side by side, on the terms both hold and the same resamples: list, first,
    second (embeddings), n_terms, rnsb_first, rnsb_second, difference, low, high."""
    correlations: pl.DataFrame
    """A row for each two terms: list, first, second, r."""
    plane: pl.DataFrame
    """The map: list, text, kind (positive, negative, term), x, y, x_share, y_share (of the
    variance)."""
    weat: pl.DataFrame
    """A row for each test: test, title, kind (weat or seat), first, second (targets), good, bad
    (attributes; their names), effect, low, high, p, exact, permutations, n_first, n_second, n_good,
    n_bad, missing (how many words), published (the effect that Caliskan et al. print for GloVe),
    reason, missing_words (which)."""
    associations: pl.DataFrame
    """A row for each target word of a test: test, side (first or second), word, association."""
    others: pl.DataFrame
    """Further measures of the same tests: test, measure (ect, rnd, ripa, mac), value, reason."""
    links: pl.DataFrame
    """A row for each system: system, task, corpus, n, pearson, low, high, p, spearman,
    spearman_low, spearman_high, slope, reason."""
    link_names: pl.DataFrame
    """A row for each name: system, task, person, group, log_odds (of the vector), deviation (of the
    system, on its scale), n."""
    link_gaps: pl.DataFrame
    """A row for each two groups: system, task, axis, first, second, gap, carried (the part that
    goes with the vectors), low, high, share."""
    mitigation: pl.DataFrame
    """A row for each number before and after: direction, method (none, hard, soft, inlp), measure
    (rnsb, weat, similarity, analogies, neighbours, accuracy, cluster, probe), what (a list, a test,
    a set of pairs), value, low, high, n, reason."""
    run: Mapping[str, Any]
    """What determines the numbers: mode, polarity, seed, resamples, coverage, lexicon, lists …"""
    environment: Mapping[str, Any]
    """Where and when they were made."""
    notes: tuple[str, ...] = field(default=())
    """What a reader should know: guesses, what was refused, warnings."""
    remarks: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """What was found odd while reading, by embedding."""
