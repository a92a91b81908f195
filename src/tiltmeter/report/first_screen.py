"""The first screen of every page: what a reader learns in ten seconds, in at most 150 words.

Under the question stand, in this order, those that a study has:

    FirstScreen(
        lead="2 of 3 systems tilt; glove-lexicon most.",      # the bottom line, one sentence
        chips=(Chip(ChipShape.TILTED, "vader", "tilted", "#why-vader"),),  # verdicts, in words
        figure=forest.html(),                                 # the strip, few rows
        pair=SentencePair(                                    # the most telling pair
            "Adam feels angry.", "Alonzo feels angry.", "0.31", "0.22",
            where="vader scores the first 9 points higher", href="#closer", levels=(0.31, 0.22),
        ),
        moved="30 of 40 names move by more than 1 point.",    # people moved
        steps=(NextCommand("tiltmeter audit vader --corpus names-us", "asks for 36,674 scores"),),
    ).html()

It is the body of `Page.answer`. A chip is a word and a shape, never a colour alone; a study that
draws chips in its figure puts `chip.html()` there. Everything else of a page is folded below.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from markupsafe import Markup

from tiltmeter.report.page import NOTHING, environment, trusted
from tiltmeter.report.text_difference import marked_difference


class ChipShape(Enum):
    """What a verdict looks like: the class of its chip, and the letter before its word."""

    TILTED = "tilted", "▲"
    EVEN = "even", "○"
    UNDECIDED = "undecided", "?"
    NO_SIGNAL = "no-signal", "–"
    WORSE = "worse", "▲"
    BETTER = "better", "▼"
    DRIFTED = "drifted", "◆"

    @property
    def style(self) -> str:
        """The chip's class."""
        return self.value[0]

    @property
    def sign(self) -> str:
        """The shape itself."""
        return self.value[1]


@dataclass(frozen=True, slots=True)
class Chip:
    """A verdict in one word, of somebody, linked to why."""

    shape: ChipShape
    label: str
    """Whom or what it is of; nothing where the place says so."""
    word: str
    href: str = ""

    def html(self) -> Markup:
        """As a page shows it."""
        label = Markup("<bdi>{}</bdi> ").format(self.label) if self.label else NOTHING
        inside = Markup('<span class="sign" aria-hidden="true">{}</span>{}<b>{}</b>').format(
            self.shape.sign, label, self.word
        )
        if not self.href:
            return Markup('<span class="chip {}">{}</span>').format(self.shape.style, inside)
        return Markup('<a class="chip {}" href="{}">{}</a>').format(
            self.shape.style, self.href, inside
        )


@dataclass(frozen=True, slots=True)
class SentencePair:
    """Two texts that differ in one person, and what each was given; of answers then and now, one.

    Two versions' scores stand in two columns, `before` and now.
    """

    first: str | Markup
    second: str | Markup
    first_score: str
    second_score: str
    where: str | Markup = ""
    """Whose scores these are, and what they show."""
    href: str = ""
    """Where more such pairs are."""
    opens: str = ""
    """What the page's script opens there."""
    more: str = "more pairs"
    """What the link there says."""
    language: str = "en"
    levels: tuple[float, float] | None = None
    """Both scores as parts of the scale, for the bars; None where there is no scale."""
    before: tuple[str, str] | None = None
    """What an earlier version gave to each, where two are compared."""

    @property
    def lines(self) -> tuple[tuple[str | Markup, str, str, float | None], ...]:
        """Each text, what differs marked, with its score before and now, and its bar."""
        texts, scores = (self.first, self.second), (self.first_score, self.second_score)
        if all(texts) and not any(isinstance(text, Markup) for text in texts):
            texts = marked_difference(*texts, self.language)
        before, levels = self.before or ("", ""), self.levels or (None, None)
        lines = zip(texts, before, scores, levels, strict=True)
        return tuple(line for line in lines if line[0])


@dataclass(frozen=True, slots=True)
class NextCommand:
    """What to run next, and what it costs or decides."""

    command: str
    """Exactly as it is typed; nothing where no command would help."""
    note: str | Markup = ""


@dataclass(frozen=True, slots=True)
class FirstScreen:
    """Everything under the question that is not folded."""

    lead: str | Markup = ""
    chips: tuple[Chip, ...] = ()
    figure: Markup = NOTHING
    pair: SentencePair | None = None
    moved: str | Markup = ""
    moved_figure: Markup = NOTHING
    steps: tuple[NextCommand, ...] = ()
    pair_title: str = "The most telling pair"
    moved_title: str = "People moved"
    steps_title: str = "What to do next"

    def html(self) -> Markup:
        """The body of a page's answer."""
        return trusted(environment().get_template("first_screen.html").render(screen=self))
