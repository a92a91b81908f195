"""Who carries a tilt: hand-derived shares, and the audit made anew without them."""

import numpy as np
import polars as pl
import pytest

import tiltmeter
from planted_material import AXES, claim, is_person, material, sentences
from tiltmeter.studies.explain.carriers import carriers_of, ranked_people
from tiltmeter.studies.explain.material import materials_of
from tiltmeter.studies.explain.wording import driving_sentence
from tiltmeter.studies.paired.contrasts import contrasts_of
from tiltmeter.studies.paired.tilt import tilt_study

WORD_EFFECT = pl.col("emotion").replace_strict({"joy": 0.1, "anger": -0.1}, default=0.0)
BASE = 0.5 + WORD_EFFECT


def explained(found, axis, kind="names", **options):
    (carriers,) = carriers_of(found, [claim(found, axis, kind)], **options)
    return carriers


def anew(of, values, axis, whom, level):
    """The claim by names or couples of an audit that never had these people."""
    kept = ~(of["person"].is_in(whom) | of["match"].is_in(whom))
    contrasts = [one for name, groups in AXES.items() for one in contrasts_of(name, groups)]
    study = tilt_study(of.filter(kept), values[None][:, kept.to_numpy()], contrasts, list(AXES))
    contrast = next(one for one in contrasts if one.axis == axis)
    return {
        one.kind: (one.value[0], one.reach(1.0 - level)[0], one.n[0])
        for one in study.claims(contrast)
    }


def test_shares_and_the_tilt_without_each_are_those_derived_by_hand():
    # women of the north: 0.12, 0.03 and 0 → 0.05; of the south 0; men 0: (0.05 + 0) / 2
    found = material(BASE + 0.12 * is_person("Ann") + 0.03 * is_person("Eva"))
    carriers = explained(found, "gender")
    assert carriers.claim.value == pytest.approx(0.025)
    ann, eva, *others = carriers.people
    assert (ann.name, ann.group, eva.name) == ("Ann", "female", "Eva")
    assert (ann.effect, ann.adds) == (pytest.approx(0.12), pytest.approx(0.12 / 3 / 2))
    assert (eva.effect, eva.adds) == (pytest.approx(0.03), pytest.approx(0.03 / 3 / 2))
    assert all(one.adds == pytest.approx(0, abs=1e-12) and not one.moves for one in others)
    assert carriers.moving == 2
    # without Ann the north has 0.03 and 0: 0.015 / 2; without Eva 0.12 and 0: 0.06 / 2
    assert ann.without.value == pytest.approx(0.0075)
    assert eva.without.value == pytest.approx(0.03)
    assert dict(carriers.together)[2].value == pytest.approx(0, abs=1e-12)
    assert carriers.driver.name == "Ann"  # the tilt more than halves


@pytest.mark.parametrize("whom", [["Ann"], ["Bea"], ["Ann", "Lou"]])
def test_without_somebody_is_the_audit_of_a_corpus_that_never_had_them(whom):
    rng, of = np.random.default_rng(3), sentences()
    values = 0.5 + 0.05 * rng.standard_normal(of.height)
    found = material(values, of)
    one = claim(found, "gender")
    (left,) = found.without([(one, tuple(whom))])
    value, reach, n = anew(of, values, "gender", whom, one.row["level"])["names"]
    assert (left.value, left.n) == (pytest.approx(value, abs=1e-9), n)
    assert (left.low, left.high) == (pytest.approx(value - reach), pytest.approx(value + reach))


def test_the_same_where_people_met_a_part_of_the_frames():
    rng, of = np.random.default_rng(7), sentences()
    of = of.filter(pl.Series(rng.random(of.height) < 0.7) | (pl.col("match") != "names"))
    values = 0.5 + 0.05 * rng.standard_normal(of.height)
    found = material(values, of)
    assert found.study.effects.left.any()
    one = claim(found, "gender")
    (left,) = found.without([(one, ("Ann",))])
    value, _, n = anew(of, values, "gender", ["Ann"], one.row["level"])["names"]
    assert (left.value, left.n) == (pytest.approx(value, abs=1e-9), n)


def test_the_same_of_couples():
    rng, of = np.random.default_rng(4), sentences()
    values = 0.5 + 0.05 * rng.standard_normal(of.height)
    found = material(values, of)
    one = claim(found, "gender", "couples")
    (left,) = found.without([(one, ("my aunt/my uncle",))])
    value, reach, n = anew(of, values, "gender", ["my aunt/my uncle"], one.row["level"])["couples"]
    assert (left.value, left.n) == (pytest.approx(value, abs=1e-9), n)
    assert (left.low, left.high) == (pytest.approx(value - reach), pytest.approx(value + reach))


def test_a_couple_adds_its_difference_times_its_share():
    carriers = explained(material(BASE + 0.06 * is_person("my mother")), "gender", "couples")
    first = carriers.people[0]
    assert carriers.claim.value == pytest.approx(0.02)
    assert (first.name, first.effect) == ("my mother/my father", pytest.approx(0.06))
    assert first.adds == pytest.approx(0.02)
    assert first.without.value == pytest.approx(0, abs=1e-12)
    assert carriers.driver is first


def test_one_name_in_a_lexicon_is_found_and_the_tilt_without_it_is_none():
    carriers = explained(material(BASE + 0.3 * is_person("Ida")), "gender")
    assert carriers.driver.name == "Ida"
    assert carriers.driver.without.value == 0
    said = driving_sentence(carriers)
    assert said.startswith("Driven by Ida: 5.0 points of 100 with it, 0 without (")


def test_two_names_that_carry_it_together_are_named_and_neither_alone():
    of = sentences()
    planted = 0.2 * is_person("Ann", "Bea")
    carriers = explained(material(BASE + planted, of), "gender", together=(2, 3))
    ann, bea = carriers.people[:2]
    assert {ann.name, bea.name} == {"Ann", "Bea"}
    # without one of them its cell has 0: half of 0.2/3 is left, which is a half: enough to name it
    assert ann.without.value == pytest.approx(0.2 / 3 / 2)
    three = 0.2 * is_person("Ann", "Bea", "Eva")
    carriers = explained(material(BASE + three, of), "gender", together=(2, 3))
    assert carriers.driver is None
    many, left = carriers.driving
    assert many == 2
    assert abs(left.value) <= carriers.claim.value / 2
    assert driving_sentence(carriers).startswith("No single one drives it. 2 of 12 names do:")


def test_what_cancels_and_what_nobody_moves_is_said():
    nobody = explained(material(BASE), "gender")
    assert driving_sentence(nobody) == "None of 12 names moves a score, so nobody carries a tilt."
    against = 0.1 * is_person("Ann") + 0.1 * is_person("Cid")
    both = explained(material(BASE + against), "gender")
    assert both.driver is None
    assert driving_sentence(both) == "2 of 12 names move scores, and cancel out."


def test_shares_add_up_to_the_tilt_whatever_the_scores():
    rng = np.random.default_rng(5)
    of = sentences()
    found = material(0.5 + 0.1 * rng.standard_normal(of.height), of)
    for one in found.claims:
        total = sum(each.adds for each in ranked_people(found, one))
        assert total == pytest.approx(one.value, abs=1e-12)


def test_a_missing_score_and_a_scale_of_its_own_are_no_trouble():
    rng, of = np.random.default_rng(6), sentences()
    values = 40 + 10 * rng.standard_normal(of.height)
    values[[3, 40, 41]] = np.nan
    found = material(values, of, raw=True)
    carriers = explained(found, "gender")
    assert carriers.people[0].without.verdict == "not_estimable"
    assert carriers.people[0].without.value is not None


def test_on_the_eec_it_is_tia_and_the_audits_own_pivot_says_the_same(shared_store):
    audit = tiltmeter.audit("vader", corpus="eec", store=shared_store)
    (found,) = materials_of(audit)
    (race,) = [one for one in found.claims if one.contrast.axis == "race"]
    (carriers,) = carriers_of(found, [race])
    pivot = audit.compared[0].pivots.filter(axis="race", kind="names").row(0, named=True)
    assert carriers.driver.name == pivot["person"] == "Tia"
    assert carriers.claim.value == pytest.approx(pivot["value"])
    assert carriers.driver.without.value == pytest.approx(pivot["without"], abs=1e-12)
    assert carriers.moving == 1
