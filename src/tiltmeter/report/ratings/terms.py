"""The words of a rating, each explained in a sentence or two."""

from __future__ import annotations

from tiltmeter.report.html.glossary import Term

GLOSSARY = (
    Term(
        "chance",
        "by chance; p over people",
        "The raw score (ψ) by chance is the middle one of the same scores when sentences are dealt "
        "out to the classes at random. p over people is the share of such deals, with all "
        "sentences of a person kept together, in which the classes stand at least as far apart; "
        "where a column is about one attribute of several, among people alike on the others. An "
        "attribute is beyond chance where the smallest p of its columns, times their number, is at "
        "most 0.05. A raw score that rests on one name can be far above chance and have a large p. "
        "Where a class has fewer than five people, as in the published edition, or nobody is "
        "named, there is no p: two names are not a group.",
    ),
    Term("absolute", "absolute rating", "The rating of one system alone: 1 where nothing was "
         "detected, the last level otherwise."),
    Term("ate", "ATE", "Average treatment effect: how much higher sentences with positive words "
         "are scored than those with negative words. Naive: as they fell. Adjusted: with the "
         "classes weighed as in all sentences. Matched: each sentence held against the one most "
         "alike in who it is about."),
    Term("backdoor", "backdoor adjustment", "Where who is spoken of decides both the words and "
         "the score, the words’ effect is told within each class and averaged over all: "
         "E[S | do(e)] = Σ E[S | e, z] P(z). What to adjust for is derived from the diagram."),
    Term("diagram", "causal diagram", "What causes what, as declared: arrows from who is spoken "
         "of and from the emotion word to the score, and, in confounded groups, from who is "
         "spoken of to the word."),
    Term("class", "class", "A value of an attribute, such as female. NA: people of whom it is "
         "not said, as in “this person” or “they”."),
    Term("die", "DIE %", "Deconfounding Impact Estimate: how far a mean score moves by the "
         "adjustment, in per cent of the mean before. The largest over polarities and datasets "
         "counts."),
    Term("weighs", "gender or race weighs more", "The mean rating of the columns about gender "
         "alone against that of the columns about race alone. In published mode, as in the "
         "paper, groups 1 and 2 against groups 3 and 4. Ratings are relative, so both may "
         "weigh little."),
    Term("group", "group, column", "A family of datasets with one causal diagram. G3-R, G3-G and "
         "G3-RG compare sentences of group 3 by race, by gender, and by both together. Race "
         "compares races only, unless the mode is published."),
    Term("variant", "scores split at 0 (†)", "Scores of 0 or more count as 1, others as 0. Systems "
         "are rated on their scores as given and on these."),
    Term("psi", "raw score (ψ)", "What stands behind a rating: a weighted rejection score, or "
         "DIE %, or how far the adjustment moves the words’ effect in per cent. The larger, the "
         "more tilt."),
    Term("spread", "spread", "The ratings that hold 95 % of the repeats, in which everything is "
         "drawn anew."),
    Term("wrs", "weighted rejection score", "Over all tests between two classes: the weights of "
         "the confidence levels at which scores are told apart, added up."),
    Term("x", "X", "A mean of 0 moved. A percentage of 0 does not exist, so the system takes the "
         "last rating there."),
)  # fmt: skip
