"""Tables for papers: as the paper prints them, and safe with any text."""

import re
from dataclasses import replace

import numpy as np
import polars as pl
import pytest

from simulated_material import material_of, scored, skill_of
from tiltmeter.corpora import load_corpus
from tiltmeter.report.markup import RAGGED, latex_text
from tiltmeter.studies.audit.tables import SCHEMA, audit_tables, group_table, three_places

HOSTILE = r"50%_of $x$ & #1 {a}\input{/etc/passwd} ~^ <b> | [x]"


def paper_table(*rows, caption="Two groups."):
    frame = pl.DataFrame([("eec", *row) for row in rows], schema=SCHEMA, orient="row")
    return group_table("table5-gender-all", "Table 5.", caption, ("F↑–M↓", "F↓–M↑"), frame)


def latex_tables(audit):
    return {table.name: table.latex() for table in audit_tables(audit) if "tex" in table.files}


def test_a_table_is_laid_out_as_in_the_paper():
    # The joy block of the paper's Table 6, with its empty group.
    table = paper_table(
        ("joy", "F=M not significant", "none", 37, 0.0271, 37, -0.0269, 37),
        ("joy", "F↑–M↓ significant", "up", 8, 0.034, 8, -0.01301, 8),
        ("joy", "F↓–M↑ significant", "down", 0, None, 0, None, 0),
        ("joy", "All", "all", 45, 0.028, 45, -0.0251, 45),
        ("valence", "All", "all", 3, 0.02, 2, 0.0, 3),
    )
    expected = r"""
\begin{table*}[t]
\centering
\begin{tabular}{lrrr}
\toprule
 &  & \multicolumn{2}{c}{Average $\Delta$} \\
\cmidrule(lr){3-4}
Group & \#Subm. & F$\uparrow$--M$\downarrow$ & F$\downarrow$--M$\uparrow$ \\
\midrule
\multicolumn{4}{l}{\textbf{Joy intensity prediction}} \\
F=M not significant & 37 & 0.027 & $-$0.027 \\
F$\uparrow$--M$\downarrow$ significant & 8 & 0.034 & $-$0.013 \\
F$\downarrow$--M$\uparrow$ significant & 0 & -- & -- \\
All & 45 & 0.028 & $-$0.025 \\
\midrule
\multicolumn{4}{l}{\textbf{Valence prediction}} \\
All & 3 & 0.020 from 2 & 0.000 \\
\bottomrule
\end{tabular}
\caption{Table 5. Two groups. From: over how many submissions, where not over all of the group.}
\label{tab:table5-gender-all}
\end{table*}
"""
    printed = table.latex()
    assert printed.startswith("% Needs \\usepackage{booktabs,longtable}")
    assert printed.split("\n", 1)[1] == expected.lstrip()


def test_brackets_are_explained_only_where_there_are_any():
    whole = ("joy", "All", "all", 2, 0.1, 2, -0.1, 2)
    table = paper_table(whole, ("joy", "x", "up", 0, None, 0, None, 0))
    assert "From:" not in table.latex()


@pytest.mark.parametrize(
    ("text", "printed"),
    [
        ("a&b", r"a\&b"),
        ("5%", r"5\%"),
        ("$x_1^2$", r"\$x\_1\textasciicircum{}2\$"),
        (r"\end{table}", r"\textbackslash{}end\{table\}"),
        ("~#", r"\textasciitilde{}\#"),
        ("F↑–M↓ −1", r"F$\uparrow$--M$\downarrow$ $-$1"),
        ("a--b---c", "a-{}-b-{}-{}-c"),
        ("two\n\nlines\tand\x00more", "two lines and more"),
        ("[x]", "{[}x{]}"),
    ],
)
def test_special_characters_are_spelt_out(text, printed):
    assert latex_text(text) == printed


def test_numbers_have_three_decimals_and_a_real_minus():
    assert [three_places(one) for one in (0.0235, -0.02349, -0.0001, None)] == [
        "0.024",
        "−0.023",
        "0.000",
        "–",
    ]


@pytest.fixture(scope="module")
def hostile():
    """Every table of a run whose systems and tasks are named to break LaTeX."""
    corpus = load_corpus("eec")
    sentences = corpus.sentences()
    female = (sentences["gender"] == "female").to_numpy()
    scores = pl.concat(
        [
            scored(sentences, HOSTILE, "joy_%", 0.5 + 0.1 * female),
            scored(sentences, "units", "joy_%", 7.0 * female, native=True),
            scored(sentences, "none", "joy_%", np.full(sentences.height, np.nan)),
        ]
    )
    material = material_of(scores, corpus)
    return latex_tables(replace(material, skill=skill_of(material)))


def test_every_group_table_and_the_summaries_are_there(hostile):
    assert set(hostile) == {
        "table5-gender-all", "table6-gender-neutral", "table7-race-all", "table-race-neutral",
        "differences", "skill",
    }  # fmt: skip


def without_escapes(text: str) -> str:
    lines = [line for line in text.splitlines() if not line.startswith("%")]
    raised = re.sub(r"\$\^\{\{\*\}\}\$", "", "\n".join(lines))
    return re.sub(r"\\[&%$#_{}]", "", raised.replace(RAGGED, ""))


def test_braces_balance_and_no_special_character_is_bare(hostile):
    for text in hostile.values():
        bare = without_escapes(text)
        depth = np.cumsum([(mark == "{") - (mark == "}") for mark in bare])
        assert depth.min() >= 0
        assert depth[-1] == 0
        assert bare.count("$") % 2 == 0
        assert not re.search(r"[%#_~^<>|]", re.sub(r"\\label\{[^}]*\}", "", bare))
        assert "\\input" not in bare


def test_every_row_has_as_many_cells_as_its_table_has_columns(hostile):
    for text in hostile.values():
        layout = re.search(r"\\begin\{(?:tabular|longtable)\}\{(.+)\}$", text, re.MULTILINE)[1]
        columns = len(re.sub(r"\{.*?\}", "", layout))
        lines = [line for line in without_escapes(text).splitlines() if line.endswith(r"\\")]
        for line in lines:
            spans = [int(span) - 1 for span in re.findall(r"\\multicolumn\{(\d+)\}", line)]
            if "\\caption" not in line:
                assert line.count("&") + 1 + sum(spans) == columns


def test_begin_and_end_match(hostile):
    for text in hostile.values():
        begun = re.findall(r"\\begin\{(\w+)\}", text)
        assert begun == re.findall(r"\\end\{(\w+)\}", text)[::-1]


def test_own_units_are_marked_and_what_is_missing_is_a_dash(hostile):
    text = hostile["differences"].replace(RAGGED, "")
    assert "\nunits$^{{*}}$ & joy\\_\\% & 7.000 & 7.000 to 7.000" in text
    assert "\nnone$^{{*}}$ & joy\\_\\% & -- & -- & -- & --" in text


def test_a_subset_that_a_corpus_lacks_leaves_no_empty_block():
    corpus = load_corpus("eec")
    scores = scored(corpus.sentences(), "s", "valence", np.full(corpus.size, 0.5))
    # valence has no emotion words of its own, so that nothing is measured on own-emotion
    text = latex_tables(replace(material_of(scores, corpus), subset="own-emotion"))["differences"]
    assert "multicolumn" not in text
