"""The report as pages: one for everybody, one for each system's team, a fragment for notebooks."""

from tiltmeter.report.html.pages import page, summary

__all__ = ["page", "summary"]
