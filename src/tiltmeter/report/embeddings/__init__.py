"""The report of word embeddings: page, figures, tables, folder."""
