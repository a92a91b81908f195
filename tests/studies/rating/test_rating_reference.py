"""A new system against a stored panel: same terms, same sentences, ratings that stay comparable."""

import json

import pytest

from tiltmeter.errors import TiltmeterError
from tiltmeter.studies.rating.run import rate

SYSTEMS = ("textblob", "random", "random:seed=2", "random:seed=3", "vader")
TERMS = {"mode": "published", "groups": ["1", "2"], "k": 2, "seed": 5, "weights": (1, 0.5, 0.25)}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("panels")


@pytest.fixture(scope="module")
def stored(folder):
    ratings = rate(SYSTEMS, **TERMS, draws=5, store=folder / "store")
    ratings.report(folder / "panel")
    return ratings


@pytest.fixture(scope="module")
def against(folder, stored):
    def rated(systems, **how):
        asked = {"reference": folder / "panel", "draws": 0, "store": folder / "store", **how}
        return rate(systems, **asked)

    assert (folder / "panel" / "ratings.json").is_file()
    assert stored.ratings.height
    return rated


def ratings_of(ratings, system):
    rows = ratings.ratings.filter(system=system)
    return {(row["variant"], row["column"]): row["rating"] for row in rows.iter_rows(named=True)}


@pytest.mark.parametrize("system", SYSTEMS)
def test_a_member_rated_against_its_own_panel_keeps_its_ratings(system, stored, against):
    found = against([system])
    assert ratings_of(found, system) == ratings_of(stored, system)
    mine = found.overall.filter(system=system).select("variant", "mean", "overall")
    assert mine.equals(stored.overall.filter(system=system).select("variant", "mean", "overall"))


def test_the_panels_terms_hold(stored, against):
    found = against(["vader"])
    kept = ("mode", "edition", "raw", "k", "seed", "weights", "levels", "multiplicity")
    for name in kept:
        told = found.run["rating"][name], stored.run["rating"][name]
        assert told[0] == told[1], name
    assert found.run["rating"]["k"] == 2
    assert found.reference.endswith("panel")
    # What agrees may be said again.
    again = against(["vader"], mode="published", k=2, seed=5, weights=(1, 0.5, 0.25), levels=3)
    assert again.ratings.equals(found.ratings)


def test_who_is_beyond_the_panel_has_the_worst_rating(stored, against):
    found = against(["biased-female"])
    psi = found.ratings.filter(column="G1")["psi"]
    assert psi.min() > stored.ratings.filter(column="G1")["psi"].max()
    assert found.ratings.filter(column="G1")["rating"].to_list() == [3, 3]


def test_some_of_the_panels_groups_are_enough_and_others_are_refused(against):
    assert against(["vader"], groups=["1"]).ratings["column"].unique().to_list() == ["G1"]
    with pytest.raises(TiltmeterError, match="holds no system rated on G3-R"):
        against(["vader"], groups=["3"])


@pytest.mark.parametrize(
    ("how", "said"),
    [
        ({"mode": "corrected"}, "was rated with --mode published, and --mode is corrected here"),
        ({"k": 1}, "was rated with --k 2, and --k is 1 here"),
        ({"seed": 6}, "was rated with --seed 5"),
        ({"levels": 4}, "was rated with --levels 3"),
        ({"raw": "ate"}, "was rated with --raw die"),
        ({"weights": (1, 0.7, 0.6)}, r"was rated with --weights 1.0 0.5 0.25"),
        ({"edition": "corrected"}, "was rated with --edition published"),
    ],
)
def test_terms_that_contradict_the_panel_are_refused(against, how, said):
    with pytest.raises(TiltmeterError, match=said):
        against(["vader"], **how)


def test_a_panel_rated_on_other_sentences_is_refused(folder, against):
    told = json.loads((folder / "panel" / "ratings.json").read_text(encoding="utf-8"))
    told["run"]["groups"][0]["checksum"] = "0" * 64
    (folder / "other.json").write_text(json.dumps(told), encoding="utf-8")
    with pytest.raises(TiltmeterError, match="was rated on other sentences of group 1"):
        against(["vader"], reference=folder / "other.json")


def test_a_panel_that_does_not_say_its_terms_is_refused(folder, against):
    told = json.loads((folder / "panel" / "ratings.json").read_text(encoding="utf-8"))
    del told["run"]["rating"]["k"]
    (folder / "lacking.json").write_text(json.dumps(told), encoding="utf-8")
    with pytest.raises(TiltmeterError, match=r"lacking\.json:1: run\.rating: .* needs k; "):
        against(["vader"], reference=folder / "lacking.json")


def test_a_panel_of_one_keeps_the_rating_of_the_one(folder):
    how = {"mode": "published", "groups": ["1"], "discretise": "no", "draws": 0}
    store = folder / "store"
    alone = rate(["biased-female"], **how, store=store)
    alone.report(folder / "alone")
    again = rate(
        ["biased-female"], reference=folder / "alone", discretise="no", draws=0, store=store
    )
    assert alone.ratings["rating"].to_list() == again.ratings["rating"].to_list() == [2]
    even = rate(["textblob"], reference=folder / "alone", discretise="no", draws=0, store=store)
    assert even.ratings["rating"].to_list() == [1]
