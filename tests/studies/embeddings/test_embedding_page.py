"""The page of a study of embeddings: what it claims, what it leaves out, odd states."""

import re
from dataclasses import replace

import polars as pl
import pytest

from made_up_embeddings import (
    ARABIC,
    GLOVE,
    HOSTILE,
    LONG,
    NAMES,
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
from tiltmeter.audit_run import AuditedSystem
from tiltmeter.report.page import render
from tiltmeter.studies.embeddings.page import link_facts
from tiltmeter.studies.embeddings.tables import mitigation_table, rnsb_table, table_one
from tiltmeter.studies.embeddings.wording import (
    answers,
    question,
    refusals,
    small_notes,
    still_there,
    weighty_notes,
)


@pytest.fixture(scope="module")
def page():
    return render(made_up_material().page())


def sections(page):
    return set(re.findall(r'<section id="([a-z]+)"', page))


def test_the_page_has_every_section_and_loads_nothing(page):
    assert sections(page) == {
        "answer", "choice", "claims", "strip", "lists", "weat", "link", "mitigation", "reading",
        "method", "glossary",
    }  # fmt: skip
    assert "<script src" not in page
    assert "http-equiv" in page
    assert "style=" not in page
    assert not re.search(r'(src|href)="(https?:)?//', page)


def test_the_question_names_the_sentiment():
    assert question(one_embedding()) == (
        "Does negative sentiment fall evenly on these words for people?"
    )
    assert question(made_up_material()) == "Which of these 3 embeddings would you take?"
    positive = made_up_material((GLOVE,), polarity="positive")
    assert question(positive).startswith("Does positive sentiment")
    assert "how positive it is" in render(positive.page())


def test_an_answer_says_what_may_be_claimed():
    origin, religion, names = answers(made_up_material())
    assert origin.lead == (
        "More unevenly than on ordinary words drawn by chance in 2 of 3 embeddings: glove-6b-50d "
        "and news-word2vec."
    )
    # 0.107 and 0.016 with their intervals as made up; news is next above the lowest, and of the
    # difference the interval that holds with all others decides
    assert origin.more[0] == (
        "Most in glove-6b-50d: RNSB 0.107 (0.077 to 0.145). Least in minilm: 0.016 (0.011 to "
        "0.021). On the 12 terms both hold news-word2vec stands 0.032 higher (−0.008 to "
        "0.072): which is more even is not decided."
    )
    assert origin.more[1] == (
        "In glove-6b-50d the word “mexican” gets 12 % of the negative sentiment of all 15 terms, "
        "“swedish” 1.3 %; even would be 6.7 %."
    )
    assert religion.lead.endswith("in 1 of 2 embeddings: glove-6b-50d.")
    assert names.lead == (
        "No difference between European American and African American terms was detected in any of "
        "3 embeddings."
    )
    assert names.more[0] == "No difference from ordinary words was detected in any of 3 embeddings."
    assert names.more[1].endswith("(−0.020 to 0.060): which is more even is not decided.")


def test_where_groups_of_terms_stand_apart_the_answer_begins_with_it():
    material = made_up_material((GLOVE, NEWS), (NAMES,))
    changed = {"difference": -0.442, "low": -0.67, "high": -0.213, "p_adjusted": 0.00004}
    only = pl.col("embedding") == NEWS
    groups = material.groups.with_columns(
        pl.when(only).then(pl.lit(value)).otherwise(name).alias(name)
        for name, value in changed.items()
    )
    [names] = answers(replace(material, groups=groups))
    assert names.lead == (
        "A difference between European American and African American terms was detected in 1 of 2 "
        "embeddings: news-word2vec."
    )
    assert names.more[0] == (
        "In news-word2vec African American terms stand 44 points higher on average (21 to 67), "
        "p < 0.001 corrected."
    )


def test_whoever_is_named_first_the_comparison_reads_the_same():
    material = made_up_material()
    swapped = material.comparisons.select(
        "list", pl.col("second").alias("first"), pl.col("first").alias("second"), "n_terms",
        pl.col("rnsb_second").alias("rnsb_first"), pl.col("rnsb_first").alias("rnsb_second"),
        -pl.col("difference"), (-pl.col("high")).alias("low"), (-pl.col("low")).alias("high"),
        (-pl.col("joint_high")).alias("joint_low"), (-pl.col("joint_low")).alias("joint_high"),
    )  # fmt: skip
    assert answers(replace(material, comparisons=swapped)) == answers(material)


def test_no_more_than_chance_is_not_called_even():
    material = made_up_material((GLOVE,), (ORIGIN,))
    high = replace(material, rnsb=material.rnsb.with_columns(p_adjusted=pl.lit(0.4)))
    (one,) = answers(high)
    assert one.lead == "No difference from ordinary words was detected in glove-6b-50d."
    assert one.more[0].endswith("ordinary words mostly 0.018 to 0.095 (p = 0.4 corrected).")
    text = render(high.page()).lower()
    assert "unbiased" not in text
    assert "debias" not in text


def test_one_embedding_and_one_list_leave_the_rest_out():
    page = render(one_embedding().page())
    assert sections(page) == {"answer", "claims", "strip", "lists", "reading", "method", "glossary"}
    assert 'id="g-weat"' not in page
    assert 'id="g-rnsb"' in page
    assert "is more even" not in page.partition('id="method"')[0]


def test_refusals_say_what_was_found_the_floor_and_what_to_do():
    told = list(refusals(made_up_material()))
    assert told == [
        "Religion in news-word2vec is refused: 2 of 7 terms are in the embedding (29 %); the floor "
        "is 70 %. Leaving out so many terms would change the question. Give a list of terms that "
        "the embedding holds with --terms FILE.toml, or an embedding that holds these."
    ]
    page = render(all_refused().page())
    assert "All 2 embeddings are refused" in page
    assert "there is nothing to draw" in page
    assert "54\u00a0% of held-out words" in page
    assert sections(page) == {"answer", "claims", "strip", "reading", "method", "glossary"}


def test_table_1_turns_where_embeddings_are_many():
    table = table_one(made_up_material(), 6)
    assert [column.header for column in table.shown("html")][:2] == ["Case study", GLOVE]
    name, glove, news, _ = table.cells("html")[1]
    assert (name.text, glove.text, glove.strong) == ("Religion", "0.124", True)
    assert (news.text, news.small) == ("–", "refused")
    many = table_one(many_embeddings(7), 6)
    assert many.shown("html")[0].header == "Embedding"
    assert many.frame.height == 7


def test_every_number_stands_in_the_page_and_a_refusal_has_its_note():
    html = rnsb_table(made_up_material()).html()
    assert "<sup>a</sup> 2 of 7 terms are in the embedding (29 %); the floor is 70 %." in html
    assert "0.077 to 0.145" in html
    assert "2 of 7 (29\u00a0%)" in html


@pytest.mark.slow
def test_forty_embeddings_stay_readable_and_small():
    page = render(many_embeddings(40).page())
    assert len(page) < 1_000_000
    assert "34 more embeddings" in page
    assert page.count('class="good"') == 2 * 6  # maps of the first six only


def test_hostile_and_foreign_text_is_text():
    page = render(odd_material().page())
    assert HOSTILE not in page
    assert "&lt;img src=x onerror=alert(1)&gt;" in page
    assert LONG in page
    assert all(term in page for term in ARABIC)
    assert "\x00" not in page
    assert "\x07" not in page


def test_what_is_no_number_is_never_shown():
    material = made_up_material()
    broken = {
        name: getattr(material, name).with_columns(pl.col(pl.Float64) * float("nan"))
        for name in ("rnsb", "terms", "groups", "weat", "links", "link_names", "link_gaps",
                     "mitigation", "classifiers", "ridges", "plane", "correlations", "comparisons",
                     "others", "associations")
    }  # fmt: skip
    page = render(replace(material, **broken).page())
    assert not re.search(r"\bnan\b|\binf\b|\bNone\b", page.replace("Nancy", ""))


def test_probabilities_below_a_tenth_of_a_per_cent_are_not_zero():
    material = made_up_material((GLOVE,), (ORIGIN,), further=False)
    rows = material.terms.to_dicts()
    rows[0] |= {"probability": 1e-9, "low": 0.0, "high": 1e-8, "share": 1e-9}
    page = render(replace(material, terms=frame("terms", rows)).page())
    assert "less than 0.1\u00a0%" in page


def test_a_link_says_which_way_and_how_sure():
    first, second = link_facts(made_up_material())
    assert first.sentences[0] == (
        "The closer a name’s vector is to negative words, the higher embedding-mlp scores "
        "sentences with it (r = 0.62, 95 % interval 0.38 to 0.78, p < 0.001 corrected, 40 names; "
        "by rank 0.58, 0.31 to 0.76)."
    )
    # gap −0.021 and carried −0.013 (−0.019 to −0.007), told from the side of the gap
    assert first.sentences[1] == (
        "Sentences with African American names are scored 2.1 points lower than sentences with "
        "European American names; 1.3 points (0.7 to 1.9) go with the vectors, 62 % of it."
    )
    assert second.sentences == (
        "Not estimable: the system scores sentences with every name alike.",
    )
    assert second.picture is None


def test_a_link_that_may_be_none_is_not_claimed():
    material = made_up_material()
    wide = replace(material, links=material.links.with_columns(low=pl.lit(-0.1)))
    assert link_facts(wide)[0].sentences[0].startswith("No link detected")


def test_vectors_that_point_the_other_way_are_said_to():
    material = made_up_material()
    turned = material.link_gaps.with_columns(
        carried=pl.lit(0.009), low=pl.lit(-0.003), high=pl.lit(0.024), share=pl.lit(-0.4)
    )
    said = link_facts(replace(material, link_gaps=turned))[0].sentences[1]
    assert said.endswith("undecided: −0.9 points (−2.4 to 0.3).")
    sure = turned.with_columns(low=pl.lit(0.003))
    said = link_facts(replace(material, link_gaps=sure))[0].sentences[1]
    assert said.endswith("the vectors point the other way, −0.9 points (−2.4 to −0.3).")


def test_units_are_the_systems_own_where_its_scale_is_not_known():
    material = made_up_material()
    facts = [AuditedSystem("embedding-mlp", "valence", "eec")]
    own = replace(material, run={**material.run, "systems": facts})
    assert "0.02 of its own units lower" in link_facts(own)[0].sentences[1]
    assert "own units" in link_facts(own)[0].picture.body


def test_mitigation_comes_with_its_caution(page):
    assert "Removal can be cosmetic" in page
    first, second = still_there(made_up_material(), GLOVE, "gender")
    assert first == (
        "Of the 40 words that leaned most, clustering puts 96 % with their side before and still "
        "88 % after hard projection, 91 % after soft projection, 60 % after INLP; guessing gives "
        "about 50 %."
    )
    assert "a trained probe" in second
    table = mitigation_table(made_up_material(), GLOVE, "gender")
    measure, _, before, hard, *_ = table.cells("html")[0]
    assert measure.text == "RNSB"
    assert [(cell.text, cell.small) for cell in (before, hard)] == [
        ("0.310", "0.279 to 0.341"), ("0.270", "0.243 to 0.297")
    ]  # fmt: skip


def test_a_list_without_groups_has_no_comparison_of_groups(page):
    assert page.count("Between groups of terms") == 1


def test_respelled_words_and_remarks_are_listed(page):
    assert "<bdi>Adam</bdi> as <bdi>adam</bdi>" in page
    assert "line 17: 49 values instead of 50, skipped" in page
    assert "Not in news-word2vec: swedish, filipino, norwegian." in page


def test_the_published_mode_says_so():
    page = render(made_up_material((GLOVE, NEWS), (RELIGION,), mode="published").page())
    assert "these are no correlations" in page
    assert "published, after the authors’ notebook" in page


def test_facts_of_lists_and_lexicons_are_told_in_words():
    material = made_up_material()
    run = {**material.run,
           "lexicon": {"title": "VADER's lexicon", "positive": 2435, "negative": 3143},
           "lists": [{"title": "Religion", "terms": 14, "edition": "corrected"}]}  # fmt: skip
    page = render(replace(material, run=run).page())
    assert "VADER&#39;s lexicon; 2,435 positive, 3,143 negative" in page
    assert "Religion; 14 terms; corrected edition" in page


def test_no_terms_at_all_leaves_the_word_tests():
    page = render(_without_lists().page())
    assert "No list of terms was assessed." in page
    assert "weat" in sections(page)


def _without_lists():
    material = made_up_material((GLOVE,), (ORIGIN,))
    names = ("rnsb", "terms", "groups", "comparisons", "correlations", "plane")
    return replace(material, **{name: frame(name) for name in names})


def test_notes_that_matter_stand_open_and_the_rest_behind_details():
    material = made_up_material()
    small = ("lexicon: negative-words.txt was read as Latin-1", f"{GLOVE}, gender, hard: one way")
    heavy = ("lexicon: Hu & Liu's lists were not found, so …", "the list x is in 'es', the lexicon")
    material = replace(material, notes=(small[0], *heavy, small[1]))
    assert weighty_notes(material) == list(heavy)
    assert small_notes(material) == list(small)
    assert "2 notes on how things were read and made" in render(material.page())


def test_one_reason_of_several_embeddings_is_told_once():
    told = list(refusals(many_embeddings(7)))
    assert len(told) == len(set(told))
    material = made_up_material((GLOVE, NEWS), (RELIGION,))
    gone = material.rnsb.with_columns(
        rnsb=pl.lit(None, pl.Float64), reason=pl.lit("2 of 7 terms"), coverage=pl.lit(2 / 7)
    )
    (one,) = refusals(replace(material, rnsb=gone))
    assert one.startswith("Religion in glove-6b-50d and news-word2vec is refused: 2 of 7 terms. ")


def test_embeddings_with_the_same_number_are_not_said_to_stand_0_higher():
    material = made_up_material((GLOVE, NEWS), (ORIGIN,))
    alike = material.comparisons.with_columns(difference=pl.lit(0.0))
    (one,) = answers(replace(material, comparisons=alike))
    assert one.more[0].endswith("On the 12 terms both hold glove-6b-50d has the same.")
