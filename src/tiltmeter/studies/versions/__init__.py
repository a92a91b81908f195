"""Two versions of a system compared, and one system beside its baseline."""
