"""The report room: what people see. Findings and what they rest on in; pages and tables out."""

from tiltmeter.report.boxes import REACH as WHISKERS
from tiltmeter.report.embeddings.embeddings_json import embeddings_json
from tiltmeter.report.embeddings.figures import embedding_figures
from tiltmeter.report.embeddings.folder import write_embedding_folder
from tiltmeter.report.embeddings.material import EmbeddingMaterial
from tiltmeter.report.embeddings.notes import weighty_notes
from tiltmeter.report.embeddings.page import embeddings_page
from tiltmeter.report.embeddings.tables import embedding_tables
from tiltmeter.report.folder import write_folder
from tiltmeter.report.html.pages import page, summary
from tiltmeter.report.html.reproduction.page import results_page
from tiltmeter.report.json_text import findings_json
from tiltmeter.report.margins_folder import write_margins
from tiltmeter.report.material import AxisWords, Compared, Material, Regressed, Whole
from tiltmeter.report.numbers import count, p_value, points, short
from tiltmeter.report.ownership import check_folder
from tiltmeter.report.ratings.folder import write_rating_folder
from tiltmeter.report.ratings.label import label_svg
from tiltmeter.report.ratings.material import RatingMaterial
from tiltmeter.report.ratings.page import rating_page
from tiltmeter.report.ratings.panel import Panel, read_panel
from tiltmeter.report.ratings.ratings_json import ratings_json
from tiltmeter.report.ratings.tables import rating_tables
from tiltmeter.report.regression_wording import (
    effect_means,
    stars,
    unestimated,
    with_regression_sentences,
)
from tiltmeter.report.results import Results
from tiltmeter.report.tables.groups import PaperTable, group_tables, run_tables
from tiltmeter.report.wording import SAID, hangs_on_one, told_from_above, with_sentences

__all__ = [
    "SAID",
    "WHISKERS",
    "AxisWords",
    "Compared",
    "EmbeddingMaterial",
    "Material",
    "Panel",
    "PaperTable",
    "RatingMaterial",
    "Regressed",
    "Results",
    "Whole",
    "check_folder",
    "count",
    "effect_means",
    "embedding_figures",
    "embedding_tables",
    "embeddings_json",
    "embeddings_page",
    "findings_json",
    "group_tables",
    "hangs_on_one",
    "label_svg",
    "p_value",
    "page",
    "points",
    "rating_page",
    "rating_tables",
    "ratings_json",
    "read_panel",
    "results_page",
    "run_tables",
    "short",
    "stars",
    "summary",
    "told_from_above",
    "unestimated",
    "weighty_notes",
    "with_regression_sentences",
    "with_sentences",
    "write_embedding_folder",
    "write_folder",
    "write_margins",
    "write_rating_folder",
]
