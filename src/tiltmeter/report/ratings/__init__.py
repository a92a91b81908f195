"""What people see of a causal rating: a page, labels, tables, `ratings.json`."""
