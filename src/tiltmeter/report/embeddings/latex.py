r"""The tables of a study of embeddings for papers."""

from __future__ import annotations

from tiltmeter.report.embeddings.latex_comparisons import comparison_latex
from tiltmeter.report.embeddings.latex_links import link_latex
from tiltmeter.report.embeddings.latex_mitigation import mitigation_latex
from tiltmeter.report.embeddings.latex_paper import paper_latex
from tiltmeter.report.embeddings.latex_terms import term_latex
from tiltmeter.report.embeddings.latex_tests import weat_latex
from tiltmeter.report.embeddings.material import EmbeddingMaterial


def embedding_latex(material: EmbeddingMaterial) -> dict[str, str]:
    """Every table for papers, by its file's name without an ending."""
    parts = (
        *(paper_latex, comparison_latex, term_latex),
        *(weat_latex, link_latex, mitigation_latex),
    )
    return {name: text for part in parts for name, text in part(material).items()}
