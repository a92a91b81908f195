"""Measure how unevenly negative sentiment falls on religions, and on ages, in word vectors."""

from pathlib import Path

import tiltmeter

own = Path("age.toml")
own.write_text(
    """
[list]
name = "age"
title = "Age"
language = "en"
source = "our own"

[[terms]]
group = "younger"
words = ["young", "youth", "teenager", "student"]

[[terms]]
group = "older"
words = ["old", "elderly", "senior", "retiree"]
"""
)
study = tiltmeter.assess_embeddings(
    "glove-6b-50d", terms=["religion", own], lexicon=["vader"], tests=["weat-10"], resamples=100
)

for name, rnsb, low, high, ordinary in study.rnsb.select(
    "list", "rnsb", "low", "high", "by_chance"
).rows():
    print(f"{name}: RNSB {rnsb:.2f} ({low:.2f} to {high:.2f}), ordinary words {ordinary:.2f}")

for term, probability in study.terms.filter(list="age").select("term", "probability").rows():
    print(f"  {term}: {probability:.0%} negative")

print(study.report("embeddings-out"))
