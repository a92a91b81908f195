"""The tables of embeddings for papers: as the paper prints them, and safe with any text."""

import shutil
import subprocess
from dataclasses import replace

import polars as pl
import pytest

from made_up_embeddings import (
    GLOVE,
    NEWS,
    ORIGIN,
    RELIGION,
    all_refused,
    frame,
    made_up_material,
    many_embeddings,
    odd_material,
    one_embedding,
)
from tiltmeter.report.table import Footnotes
from tiltmeter.studies.embeddings.rnsb import with_corrected_p
from tiltmeter.studies.embeddings.tables import estimate, for_papers

STUDY = made_up_material()
LATEX = r"*50%_of $x$ & #1 {a}\input{/etc/passwd} ~^ <b> | [x]"


def embedding_latex(study):
    return {table.name: table.latex() for table in for_papers(study)}


@pytest.fixture(scope="module")
def tables():
    return embedding_latex(STUDY)


def rows_of(text):
    """The rows between the rules, without the heads."""
    return [line for line in text.split(r"\midrule", 1)[1].splitlines() if line.endswith(r"\\")]


def test_every_table_is_there(tables):
    assert list(tables) == [
        *("table-1", "rnsb", "comparisons", "terms-national-origin", "terms-religion"),
        *("terms-race-names", "weat", "links", "link-gaps", "mitigation"),
    ]


def test_table_1_is_printed_as_in_the_paper():
    rows = [
        {"embedding": "GloVe", "list": ORIGIN, "title": "National origin", "rnsb": 0.6225},
        {"embedding": "ConceptNet", "list": ORIGIN, "title": "National origin", "rnsb": 0.0102},
    ]
    material = made_up_material(rnsb=with_corrected_p(frame("rnsb", rows)), mode="published")
    assert (
        embedding_latex(material)["table-1"].split("\n", 1)[1]
        == r"""
\begin{table*}[t]
\centering
\begin{tabular}{lrr}
\toprule
Case study & GloVe & ConceptNet \\
\midrule
National origin & 0.6225 & 0.0102 \\
\bottomrule
\end{tabular}
\caption{Relative Negative Sentiment Bias (RNSB) of identity terms: the Kullback--Leibler divergence of their shares of negative sentiment from equal shares; 0 is even. Lexicon: Hu \& Liu 2004. One fit with C = 1, as published.}
\label{tab:table-1}
\end{table*}
""".lstrip()  # noqa: E501
    )


def test_intervals_stand_in_brackets_and_a_refusal_has_a_note(tables):
    # 0.72 and 1.35 of 0.1072 are 0.077 and 0.145, with the two digits that 0.11 has
    rows = rows_of(tables["table-1"])
    assert rows[0].startswith("National origin & 0.11 {[}0.08, 0.14{]} & ")
    assert rows[1].split(" & ")[2] == "--$^{a}$"
    assert (
        r"$^{a}$~2 of 7 terms are in the embedding (29\,\%); the floor is 70\,\%."
        in (tables["table-1"])
    )
    assert r"95\,\% interval over 1,000 resamples of the lexicon" in tables["table-1"]


def test_ordinary_words_stand_beside_every_rnsb(tables):
    # glove: 0.4 and 2.1 times 0.045
    row = rows_of(tables["rnsb"])[0]
    assert row.endswith(r"& 0.018--0.095 & \textless{} 0.001 & 15/15 \\")
    assert r"& --$^{a}$ & -- & -- & 2/7 \\" in tables["rnsb"]


def test_two_embeddings_stand_side_by_side():
    row = {
        "list": ORIGIN, "first": GLOVE, "second": NEWS, "n_terms": 12, "rnsb_first": 0.25,
        "rnsb_second": 0.125, "difference": 0.125, "joint_low": -0.051, "joint_high": 0.303,
    }  # fmt: skip
    found = embedding_latex(made_up_material(comparisons=frame("comparisons", [row])))
    assert rows_of(found["comparisons"]) == [
        r"National origin & glove-6b-50d & news-word2vec & 12 & 0.2500 & 0.1250 & "
        r"0.12 {[}$-$0.05, 0.30{]} \\"
    ]


def test_terms_that_are_missing_have_a_dash(tables):
    swedish = rows_of(tables["terms-national-origin"])[0].split(" & ")
    assert (swedish[0], swedish[2]) == ("swedish", "--")
    assert "Term & glove-6b-50d & news-word2vec & minilm" in tables["terms-national-origin"]


def test_terms_stand_in_blocks_by_group(tables):
    rows = rows_of(tables["terms-race-names"])
    assert [row.split(" & ")[:2] for row in rows[4:7]] == [
        ["", "Nancy"],
        ["African American", "Alonzo"],
        ["", "Jamel"],
    ]


def test_a_word_test_has_its_effect_p_and_the_published_one(tables):
    # p = 0.0003 of 11 known ones, two of which are as small: Holm gives 11 · 0.0003 = 0.003
    # glove, weat-3: 1.41 * 0.9 = 1.269, 0.4 less and 0.35 more are 0.869 and 1.619
    names = next(row for row in rows_of(tables["weat"]) if " & weat-3 & " in row)
    assert names.endswith(r"& 1.3 {[}0.9, 1.6{]} & 0.003 & 1.41 \\")
    assert r"0.63$^{\dagger}$" in tables["weat"]  # every permutation; 3 · 0.21
    assert "$^{a}$~4 of 32 target words" in tables["weat"]


def test_the_link_has_correlations_and_the_part_that_vectors_carry(tables):
    rows = rows_of(tables["links"])
    assert rows[0] == (
        r"glove-6b-50d & embedding-mlp & valence & 40 & 0.62 {[}0.38, 0.78{]} & "
        r"\textless{} 0.001 & 0.58 {[}0.31, 0.76{]} \\"
    )
    assert rows[1].endswith(r"& 40 & --$^{a}$ & -- & -- \\")
    assert r"$-$0.021 & $-$0.013 {[}$-$0.019, $-$0.007{]} & 0.62 \\" in tables["link-gaps"]


def test_mitigation_has_a_column_for_each_method_and_the_caution(tables):
    text = tables["mitigation"]
    assert r"Measure & As they are & Hard & Soft & INLP \\" in text
    assert "RNSB, National origin & 0.31" in text
    assert r"Gonen \& Goldberg 2019" in text
    assert "--$^{a}$" in next(row for row in rows_of(text) if "Analogies, own list &" in row)


def test_several_embeddings_and_directions_have_a_table_each():
    other = STUDY.mitigation.with_columns(embedding=pl.lit(NEWS))
    found = embedding_latex(replace(STUDY, mitigation=pl.concat([STUDY.mitigation, other])))
    assert {"mitigation-glove-6b-50d-gender", "mitigation-news-word2vec-gender"} < set(found)


def test_many_embeddings_are_rows_instead_of_columns():
    found = embedding_latex(many_embeddings())
    assert r"Embedding & National origin & Religion \\" in found["table-1"]
    assert len(rows_of(found["table-1"])) == 40
    assert "terms-national-origin-10" in found
    assert "comparisons" not in found  # 780 of each list
    assert all(r"\begin{longtable}" in found[name] for name in ("rnsb",))


def test_where_neither_fits_beside_each_other_the_long_table_has_it_all():
    lists = tuple(f"list-{n}" for n in range(5))
    found = embedding_latex(
        made_up_material(tuple(f"e{n}" for n in range(5)), lists, further=False)
    )
    assert "table-1" not in found
    assert len(rows_of(found["rnsb"])) == 25


def test_all_refused_leaves_no_table_of_terms():
    found = embedding_latex(all_refused())
    assert list(found) == ["table-1", "rnsb"]
    assert found["table-1"].count("--$^{") == 6


def test_a_caption_holds_ten_reasons_and_the_file_the_others():
    notes = Footnotes("rnsb")
    marks = [notes.mark(f"reason {n}").raised for n in range(12)]
    assert marks[-3:] == ["j", "*", "*"]
    assert notes.notes()[-2:] == (("j", "reason 9."), ("*", "See rnsb.csv."))


@pytest.mark.parametrize("value", [None, float("nan"), float("inf")])
def test_what_is_no_number_is_a_dash(value):
    assert estimate(None, 0.1, 0.2) == "–"
    assert estimate(0.5, None, 0.2) == "0.5000"
    gone = STUDY.rnsb.with_columns(rnsb=pl.lit(value, pl.Float64), reason=pl.lit(None, pl.String))
    [row, *_] = rows_of(embedding_latex(replace(STUDY, rnsb=gone))["table-1"])
    assert row == r"National origin & -- & -- & -- \\"


def test_positive_sentiment_is_said_to_be_positive():
    found = embedding_latex(made_up_material(polarity="positive"))
    assert "RNSB of positive in place of negative sentiment" in found["table-1"]
    assert "one of a positive word" in found["terms-religion"]


def test_the_lexicon_has_its_title_where_the_run_tells_it():
    told = {**STUDY.run, "lexicon": {"name": "mine", "title": "Words of 50 %", "positive": 9}}
    balanced = r" Lexicon: Words of 50\,\%, its positive and negative words balanced."
    assert balanced in embedding_latex(replace(STUDY, run=told))["rnsb"]
    published = embedding_latex(replace(STUDY, run=told | {"mode": "published"}))["rnsb"]
    assert r" Lexicon: Words of 50\,\%." in published


def test_one_embedding_needs_no_more_than_three_tables():
    assert list(embedding_latex(one_embedding())) == ["table-1", "rnsb", "terms-national-origin"]


@pytest.fixture(scope="module", params=["odd", "latex"])
def hostile(request):
    """Every table of a study whose names, terms and reasons would break LaTeX."""
    if request.param == "odd":
        return embedding_latex(odd_material())
    made = made_up_material((LATEX, "[3pt]", "*a"), (ORIGIN, LATEX),
                            terms={ORIGIN: (LATEX, "*b", "[c]", "d_")})  # fmt: skip
    titled = made.rnsb.with_columns(title=pl.lit(LATEX) + pl.col("list"))
    refused = titled.with_columns(
        pl.when(pl.col("list") == ORIGIN).then("rnsb"), reason=pl.lit(LATEX)
    )
    return embedding_latex(replace(made, rnsb=refused))


def test_tables_of_hostile_names_are_sound(hostile, sound_latex):
    for text in hostile.values():
        sound_latex(text)


def test_no_table_calls_an_embedding_unbiased(tables):
    assert not any(word in " ".join(tables.values()).lower() for word in ("unbiased", "debias"))


@pytest.mark.skipif(not shutil.which("pdflatex"), reason="pdflatex is not installed")
def test_the_tables_compile(tables, tmp_path):
    whole = "\n".join([
        r"\documentclass{article}", r"\usepackage{booktabs,longtable}", r"\begin{document}",
        *tables.values(), r"\end{document}",
    ])  # fmt: skip
    (tmp_path / "all.tex").write_text(whole)
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "all.tex"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, check=False, timeout=600)
    assert done.returncode == 0, done.stdout.decode(errors="replace")[-2000:]
    assert GLOVE in whole
    assert RELIGION.capitalize() in whole
