"""Make one table, with names, of the coded outputs of Lakkaraju, Srivastava & Valtorta (2023).

python examples/rating_from_authors.py data/results -o table.csv
tiltmeter rate --scores table.csv --mode published --draws 0 -o out

Their files have no sentences, only numbers, a row for each answer: group1/gru/e3_gru.csv is what
the system gru answered to the dataset E3 of group 1.
"""

import argparse
import csv
import re
from collections.abc import Iterator
from pathlib import Path

COLUMNS = ["System", "Group", "Words", "Gender", "Race", "Emotion", "Sentiment"]
GENDERS = {"0": "NA", "1": "male", "2": "female"}
RACES = {"0": "NA", "1": "European American", "2": "African American"}
WORDS = {"1": "grim", "2": "happy", "3": "depressing", "4": "glad"}
POLARITIES = {"0": "negative", "1": "positive"}
EMOTIONS = {"1": WORDS, "2": POLARITIES, "3": WORDS, "4": POLARITIES}


def main() -> None:
    parser = argparse.ArgumentParser(description="Make one table of the authors' coded outputs.")
    parser.add_argument("folder", type=Path, help="has group1/SYSTEM/e1_SYSTEM.csv and the like")
    parser.add_argument("-o", "--output", type=Path, required=True, metavar="table.csv")
    options = parser.parse_args()
    try:
        files = [path for path in sorted(options.folder.rglob("*.csv")) if dataset(path)]
        rows = [row for path in files for row in read_answers(path, options.folder)]
        if not rows:
            raise ValueError(f"{options.folder}: found no answers; expected group1/gru/e3_gru.csv")
        with options.output.open("w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, COLUMNS)
            writer.writeheader()
            writer.writerows(rows)
    except (OSError, ValueError, csv.Error) as error:
        parser.error(str(error))
    systems = ", ".join(sorted({row["System"] for row in rows}))
    print(f"{len(rows):,} answers from {len(files)} files written to {options.output}: {systems}")


def dataset(path: Path) -> tuple[str, str] | None:
    """The group and the set of words that a path names, as in ("3", "e2")."""
    folders = [re.fullmatch(r"group[ _-]?([1-4])", name, re.IGNORECASE) for name in path.parts]
    groups = [folder[1] for folder in folders if folder]
    words = re.match(r"e([1-5])(?![0-9])", path.name, re.IGNORECASE)
    return (groups[-1], f"e{words[1]}") if groups and words else None


def read_answers(path: Path, root: Path) -> Iterator[dict[str, str]]:
    """The answers in one file, every code as the name it stands for."""
    group, words = dataset(path) or ("", "")
    # A system is called after all its folders but the group's, so that two variants stay apart.
    folders = path.relative_to(root).parts[:-1]
    names = [name for name in folders if not re.match(r"group[ _-]?[1-4]$", name, re.IGNORECASE)]
    system = "-".join(names) or path.stem[2:].strip(" _-")
    codes = {"Gender": GENDERS, "Race": RACES, "Emotion": EMOTIONS[group]}
    with path.open(newline="", encoding="utf-8-sig") as file:
        for row in csv.DictReader(file):
            answer = {"System": system, "Group": group, "Words": words, "Race": "NA"}
            for column in codes if group in "34" else ("Gender", "Emotion"):
                code = (row.get(column) or "").strip().removesuffix(".0")
                if code not in codes[column]:
                    known = ", ".join(f"{code} {name}" for code, name in codes[column].items())
                    where = f"{path}: {column} is {code!r} in {row}"
                    raise ValueError(f"{where}; expected one of {known}")
                answer[column] = codes[column][code]
            yield {**answer, "Sentiment": row.get("Sentiment") or ""}


if __name__ == "__main__":
    main()
