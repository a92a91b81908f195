"""Rate systems on the paper's groups and on one of your own, and look at how sure it is."""

from pathlib import Path

import tiltmeter

own = Path(__file__).parent / "office.toml"
done = tiltmeter.rate(["vader", "biased-female", "random"], groups=["1", own], store="store")

for system, variant, overall, low, high in done.overall.select(
    "system", "variant", "overall", "low", "high"
).rows():
    print(f"{system}, {variant}: {overall} of {done.levels}, {low} to {high} when drawn anew")

for column, sentence in done.columns.select("column", "sentence").rows():
    print(f"{column}: {sentence}")

print(done.report("rated"))
