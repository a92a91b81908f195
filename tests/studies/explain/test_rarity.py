"""Known and unknown names apart: glove-lexicon moves what it knows."""

import pytest

import tiltmeter
from planted_material import claim, is_person, material
from tiltmeter.studies.explain.knowledge import KnownWords, known_words
from tiltmeter.studies.explain.material import materials_of
from tiltmeter.studies.explain.rarity import rarity_of
from tiltmeter.studies.explain.wording import rarity_sentence

LIST = KnownWords("the list", "a number", {"ann": 0.3, "cid": 0.1}.get)


def test_the_tilt_is_among_known_names_and_none_among_the_others():
    from test_carriers import BASE

    found = material(BASE + 0.3 * is_person("Ann") + 0.1 * is_person("Cid"))
    rarity = rarity_of(found, claim(found, "gender"), LIST)
    known, unknown = rarity.by_knowledge
    assert (known.names, unknown.names) == (2, 10)
    assert known.by_group == (("female", 1), ("male", 1))
    assert unknown.claim.value == pytest.approx(0, abs=1e-12)
    assert known.spread == pytest.approx(0.1)  # 0.3 and 0.1
    assert unknown.spread == pytest.approx(0, abs=1e-12)
    assert not rarity.by_bearers  # nobody says how many bear these names
    assert rarity_sentence(rarity).startswith("2 of 12 names stand in the list.")


def test_where_nobody_can_tell_what_is_known_nothing_is_said():
    found = material(0.5 + 0.3 * is_person("Ann"))
    assert rarity_of(found, claim(found, "gender"), None) is None
    assert rarity_of(found, claim(found, "gender", "couples"), LIST) is None


@pytest.fixture(scope="module")
def census(shared_store):
    corpus = tiltmeter.load_corpus("names-us", people=40)
    audit = tiltmeter.audit(
        "glove-lexicon", corpus=corpus, store=shared_store, reference={"race": "White"},
        measures=["pairs"],
    )  # fmt: skip
    (found,) = materials_of(audit)
    return found


def test_glove_lexicon_moves_what_it_knows(census):
    (race,) = [one for one in census.claims if one.keys["contrast"] == "Black-White"]
    rarity = rarity_of(census, race, known_words("glove-lexicon"))
    known, unknown = rarity.by_knowledge
    assert known.names + unknown.names == 160
    assert min(known.names, unknown.names) > 10
    assert known.spread > 0.03
    assert unknown.spread < 0.002
    assert abs(unknown.claim.value) < 0.005 < abs(known.claim.value)
    (black, white) = (dict(known.by_group)[name] / 80 for name in ("Black", "White"))
    assert black < white  # rare names are unknown, and more of them are Black Americans'
    shares = [one.known / one.names for one in rarity.by_bearers if one.names]
    assert shares[-1] > shares[0]
    assert sum(one.names for one in rarity.by_bearers) == 160
