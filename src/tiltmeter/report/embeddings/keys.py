"""What the marks of each figure mean, in a sentence: for files and for the page."""

from __future__ import annotations

RNSB = (
    "Dot: RNSB of the list, 0 is even; line: its 95 % interval over resamples of the lexicon. Grey "
    "band: where 95 % of draws of as many ordinary words fall, its upright line their middle. "
    "Filled dot: more uneven than ordinary words, p ≤ 0.05 after correction for how many numbers "
    "there are; so a hollow dot may lie beyond its band."
)
MAP = (
    "● positive words, ✕ negative words, ■ terms, on the two principal components of all of them. "
    "Near on a map is not near in the embedding."
)
WEAT = (
    "Dot: effect size, between −2 and 2; line: 95 % interval. Filled: difference detected, "
    "p ≤ 0.05 after correction. The interval resamples words and p relabels them, so they may "
    "disagree. Upright line: what Caliskan et al. (2017) print for GloVe."
)
CURVES = "Lines are one standard error over folds; the dot is the ridge chosen."


def bars_key(intervals: bool) -> str:
    """What a bar shows, and the line on it where there is one."""
    bar = (
        "Bar: the term’s share of all terms’ probabilities, orange above and blue below an even "
        "share (dashed)"
    )
    line = "; line: 95 % interval over resamples of the lexicon, › where it goes on."
    return f"{bar}{line if intervals else '.'}"


def heat_key(product: bool) -> str:
    """What a cell of the heat map holds."""
    if product:
        return (
            "Products of two terms’ probabilities from one fit, 0 to 1, as the authors’ notebook "
            "draws them; these are no correlations. A larger square is a larger product."
        )
    return (
        "Correlation of two terms’ predictions over resamples of the lexicon. Orange squares: they "
        "rise together; blue circles: one rises as the other falls. Area is size."
    )
