"""WEAT and SEAT in numbers, the words behind them, and further measures of the same tests."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tiltmeter.report.embeddings.material import EmbeddingMaterial
from tiltmeter.report.embeddings.rows import Row, parts_of, rows_of
from tiltmeter.report.embeddings.units import effect_told, p_told
from tiltmeter.report.numbers import count
from tiltmeter.report.ratings.phrases import called

KINDS = {"weat": "WEAT", "seat": "SEAT"}
OTHERS = {
    "ect": "ECT, rank correlation of similarities to both sides; 1 is alike",
    "rnd": "RND, relative norm distance; 0 is alike",
    "ripa": "RIPA, inner product with the direction of the two sides; 0 is alike",
    "mac": "MAC, mean average cosine distance",
}
SHOWN = 3
"""Words at each end."""


def kinds_of(material: EmbeddingMaterial) -> list[str]:
    """Whether tests are WEAT, SEAT or both."""
    kinds = material.weat["kind"].drop_nulls().unique(maintain_order=True)
    return [KINDS.get(kind, kind) for kind in kinds]


def weat_rows(material: EmbeddingMaterial) -> list[dict[str, str]]:
    """Every test in every embedding, as text."""
    return [_told(row) for row in rows_of(material.weat)]


def _told(row: Row) -> dict[str, str]:
    number, spread = effect_told(row["effect"], row["low"], row["high"])
    return {
        "embedding": str(row["embedding"]),
        "test": f"{KINDS.get(row['kind'], row['kind'])}: {row['title'] or row['test']}",
        "effect": number,
        "spread": spread,
        "p": p_told(row["p_adjusted"]),
        "how": _how(row),
        "words": " + ".join(str(row[n] or 0) for n in ("n_first", "n_second", "n_good", "n_bad")),
        "missing": "–" if row["missing"] is None else str(row["missing"]),
        "published": effect_told(row["published"], None, None)[0],
        "reason": str(row["reason"] or ""),
    }


def _how(row: Row) -> str:
    if row["permutations"] is None:
        return ""
    return f"{'all' if row['exact'] else 'sampled'}, {count(row['permutations'], 'relabelling')}"


def driving_words(material: EmbeddingMaterial) -> Iterator[dict[str, Any]]:
    """For each test, the words most and least associated with the first attribute."""
    titles = {(r["embedding"], r["test"]): r for r in rows_of(material.weat)}
    for (name, test), rows in parts_of(material.associations, "embedding", "test"):
        known = sorted((r for r in rows if r["association"] is not None),
                       key=lambda r: -float(r["association"]))  # fmt: skip
        told = titles.get((name, test))
        if len(known) < 2 * SHOWN or told is None:
            continue
        yield {
            "embedding": str(name),
            "test": str(told["title"] or test),
            "good": str(told["good"]),
            "bad": str(told["bad"]),
            "near": ", ".join(called(str(r["word"]), 30) for r in known[:SHOWN]),
            "far": ", ".join(called(str(r["word"]), 30) for r in known[::-1][:SHOWN]),
        }


def other_rows(material: EmbeddingMaterial) -> list[dict[str, str]]:
    """Further measures, as text."""
    titles = {row["test"]: row["title"] for row in rows_of(material.weat)}
    return [
        {
            "embedding": str(row["embedding"]),
            "test": str(titles.get(row["test"]) or row["test"]),
            "measure": OTHERS.get(row["measure"], str(row["measure"])),
            "value": effect_told(row["value"], None, None)[0],
            "reason": str(row["reason"] or ""),
        }
        for row in rows_of(material.others)
    ]
