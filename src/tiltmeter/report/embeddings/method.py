"""How a study of embeddings was made, and what it does not show."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from tiltmeter.report.embeddings.material import EmbeddingMaterial
from tiltmeter.report.embeddings.units import per_cent
from tiltmeter.report.ratings.phrases import called

MODES = {
    "corrected": "corrected: positive and negative words weigh the same (balanced classes), the "
    "ridge chosen by cross-validation, intervals and correlations over resamples of the lexicon",
    "published": "published, after the authors’ notebook: an intercept, C = 1, one seeded split of "
    "90 %, every word of the same weight, so that RNSB depends on how many negative words the "
    "lexicon lists for a positive one; products of probabilities instead of correlations",
}
FLOORS = "balanced accuracy on held-out words of at least 60 %, its interval above 50 %"


def facts(material: EmbeddingMaterial) -> Iterator[tuple[str, str]]:
    """What determines the numbers, label by label."""
    run = material.run
    if run.get("mode"):
        yield "Mode", MODES.get(str(run["mode"]), str(run["mode"]))
    yield "Sentiment", str(run.get("polarity") or "negative")
    if run.get("lexicon"):
        yield "Lexicon", _data(run["lexicon"])
    for one in run.get("lists") or ():
        yield "List of terms", _data(one)
    yield "A classifier must have", FLOORS
    if isinstance(run.get("coverage"), int | float):
        yield "A list must have", f"{per_cent(float(run['coverage']))} of its terms, and at least 2"
    once = run.get("mode") == "published"
    for label, name in (
        ("Resamples of the lexicon", "" if once else "resamples"),
        ("Ordinary words to draw from", "" if once else "ordinary"),
        ("Draws of ordinary words", "" if once else "draws"),
        ("Permutations", "permutations"),
        ("Seed", "seed"),
    ):
        if run.get(name) is not None:
            yield label, _text(run[name])
    yield from _environment(material)


def _environment(material: EmbeddingMaterial) -> Iterator[tuple[str, str]]:
    known = material.environment
    versions = known.get("versions") or {}
    if versions:
        yield "Versions", ", ".join(f"{name} {number}" for name, number in versions.items())
    for label, name in (("Machine", "platform"), ("Made", "time")):
        if known.get(name):
            yield label, str(known[name])


def _data(told: Any) -> str:  # noqa: ANN401
    """A lexicon or list: its title, size, edition, source and checksum, as far as they are told.

    >>> _data({"title": "Religion", "terms": 14, "edition": "corrected"})
    'Religion; 14 terms; corrected edition'
    """
    if not isinstance(told, Mapping):
        return _text(told)
    counted = [f"{told[name]:,} {name}" for name in ("positive", "negative", "terms")
               if isinstance(told.get(name), int)]  # fmt: skip
    parts = (
        called(str(told.get("title") or told.get("name") or ""), 80),
        ", ".join(counted),
        f"{told['edition']} edition" if told.get("edition") else "",
        told.get("source"),
        f"SHA-256 {told['checksum']}" if told.get("checksum") else "",
    )
    return "; ".join(str(part) for part in parts if part)


def _text(value: Any) -> str:  # noqa: ANN401
    if isinstance(value, int) and not isinstance(value, bool):
        return f"{value:,}"
    if isinstance(value, list | tuple):
        return ", ".join(map(_text, value))
    if isinstance(value, dict):
        return "; ".join(f"{name}: {_text(one)}" for name, one in value.items() if one is not None)
    return str(value)


LIMITS = (
    (
        "A classifier on word vectors is no system that people use.",
        "It shows what vectors hand on. What a system makes of them depends on its texts, its "
        "model and its use; audit the system too.",
    ),
    (
        "Words have several senses.",
        "Most terms are adjectives: “english” is also a language, “indian” more than one people, "
        "“dutch” part of idioms. A vector mixes all senses of a word with who wrote about what.",
    ),
    (
        "A share is about the word, not about people.",
        "That the word “mexican” gets more says in which texts it stood.",
    ),
    (
        "Ordinary words are another kind of word.",
        "They are everyday nouns, and differ from the terms in kind and frequency. That terms are "
        "no more uneven than they are does not mean that terms are even.",
    ),
    (
        "Intervals cover the choice of lexicon words only.",
        "Other terms, corpora or training runs of the same embedding may give other numbers.",
    ),
    (
        "RNSB of lists of different length do not compare.",
        "It grows with how many terms there are and how uneven they can be. Compare embeddings on "
        "the same list, and mind the terms that one of them lacks.",
    ),
    (
        "Many looks find something.",
        "By chance alone 1 p in 20 is 0.05 or less. p-values here are corrected for how many there "
        "are (Holm): of lists over all embeddings, and so of groups, word tests and links. Another "
        "run with other lists is another look.",
    ),
)
"""What the numbers do not show: a claim, and why."""
