"""Load a corpus of your own, look at its sentences, and check that it holds together."""

from pathlib import Path

from tiltmeter import check_corpus, load_corpus

corpus = load_corpus(Path(__file__).parent / "two-people.toml")

for sentence in corpus.sentences()["text"].head(4):
    print(sentence)

report = check_corpus(corpus)
for remark in report.remarks:
    print("ok  " if remark.fine else "note", remark.subject, "-", remark.text)
