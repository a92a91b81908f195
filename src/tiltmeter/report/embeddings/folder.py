"""The output folder of a study of embeddings: page, embeddings.json, figures and every table.

The vectors themselves are not copied: their licence may forbid it.
"""

from __future__ import annotations

from pathlib import Path

from tiltmeter.report.embeddings.embeddings_json import FILE, embeddings_json
from tiltmeter.report.embeddings.figures import embedding_figures
from tiltmeter.report.embeddings.latex import embedding_latex
from tiltmeter.report.embeddings.material import EmbeddingMaterial
from tiltmeter.report.embeddings.page import embeddings_page
from tiltmeter.report.embeddings.tables import embedding_tables
from tiltmeter.report.ownership import check_folder
from tiltmeter.report.writer import Stage, Writer, results_in, unheard

PAGE = "embeddings.html"


def write_embedding_folder(
    material: EmbeddingMaterial, folder: Path, *, force: bool = False, stage: Stage = unheard
) -> Path:
    """Write everything a study of embeddings leaves behind; the page's path is given back.

    A folder that holds something else needs `force`. What an earlier run wrote there is replaced.
    `stage` is told what is being done.
    """
    folder = Path(folder)
    check_folder(folder, force)
    stage("writing the page")
    page = embeddings_page(material)  # before the first file: a failure leaves the folder as it was
    with results_in(folder, material.run, material.environment) as writer:
        writer.text(PAGE, page)
        writer.text(FILE, embeddings_json(material))
        stage("writing the tables")
        _write_tables(writer, material)
        stage("drawing the figures")
        for name, text in embedding_figures(material).items():
            writer.text(f"figures/{name}.svg", text)
    return folder / PAGE


def _write_tables(writer: Writer, material: EmbeddingMaterial) -> None:
    for name, frame in embedding_tables(material).items():
        writer.csv(f"tables/{name}.csv", frame)
    for name, text in embedding_latex(material).items():
        writer.text(f"tables/{name}.tex", text)
