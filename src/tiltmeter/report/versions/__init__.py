"""Two versions of systems side by side, and one system held against its baseline."""
