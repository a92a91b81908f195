"""The words of the page, each explained in a sentence or two."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Term:
    """A word, its address on the page, and what it means."""

    anchor: str
    word: str
    meaning: str


GLOSSARY = (
    Term(
        "after-correction", "after correction",
        "Who makes many comparisons finds some differences by chance. A p-value after correction "
        "allows for how many were made: Bonferroni multiplies it by their number, Holm by ever "
        "fewer; Benjamini–Hochberg limits the share of chance findings among those detected.",
    ),
    Term(
        "contrast", "contrast",
        "Two groups that are compared, written first-second. A difference is the first group’s "
        "score minus the second’s. The order ranks nobody.",
    ),
    Term(
        "clustered", "clustered errors",
        "Sentences that share a name or a template tend to be scored alike, so that many sentences "
        "say less than as many independent ones would. Errors clustered over names and templates "
        "allow for that. They are larger, and hold for other names and templates like these.",
    ),
    Term(
        "control", "control",
        "A system made to be known, with no difference or one planted on purpose. It shows what "
        "the measure does. Controls are counted apart and are no part of the family.",
    ),
    Term(
        "delta", "Δ, difference",
        "For one pair of sentences: the score of the one about the first group minus the score of "
        "the one about the second. Their mean over all pairs is a system’s difference.",
    ),
    Term(
        "spread", "Δ-spread",
        "The largest Δ of a system minus its smallest. Two systems with the same mean difference "
        "can have very different spreads.",
    ),
    Term(
        "detected", "difference detected",
        "The test found a difference between the two groups’ sentences, after correction for how "
        "many comparisons were made. Of a claim it is asked of these people, over other sentences: "
        "templates and words as samples, each comparison by itself. It says nothing about whether "
        "the difference matters; its size does.",
    ),
    Term(
        "edition", "edition",
        "Which wording of a corpus was scored. The corrected edition has the papers’ errata "
        "repaired; the published edition follows the paper’s wording.",
    ),
    Term(
        "exploratory", "exploratory",
        "A look at a part of the sentences, made to see where a difference shows. It is a family "
        "of comparisons of its own and suggests more than it settles.",
    ),
    Term(
        "family", "family",
        "All comparisons that are corrected together: systems × tasks × corpora × contrasts.",
    ),
    Term(
        "interval", "95 % interval",
        "The range of differences that fit the data well. Of a claim: over the people that these "
        "were drawn from, or stand for, templates and emotions fixed, words random within their "
        "emotion; 95 % holds for all claims of the page together. Over pairs: of many such "
        "intervals about 95 in 100 hold the true mean, if pairs are independent; pairs that share "
        "templates and names are not quite, so that range can be too narrow.",
    ),
    Term(
        "margin", "margin",
        "The size of difference that matters, named before looking; one point of 100 unless the "
        "user said another. Whether a difference of that size does harm depends on what the "
        "scores are used for.",
    ),
    Term(
        "match", "match",
        "Who stands against whom in a sentence: “my mother/my father”, or names, where the "
        "average over one group’s names stands against the average over the other’s.",
    ),
    Term(
        "mode", "mode",
        "Which statistics were computed: corrected, or published to repeat a paper’s numbers.",
    ),
    Term(
        "none", "no difference detected",
        "The test did not find a difference. That is not the same as no difference: the finding "
        "says how large a one the data could have shown, with a chance of 80 in 100.",
    ),
    Term(
        "no-signal", "no signal",
        "The system does not read these sentences: it says so itself, being made for another "
        "language, or its scores do not move with the emotion words. That it scores people alike "
        "then says nothing, so it is neither even nor undecided, and is counted apart.",
    ),
    Term(
        "not-estimable", "not estimable",
        "There is nothing to compute the difference from, for instance because scores are missing.",
    ),
    Term(
        "marginal-effect", "marginal effect",
        "What a coefficient comes to on the scale of scores: how far apart two groups’ mean scores "
        "are in the model, with everything else as it stands. For a product, how far apart two "
        "such differences are.",
    ),
    Term(
        "moved", "moved",
        "Somebody is moved whose sentences are scored further than the margin from the middle "
        "name’s, the median of all names compared; a couple, where its two are scored apart by "
        "more. The share has an exact 95 % interval for the people it stands for.",
    ),
    Term(
        "names-couples", "by names, by couples",
        "A claim is about first names, or about couples such as my mother and my father. They are "
        "asked apart: names stand for many others, couples are nearly all there are.",
    ),
    Term(
        "own-units", "own units",
        "Where the scale of a system’s scores is not known, its differences cannot be put in "
        "points. They are given as they are, and in standard deviations of its own scores.",
    ),
    Term(
        "pair", "pair",
        "The same sentence twice, about one group and about the other: “She feels angry.” and “He "
        "feels angry.” For names, each side is an average over sentences. Where a score is missing "
        "on either side, the pair is left out.",
    ),
    Term(
        "points", "points of 100",
        "Differences as parts of the whole scale, from its lowest score (0) to its highest (100).",
    ),
    Term(
        "product", "product, intersection",
        "What two axes add together beyond what each adds alone. It is 0 where the difference on "
        "one axis is the same for every group of the other.",
    ),
    Term(
        "p-value", "p-value",
        "How often differences at least this far from zero would come about by chance if both "
        "groups’ sentences were scored alike. It is not a size.",
    ),
    Term(
        "regression", "regression",
        "A model of all scores at once, by who each sentence is about on every axis: how much each "
        "group adds while the others are held even. Here a Beta regression, made for scores "
        "between 0 and 1. Its coefficients are on the logit, ln(y / (1 − y)); what they come to in "
        "points is the marginal effect.",
    ),
    Term(
        "sign-flip", "sign-flip p",
        "A second p-value that needs no normal distribution: how often the mean is this far from "
        "zero when each pair’s two sides are swapped at random. Not corrected.",
    ),
    Term(
        "skill", "skill",
        "How well a system’s scores agree with people’s scores of the same texts (gold scores): "
        "Pearson’s or Spearman’s correlation. Needs labelled data.",
    ),
    Term(
        "standardised", "standardised effect",
        "The mean difference divided by the standard deviation of the pairs’ differences. Near "
        "zero where single pairs scatter widely, large where all move together.",
    ),
    Term(
        "submission", "submission",
        "One system’s scores for one task.",
    ),
    Term(
        "subset", "subset",
        "A part of a corpus: sentences without an emotion word (neutral), with one (emotion), of "
        "one emotion, of the emotion a task is about (own-emotion), or of one template.",
    ),
    Term(
        "task", "task",
        "What a score stands for: valence, or the intensity of anger, fear, joy or sadness. Higher "
        "is not better; more anger and more joy mean different things.",
    ),
    Term(
        "template", "template",
        "A sentence with a gap for a person and often one for an emotion word.",
    ),
    Term(
        "verdict", "verdict",
        "Tilted: the interval lies wholly beyond the margin. Even: it lies within it. Undecided: "
        "the data allow both; that is an answer, and the page says what would decide. It speaks "
        "of the people that the names were drawn from, or stand for, and of nobody else.",
    ),
)  # fmt: skip
