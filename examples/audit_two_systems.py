"""Audit a function of your own beside VADER, and read what was found.

Run it: python examples/audit_two_systems.py
"""

import polars as pl
from my_system import score

import tiltmeter

# Any mix of names, functions, models and tables of scores; a dictionary gives them names.
audit = tiltmeter.audit({"word counts": score, "VADER": "vader"}, corpus="eec", store="kept")

# Findings are a Polars frame, one plain sentence each; `all` is every sentence of the corpus.
for sentence in audit.findings.filter(pl.col("subset") == "all")["sentence"]:
    print(sentence)

# Where does it show? Who is scored apart from the others in the same sentences?
compared = audit.compared[0]
vader = compared.study.submissions["system"].to_list().index("VADER")
people = compared.by_person.people.with_columns(
    points=pl.Series(100 * compared.by_person.deviations[vader])
)
print(people.sort("points").tail(1).select("person", "race", pl.col("points").round(1)).rows())

# One page to send to a colleague, and every table beside it.
print("The report is in", audit.report("out"))
