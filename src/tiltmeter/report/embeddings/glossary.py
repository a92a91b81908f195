"""The words of a study of embeddings, each explained in a sentence or two."""

from __future__ import annotations

from tiltmeter.report.html.glossary import Term

GLOSSARY = (
    Term("rnsb", "RNSB", "Relative Negative Sentiment Bias (Sweeney and Najafian, 2019): how far "
         "the shares of a list’s terms are from even, as the Kullback–Leibler divergence "
         "Σ P log(P n). 0 is even; log n is all on one term."),
    Term("share", "share P", "A term’s probability of the sentiment assessed, divided by the sum "
         "over all terms of its list. Even is 1 divided by the number of terms."),
    Term("probability", "probability", "What a logistic regression, fitted on the vectors of a "
         "lexicon’s positive and negative words, says of a term’s vector. In corrected "
         "mode the classes are balanced: both kinds of words weigh the same, however many of each "
         "the lexicon lists, so that 50 % leans to neither."),
    Term("ordinary", "ordinary words", "Everyday words without sentiment, such as table or window. "
         "As many as a list has terms are drawn by chance thousands of times; their RNSB says what "
         "unevenness any words have."),
    Term("p", "p, beside ordinary words", "Of draws of as many words from terms and ordinary words "
         "together, the share at least as uneven as the terms; corrected for how many lists and "
         "embeddings there are (Holm)."),
    Term("interval", "95 % interval", "From resamples of the lexicon’s words: what other words of "
         "the same kind might have given."),
    Term("lexicon", "lexicon", "The positive and negative words that the classifier learns from."),
    Term("ridge", "ridge", "How strongly the classifier’s weights are held back. Chosen by the "
         "smallest log-loss on held-out words."),
    Term("balanced", "balanced accuracy", "The mean of how many positive and how many negative "
         "held-out words are recognised; 50 % is guessing."),
    Term("weat", "WEAT, SEAT", "Word Embedding Association Test (Caliskan et al., 2017): whether "
         "one set of words lies closer to one attribute than another set does. The effect size "
         "lies between −2 and 2. SEAT puts the words into sentences, for encoders of texts. p: how "
         "many relabellings of the words give at least as large an effect."),
    Term("correlation", "correlation of terms", "Whether two terms’ predictions rise and fall "
         "together when the lexicon is resampled."),
    Term("map", "map", "The first two principal components. It shows a small part of all "
         "differences."),
    Term("link", "link", "Whether names with vectors closer to negative words are scored otherwise "
         "by a system."),
    Term("projection", "projection, INLP", "Ways to take a direction, such as that from he to she, "
         "out of vectors: hard removes it, soft part of it, INLP (Ravfogel et al., 2020) every "
         "direction in turn by which a classifier can still tell."),
)  # fmt: skip
"""Only those a page speaks of are shown; see `terms_for`."""

OPTIONAL = {
    "weat": "weat", "correlation": "correlations", "map": "plane", "link": "links",
    "projection": "mitigation",
}  # fmt: skip
