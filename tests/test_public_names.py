"""The public surface is exactly what `__all__` says."""

import importlib

import pytest

import tiltmeter


def test_the_top_level_names_are_these():
    assert sorted(tiltmeter.__all__) == [
        "Audit", "Corpus", "Drift", "Embeddings", "Plan", "Ratings", "Skill", "TiltmeterError",
        "Versions", "assess_embeddings", "audit", "check_corpus", "compare", "corpus_names",
        "drift", "load_corpus", "pack", "plan", "rate", "score", "skill", "verify",
    ]  # fmt: skip


@pytest.mark.parametrize(
    "module",
    [
        "tiltmeter",
        "tiltmeter.corpora",
        "tiltmeter.vectors",
        "tiltmeter.systems",
        "tiltmeter.scoring",
        "tiltmeter.measures",
        "tiltmeter.findings",
        "tiltmeter.report",
        "tiltmeter.flow",
    ],
)
def test_every_listed_name_is_there(module):
    loaded = importlib.import_module(module)
    for name in loaded.__all__:
        assert getattr(loaded, name) is not None


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="no attribute 'lod_corpus'"):
        _ = tiltmeter.lod_corpus
