"""The report as pages: one for everybody, one for each system's team, a fragment for notebooks."""
