"""The page's section on regressions as text: what it says, embeds and leaves out."""

import html as entities
import json
import re
from dataclasses import replace

import numpy as np
import pytest
from msgspec import structs

from simulated_material import audit_html
from simulated_regressions import leaning, regression_material
from tiltmeter.audit_run import AuditedSystem
from tiltmeter.corpora import load_corpus
from tiltmeter.report.numbers import bare_p, fixed
from tiltmeter.studies.audit.page import summary
from tiltmeter.studies.paired.submissions import submissions
from tiltmeter.studies.regression import forests
from tiltmeter.studies.regression.design import Model
from tiltmeter.studies.regression.forests import effect_plots, regressions
from tiltmeter.studies.regression.view import regression_section

EEC = load_corpus("eec")
SENTENCES = EEC.sentences()
WOMAN = ("gender", "female")
WOMEN = {WOMAN: 0.1}
HOSTILE = "<script>alert(1)</script>"


def scores(**by):
    return {
        (name, "valence"): leaning(SENTENCES, lean, seed=len(name)) for name, lean in by.items()
    }


@pytest.fixture(scope="module")
def material():
    """Women 10 points higher, nothing but names, and one that answers everything alike."""
    by = scores(women=WOMEN, names={}) | {("flat", "valence"): np.full(SENTENCES.height, 0.5)}
    return regression_material([(EEC, by)])


@pytest.fixture(scope="module")
def text(material):
    return audit_html(material)


def visible(markup):
    bare = re.sub(r"<(style|script)\b.*?</\1>", " ", markup, flags=re.DOTALL)
    return " ".join(entities.unescape(re.sub(r"<[^>]+>", " ", bare)).split())


def section(markup, name="regression"):
    return visible(re.search(rf'<section id="{name}".*?</section>', markup, re.DOTALL)[0])


def embedded(markup, name):
    return json.loads(re.search(rf'id="{name}">(.*?)</script>', markup, re.DOTALL)[1])


# ------------------------------------------------------------------ what it says


def test_the_section_is_named_after_the_axes(text):
    assert section(text).startswith(
        "Gender, race and both together Each effect with the others held even. A regression"
    )


def test_it_opens_with_how_many_show_each_effect_and_the_largest(text):
    said = section(text)
    assert (
        "After correction, a difference is detected for gender in 1 of 2 systems (1 more cannot be "
        "estimated), for race in none and for gender × race in none." in said
    )
    assert re.search(
        r"The largest effect is (9|10|11)(\.\d)? points of 100 \(gender, higher about women; women",
        said,
    )


def test_it_says_what_errors_as_if_sentences_were_independent_would_have_claimed(text, material):
    said = section(text)
    found = re.search(
        r"Before correction, (\w+) of 6 effects ha\w+ p ≤ 0\.05, allowing for the 40 names and 4 "
        r"templates that sentences share; if all 160 sentences counted as independent, (\w+) would",
        said,
    )
    numbers = material.regressed[0].estimates
    for measure, told in zip(
        ("marginal_effect", "marginal_effect_naive"), found.groups(), strict=True
    ):
        p = numbers.filter(measure=measure)["p"].drop_nulls()
        assert str((p <= 0.05).sum() or "none") == told


def test_both_ends_stand_in_words_and_every_size_has_its_direction(text):
    said = section(text)
    assert "higher about men higher about women" in said
    assert "about women beside men: higher with African American names" in said
    assert "about women beside men: higher with European American names" in said
    assert re.search(r"points higher about women, 95 % interval \d", said)


def test_what_cannot_be_estimated_is_said_with_the_reason(text):
    assert (
        "Cannot be estimated for flat (valence) , because all 160 scores are the same (0.5)."
        in section(text)
    )


def test_one_system_alone_opens_with_what_was_detected():
    said = section(audit_html(regression_material([(EEC, scores(women=WOMEN))])))
    assert (
        "After correction, a difference is detected in 1 of 3 effects. The largest effect" in said
    )
    said = section(audit_html(regression_material([(EEC, scores(names={}))])))
    assert (
        "After correction, no difference is detected in any of 3 effects. The largest est" in said
    )


def test_the_answer_in_sentences_speaks_of_each_effect(text):
    said = section(text, "in-full")
    assert "Gender, race and both together, told apart by regression" in said
    assert "gender : difference detected in 1 of 2 systems; the largest is that of women , " in said
    assert (
        "race : no difference detected in any of 2 systems; the largest estimate is that of" in said
    )
    assert "1 more system cannot be estimated; the section on the regression says why." in said
    assert "that other names and templates like these would show it too." in said


def test_a_planted_effect_is_said_to_be_planted_and_not_counted_at_the_head(material):
    systems = (AuditedSystem("women", "valence", "eec", control="planted"),)
    planted = replace(material, run=structs.replace(material.run, systems=systems))
    said = audit_html(planted)
    assert "detected in 1 of 2 systems" in section(audit_html(material), "in-full")
    assert "detected in 1 of 2 systems" not in section(said, "in-full")
    assert "women, valence" not in section(said, "in-full")
    assert "women, valence, a control with a planted tilt)." in section(said)


def test_many_effects_are_one_sentence_of_the_answer():
    made = regression_material(
        [(EEC, scores(women=WOMEN, names={}))], model=Model(no_reference=True)
    )
    said = section(audit_html(made), "in-full")
    assert re.search(r"After correction, a difference is detected in \d+ of 16 effects\.", said)
    assert "largest estimate is that of" not in said
    assert "gender × race: (female − average) × (African American − average)" in section(
        audit_html(made)
    )


def test_every_effect_stands_in_words_among_the_findings(text, material):
    words = section(text, "words")
    assert material.regressed[0].findings["sentence"][0].split(" (")[0] in words
    assert " 15 findings " in words  # 3 × (2 paired + 3 effects)


def test_how_it_was_fitted_stands_below(text):
    said = section(text)
    assert "Errors are clustered over names and over templates at once" in said
    assert "Fitted on: valence: 160 sentences without an emotion word, about 40 names" in said
    assert re.search(r"2 of 2 fits converged, in \d+ steps or fewer\.", said)


def test_scores_at_the_ends_are_counted():
    values = leaning(SENTENCES, {}, names=0)
    named = SENTENCES["race"].is_not_null() & SENTENCES["emotion"].is_null()
    values[np.flatnonzero(named.to_numpy())[:3]] = [0.0, 1.0, 1.0]
    said = section(audit_html(regression_material([(EEC, {("ends", "valence"): values})])))
    assert "squeezed inwards, y to (y (n − 1) + 0.5) / n: ends (valence) 3 of 160 scores." in said


def test_published_mode_says_what_the_paper_calls_beta():
    made = regression_material([(EEC, scores(women=WOMEN))], mode="published")
    said = section(audit_html(made))
    assert "the code behind it reports ordinary least squares" in said
    assert "Its errors treat all sentences as independent." in said
    assert "Before correction" not in said  # nothing to hold it against: these are such errors
    # The paper's β of gender is that among the reference of race, and the head says so.
    assert "gender (with European American names) higher about men" in said
    assert "the difference where the other axes are at their reference group" in said
    assert "would show it too" not in section(audit_html(made), "in-full")


def test_other_errors_are_named_as_a_departure():
    made = regression_material([(EEC, scores(women=WOMEN))], model=Model(errors="naive"))
    markup = audit_html(made)
    assert "errors treat all sentences as independent" in section(markup, "in-full")
    assert "errors as if sentences were independent" in section(markup, "answer")
    assert "interval allowing for names and templates" in section(markup)  # the one drawn behind


def test_a_product_is_put_as_a_question(material):
    assert regressions(material)[0].effects[2].asks == (
        "sentences about women, compared with those about men, are scored alike with African "
        "American names and with European American names"
    )


# ------------------------------------------------------------------ what it draws and embeds


def test_marks_stand_where_their_numbers_are(material):
    forest = effect_plots(regressions(material), submissions(material))[0].forest
    scale, row = forest.panels[0].scale, forest.rows[0]
    mark = row.cells[0].marks[0]
    number = (
        material.regressed[0]
        .estimates.filter(system="women", measure="marginal_effect", axis="gender")
        .row(0, named=True)
    )
    assert row.label == "women"
    assert scale.at(mark.value) == round(50 + 46 * 100 * number["value"] / scale.high, 2)
    assert scale.at(mark.low) == pytest.approx(50 + 4600 * number["low"] / scale.high, abs=0.01)
    assert mark.side == "up"
    naive = (
        material.regressed[0]
        .estimates.filter(system="women", measure="marginal_effect_naive", axis="gender")
        .row(0, named=True)
    )
    assert row.cells[0].behind == (100 * naive["low"], 100 * naive["high"])


def test_numbers_of_a_submission_are_written_by_python(text, material):
    common, entry = embedded(text, "fits"), embedded(text, "fit-0")
    row = material.regressed[0].estimates.filter(
        system="women", measure="coefficient", axis="race"
    ).row(0, named=True)  # fmt: skip
    said = entry["said"][1][common["measures"].index("coefficient")]
    assert said["error"] == fixed(row["se"], 3)
    assert said["p"] == bare_p(row["p"])
    mean = material.regressed[0].groups.filter(
        system="women", gender="female", race="African American"
    )["mean"][0]
    assert entry["means"]["heads"][0] == "with African American names"
    assert entry["means"]["rows"][0][0] == "about women"
    assert entry["means"]["rows"][0][1][0] == [fixed(100 * mean, 1), "40 sentences, 10 names"]
    assert len(common["corpora"]["0"]["people"]) == 40


def test_many_systems_are_folded_away_and_all_are_in_order(monkeypatch):
    monkeypatch.setattr(forests, "ROWS", 3)
    many = forests.FEWEST + 2
    noise = np.random.default_rng(1).normal(0.5, 0.05, (many, SENTENCES.height)).clip(0, 1)
    by = {(f"s{nth}", "valence"): row for nth, row in enumerate(noise)}
    made = regression_material([(EEC, by)])
    drawn = regression_section(made, submissions(made)).plots[0]
    assert (drawn.forest.most, len(drawn.forest.rows)) == (forests.FEWEST, many)
    assert sorted(drawn.order) == list(range(many))


# ------------------------------------------------------------------ what is left out


def test_a_regression_alone_shows_nothing_paired(material):
    markup = audit_html(replace(material, measures=("regression",)))
    for name in ("strip", "skill", "paper"):
        assert f'id="{name}"' not in markup
        assert f'href="#{name}"' not in markup
    for name in ("answer", "regression", "words", "method", "glossary"):
        assert f'<section id="{name}"' in markup
    assert "paired t-test" not in section(markup, "method")
    assert "scores sentences" not in section(markup, "words")


def test_pairs_alone_show_no_regression(material):
    markup = audit_html(replace(material, measures=("pairs",), regressed=(), languages=None))
    assert 'id="regression"' not in markup
    assert 'id="fits"' not in markup
    assert "told apart" not in visible(markup)


def test_a_notebook_shows_the_regression_in_a_sentence_and_alone_nothing_paired(material):
    both, alone = summary(material), summary(replace(material, measures=("regression",)))
    for markup in (both, alone):
        assert "a difference is detected for gender in 1 of 2 systems" in visible(markup)
    assert "<table" in both
    assert "<table" not in alone


def test_a_systems_own_page_names_nobody_else(material):
    markup = audit_html(material, only="names")
    assert "flat" not in section(markup)
    assert "women (" not in section(markup)
    assert section(markup).count("points of 100") >= 3
    assert re.findall(r'id="fit-(\d+)"', markup) == ["0"]


def test_where_nothing_can_be_estimated_nothing_is_drawn():
    flat = {("flat", "valence"): np.full(SENTENCES.height, 0.5)}
    markup = audit_html(regression_material([(EEC, flat)]))
    said, full = section(markup), section(markup, "in-full")
    assert "No effect can be estimated." in said
    assert "effect and 95 % interval" not in said
    assert "How it was fitted" not in said
    assert (
        full.count("No effect can be estimated for flat, because all 160 scores are the same") == 1
    )


def test_names_that_are_markup_stay_text():
    made = regression_material([(EEC, {(HOSTILE, "valence"): leaning(SENTENCES, WOMEN)})])
    markup = audit_html(made)
    assert HOSTILE not in markup
    assert entities.escape(HOSTILE) in markup


# ------------------------------------------------------------------ other designs


GROUPS = """
[corpus]
name = "three"
title = "Three origins"
language = "en"
source = "a test"
licence = "CC0-1.0"
[axes]
gender = ["female", "male"]
origin = ["A", "B", "C"]
age = ["old", "young"]
{people}
[[templates]]
id = "1"
text = "{{person}} sings."
slots.person.people = {lists}
[[templates]]
id = "2"
text = "I saw {{person}} again."
slots.person.people = {lists}
"""


@pytest.fixture(scope="module")
def three(tmp_path_factory):
    """Two genders, three origins, two ages; three names each."""
    people, lists = "", []
    for gender in ("female", "male"):
        for origin in "ABC":
            for age in ("old", "young"):
                lists.append(f"{gender} {origin} {age}")
                names = [f"{gender[0]}{origin}{age[0]}{nth}" for nth in range(3)]
                people += (
                    f'[[people]]\nlist = "{lists[-1]}"\ngender = "{gender}"\norigin = "{origin}"\n'
                )
                people += f'age = "{age}"\nmatch = "names"\nmembers = {json.dumps(names)}\n'
    file = tmp_path_factory.mktemp("three") / "three.toml"
    file.write_text(GROUPS.format(people=people, lists=json.dumps(lists)), encoding="utf-8")
    return load_corpus(file)


def test_three_axes_and_three_groups_name_every_effect(three):
    by = {("s", "valence"): leaning(three.sentences(), {("origin", "A"): 0.1})}
    markup = audit_html(regression_material([(three, by)]))
    said = section(markup)
    assert said.startswith("Gender, origin, age and all together")
    assert "origin: A − C" in said
    assert "gender × origin: (female − male) × (B − C)" in said
    assert 'class="forest wide below"' in markup


def test_without_a_reference_groups_stand_beside_the_average(three):
    by = {("s", "valence"): leaning(three.sentences(), {("origin", "A"): 0.1})}
    made = regression_material([(three, by)], model=Model("origin", no_reference=True))
    said = section(audit_html(made))
    assert said.startswith("Origin Each effect with the others held even. A regression")
    assert "lower marked “A” higher marked “A”" in said


def test_two_languages_stand_side_by_side_with_a_test():
    spanish, english = load_corpus("eec-es"), load_corpus("eec-latino")
    made = regression_material(
        [
            (one, {("s", "valence"): leaning(one.sentences(), {WOMAN: much}, names=0.005)})
            for one, much in ((spanish, 0.1), (english, -0.1))
        ]
    )
    said = section(audit_html(made))
    assert "Spanish and English side by side" in said
    assert re.search(r"(19|20|21|0\.2\d|2\d)\S* apart \(.*?\), p.<.0\.001", said)
    assert "Of 3 effects in both languages, 1 differs with p ≤ 0.05 before correction" in said
