"""The tables of a classifier: what it is worth, and how its ridge was chosen."""

from __future__ import annotations

import numpy as np
import polars as pl

from tiltmeter.measures.vectors.classifier import Classifier, Lexicon

BALANCED, AS_LISTED = "balanced", "as listed"
"""What positive and negative words weigh: the same together, or each word the same."""

CLASSIFIERS = {
    "embedding": pl.String, "lexicon": pl.String,
    **dict.fromkeys(("n_positive", "n_negative", "missing"), pl.Int64),
    "ridge": pl.Float64, "chosen_by": pl.String, "classes": pl.String,
    **dict.fromkeys(
        ("accuracy", "balanced", "balanced_low", "balanced_high", "auc", "log_loss"), pl.Float64
    ),
    "folds": pl.Int64, "reason": pl.String,
}  # fmt: skip
RIDGES = {
    "embedding": pl.String,
    **dict.fromkeys(("ridge", "log_loss", "se", "balanced"), pl.Float64),
    "chosen": pl.Boolean,
}  # fmt: skip


def classifier_row(
    embedding: str,
    lexicon_name: str,
    lexicon: Lexicon,
    fitted: Classifier | None,
    chosen_by: str,
    classes: str,
    reason: str | None,
) -> pl.DataFrame:
    """What a classifier learned from and how well it tells words held out apart."""
    missing = lexicon.size - len(lexicon.words)
    head = (embedding, lexicon_name, *lexicon.counts, missing)
    if fitted is None:
        row: tuple[object, ...] = (*head, *(None,) * 10, reason)
    else:
        seen = fitted.held_out
        told = (seen.accuracy, seen.balanced, *seen.interval, seen.auc, seen.log_loss)
        row = (*head, fitted.ridge, chosen_by, classes, *told, fitted.folds, reason)
    return pl.DataFrame([row], CLASSIFIERS, orient="row")


def ridge_rows(embedding: str, fitted: Classifier | None) -> pl.DataFrame:
    """Every ridge tried, and which was chosen."""
    rows = [] if fitted is None else [
        (embedding, *(None if np.isnan(one) else float(one) for one in row),
         bool(row[0] == fitted.ridge))
        for row in fitted.tried
    ]  # fmt: skip
    return pl.DataFrame(rows, RIDGES, orient="row")
