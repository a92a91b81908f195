"""What a careful reader would want to know of a rating dataset: which words are said of whom."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import polars as pl

from tiltmeter.corpora.corpus import Corpus
from tiltmeter.corpora.rating_plan import NEGATIVE, POSITIVE, RatingPlan, class_name
from tiltmeter.corpora.remark import Remark

if TYPE_CHECKING:
    from tiltmeter.corpora.design import Axis


def rating_remarks(corpus: Corpus, sentences: pl.DataFrame) -> Iterator[Remark]:
    """The words of a dataset and who is given them; the sets of a group that is looked at whole."""
    plan = corpus.rating
    if plan is None:
        return
    if corpus.dataset is None:
        yield Remark(
            "rating", f"group {plan.group}, datasets with the words {', '.join(plan.sets)}"
        )
        return
    for note in corpus.dataset.notes:
        yield Remark("rating", note)
    counts = _counts(corpus, plan, sentences)
    yield Remark("words", "; ".join(_said(row) for row in counts))
    if empty := [text for row in counts for text in _empty(row)]:
        what = f"{'; '.join(empty)}; no effect of words can be adjusted there"
        yield Remark("positivity", f"{what}, and another seed may draw some", fine=False)


def drawn_balance(axis: Axis) -> Remark:
    """In place of a look at the balance, which chance decides where words are drawn."""
    text = f"{axis.name}: words are drawn for each person, so a match need not hold both groups"
    return Remark("balance", text)


def _counts(corpus: Corpus, plan: RatingPlan, sentences: pl.DataFrame) -> list[dict[str, object]]:
    """Sentences of each polarity by class, in the order of the axes' groups, NA last."""
    by = [axis.name for axis in corpus.axes]
    polarity = pl.col("emotion").replace_strict(dict(plan.polarity), return_dtype=pl.String)
    order = [
        pl.col(axis.name).replace_strict(
            {group: place for place, group in enumerate(axis.groups)}, return_dtype=pl.Int64
        )
        for axis in corpus.axes
    ]
    wanted = [name for name in (POSITIVE, NEGATIVE) if name in _polarities(corpus, plan)]
    return (
        sentences.group_by(by)
        .agg((polarity == name).sum().alias(name) for name in wanted)
        .sort(order, nulls_last=True)
        .with_columns(pl.struct(by).map_elements(class_name, pl.String).alias("class"))
        .select("class", *wanted)
        .to_dicts()
    )


def _polarities(corpus: Corpus, plan: RatingPlan) -> set[str]:
    """The polarities of the words the dataset may say."""
    design, lemmas = corpus.design, corpus.dataset.lemmas if corpus.dataset else ()
    words = [word for listed in design.words.values() for word in listed] if design else []
    return {plan.polarity[word.emotion] for word in words if word.lemma in lemmas}


def _said(row: dict[str, object]) -> str:
    numbers = (f"{number} {name}" for name, number in row.items() if name != "class")
    return f"{row['class']}: {', '.join(numbers)}"


def _empty(row: dict[str, object]) -> Iterator[str]:
    for name, number in row.items():
        if number == 0:
            yield f"no {name} word in the class {row['class']}"
