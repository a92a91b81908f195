"""The script that somebody writes instead of an audit: score, compare, test, print.

    python benchmarks/peer_audit.py EXPORTED.csv

Every sentence of an exported corpus is scored by VADER, matched sentences are compared and each
axis is tested by a paired t-test. `felt.py` runs it.
"""

import csv
import sys
from collections import defaultdict

import numpy as np
from scipy.stats import ttest_rel
from vaderSentiment.vaderSentiment import SentimentIntensityAnalyzer

with open(sys.argv[1], encoding="utf-8") as file:  # noqa: PTH123
    rows = list(csv.DictReader(file))
vader = SentimentIntensityAnalyzer()
scores = [vader.polarity_scores(row["text"])["compound"] for row in rows]
for axis in ("gender", "race"):
    frames: dict[tuple[str, str], dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for row, score in zip(rows, scores, strict=True):
        if row[axis]:
            frames[row["frame"], row["match"]][row[axis]].append(score)
    pairs = [[np.mean(side) for side in sides.values()] for sides in frames.values()]
    first, second = np.array([pair for pair in pairs if len(pair) == 2]).T
    print(axis, (first - second).mean(), ttest_rel(first, second).pvalue)
