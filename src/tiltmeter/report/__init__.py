"""The kit every page, table and folder is made of; each module begins with how to use it.

In the order in which a study needs them:

    numbers.py     a number becomes a text, here and nowhere else
    phrases.py     names, groups of people, subsets and tasks within a sentence
    table.py       Table: one definition → HTML, LaTeX (latex.py), CSV, Parquet, terminal
    forest.py      Forest: dots with intervals → rows of a page, an SVG file
    svg.py         pieces of any other picture
    first_screen.py FirstScreen: what a reader learns in ten seconds, above all folds
    text_difference.py  what differs between two texts, marked
    page.py        Page and Section → one offline HTML page
    json_files.py  json_document: the JSON for programs
    study.py       Study, which all of these belong to; write(study, folder)
    folder.py      whose a folder is; run.json first and last (write does it)

studies/versions is made of all of them, and of nothing else: read it as the example.
"""
