"""What was read and fitted: files, gaps, respelled words, and the classifiers."""

from __future__ import annotations

from typing import Any

from tiltmeter.report.embeddings.list_section import FEW, drawn
from tiltmeter.report.embeddings.material import EmbeddingMaterial
from tiltmeter.report.embeddings.ridge_curve import ridge_pictures
from tiltmeter.report.embeddings.rows import Row, rows_of
from tiltmeter.report.embeddings.units import effect_told, per_cent, per_cents
from tiltmeter.report.numbers import fixed, short

KINDS = {"words": "a vector for each word", "texts": "an encoder of texts"}
CLASSES = {
    "balanced": "balanced: both weigh the same",
    "as listed": "not balanced: each word weighs the same",
}


def readings(material: EmbeddingMaterial) -> list[dict[str, Any]]:
    """Every embedding as it was read."""
    return [_reading(material, row) for row in rows_of(material.embeddings)]


def _reading(material: EmbeddingMaterial, row: Row) -> dict[str, Any]:
    terms = rows_of(material.terms, embedding=row["embedding"])
    respelled = {
        str(one["term"]): str(one["found_as"])
        for one in terms
        if one["found_as"] is not None and one["found_as"] != one["term"]
    }
    return {
        "embedding": str(row["embedding"]),
        "spec": str(row["spec"] or ""),
        "what": f"{row['format'] or 'format not said'}, {KINDS.get(row['kind'], row['kind'])}",
        "dimension": f"{row['dimension']:,}" if row["dimension"] is not None else "–",
        "found": _found(row),
        "respelled": row["respelled"] or 0,
        "spelled": respelled,
        "licence": str(row["licence"] or "not said"),
        "digest": str(row["digest"] or ""),
        "remarks": tuple(material.remarks.get(row["embedding"], ())),
    }


def _found(row: Row) -> str:
    if row["asked"] is None or row["found"] is None:
        return "–"
    return f"{row['found']:,} of {row['asked']:,}"


def classifiers(material: EmbeddingMaterial) -> list[dict[str, str]]:
    """Every classifier, as text."""
    return [_classifier(row) for row in rows_of(material.classifiers)]


def _classifier(row: Row) -> dict[str, str]:
    words = (f"{row[name]:,}" if row[name] is not None else "–" for name in
             ("n_positive", "n_negative", "missing"))  # fmt: skip
    positive, negative, missing = words
    return {
        "embedding": str(row["embedding"]),
        "lexicon": str(row["lexicon"] or ""),
        "positive": positive, "negative": negative, "missing": missing,
        "ridge": short(row["ridge"]),
        "chosen_by": str(row["chosen_by"] or ""),
        "classes": CLASSES.get(row["classes"], ""),
        "accuracy": per_cent(row["accuracy"]),
        "balanced": per_cent(row["balanced"]),
        "spread": per_cents(row["balanced_low"], row["balanced_high"]),
        "auc": effect_told(row["auc"], None, None)[0],
        "log_loss": "–" if row["log_loss"] is None else fixed(row["log_loss"], 3),
        "folds": "" if row["folds"] is None else str(row["folds"]),
        "reason": str(row["reason"] or ""),
    }  # fmt: skip


def curves(material: EmbeddingMaterial) -> tuple[Any, ...]:
    """The choice of the ridge, for the first few embeddings."""
    return drawn(list(ridge_pictures(material).values())[:FEW])
