"""The words of every page, each explained in a sentence or two."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class GlossaryTerm:
    """A word, its address on the page, and what it means."""

    anchor: str
    word: str
    meaning: str


AUDIT_GLOSSARY = (
    GlossaryTerm(
        "after-correction",
        "after correction",
        "Who makes many comparisons finds some differences by chance. A p-value after correction "
        "allows for how many were made: Bonferroni multiplies it by their number, Holm by ever "
        "fewer; Benjamini–Hochberg limits the share of chance findings among those detected.",
    ),
    GlossaryTerm(
        "contrast",
        "contrast",
        "Two groups that are compared, written first-second. A difference is the first group’s "
        "score minus the second’s. The order ranks nobody.",
    ),
    GlossaryTerm(
        "clustered",
        "clustered errors",
        "Sentences that share a name or a template tend to be scored alike, so that many sentences "
        "say less than as many independent ones would. Errors clustered over names and templates "
        "allow for that. They are larger, and hold for other names and templates like these.",
    ),
    GlossaryTerm(
        "control",
        "control",
        "A system made to be known, with no difference or one planted on purpose. It shows what "
        "the measure does. Controls are counted apart and are no part of the family.",
    ),
    GlossaryTerm(
        "delta",
        "Δ, difference",
        "For one pair of sentences: the score of the one about the first group minus the score of "
        "the one about the second. Their mean over all pairs is a system’s difference.",
    ),
    GlossaryTerm(
        "spread",
        "Δ-spread",
        "The largest Δ of a system minus its smallest. Two systems with the same mean difference "
        "can have very different spreads.",
    ),
    GlossaryTerm(
        "detected",
        "difference detected",
        "The test found a difference between the two groups’ sentences, after correction for how "
        "many comparisons were made. Of a claim it is asked of these people, over other sentences: "
        "templates and words as samples, each comparison by itself. It says nothing about whether "
        "the difference matters; its size does.",
    ),
    GlossaryTerm(
        "edition",
        "edition",
        "Which wording of a corpus was scored. The corrected edition has the papers’ errata "
        "repaired; the published edition follows the paper’s wording.",
    ),
    GlossaryTerm(
        "exploratory",
        "exploratory",
        "A look at a part of the sentences, made to see where a difference shows. It is a family "
        "of comparisons of its own and suggests more than it settles.",
    ),
    GlossaryTerm(
        "family",
        "family",
        "All comparisons that are corrected together: systems × tasks × corpora × contrasts.",
    ),
    GlossaryTerm(
        "interval",
        "95 % interval",
        "The range of differences that fit the data well. Of a claim: over the people that these "
        "were drawn from, or stand for, templates and emotions fixed, words random within their "
        "emotion; 95 % holds for all claims of the page together. Over pairs: of many such "
        "intervals about 95 in 100 hold the true mean, if pairs are independent; pairs that share "
        "templates and names are not quite, so that range can be too narrow.",
    ),
    GlossaryTerm(
        "margin",
        "margin",
        "The size of difference that matters, named before looking; one point of 100 unless the "
        "user said another. Whether a difference of that size does harm depends on what the "
        "scores are used for.",
    ),
    GlossaryTerm(
        "match",
        "match",
        "Who is compared with whom in a sentence: “my mother/my father”, or names, where the "
        "average over one group’s names is compared with the average over the other’s.",
    ),
    GlossaryTerm(
        "mode",
        "mode",
        "Which statistics were computed: corrected, or published to repeat a paper’s numbers.",
    ),
    GlossaryTerm(
        "none",
        "no difference detected",
        "The test did not find a difference. That is not the same as no difference: the finding "
        "says how large a one the data could have shown, with a chance of 80 in 100.",
    ),
    GlossaryTerm(
        "no-signal",
        "no signal",
        "The system does not read these sentences: it says so itself, being made for another "
        "language, or its scores do not move with the emotion words. That it scores people alike "
        "then says nothing, so it is neither even nor undecided, and is counted apart.",
    ),
    GlossaryTerm(
        "not-estimable",
        "not estimable",
        "There is nothing to compute the difference from, for instance because scores are missing.",
    ),
    GlossaryTerm(
        "marginal-effect",
        "marginal effect",
        "What a coefficient comes to on the scale of scores: how far apart two groups’ mean scores "
        "are in the model, with everything else as it stands. For a product, how far apart two "
        "such differences are.",
    ),
    GlossaryTerm(
        "moved",
        "moved",
        "Somebody is moved whose sentences are scored further than the margin from the middle "
        "name’s, the median of all names compared; a couple, where its two are scored apart by "
        "more. The share has an exact 95 % interval for the people it stands for.",
    ),
    GlossaryTerm(
        "names-couples",
        "by names, by couples",
        "A claim is about first names, or about couples such as my mother and my father. They are "
        "judged separately: the names are a few of many, the couples are nearly all there are.",
    ),
    GlossaryTerm(
        "own-units",
        "own units",
        "Where the scale of a system’s scores is not known, its differences cannot be put in "
        "points. They are given as they are, and in standard deviations of its own scores.",
    ),
    GlossaryTerm(
        "pair",
        "pair",
        "The same sentence twice, about one group and about the other: “She feels angry.” and “He "
        "feels angry.” For names, each side is an average over sentences. Where a score is missing "
        "on either side, the pair is left out.",
    ),
    GlossaryTerm(
        "points",
        "points of 100",
        "Differences as parts of the whole scale, from its lowest score (0) to its highest (100).",
    ),
    GlossaryTerm(
        "product",
        "product, intersection",
        "What two axes add together beyond what each adds alone. It is 0 where the difference on "
        "one axis is the same for every group of the other.",
    ),
    GlossaryTerm(
        "p-value",
        "p-value",
        "How often differences at least this far from zero would come about by chance if both "
        "groups’ sentences were scored alike. It is not a size.",
    ),
    GlossaryTerm(
        "regression",
        "regression",
        "A model of all scores at once, by who each sentence is about on every axis: how much each "
        "group adds while the others are held even. Here a Beta regression, made for scores "
        "between 0 and 1. Its coefficients are on the logit, ln(y / (1 − y)); what they come to in "
        "points is the marginal effect.",
    ),
    GlossaryTerm(
        "sign-flip",
        "sign-flip p",
        "A second p-value that needs no normal distribution: how often the mean is this far from "
        "zero when each pair’s two sides are swapped at random. Not corrected.",
    ),
    GlossaryTerm(
        "skill",
        "skill",
        "How well a system’s scores agree with people’s scores of the same texts (gold scores): "
        "Pearson’s or Spearman’s correlation. Needs labelled data.",
    ),
    GlossaryTerm(
        "standardised",
        "standardised effect",
        "The mean difference divided by the standard deviation of the pairs’ differences. Near "
        "zero where single pairs scatter widely, large where all move together.",
    ),
    GlossaryTerm(
        "submission",
        "submission",
        "One system’s scores for one task.",
    ),
    GlossaryTerm(
        "subset",
        "subset",
        "A part of a corpus: sentences without an emotion word (neutral), with one (emotion), of "
        "one emotion, of the emotion a task is about (own-emotion), or of one template.",
    ),
    GlossaryTerm(
        "task",
        "task",
        "What a score stands for: valence, or the intensity of anger, fear, joy or sadness. Higher "
        "is not better; more anger and more joy mean different things.",
    ),
    GlossaryTerm(
        "template",
        "template",
        "A sentence with a gap for a person and often one for an emotion word.",
    ),
    GlossaryTerm(
        "verdict",
        "verdict",
        "Tilted: the interval lies wholly beyond the margin. Even: it lies within it. Undecided: "
        "the data allow both; that is an answer, and the page says what would decide. It speaks "
        "of the people that the names were drawn from, or stand for, and of nobody else.",
    ),
)


RATING_GLOSSARY = (
    GlossaryTerm(
        "chance",
        "by chance; p over people",
        "The raw score (ψ) by chance is the middle one of the same scores when sentences are "
        "assigned to the classes at random. p over people is the share of such assignments, with "
        "all sentences of a person together, in which the classes are at least as far apart; "
        "where a column is about one attribute of several, among people alike on the others. An "
        "attribute is beyond chance where the smallest p of its columns, times their number, is at "
        "most 0.05. A raw score that rests on one name can be far above chance and have a large p. "
        "Where a class has fewer than five people, as in the published edition, or nobody is "
        "named, there is no p: two names are not a group.",
    ),
    GlossaryTerm(
        "absolute",
        "absolute rating",
        "The rating of one system alone: 1 where nothing was detected, the last level otherwise.",
    ),
    GlossaryTerm(
        "ate",
        "ATE",
        "Average treatment effect: how much higher sentences with positive words "
        "are scored than those with negative words. Naive: as they fell. Adjusted: with the "
        "classes weighed as in all sentences. Matched: each sentence compared with the one most "
        "alike in who it is about.",
    ),
    GlossaryTerm(
        "backdoor",
        "backdoor adjustment",
        "Where who is spoken of decides both the words and "
        "the score, the words’ effect is measured within each class and averaged over all: "
        "E[S | do(e)] = Σ E[S | e, z] P(z). What to adjust for is derived from the diagram.",
    ),
    GlossaryTerm(
        "diagram",
        "causal diagram",
        "What causes what, as declared: arrows from who is spoken "
        "of and from the emotion word to the score, and, in confounded groups, from who is "
        "spoken of to the word.",
    ),
    GlossaryTerm(
        "class",
        "class",
        "A value of an attribute, such as female. NA: people of whom it is "
        "not said, as in “this person” or “they”.",
    ),
    GlossaryTerm(
        "die",
        "DIE %",
        "Deconfounding Impact Estimate: how far a mean score moves by the "
        "adjustment, in per cent of the mean before. The largest over polarities and datasets "
        "counts.",
    ),
    GlossaryTerm(
        "weighs",
        "gender or race weighs more",
        "The mean rating of the columns about gender "
        "alone against that of the columns about race alone. In published mode, as in the "
        "paper, groups 1 and 2 against groups 3 and 4. Ratings are relative, so both may "
        "weigh little.",
    ),
    GlossaryTerm(
        "group",
        "group, column",
        "A family of datasets with one causal diagram. G3-R, G3-G and "
        "G3-RG compare sentences of group 3 by race, by gender, and by both together. Race "
        "compares races only, unless the mode is published.",
    ),
    GlossaryTerm(
        "variant",
        "scores split at 0 (†)",
        "Scores of 0 or more count as 1, others as 0. Systems "
        "are rated on their scores as given and on these.",
    ),
    GlossaryTerm(
        "psi",
        "raw score (ψ)",
        "What a rating is made of: a weighted rejection score, or "
        "DIE %, or how far the adjustment moves the words’ effect in per cent. The larger, the "
        "more tilt.",
    ),
    GlossaryTerm(
        "spread",
        "spread",
        "The ratings that hold 95 % of the repeats, in which everything is drawn again.",
    ),
    GlossaryTerm(
        "wrs",
        "weighted rejection score",
        "Over all tests between two classes: the weights of "
        "the confidence levels at which scores differ, added up.",
    ),
    GlossaryTerm(
        "x",
        "X",
        "A mean of 0 moved. A percentage of 0 does not exist, so the system takes the "
        "last rating there.",
    ),
)


EMBEDDING_GLOSSARY = (
    GlossaryTerm(
        "rnsb",
        "RNSB",
        "Relative Negative Sentiment Bias (Sweeney and Najafian, 2019): how far "
        "the shares of a list’s terms are from even, as the Kullback–Leibler divergence "
        "Σ P log(P n). 0 is even; log n is all on one term.",
    ),
    GlossaryTerm(
        "share",
        "share P",
        "A term’s probability of the sentiment assessed, divided by the sum "
        "over all terms of its list. Even is 1 divided by the number of terms.",
    ),
    GlossaryTerm(
        "probability",
        "probability",
        "What a logistic regression, fitted on the vectors of a "
        "lexicon’s positive and negative words, says of a term’s vector. In corrected "
        "mode the classes are balanced: both kinds of words weigh the same, however many of each "
        "the lexicon lists, so that 50 % leans to neither.",
    ),
    GlossaryTerm(
        "ordinary",
        "ordinary words",
        "Everyday words without sentiment, such as table or window. "
        "As many as a list has terms are drawn by chance thousands of times; their RNSB says what "
        "unevenness any words have.",
    ),
    GlossaryTerm(
        "p",
        "p, beside ordinary words",
        "Of draws of as many words from terms and ordinary words "
        "together, the share at least as uneven as the terms; corrected for how many lists and "
        "embeddings there are (Holm).",
    ),
    GlossaryTerm(
        "interval",
        "95 % interval",
        "From resamples of the lexicon’s words: what other words of "
        "the same kind might have given.",
    ),
    GlossaryTerm(
        "lexicon", "lexicon", "The positive and negative words that the classifier learns from."
    ),
    GlossaryTerm(
        "ridge",
        "ridge",
        "How strongly the classifier’s weights are held back. Chosen by the "
        "smallest log-loss on held-out words.",
    ),
    GlossaryTerm(
        "balanced",
        "balanced accuracy",
        "The mean of how many positive and how many negative "
        "held-out words are recognised; 50 % is guessing.",
    ),
    GlossaryTerm(
        "weat",
        "WEAT, SEAT",
        "Word Embedding Association Test (Caliskan et al., 2017): whether "
        "one set of words lies closer to one attribute than another set does. The effect size "
        "lies between −2 and 2. SEAT puts the words into sentences, for encoders of texts. p: how "
        "many relabellings of the words give at least as large an effect.",
    ),
    GlossaryTerm(
        "correlation",
        "correlation of terms",
        "Whether two terms’ predictions rise and fall together when the lexicon is resampled.",
    ),
    GlossaryTerm(
        "map",
        "map",
        "The first two principal components. It shows a small part of all differences.",
    ),
    GlossaryTerm(
        "link",
        "link",
        "Whether names with vectors closer to negative words are scored otherwise by a system.",
    ),
    GlossaryTerm(
        "projection",
        "projection, INLP",
        "Ways to take a direction, such as that from he to she, "
        "out of vectors: hard removes it, soft part of it, INLP (Ravfogel et al., 2020) every "
        "direction in turn by which a classifier can still tell.",
    ),
)
"""Only those a page speaks of are shown; see `terms_for`."""

OPTIONAL = {
    "weat": "weat",
    "correlation": "correlations",
    "map": "plane",
    "link": "links",
    "projection": "mitigation",
}
