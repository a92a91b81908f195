"""The link in words: how much of a system's tilt was already in the vectors."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tiltmeter.report.embeddings.answer import polarity
from tiltmeter.report.embeddings.link_scatter import in_points, link_key, link_pictures
from tiltmeter.report.embeddings.material import EmbeddingMaterial
from tiltmeter.report.embeddings.picture import inline
from tiltmeter.report.embeddings.rows import Row, rows_of
from tiltmeter.report.embeddings.units import effect_told, p_told, per_cent, points_told
from tiltmeter.report.html.page_parts import trusted
from tiltmeter.report.numbers import count
from tiltmeter.report.ratings.phrases import about, called

DETECTED = 0.05
"""The largest p at which a link counts as detected."""


@dataclass(frozen=True, slots=True)
class Link:
    """One system beside one embedding."""

    system: str
    task: str
    embedding: str
    corpus: str
    said: tuple[str, ...]
    svg: Any
    key: str


def links(material: EmbeddingMaterial) -> list[Link]:
    """Every system that was looked at."""
    pictures = link_pictures(material)
    found = []
    for row in rows_of(material.links):
        key = (str(row["embedding"]), str(row["system"]), str(row["task"]))
        own = dict(zip(("embedding", "system", "task"), key, strict=True))
        unit = in_points(material, key[1])
        gaps = [_gap(gap, unit) for gap in rows_of(material.link_gaps, **own)]
        picture = pictures.get(key)
        names = rows_of(material.link_names, **own)
        found.append(
            Link(
                key[1], key[2], key[0], str(row["corpus"]),
                (link_sentence(row, polarity(material)), *filter(None, gaps)),
                trusted(inline(picture)) if picture else None,
                link_key(names) if picture else "",
            )
        )  # fmt: skip
    return found


def link_sentence(row: Row, sentiment: str) -> str:
    """Whether a link was detected, with its numbers."""
    if row["pearson"] is None:
        return f"Not estimable: {row['reason'] or 'there is nothing to correlate'}."
    number, spread = effect_told(row["pearson"], row["low"], row["high"])
    ends = f", 95 % interval {spread}" if spread else ""
    rank, ranks = effect_told(row["spearman"], row["spearman_low"], row["spearman_high"])
    by_rank = f"; by rank {rank}{f', {ranks}' if ranks else ''}"
    by_rank = "" if row["spearman"] is None else by_rank
    chance = f", {p_told(row['p_adjusted'])} corrected" if row["p_adjusted"] is not None else ""
    numbers = f"r = {number}{ends}{chance}, {count(row['n'], 'name')}{by_rank}"
    crosses = row["low"] is not None and row["low"] <= 0 <= row["high"]
    if crosses or row["p_adjusted"] is None or row["p_adjusted"] > DETECTED:
        return (
            f"No link detected between what the vectors say of names and how "
            f"{called(row['system'], 40)} scores sentences with them ({numbers})."
        )
    way = "higher" if row["pearson"] > 0 else "lower"
    return (
        f"The closer a name’s vector is to {sentiment} words, the {way} "
        f"{called(row['system'], 40)} scores sentences with it ({numbers})."
    )


def _gap(row: Row, points_of_100: bool) -> str:
    """How much of the difference between two groups goes with the vectors."""
    if row["gap"] is None:
        return ""
    told, unit = (points_told, "points") if points_of_100 else (effect_told, "of its own units")
    size, _ = told(abs(row["gap"]), None, None)
    way = "higher" if row["gap"] > 0 else "lower"
    first, second = about(row["first"]), about(row["second"])
    start = f"Sentences {first} are scored {size} {unit} {way} than sentences {second}"
    if row["carried"] is None:
        return f"{start}; how much of it goes with the vectors is not known."
    sign = 1 if row["gap"] > 0 else -1
    ends = [None if row[end] is None else sign * row[end] for end in ("low", "high")][::sign]
    part, spread = told(sign * row["carried"], *ends)
    within = f" ({spread})" if spread else ""
    sure = row["low"] is not None and (row["low"] > 0 or row["high"] < 0)
    if spread and not sure:
        return (
            f"{start}; whether any of it goes with the vectors is undecided: {part} {unit}{within}."
        )
    if sign * row["carried"] < 0:
        return f"{start}; the vectors point the other way, {part} {unit}{within}."
    whole = sure and row["share"] is not None and 0 <= row["share"] <= 1
    share = f", {per_cent(row['share'])} of it" if whole else ""
    return f"{start}; {part} {unit}{within} go with the vectors{share}."
