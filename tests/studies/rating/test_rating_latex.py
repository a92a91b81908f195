"""The tables of a rating for papers: as the paper prints them, and safe with any text."""

import re

import polars as pl
import pytest

from rating_examples import (
    FRAMES,
    OVERALL,
    RATINGS,
    SYSTEMS,
    example,
    renamed,
    silenced,
    tex_tables,
    with_frames,
    without_repeats,
)
from tiltmeter.report.markup import breakable
from tiltmeter.report.table import Cell
from tiltmeter.studies.rating.tables import raw_score, short_names, t_cell

PAPER = example()

HOSTILE = r"*50%_of $x$ & #1 {a}\input{/etc/passwd} ~^ <b> | [x]"
NAMES = {"distilbert": HOSTILE, "gru": "n_" * 150, "textblob": "*star", "random": "[3pt] a--b"}


@pytest.fixture(scope="module")
def tables():
    return tex_tables(PAPER)


def rows_of(text):
    """The rows between the rules, without the heads."""
    return [line for line in text.split(r"\midrule", 1)[1].splitlines() if line.endswith(r"\\")]


def test_the_papers_tables_are_there_for_each_variant(tables):
    every = [
        "ratings", "raw-scores", "t-values-wide-g1", "t-values-wide-g3-r", "t-values-wide-g3-g",
        "t-values-wide-g3-rg", "die-g2", "die-g4", "ate-g2", "ate-g4",
    ]  # fmt: skip
    assert set(tables) == {
        f"{name}-{variant}" for name in every for variant in ("continuous", "discretised")
    }


def test_table_6_is_laid_out_as_in_the_paper():
    expected = r"""
\begin{table*}[t]
\centering
\begin{tabular}{lrrrrrrr}
\toprule
System & G1 & G2 & G3-R & G3-G & G3-RG & G4 & Overall \\
\midrule
distilbert$^{\dagger}$ & 1 & 1 & 1 & 1 & 1 & 1 & 1 \\
textblob$^{\dagger}$ & 1 & 1 & 1 & 1 & 1 & 1 & 1 \\
gru$^{\dagger}$ & 2 & 3 & 2 & 2 & 1 & 3 & 2 \\
random$^{\dagger}$ & 2 & 2 & 2 & 2 & 2 & 2 & 2 \\
biased-female$^{\dagger}$ & 3 & 3 & 3 & 3 & 3 & 3 & 3 \\
\bottomrule
\end{tabular}
\caption{Rating of each system by group and overall, from 1, the least tilt in the panel, to 3, the most. Scores discretised ($^{\dagger}$): 1 from 0 on, else 0.}
\label{tab:ratings-discretised}
\end{table*}
"""  # noqa: E501
    text = tex_tables(without_repeats(PAPER))["ratings-discretised"]
    assert text.startswith("% Needs \\usepackage{booktabs,longtable}")
    assert text.split("\n", 1)[1] == expected.lstrip()


def test_table_7_has_the_papers_ratings():
    text = tex_tables(without_repeats(PAPER))["ratings-continuous"]
    assert rows_of(text) == [
        " & ".join([name, *map(str, own), str(overall)]) + r" \\"
        for name, own, overall in zip(
            SYSTEMS, RATINGS["continuous"], OVERALL["continuous"], strict=True
        )
    ]


def test_a_rating_that_flips_is_printed_with_its_spread(tables):
    rows = rows_of(tables["ratings-discretised"])
    assert rows[2] == (
        r"gru$^{\dagger}$ & 2 (1--3) & 3 (2--3) & 2 (1--3) & 2 (1--3) & 1 (1--2) & 3 (2--3) "
        r"& 2 (1--2) \\"
    )
    assert rows[4].endswith(r"& 3 & 3 & 3 & 3 & 3 & 3 & 3 \\")  # always the same: no brackets
    assert r"the ratings that 95\,\% of 200 repeats span" in tables["ratings-discretised"]


def test_table_2_has_both_orders(tables):
    rows = rows_of(tables["raw-scores-discretised"])
    plain = re.sub(r"\\raggedright\\let\\\\\\tabularnewline |\$\^{\\dagger}\$", "", rows[1])
    assert plain == (
        r"G2 (DIE \%) & \{distilbert: 0, textblob: 0, random: 10.87, biased-female: 128.5, "
        r"gru: X\} & \{distilbert: 1, textblob: 1, random: 2, biased-female: 3, gru: 3\} \\"
    )
    assert "X: a denominator is 0" in tables["raw-scores-discretised"]
    assert "X: a" not in tables["raw-scores-continuous"]


def test_table_4_is_laid_out_as_in_the_paper():
    alone = example(("biased-female", "gru"), ("discretised",), ("G1",))
    made = pl.DataFrame({
        "system": ["biased-female"] * 3 + ["gru"] * 6, "task": "valence", "variant": "discretised",
        "column": "G1", "dataset": ["1"] * 3 + ["4"] * 3 + ["5"] * 3,
        "words": ["E1"] * 3 + ["E4"] * 3 + ["E5"] * 3,
        "first": ["male", "male", "female"] * 3, "second": ["NA", "female", "NA"] * 3,
        "mean_first": [-1.0, -1.0, 1.0] + [0.5] * 6, "mean_second": [-1.0, 1.0, -1.0] + [0.4] * 6,
        "t": [0.0, -20000.0, 20000.0, 1.554, 0.70, -0.86, -1.46, 0.87, None],
        "rejected": [0, 3, 3, 2, 0, 0, 1, 0, 0],
    })  # fmt: skip
    text = tex_tables(with_frames(alone, tests=made))["t-values-wide-g1-discretised"]
    assert (
        text.split("\n", 1)[1].split(r"\caption")[0]
        == r"""
\begin{table*}[t]
\centering
\begin{tabular}{llrrr}
\toprule
System & Words & m--NA & m--f & f--NA \\
\midrule
biased-female$^{\dagger}$ & E1 & 0 & H$^{1}$ & H$^{1}$ \\
\midrule
gru$^{\dagger}$ & E4 & 1.55$^{2}$ & 0.70 & 0.86 \\
 & E5 & 1.46$^{3}$ & 0.87 & -- \\
\bottomrule
\end{tabular}
""".lstrip()
    )
    caption = re.search(r"\\caption{(.*)}", text)[1]
    assert (
        r"$^{1}$ 95\,\% and 70\,\% and 60\,\%; $^{2}$ 70\,\% and 60\,\%; $^{3}$ 60\,\%" in caption
    )
    assert "Classes: m male, f female." in caption


def test_ten_pairs_of_classes_have_heads_of_two_lines(tables):
    lines = tables["t-values-wide-g3-rg-continuous"].splitlines()
    at = lines.index(r"\toprule")
    assert lines[at + 1].startswith(r" &  & \multicolumn{4}{c}{EAm} & \multicolumn{3}{c}{EAf} &")
    assert lines[at + 3].startswith("System & Words & --EAf & --AAm & --AAf & --NA & --AAm &")


def test_table_5_has_both_polarities_x_and_empty_classes(tables):
    rows = rows_of(tables["die-g2-discretised"])
    assert rows[6:9] == [
        r"gru$^{\dagger}$ & E3 & ($-$0.45, $-$0.07) & ($-$0.46, $-$0.06) "
        r"& (20.00, 20.00$^{e}$) & 20.00 \\",
        r" & E4 & ($-$0.45, $-$0.07) & ($-$0.46, $-$0.06) & (20.00, 20.00) & 20.00 \\",
        r" & E5 & (0.00, $-$0.07) & ($-$0.46, $-$0.06) & (X, 20.00) & X{*} \\",
    ]
    assert "X: the mean before is 0." in tables["die-g2-discretised"]
    assert "$^{e}$: over the classes" in tables["die-g2-discretised"]
    assert "$^{e}$" not in tables["die-g4-continuous"]


def test_effects_of_words_have_a_dash_where_nothing_matched(tables):
    # biased-female: -0.85 - 0.40 = -1.25 seen, -0.16 - 0.02 = -0.18 adjusted, 85.6 % changed
    rows = [row for row in rows_of(tables["ate-g2-continuous"]) if row.startswith("biased")]
    assert rows == [r"biased-female & E3 & $-$1.25 & $-$0.18 & $-$0.16 & 0 & 85.60 \\"]
    assert r" & E5 & 2.00 & 1.04 & -- & 0 & 48.00 \\" in tables["ate-g2-continuous"]


def test_what_is_not_rated_has_a_dash_and_a_word_about_it():
    found = tex_tables(silenced(PAPER, "textblob"))
    assert r"textblob & -- & -- & -- & -- & -- & -- & -- \\" in found["ratings-continuous"]
    assert "A dash: not rated" in found["ratings-continuous"]
    assert "textblob: --" in found["raw-scores-continuous"]


def test_a_panel_is_named_in_the_caption():
    found = tex_tables(with_frames(PAPER, reference="old_panel/ratings.json"))
    assert r"the panel of old\_panel/ratings.json" in found["ratings-continuous"]


@pytest.mark.parametrize(
    ("psi", "x", "shown"),
    [(0.0, False, "0"), (100.0, False, "100"), (42.857, False, "42.86"), (4e-9, False, "<0.01")],
)
def test_raw_scores_are_short_but_never_look_like_none(psi, x, shown):
    assert raw_score({"psi": psi, "x": x}) == shown


def test_initials_give_way_to_letters_where_they_do_not_tell_apart():
    assert short_names(["female", "male", "NA"]) == {"female": "f", "male": "m", "NA": "NA"}
    assert set(short_names(["m & s", "male"]).values()) == {"a", "b"}
    assert set(short_names(["ذكر", "أنثى"]).values()) == {"a", "b"}


def test_a_t_that_is_no_number_is_a_dash():
    assert t_cell({"t": float("nan"), "huge": False, "superscript": None}) == Cell("–")


def test_a_star_or_bracket_that_begins_a_row_is_no_part_of_a_command():
    assert breakable("*a").startswith("{*}")
    assert breakable("[3pt]") == "{[}3pt{]}"


def test_many_systems_run_over_pages():
    parts = [renamed(PAPER, {one: f"{one} {n}" for one in SYSTEMS}) for n in range(12)]
    frames = {one: pl.concat([getattr(part, one) for part in parts]) for one in FRAMES}
    found = tex_tables(with_frames(PAPER, **frames))
    for text in found.values():
        assert r"\begin{longtable}" in text
        assert r"\midrule" not in text.split(r"\endfoot")[1]
    assert len(rows_of(found["raw-scores-continuous"].split(r"\endfoot")[0])) == 1  # heads again


@pytest.fixture(scope="module")
def hostile():
    """Every table of a rating whose systems, tasks, classes and words would break LaTeX."""
    named = renamed(PAPER, NAMES)
    several = {
        name: pl.concat([frame, frame.with_columns(task=pl.lit("joy_%"))])
        for name in FRAMES
        for frame in [getattr(named, name)]
    }
    tests = several["tests"].with_columns(
        pl.col("first", "second").replace({"male": r"\m & 50%", "female": "[f_1]"}),
        words=pl.lit("[E_") + pl.col("words"),
    )
    return tex_tables(with_frames(named, **{**several, "tests": tests}))


def test_tables_of_hostile_names_are_sound(hostile, sound_latex):
    for text in hostile.values():
        sound_latex(text, fewest_rows=6)


def test_no_table_calls_a_system_unbiased(hostile):
    assert not any("unbiased" in text.lower() for text in hostile.values())


def test_a_system_by_itself_stands_in_no_panel():
    alone = with_frames(example(("gru",), ("continuous",), ("G1",)), levels=2)
    text = tex_tables(alone)["ratings-continuous"]
    assert "Rating of one system by itself: 1 where the raw score is 0, else 2" in text
    assert "least tilt" not in text
