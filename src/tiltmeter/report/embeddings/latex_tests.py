r"""Word-set tests for papers: WEAT of Caliskan et al. (2017), SEAT of May et al. (2019)."""

from __future__ import annotations

from tiltmeter.report.embeddings.embeddings_json import by
from tiltmeter.report.embeddings.latex_cells import (
    DASH,
    Notes,
    Row,
    chance,
    estimate,
    known,
    name_cell,
    name_layout,
)
from tiltmeter.report.embeddings.material import EmbeddingMaterial
from tiltmeter.report.ratings.latex_layout import DAGGER, in_lines, laid_out, printed
from tiltmeter.report.tables.latex_text import number, table_row

TITLES = r"p{0.3\linewidth}"
CAPTION = (
    "Word-set tests. $d$: effect size, at most 2 either way; above 0 the first targets go with the "
    r"first attributes. In brackets: 95\,\% interval over resamples of the words. $p$: two-sided, "
    "from permutations of the target words without replacement"
)


def weat_latex(material: EmbeddingMaterial) -> dict[str, str]:
    """A row for each test, in blocks by embedding."""
    if material.weat.is_empty():
        return {}
    notes, found = Notes("weat"), by(material.weat, "embedding")
    first = name_layout(str(name) for (name,) in found)
    blocks = [
        [
            table_row(name_cell("" if nth else str(name), first), *_cells(row, notes))
            for nth, row in enumerate(rows)
        ]
        for (name,), rows in found.items()
    ]
    heads = ["Embedding", "Test", "Targets; attributes", "$d$", "$p$", "Published"]
    return {
        "weat": laid_out(
            "weat", f"{first}l{TITLES}rrr", [heads], blocks, _caption(material, notes),
            tight=True, paged=True,
        )
    }  # fmt: skip


def _cells(row: Row, notes: Notes) -> tuple[str, ...]:
    sets = "{} and {}; {} and {}".format(*(row[one] for one in ("first", "second", "good", "bad")))
    effect = (
        estimate(row["effect"], row["low"], row["high"])
        if known(row["effect"])
        else notes.mark(row["reason"])
    )
    p = chance(row["p_adjusted"]) + (DAGGER if known(row["p_adjusted"]) and row["exact"] else "")
    printed_effect = number(row["published"], 2) if known(row["published"]) else DASH
    return printed(row["test"]), in_lines(printed(sets)), effect, p, printed_effect


def _caption(material: EmbeddingMaterial, notes: Notes) -> str:
    rows = material.weat.to_dicts()
    exact = f"; {DAGGER}: all of them" if any(row["exact"] for row in rows) else ""
    known_ones = any(known(row["published"]) for row in rows)
    told = " Published: the effect that Caliskan et al. (2017) print for GloVe 840B."
    corrected = " $p$ after Holm's correction."
    printed_beside = told if known_ones else ""
    return f"{CAPTION}{exact}.{corrected}{printed_beside} {notes.told()}".strip()
