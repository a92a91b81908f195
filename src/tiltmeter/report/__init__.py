"""The report room: what people see. Findings and what they rest on in; pages and tables out."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tiltmeter.report.advice import next_step, next_steps, people_wanted
    from tiltmeter.report.boxes import REACH as WHISKERS
    from tiltmeter.report.card_facts import Assessed, assessed
    from tiltmeter.report.cards import card_files
    from tiltmeter.report.charts.drawing import can_draw, check_drawing
    from tiltmeter.report.embeddings.embeddings_json import embeddings_json
    from tiltmeter.report.embeddings.figures import embedding_figures
    from tiltmeter.report.embeddings.folder import write_embedding_folder
    from tiltmeter.report.embeddings.material import EmbeddingMaterial
    from tiltmeter.report.embeddings.notes import weighty_notes
    from tiltmeter.report.embeddings.page import embeddings_page
    from tiltmeter.report.embeddings.tables import embedding_tables
    from tiltmeter.report.evidence import Evidence, evidence_in
    from tiltmeter.report.flip_lines import label_lines
    from tiltmeter.report.folder import write_folder
    from tiltmeter.report.gate_summary import gate_markdown
    from tiltmeter.report.gate_wording import (
        axis_said,
        bound_said,
        deciding_said,
        gate_text,
        higher_said,
        interval_said,
        margin_said,
        outcome_said,
        percent,
        size_said,
        verdict_said,
        with_moved_sentences,
        with_next_steps,
        worst_said,
    )
    from tiltmeter.report.html.pages import page, summary
    from tiltmeter.report.html.reproduction.page import results_page
    from tiltmeter.report.html.submissions import shown_by
    from tiltmeter.report.json_text import (
        FINDINGS_VERSION,
        finding_rows,
        findings_json,
        json_line,
        rounded,
    )
    from tiltmeter.report.junit import junit_xml
    from tiltmeter.report.margins_folder import write_margins
    from tiltmeter.report.material import EVERYBODY, AxisWords, Compared, Material, Regressed, Whole
    from tiltmeter.report.model_card import card_markdown
    from tiltmeter.report.model_card_yaml import card_yaml
    from tiltmeter.report.moved_people import moved_brief, moved_of, moved_shares
    from tiltmeter.report.numbers import count, p_value, points, short
    from tiltmeter.report.ownership import check_folder
    from tiltmeter.report.pack import results_of, write_pack
    from tiltmeter.report.pack_members import is_pack
    from tiltmeter.report.rank_words import places_of
    from tiltmeter.report.ratings.beyond import attributes_beyond, beyond_words, may_be_chance
    from tiltmeter.report.ratings.folder import write_rating_folder
    from tiltmeter.report.ratings.label import label_svg
    from tiltmeter.report.ratings.material import RatingMaterial
    from tiltmeter.report.ratings.page import rating_page
    from tiltmeter.report.ratings.panel import Panel, read_panel
    from tiltmeter.report.ratings.phrases import column_named, column_words
    from tiltmeter.report.ratings.ratings_json import ratings_json
    from tiltmeter.report.ratings.tables import rating_tables
    from tiltmeter.report.regression_wording import (
        effect_means,
        fitted_on,
        opposite_signs,
        stars,
        unestimated,
        with_regression_sentences,
    )
    from tiltmeter.report.results import Results
    from tiltmeter.report.stored_wording import stored_lines, stored_sentence
    from tiltmeter.report.tables.groups import PaperTable, group_tables, run_tables
    from tiltmeter.report.verdict_wording import (
        SAID_OF,
        PopulationWords,
        deciding_told,
        interval_told,
        margin_told,
        population_words,
        population_words_in,
        with_verdict_sentences,
    )
    from tiltmeter.report.versions.answer import answer as change_answer
    from tiltmeter.report.versions.drift_folder import drift_json, write_drift_folder
    from tiltmeter.report.versions.drift_material import DriftMaterial
    from tiltmeter.report.versions.drift_page import drift_page
    from tiltmeter.report.versions.drift_wording import answers_sentence, drift_answer
    from tiltmeter.report.versions.folder import write_version_folder
    from tiltmeter.report.versions.material import VersionMaterial
    from tiltmeter.report.versions.page import compare_page
    from tiltmeter.report.versions.versions_json import versions_json
    from tiltmeter.report.versions.wording import (
        change_numbers,
        short_versions,
        told_changes,
    )
    from tiltmeter.report.wording import (
        SAID,
        hangs_on_one,
        sides_of,
        told_from_above,
        unavailable_said,
        with_sentences,
    )
else:
    from tiltmeter.lazy import lazy_names

    __getattr__ = lazy_names(__name__, {
        "boxes": ("REACH as WHISKERS",),
        "card_facts": ("Assessed", "assessed"),
        "cards": ("card_files",),
        "charts.drawing": ("can_draw", "check_drawing"),
        "embeddings.embeddings_json": ("embeddings_json",),
        "embeddings.figures": ("embedding_figures",),
        "embeddings.folder": ("write_embedding_folder",),
        "embeddings.material": ("EmbeddingMaterial",),
        "embeddings.notes": ("weighty_notes",),
        "embeddings.page": ("embeddings_page",),
        "embeddings.tables": ("embedding_tables",),
        "evidence": ("Evidence", "evidence_in"),
        "flip_lines": ("label_lines",),
        "folder": ("write_folder",),
        "gate_summary": ("gate_markdown",),
        "gate_wording": ("axis_said", "bound_said", "deciding_said", "gate_text", "higher_said",
            "interval_said", "margin_said", "outcome_said", "percent", "size_said", "verdict_said",
            "with_moved_sentences", "with_next_steps", "worst_said"),
        "html.pages": ("page", "summary"),
        "html.reproduction.page": ("results_page",),
        "html.submissions": ("shown_by",),
        "json_text": ("FINDINGS_VERSION", "finding_rows", "findings_json", "json_line",
            "rounded"),
        "junit": ("junit_xml",),
        "margins_folder": ("write_margins",),
        "material": ("EVERYBODY", "AxisWords", "Compared", "Material", "Regressed", "Whole"),
        "model_card": ("card_markdown",),
        "model_card_yaml": ("card_yaml",),
        "moved_people": ("moved_brief", "moved_of", "moved_shares"),
        "advice": ("next_step", "next_steps", "people_wanted"),
        "numbers": ("count", "p_value", "points", "short"),
        "ownership": ("check_folder",),
        "pack": ("results_of", "write_pack"),
        "pack_members": ("is_pack",),
        "rank_words": ("places_of",),
        "ratings.beyond": ("attributes_beyond", "beyond_words", "may_be_chance"),
        "ratings.folder": ("write_rating_folder",),
        "ratings.label": ("label_svg",),
        "ratings.material": ("RatingMaterial",),
        "ratings.page": ("rating_page",),
        "ratings.panel": ("Panel", "read_panel"),
        "ratings.phrases": ("column_named", "column_words"),
        "ratings.ratings_json": ("ratings_json",),
        "ratings.tables": ("rating_tables",),
        "regression_wording": ("effect_means", "fitted_on", "opposite_signs", "stars",
            "unestimated", "with_regression_sentences"),
        "results": ("Results",),
        "stored_wording": ("stored_lines", "stored_sentence"),
        "tables.groups": ("PaperTable", "group_tables", "run_tables"),
        "verdict_wording": ("SAID_OF", "PopulationWords", "deciding_told", "interval_told",
            "margin_told", "population_words", "population_words_in", "with_verdict_sentences"),
        "versions.answer": ("answer as change_answer",),
        "versions.drift_folder": ("drift_json", "write_drift_folder"),
        "versions.drift_material": ("DriftMaterial",),
        "versions.drift_page": ("drift_page",),
        "versions.drift_wording": ("answers_sentence", "drift_answer"),
        "versions.folder": ("write_version_folder",),
        "versions.material": ("VersionMaterial",),
        "versions.page": ("compare_page",),
        "versions.versions_json": ("versions_json",),
        "versions.wording": ("change_numbers", "short_versions", "told_changes"),
        "wording": ("SAID", "hangs_on_one", "sides_of", "told_from_above", "unavailable_said",
            "with_sentences"),
    })  # fmt: skip

__all__ = [
    "EVERYBODY",
    "FINDINGS_VERSION",
    "SAID",
    "SAID_OF",
    "WHISKERS",
    "Assessed",
    "AxisWords",
    "Compared",
    "DriftMaterial",
    "EmbeddingMaterial",
    "Evidence",
    "Material",
    "Panel",
    "PaperTable",
    "PopulationWords",
    "RatingMaterial",
    "Regressed",
    "Results",
    "VersionMaterial",
    "Whole",
    "answers_sentence",
    "assessed",
    "attributes_beyond",
    "axis_said",
    "beyond_words",
    "bound_said",
    "can_draw",
    "card_files",
    "card_markdown",
    "card_yaml",
    "change_answer",
    "change_numbers",
    "check_drawing",
    "check_folder",
    "column_named",
    "column_words",
    "compare_page",
    "count",
    "deciding_said",
    "deciding_told",
    "drift_answer",
    "drift_json",
    "drift_page",
    "effect_means",
    "embedding_figures",
    "embedding_tables",
    "embeddings_json",
    "embeddings_page",
    "evidence_in",
    "finding_rows",
    "findings_json",
    "fitted_on",
    "gate_markdown",
    "gate_text",
    "group_tables",
    "hangs_on_one",
    "higher_said",
    "interval_said",
    "interval_told",
    "is_pack",
    "json_line",
    "junit_xml",
    "label_lines",
    "label_svg",
    "margin_said",
    "margin_told",
    "may_be_chance",
    "moved_brief",
    "moved_of",
    "moved_shares",
    "next_step",
    "next_steps",
    "opposite_signs",
    "outcome_said",
    "p_value",
    "page",
    "people_wanted",
    "percent",
    "places_of",
    "points",
    "population_words",
    "population_words_in",
    "rating_page",
    "rating_tables",
    "ratings_json",
    "read_panel",
    "results_of",
    "results_page",
    "rounded",
    "run_tables",
    "short",
    "short_versions",
    "shown_by",
    "sides_of",
    "size_said",
    "stars",
    "stored_lines",
    "stored_sentence",
    "summary",
    "told_changes",
    "told_from_above",
    "unavailable_said",
    "unestimated",
    "verdict_said",
    "versions_json",
    "weighty_notes",
    "with_moved_sentences",
    "with_next_steps",
    "with_regression_sentences",
    "with_sentences",
    "with_verdict_sentences",
    "worst_said",
    "write_drift_folder",
    "write_embedding_folder",
    "write_folder",
    "write_margins",
    "write_pack",
    "write_rating_folder",
    "write_version_folder",
]
