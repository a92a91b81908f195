"""The kit every page, table and folder is made of."""
