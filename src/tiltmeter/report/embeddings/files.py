"""The files beside the page, as it lists them."""

from __future__ import annotations

from dataclasses import dataclass

from tiltmeter.report.embeddings.figures import embedding_figures
from tiltmeter.report.embeddings.latex import embedding_latex
from tiltmeter.report.embeddings.material import EmbeddingMaterial
from tiltmeter.report.embeddings.tables import embedding_tables


@dataclass(frozen=True, slots=True)
class Download:
    """A table or figure and where it stands."""

    name: str
    files: tuple[tuple[str, str], ...]
    """What each is called, and its path."""


def downloads(material: EmbeddingMaterial) -> dict[str, list[Download]]:
    """Tables in CSV, LaTeX or both, and figures."""
    csv, tex = embedding_tables(material), embedding_latex(material)
    tables = [
        Download(
            name,
            (("CSV", f"tables/{name}.csv"),) * (name in csv)
            + (("LaTeX", f"tables/{name}.tex"),) * (name in tex),
        )
        for name in sorted({*csv, *tex})
    ]
    figures = [
        Download(name, (("SVG", f"figures/{name}.svg"),)) for name in embedding_figures(material)
    ]
    return {"tables": tables, "figures": figures}
