"""What stands under the tables of `tiltmeter embeddings`: what columns say, what lacks, notes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from tiltmeter.report import weighty_notes

if TYPE_CHECKING:
    from tiltmeter.flow import Embeddings

CHANCE = (
    "0 is even. ordinary: the middle of what as many everyday words get, drawn by chance; p: how "
    "often chance gives as much, corrected for how many lists and embeddings there are. highest: "
    "the term with the highest probability."
)
TESTS = (
    "d: above 0 the first words lie closer to the third, as flowers to pleasant, than the second "
    "do; from −2 to 2. p: corrected for how many tests there are."
)
SPELLED = ("in another spelling", "in another case")
"""What remarks on spellings say: they change no number unawares, and the report has them."""
GROUPS = (
    "points: how far the first group's mean probability lies above the second's, of 100; p: from "
    "dealing the terms out to the groups anew, corrected."
)
LINKS = (
    "r: below 0, names whose vectors lie nearer to {polarity} words are scored lower; p: corrected."
)
MENDED = (
    "cluster, probe: how many of the words that leaned most are still found with their side; "
    "guessing gives about 0.5. Numbers that fall can be cosmetic."
)


def legend(done: Embeddings, most: int, *, tested: bool) -> Iterator[str]:
    """What the columns say, and what the numbers rest on."""
    told = done.material
    if done.rnsb.height:
        even = "0 is even. highest: the term with the highest probability."
        yield CHANCE if done.rnsb["by_chance"].count() else even
    if told.groups.height:
        yield GROUPS
    if done.weat["effect"].count():
        yield TESTS if tested else "Word tests of so many embeddings stand in the report."
    if done.links["pearson"].count():
        yield LINKS.format(polarity=told.run["polarity"])
    if done.mitigation.height:
        yield MENDED
    lexicon = told.run["lexicon"]
    sizes = f"{lexicon['positive']:,} positive and {lexicon['negative']:,} negative words"
    published = told.run["mode"] == "published"
    classes = "not balanced, as published" if published else "balanced: both weigh the same"
    yield f"Lexicon: {lexicon['title']}, {sizes}, {classes}."
    yield from _classifiers(done, most)


def _classifiers(done: Embeddings, most: int) -> Iterator[str]:
    how = {"cross-validation": "chosen by cross-validation", "given": "as given"}
    known = done.material.classifiers.drop_nulls("balanced").head(most)
    for row in known.iter_rows(named=True):
        right = f"tells {100 * row['balanced']:.0f} % of words held out apart"
        chosen = how.get(row["chosen_by"], "as in the paper")
        yield f"{row['embedding']}: its classifier {right} (ridge {row['ridge']:.3g}, {chosen})."


def lacking(done: Embeddings) -> Iterator[str]:
    """Lists without a number and why; terms that embeddings lack, told once for all alike."""
    found: dict[str, list[str]] = {}
    for row in done.rnsb.iter_rows(named=True):
        of = done.terms.filter(embedding=row["embedding"], list=row["list"])
        if row["reason"] is not None:
            what = f"{row['list']}: no RNSB: {row['reason']}"
        elif row["n_found"] < row["n_terms"]:
            named = ", ".join(of.filter(of["found_as"].is_null())["term"])
            what = f"{row['list']}: not in the embedding: {named}"
        else:
            continue
        found.setdefault(what, []).append(row["embedding"])
    for (name,), tests in done.weat.drop_nulls("reason").group_by("embedding", maintain_order=True):
        what = f"no d of {', '.join(tests['test'])}: too few of their words are there"
        found.setdefault(what, []).append(str(name))
    for what, names in found.items():
        who = names[0] if len(names) == 1 else f"{names[0]} and {len(names) - 1:,} more"
        yield f"{who}, {what}"


def worth_knowing(done: Embeddings) -> Iterator[str]:
    """Notes that may change how the numbers are taken; the rest is counted."""
    told = weighty_notes(done.material)
    yield from told
    for name, remarks in done.material.remarks.items():
        yield from (f"{name}: {one}" for one in remarks if not any(map(one.count, SPELLED)))
    rest = len(done.material.notes) - len(told)
    if rest:
        notes = "1 more note" if rest == 1 else f"{rest:,} more notes"
        yield f"{notes}, on how things were read and made: see the report"
