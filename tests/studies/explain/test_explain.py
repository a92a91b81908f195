"""`explain` as a whole: an audit's folder, then the system asked through the store."""

import json
import re
from dataclasses import replace

import polars as pl
import pytest

import tiltmeter
from small_audit import small_folder
from tiltmeter.errors import TiltmeterError
from tiltmeter.scoring import Settings
from tiltmeter.studies.explain.section import explain_section
from tiltmeter.studies.explain.wording import NOT_SHOWN, readings
from tiltmeter.systems import Options, from_callable, parse_scales

LEXICON = {"glad": 0.2, "ann": 0.3}


def one_name(text):
    """A lexicon with one emotion word and one name in it."""
    return 0.4 + sum(LEXICON.get(word, 0.0) for word in re.findall(r"\w+", text.lower()))


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    where = tmp_path_factory.mktemp("explained")
    with pytest.MonkeyPatch.context() as patched:
        small_folder(where, patched, systems={"mine": one_name, "vader": "vader"})
    return where


def asked_of(folder, **options):
    return tiltmeter.explain(
        ("mine", one_name), folder / "out", of="mine", store=folder / "store",
        options=None, **options,
    )  # fmt: skip


def test_the_name_in_the_lexicon_is_found_asked_about_and_explained(folder):
    told = []
    found = asked_of(folder, told=told.append)
    gender = next(one for one in found.claims if one.claim.keys["axis"] == "gender")
    # Ann is one of two in one of two cells: 0.3 / 2 / 2
    assert gender.carriers.driver.name == "Ann"
    assert gender.claim.value == pytest.approx(0.3 / 2 / 2)
    assert gender.carriers.driver.without.value == pytest.approx(0, abs=1e-12)
    assert [one.name for one in found.names] == ["Ann"]
    (ann,) = found.names
    assert ann.found.names_alone == {"Ann": pytest.approx(0.7)}
    assert ann.found.score - ann.found.without_names == pytest.approx(0.3)
    assert ann.found.score - ann.with_typical[0] == pytest.approx(0.3)
    effects = {one.word.text: one.effect for one in ann.found.effects}
    assert effects.pop("Ann") == pytest.approx(0.3)
    assert all(abs(effect) < 0.2 + 1e-9 for effect in effects.values())
    assert ann.knows_names == {"Ann": None}  # a black box: nobody can tell
    assert told[0].texts == found.asked.texts == found.asked.new + found.asked.stored
    assert found.asked.stored > 0  # the sentence itself was audited


def test_what_was_asked_once_is_not_asked_again(folder):
    asked_of(folder, text="Ann feels glad.")
    again = asked_of(folder, text="Ann feels glad.")
    assert again.asked.new == 0
    assert again.asked.stored == again.asked.texts


def test_a_dry_run_asks_nothing_and_says_the_cost(folder):
    told = []
    found = asked_of(folder, text="Bea never met Zed before.", dry_run=True, told=told.append)
    assert found.claims
    assert found.text is None
    assert told[0].new >= 5


def test_every_form_says_the_same(folder, tmp_path):
    found = asked_of(folder, text="Ann feels glad.", vectors=None)
    page = found.report(tmp_path / "why")
    html = page.read_text("utf-8")
    assert "Driven by Ann" in html
    assert "<script>alert" not in html
    data = json.loads((tmp_path / "why" / "explain.json").read_text("utf-8"))
    assert data["asked"]["texts"] == found.asked.texts
    assert data["claims"][0]["driven_by"] == "Ann"
    assert {one["text"] for one in data["sentences"]} >= {"Ann feels glad."}
    people = pl.read_csv(tmp_path / "why" / "tables" / "people.csv")
    assert people.filter(person="Ann", axis="gender")["adds"][0] == pytest.approx(0.075)
    assert set(data["not_shown"]) == {name for name, _ in NOT_SHOWN}


def test_a_text_needs_no_audit_and_says_what_each_word_does(tmp_path):
    found = tiltmeter.explain("vader", text="Tia feels happy.", store=tmp_path)
    assert found.system == "vader"
    assert not found.claims
    effects = {one.word.text: one for one in found.text.found.effects}
    assert effects["Tia"].lexicon == 2.3
    assert effects["Tia"].is_name
    assert effects["happy"].effect > effects["Tia"].effect > 0 == effects["feels"].effect
    assert found.text.knows_names == {"Tia": True}
    assert found.text.with_typical[0] == pytest.approx(found.text.found.without_names)


def test_a_name_that_is_in_no_corpus_is_put_into_a_sentence(folder):
    found = asked_of(folder, names=["Zuzanna"])
    assert [one.name for one in found.names] == ["Zuzanna"]
    assert "Zuzanna" in found.names[0].text
    alone = tiltmeter.explain("vader", names=["Zuzanna"], store=folder / "store")
    assert alone.names[0].text == "I saw Zuzanna in the market."


def test_of_several_answers_to_a_text_the_mean_is_taken(tmp_path):
    answers = iter(range(1000))

    def counting(texts):
        return [0.3 + 0.1 * (next(answers) % 2) for _ in texts]

    found = tiltmeter.explain(
        ("noisy", counting), text="Tia sings well today.", store=tmp_path,
        settings=Settings(repeats=2), options=Options(scale=parse_scales(["0:1"])),
    )  # fmt: skip
    # the function is tried with two texts; then seven texts in the first round, seven in the next
    assert found.asked.texts == 7
    assert found.text.found.score == pytest.approx(0.35)


def test_one_word_and_markup_are_only_text(tmp_path):
    one = tiltmeter.explain("vader", text="happy", store=tmp_path)
    assert one.text.found.effects[0].effect is None  # nothing would be left to ask
    odd = tiltmeter.explain("vader", text="<script>alert(1)</script> Tia", store=tmp_path)
    html = odd.report(tmp_path / "odd").read_text("utf-8")
    assert "<script>alert(1)" not in html
    assert "&lt;script&gt;alert(1)" in html


def test_near_words_and_subwords_stand_where_they_are_at_hand(tmp_path):
    system = replace(
        from_callable(lambda texts: [len(text) / 100 for text in texts], "mine"),
        subwords=lambda text: [text[:2], f"##{text[2:]}"],
    )
    found = tiltmeter.explain(
        system, text="Latisha sings.", vectors="glove-6b-50d", store=tmp_path
    ).text
    assert found.subwords == {"Latisha": ("La", "##tisha")}
    near = found.near["Latisha"]
    assert len(near) == 5
    assert [one.cosine for one in near] == sorted((one.cosine for one in near), reverse=True)
    told = dict(readings(found))
    assert told["Latisha in pieces"] == "La ##tisha"
    assert told["Latisha in its words"] == "not known: its words cannot be read from here"
    assert near[0].word in told["Words near Latisha"]


def test_linear_weights_stand_in_the_explanation_and_add_up(tmp_path):
    pytest.importorskip("sklearn", reason="needs the learn extra")
    from sklearn.feature_extraction.text import CountVectorizer
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from test_knowledge import LABELS, TEXTS

    model = make_pipeline(CountVectorizer(), LogisticRegression()).fit(TEXTS, LABELS)
    found = tiltmeter.explain(model, text="Tia feels awful.", store=tmp_path)
    linear = found.text.linear
    assert linear.total == pytest.approx(float(model.decision_function(["Tia feels awful."])[0]))
    assert found.text.knows_names == {"Tia": True}
    assert found.text.source == "the model’s vocabulary"


@pytest.mark.parametrize(
    ("options", "what"),
    [
        ({}, "nothing to explain"),
        ({"text": "  "}, "is empty"),
        ({"text": "a" * 10_000}, "has 10,000 letters; expected at most 5,000"),
        ({"names": [""]}, "is empty; expected a name"),
    ],
)
def test_what_cannot_be_explained_is_refused(tmp_path, options, what):
    with pytest.raises(TiltmeterError, match=what):
        tiltmeter.explain("vader", store=tmp_path, **options)


def test_a_system_without_any_score_is_an_error_of_one_sentence(tmp_path):
    with pytest.raises(TiltmeterError, match="no score"):
        tiltmeter.explain(("mute", lambda _: None), text="Tia sings.", store=tmp_path)


def test_the_section_of_an_audits_page_says_who_drives_each_tilt(tmp_path):
    from small_audit import small_corpus

    audit = tiltmeter.audit({"mine": one_name}, small_corpus(tmp_path), store=tmp_path / "store")
    section = explain_section(audit)
    text = str(section.body)
    assert "Driven by Ann: 7.5 points of 100 with it, 0 without" in text
    assert "tiltmeter explain mine --from DIR" in text
    assert "<td" not in text  # a few lines, and no table of everybody


def test_of_many_systems_the_section_says_how_to_ask(tmp_path):
    from small_audit import small_corpus

    systems = {f"s{nth}": one_name for nth in range(21)}
    audit = tiltmeter.audit(systems, small_corpus(tmp_path), store=tmp_path / "store")
    text = str(explain_section(audit).body)
    assert "21 systems are too many for one page" in text
    assert "Driven by" not in text
    published = tiltmeter.audit(
        {"mine": one_name}, small_corpus(tmp_path), store=tmp_path / "store", mode="published"
    )
    assert explain_section(published) is None
