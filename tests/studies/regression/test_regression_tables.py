"""The regressions of a run as tables: numbers in plain columns, and laid out as in the paper."""

from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from msgspec import structs

from simulated_material import scored
from simulated_regressions import regressed_material
from tiltmeter.audit_run import AuditStatistics
from tiltmeter.corpora import load_corpus
from tiltmeter.files import without_formulas
from tiltmeter.report.markup import LONGEST
from tiltmeter.studies.audit.figures import figure_files
from tiltmeter.studies.audit.page import linked_tables
from tiltmeter.studies.audit.tables import audit_tables, group_tables
from tiltmeter.studies.regression.tables import (
    MarginalEffectsTable,
    Number,
    SystemLine,
    marginal_effects_tables,
    regression_tables,
)

LATINO, SPANISH = load_corpus("eec-latino"), load_corpus("eec-es")


def scores(corpus, system, task, *, female=0.0, latino=0.0, noise=0.02, seed=0):
    """Scores with a planted difference, and a little noise."""
    rows = corpus.sentences()
    groups = [(rows[axis] == group).fill_null(False).to_numpy()
              for axis, group in (("gender", "female"), ("race", "Latino"))]  # fmt: skip
    rng = np.random.default_rng(seed)
    value = 0.5 + female * groups[0] + latino * groups[1] + rng.normal(0, noise, rows.height)
    return scored(rows, system, task, np.clip(value, 0.01, 0.99))


def constant(corpus, task):
    return scored(corpus.sentences(), "constant", task, np.full(corpus.sentences().height, 0.5))


@pytest.fixture(scope="module")
def material():
    """Two systems in English, one of them in Spanish too; one that cannot be estimated."""
    english = [
        scores(LATINO, "=planted", "anger", female=0.05),
        scores(LATINO, "=planted", "joy", latino=-0.04, seed=1),
        constant(LATINO, "anger"),
    ]
    spanish = [scores(SPANISH, "=planted", "anger", female=-0.05, seed=2)]
    return regressed_material([(LATINO, pl.concat(english)), (SPANISH, pl.concat(spanish))])


@pytest.fixture(scope="module")
def joint(material):
    return next(one for one in marginal_effects_tables(material) if "eec-latino-eec-es" in one.name)


def test_every_corpus_has_a_table_and_two_that_match_have_one_together(material):
    assert [one.name for one in marginal_effects_tables(material)] == [
        "margins-eec-latino", "margins-eec-es", "margins-eec-latino-eec-es"
    ]  # fmt: skip


def test_columns_are_race_gender_and_their_product_and_english_stands_first(joint):
    assert joint.heads == ("Race", "Gender", "Race × gender")
    assert joint.tasks == ("anger", "joy")
    assert [(line.language, line.system) for line in joint.lines] == [
        ("English (eec-latino)", "=planted"),
        ("English (eec-latino)", "constant"),
        ("Spanish (eec-es)", "=planted"),
    ]


def test_numbers_are_the_coefficients_with_their_stars(material, joint):
    estimates = material.regressed[0].estimates.filter(
        system="=planted", task="anger", measure="coefficient", axis="gender"
    )
    value, p = estimates.select("value", "p").row(0)
    effect = joint.effects[1]
    assert joint.lines[0].shown("anger", effect) == Number(value, "***")
    assert p <= 0.01
    # 0.05 at a mean of 0.5: logit 0.55 - logit 0.5 = 0.2007
    assert value == pytest.approx(0.2007, abs=0.01)
    assert joint.lines[2].shown("anger", effect).value == pytest.approx(-0.2007, abs=0.01)


def test_what_cannot_be_estimated_is_a_dash_and_the_reason_stands_below(joint):
    shown = joint.lines[1].shown("anger", joint.effects[0])
    assert str(shown) == "–"
    reason = next(note for note in joint.notes if "constant (anger)" in note)
    assert reason.startswith("– cannot be estimated on eec-latino, because ")
    assert joint.lines[1].shown("joy", joint.effects[0]) is None
    assert "Empty where a system has no scores for the task." in joint.notes


def test_the_caption_says_which_numbers_errors_and_stars(material, joint):
    said = ("Beta regression, on the logit", "names and templates vary", "*** p ≤ 0.01",
            "race: Latino − Anglo; gender: female − male", "reference (male, Anglo)")  # fmt: skip
    assert [words for words in said if words not in joint.caption] == []
    run = structs.replace(material.run, statistics=AuditStatistics(mode="published"))
    printed = marginal_effects_tables(replace(material, run=run))[0]
    assert "least squares, in parts of the scale, as the paper prints" in printed.caption
    assert "as if all sentences were independent, as in the paper" in printed.caption
    value = printed.lines[0].shown("anger", printed.effects[1]).value
    assert value == pytest.approx(0.05, abs=0.005)


def test_the_print_layout_has_real_minus_signs_and_no_formulas(joint):
    frame = without_formulas(joint.print_table().frame)
    assert frame.columns[:5] == [
        "language", "system", "anger: Race", "anger: Gender", "anger: Race × gender"
    ]  # fmt: skip
    assert frame["system"][0] == "'=planted"
    assert frame["anger: Gender"][2].startswith("−0.")
    assert frame["anger: Gender"][2].endswith("***")
    assert frame["joy: Race"][1] == ""


def test_latex_raises_the_stars_and_sets_two_tasks_beside_each_other(joint):
    text = joint.print_table().latex()
    assert r"\multicolumn{3}{c}{Anger} & \multicolumn{3}{c}{Joy}" in text
    assert r"Race $\times$ gender" in text
    assert "$^{{*}{*}{*}}$" in text
    assert text.count("English (eec-latino)") == 1
    assert r"\begin{table*}" in text


def test_a_long_table_runs_over_pages_and_hostile_names_are_text(joint):
    line = SystemLine("English", r"\evil & 50_%", {})
    text = replace(joint, lines=(line,) * (LONGEST + 1)).print_table().latex()
    assert r"\begin{longtable}{llrrrrrr}" in text
    assert r"\textbackslash{}evil \& 50\_\%" in text


def test_many_effects_have_a_line_each_and_tasks_stand_across():
    effects = tuple(("race", f"{group}-a", "a") for group in "bcde")
    numbers = {("anger", "race", "b-a"): Number(-0.1234, "*")}
    table = MarginalEffectsTable(
        "m", "t", "c", effects, ("anger", "joy"), (SystemLine("English", "s", numbers),)
    )
    frame = table.print_table().frame
    assert frame.columns == ["language", "system", "effect", "anger", "joy"]
    assert frame["effect"].to_list()[0] == "Race: b − a"
    assert frame["anger"].to_list() == ["−0.123*", "", "", ""]
    assert r"English & s & Race: b $-$ a & $-$0.123$^{{*}}$ &  \\" in table.print_table().latex()


def test_the_long_table_has_a_row_for_every_submission_and_effect(material):
    rows = regression_tables(material)["regression-coefficients"]
    assert rows.height == (3 + 1) * 3
    row = rows.row(by_predicate=(pl.col("corpus") == "eec-latino") & (pl.col("task") == "joy")
                   & (pl.col("axis") == "race"), named=True)  # fmt: skip
    assert row["least_squares"] == pytest.approx(-0.04, abs=0.005)
    assert row["marginal_effect"] == pytest.approx(-0.04, abs=0.005)
    assert row["marginal_effect_low"] < row["marginal_effect"] < row["marginal_effect_high"]
    assert row["coefficient_stars"] == "***"
    assert row["coefficient_naive_p"] < 1e-6
    lost = rows.filter(system="constant")
    assert lost["coefficient"].null_count() == 3
    assert lost["reason"].null_count() == 0


def test_every_table_that_the_page_lists_is_written_and_none_without_a_regression(material):
    tables = audit_tables(material)
    written = {table.name for table in tables if "csv" in table.files}
    assert set(linked_tables(material)) == written - {one.name for one in group_tables(material)}
    assert {"regression-fits", "regression-groups", "regression-names", "regression-languages",
            "margins-eec-latino-eec-es"} <= written  # fmt: skip
    assert "margins-eec-es" in {table.name for table in tables if "tex" in table.files}
    bare = replace(material, regressed=(), languages=None)
    assert not any("regression" in one.name or "margins" in one.name for one in audit_tables(bare))
    names = [figure.name for figure in figure_files(material)]
    assert names[-3:] == ["effects-eec-latino", "effects-eec-es", "languages-eec-es-eec-latino"]


def test_cell_means_and_names_say_their_corpus(material):
    tables = regression_tables(material)
    groups = tables["regression-groups"].filter(corpus="eec-es")
    assert groups.select("gender", "race").n_unique() == 4
    assert {"person", "pull", "corpus"} <= set(tables["regression-names"].columns)
