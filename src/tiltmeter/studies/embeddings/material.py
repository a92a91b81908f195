"""What the report of embeddings is made from: frames, their rows, numbers as people read them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any

import polars as pl

from tiltmeter.report.numbers import DASH, decimals, fixed, interval, p_value, short

# ---- what the report of embeddings is made from; numbers stay numbers here


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


# ---- the material's frames as rows of plain values: what is no number is None


Row = dict[str, Any]


def with_numbers_only(material: EmbeddingMaterial) -> EmbeddingMaterial:
    """The same with null for NaN and infinity, so that no page shows them."""
    frames = {one.name: getattr(material, one.name) for one in fields(material)}
    clean: dict[str, Any] = {
        name: _finite(some) for name, some in frames.items() if isinstance(some, pl.DataFrame)
    }
    return replace(material, **clean)


def _finite(frame: pl.DataFrame) -> pl.DataFrame:
    numbers = [name for name, kind in frame.schema.items() if kind.is_float()]
    kept = (pl.when(pl.col(name).is_finite()).then(pl.col(name)).alias(name) for name in numbers)
    return frame.with_columns(*kept)


def rows_of(frame: pl.DataFrame, **wanted: object) -> list[Row]:
    """Rows with these values; none where the frame has none.

    >>> rows_of(pl.DataFrame({"list": ["a", "b"], "r": [1, 2]}), list="b")
    [{'list': 'b', 'r': 2}]
    """
    for name, value in wanted.items():
        frame = frame.filter(pl.col(name).eq_missing(pl.lit(value)))
    return frame.to_dicts()


def parts_of(frame: pl.DataFrame, *by: str) -> Iterator[tuple[tuple[Any, ...], list[Row]]]:
    """Rows by the values of some columns, in the order in which they first stand."""
    found: dict[tuple[Any, ...], list[Row]] = {}
    for row in frame.iter_rows(named=True):
        found.setdefault(tuple(row[name] for name in by), []).append(row)
    yield from found.items()


def measured_terms(material: EmbeddingMaterial, of: str) -> list[Row]:
    """The terms of a list, in those embeddings where it is not refused."""
    held = {row["embedding"] for row in rows_of(material.rnsb, list=of) if row["rnsb"] is not None}
    return [row for row in rows_of(material.terms, list=of) if row["embedding"] in held]


def names_of(material: EmbeddingMaterial) -> list[str]:
    """Every embedding, in order."""
    return [str(row["embedding"]) for row in material.embeddings.iter_rows(named=True)]


def lists_of(material: EmbeddingMaterial) -> dict[str, str]:
    """Every list of terms and its title, in order."""
    return {
        str(row["list"]): str(row["title"] or row["list"])
        for row in material.rnsb.iter_rows(named=True)
    }


# ---- numbers of a study of embeddings as people read them
# RNSB has three decimals, or four where it is small; probabilities and shares are per cent, their
# differences points.

Number = float | None
SMALLEST = 0.0001
"""An RNSB below which is only said to be smaller; the paper prints four decimals."""


def rnsb_text(value: Number) -> str:
    """An RNSB by itself.

    >>> rnsb_text(0.10720), rnsb_text(0.0), rnsb_text(None)
    ('0.107', '0', '–')
    """
    return rnsb_told(value, None, None)[0]


def rnsb_told(value: Number, low: Number, high: Number) -> tuple[str, str]:
    """An RNSB and its interval, with the same decimals; no interval where there is none.

    >>> rnsb_told(0.1072, 0.0772, 0.1447), rnsb_told(0.6224, None, None)
    (('0.107', '0.077 to 0.145'), ('0.622', ''))
    """
    if value is not None and 0 < value < SMALLEST / 2:
        return f"less than {SMALLEST}", "" if high is None else f"up to {fixed(high, 4)}"
    return _told(value, low, high, min(4, max(3, decimals(value))) if value else 0)


def effect_told(value: Number, low: Number, high: Number) -> tuple[str, str]:
    """An effect size, a correlation or the like, with two decimals.

    >>> effect_told(-1.234, -1.5, -0.7), effect_told(0.0042, None, None)
    (('−1.23', '−1.50 to −0.70'), ('0.00', ''))
    """
    return _told(value, low, high, 2)


def points_told(value: Number, low: Number, high: Number) -> tuple[str, str]:
    """A difference of probabilities or of scores in points of 100.

    >>> points_told(-0.1356, -0.2557, -0.0157)
    ('−14', '−26 to −2')
    """
    if value is None:
        return DASH, ""
    wide = (high - low) / 2 if low is not None and high is not None else 0.0
    places = decimals(100 * max(abs(value), wide))
    start, end = (None if part is None else 100 * part for part in (low, high))
    return _told(100 * value, start, end, places)


def gap_told(value: Number, low: Number, high: Number) -> tuple[str, str]:
    """A difference of two RNSB, with no more decimals than its interval bears.

    >>> gap_told(0.0316, 0.0016, 0.0616)
    ('0.032', '0.002 to 0.062')
    """
    if value is None or low is None or high is None:
        return rnsb_told(value, low, high)
    number, start, end = interval(value, low, high)
    return number, f"{start} to {end}"


def _told(value: Number, low: Number, high: Number, places: int) -> tuple[str, str]:
    if value is None:
        return DASH, ""
    spread = "" if low is None or high is None else f"{fixed(low, places)} to {fixed(high, places)}"
    return fixed(value, places), spread


def per_cent(share: Number) -> str:
    """A probability or share; neither 0 nor 100 unless it is.

    >>> per_cent(0.1214), per_cent(0.0114), per_cent(0.9981), per_cent(0.00001), per_cent(1.0)
    ('12 %', '1.1 %', 'more than 99 %', 'less than 0.1 %', '100 %')
    """
    if share is None:
        return DASH
    if 0 < share < 0.001:
        return "less than 0.1 %"
    if 0.995 <= share < 1:
        return "more than 99 %"
    return f"{short(100 * share)} %"


def per_cents(low: Number, high: Number) -> str:
    """From one share to another.

    >>> per_cents(0.052, 0.214), per_cents(None, 0.2)
    ('5.2 to 21 %', '')
    """
    if low is None or high is None:
        return ""
    if per_cent(low).startswith(("less", "more")) or per_cent(high).startswith(("less", "more")):
        return f"{fixed(100 * low, 1)} to {fixed(100 * high, 1)} %"
    return f"{per_cent(low).removesuffix(' %')} to {per_cent(high)}"


def p_told(p: Number) -> str:
    """A p-value, or nothing."""
    return "" if p is None else p_value(p)
