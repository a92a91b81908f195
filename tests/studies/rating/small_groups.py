"""Rating groups small enough to reckon by hand."""

from itertools import product

import numpy as np
import polars as pl

from tiltmeter.studies.rating.grades import rating_config
from tiltmeter.studies.rating.groups import SENTIMENT, WORD, Diagram, RatingDataset, RatingGroup
from tiltmeter.studies.rating.measure import rating_study

POLARITY = {"grim": "negative", "happy": "positive"}
PLAIN = Diagram((("gender", SENTIMENT), (WORD, SENTIMENT)))
CONFOUNDED = Diagram((("gender", SENTIMENT), (WORD, SENTIMENT), ("gender", WORD)))


def universe(people=6, templates=2, classes=("female", "male", None)):
    """Templates × words × people; as many people of each class."""
    rows = [
        (gender, str(template), f"{gender} {number}", f"{template}/{word}", word, POLARITY[word])
        for template, word in product(range(templates), POLARITY)
        for gender, number in product(classes, range(people))
    ]
    names = ("gender", "template", "person", "frame", "emotion_word", "polarity")
    return pl.DataFrame(rows, schema=dict.fromkeys(names, pl.String), orient="row")


def crossed(scores, sentences, name="1", diagram=PLAIN):
    """A group without confounding: datasets of grim, of happy, and of both."""
    sets = {"e1": ["grim"], "e2": ["happy"], "e3": ["grim", "happy"]}
    datasets = tuple(
        RatingDataset(
            f"rating-{name}-{words}",
            words.upper(),
            sentences["emotion_word"].is_in(lemmas).arg_true().to_numpy().astype(np.int64)[None],
        )
        for words, lemmas in sets.items()
    )
    return RatingGroup(name, ("gender",), diagram, sentences, np.atleast_2d(scores), datasets)


def assigned(scores, sentences, shares, draws=1, seed=0, name="2"):
    """A group where each template and person has one word, positive with the share of the class."""
    rng = np.random.default_rng(seed)
    slots = (
        sentences.with_row_index("row")
        .group_by("template", "person", "gender", maintain_order=True)
        .agg("row")
    )
    grim, happy = np.array(slots["row"].to_list()).T
    share = np.array([shares[gender] for gender in slots["gender"]])
    positive = rng.random((draws, slots.height)) < share
    dataset = RatingDataset(f"rating-{name}-e3", "E3", np.where(positive, happy, grim))
    return RatingGroup(name, ("gender",), CONFOUNDED, sentences, np.atleast_2d(scores), (dataset,))


def study(*groups, levels=3, panel=None, names=None, **how):
    """The rating study of systems called s0, s1, …"""
    called = names or [f"s{number}" for number in range(len(groups[0].scores))]
    config = rating_config(**{"discretise": "no", **how})
    return rating_study(groups, [(name, "valence") for name in called], levels, config, panel)


def effect(sentences, **values):
    """A score that depends on one column: effect(sentences, gender={"female": 1}); else 0."""
    ((column, by),) = values.items()
    return np.array([by.get(value, 0.0) for value in sentences[column]])
