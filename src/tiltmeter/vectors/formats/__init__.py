"""Files of word vectors, a reader for each format: only the words asked for are parsed."""
