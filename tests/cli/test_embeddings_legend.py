"""What stands under the tables: short, told once, and true of what was measured."""

from types import SimpleNamespace

import polars as pl

from tiltmeter.cli.embeddings import lacking, legend, worth_knowing

ROWS = {
    "embedding": ["a", "b", "c"], "list": ["religion"] * 3, "rnsb": [None, None, 0.2],
    "by_chance": [None, None, None], "n_found": [1, 1, 2], "n_terms": [3, 3, 3],
    "reason": ["1 of 3 terms are there"] * 2 + [None],
}  # fmt: skip


def study(notes=(), **frames):
    mended = pl.DataFrame({"embedding": ["a"], "direction": ["gender"]})
    run = {"polarity": "negative", "mode": "corrected",
           "lexicon": {"title": "VADER's lexicon", "positive": 1200, "negative": 1500}}  # fmt: skip
    classifiers = pl.DataFrame(
        {"embedding": ["a"], "balanced": [0.853], "ridge": [0.611],
         "chosen_by": ["cross-validation"]}
    )  # fmt: skip
    found = {
        "rnsb": pl.DataFrame(ROWS),
        "terms": pl.DataFrame(
            {"embedding": ["c"] * 3, "list": ["religion"] * 3, "term": ["x", "y", "z"],
             "found_as": ["x", "y", None]}
        ),
        "weat": pl.DataFrame(
            {"embedding": ["a", "a"], "test": ["weat-1", "weat-9"], "effect": [1.2, None],
             "reason": [None, "1 of 6 words are there"]}
        ),
        "links": pl.DataFrame({"pearson": [None]}, schema={"pearson": pl.Float64}),
        "mitigation": mended,
        "notes": notes, "run": run, "classifiers": classifiers, "groups": pl.DataFrame(),
        "remarks": {"a": ("3 of the words asked for were found only in another spelling: 'x'",
                          "1 line without anything: 7")},
    }  # fmt: skip
    return SimpleNamespace(**{**found, **frames})


def test_a_reason_of_several_embeddings_is_told_once():
    assert list(lacking(study())) == [
        "a and 1 more, religion: no RNSB: 1 of 3 terms are there",
        "c, religion: not in the embedding: z",
        "a, no d of weat-9: too few of their words are there",
    ]


def test_notes_on_how_things_were_read_are_counted_only():
    notes = ("lexicon: read as Latin-1", "a, gender, hard: one way", "the list x is in 'es'")
    assert list(worth_knowing(study(notes))) == [
        "the list x is in 'es'",
        "a: 1 line without anything: 7",
        "2 more notes, on how things were read and made: see the report",
    ]
    assert list(worth_knowing(study(("lexicon: Hu & Liu's lists were not found, so …",)))) == [
        "lexicon: Hu & Liu's lists were not found, so …",
        "a: 1 line without anything: 7",
    ]


def test_the_legend_explains_only_what_is_shown():
    told = list(legend(study(), 10, tested=True))
    assert told[0] == "0 is even. highest: the term with the highest probability."
    assert told[1].startswith("d: above 0 the first words lie closer to the third")
    assert told[2].startswith("cluster, probe:")
    assert told[3] == (
        "Lexicon: VADER's lexicon, 1,200 positive and 1,500 negative words, balanced: both weigh "
        "the same."
    )
    assert told[4].startswith("a: its classifier tells 85 % of words held out apart (ridge 0.611")
    many = list(legend(study(), 10, tested=False))
    assert many[1] == "Word tests of so many embeddings stand in the report."
