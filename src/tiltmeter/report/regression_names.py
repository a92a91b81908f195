"""What the measures of a regression are called, and which of them is shown."""

from __future__ import annotations

from tiltmeter.audit_run import AuditRun

COEFFICIENT = "coefficient"
"""β of the Beta regression, on the logit, with errors over names and templates."""
COEFFICIENT_NAIVE, COEFFICIENT_MIXED = "coefficient_naive", "coefficient_mixed"
MARGINAL = "marginal_effect"
"""What a coefficient comes to on the scale of scores."""
MARGINAL_NAIVE, MARGINAL_MIXED = "marginal_effect_naive", "marginal_effect_mixed"
TOTAL, TOTAL_EFFECT = "total", "total_effect"
"""Of a product: all its groups at once against all their references."""
LEAST_SQUARES = "least_squares"
"""The coefficient that Câmara et al. (2022) print, in parts of the scale."""
PRECISION = "precision"
"""What the log of the precision differs by between groups."""

LANGUAGES = {"ar": "Arabic", "en": "English", "es": "Spanish"}


def language_name(code: str) -> str:
    """A language in English; its code where we have no name for it.

    >>> language_name("es"), language_name("tlh")
    ('Spanish', 'tlh')
    """
    return LANGUAGES.get(code, code)


def errors_of(run: AuditRun) -> str:
    """How uncertainty was told: crossed, mixed or naive."""
    return run.regression.errors if run.regression else "crossed"


def is_published(run: AuditRun) -> bool:
    """Whether the run has the paper's statistics."""
    return run.statistics.mode == "published"


def printed_measure(run: AuditRun) -> str:
    """The measure that a table as in the paper shows.

    >>> from tiltmeter.audit_run import AuditRun, AuditStatistics
    >>> published = AuditRun(statistics=AuditStatistics(mode="published"))
    >>> printed_measure(AuditRun()), printed_measure(published)
    ('coefficient', 'least_squares')
    """
    if is_published(run):
        return LEAST_SQUARES
    told = {"mixed": COEFFICIENT_MIXED, "naive": COEFFICIENT_NAIVE}
    return told.get(errors_of(run), COEFFICIENT)


def drawn_measure(run: AuditRun) -> str:
    """The measure that a figure draws: effects in parts of the scale.

    >>> from tiltmeter.audit_run import AuditRun, RegressionSettings
    >>> drawn_measure(AuditRun(regression=RegressionSettings(errors="mixed")))
    'marginal_effect_mixed'
    """
    if is_published(run):
        return LEAST_SQUARES
    told = {"mixed": MARGINAL_MIXED, "naive": MARGINAL_NAIVE}
    return told.get(errors_of(run), MARGINAL)
