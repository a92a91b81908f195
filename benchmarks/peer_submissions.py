"""The script that an organiser writes instead of an audit: every file read, joined and tested.

    python benchmarks/peer_submissions.py EXPORTED.csv FOLDER

Each file is read by pandas and joined to an exported corpus on its text, and each axis is tested by
a paired t-test over matched sentences. `felt.py` runs it.
"""

import sys
from pathlib import Path

import pandas as pd  # type: ignore[import-untyped]
from scipy.stats import ttest_rel

corpus = pd.read_csv(sys.argv[1])
for path in sorted(Path(sys.argv[2]).rglob("*.txt")):
    rows = pd.read_csv(path, sep="\t").merge(corpus, left_on="Tweet", right_on="text")
    for axis in ("gender", "race"):
        known = rows.dropna(subset=[axis])
        means = known.groupby(["frame", "match", axis])["Intensity Score"].mean()
        sides = means.unstack(axis).dropna()
        first, second = (sides[name] for name in sides.columns)
        print(path.stem, axis, (first - second).mean(), ttest_rel(first, second).pvalue)
