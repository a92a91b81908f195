/* Two sentences, what differs between them marked: by letter where a language joins words.
   report/text_difference.py does the same; tests hold the two against each other. */
import { h } from "./elements.js";

const BY_LETTER = new Set("ar arc ckb fa he ps ug ur yi".split(" "));
const ALIKE = 0.5;
const MOST_COMPARED = 2000;

/* the places of what is not in the longest run that both have */
function differing(a, b) {
  const inA = new Set(a.keys());
  const inB = new Set(b.keys());
  if (Math.max(a.length, b.length) > MOST_COMPARED) return [inA, inB];
  const best = Array.from({ length: a.length + 1 }, () => new Uint16Array(b.length + 1));
  for (let i = a.length - 1; i >= 0; i--) {
    for (let j = b.length - 1; j >= 0; j--) {
      const skipped = Math.max(best[i + 1][j], best[i][j + 1]);
      best[i][j] = a[i] === b[j] ? best[i + 1][j + 1] + 1 : skipped;
    }
  }
  let i = 0;
  let j = 0;
  while (i < a.length && j < b.length) {
    if (a[i] === b[j]) {
      inA.delete(i++);
      inB.delete(j++);
    } else if (best[i + 1][j] >= best[i][j + 1]) i++;
    else j++;
  }
  return [inA, inB];
}

/* start and end of neighbours that are all common or all different */
function runsOf(things, different) {
  const runs = [];
  let start = 0;
  for (let nth = 1; nth <= things.length; nth++) {
    if (nth === things.length || different.has(nth) !== different.has(start)) {
      runs.push([start, nth, different.has(start)]);
      start = nth;
    }
  }
  return things.length ? runs : [];
}

/* the differing places before, between and after those that are common */
function gapsOf(many, different) {
  const gaps = [[]];
  for (let nth = 0; nth < many; nth++) {
    if (different.has(nth)) gaps.at(-1).push(nth);
    else gaps.push([]);
  }
  return gaps;
}

/* each letter with the marks above and below it */
const lettersOf = (word) => word.match(/\P{M}\p{M}*|\p{M}+/gu) || [];

/* by their place: differing words that have a word much like them in the other text */
function wordsByLetter(texts, inside) {
  const found = [new Map(), new Map()];
  const gaps = texts.map((words, side) => gapsOf(words.length, inside[side]));
  gaps[0].forEach((first, at) => {
    const second = gaps[1][at];
    if (first.length !== second?.length) return;
    first.forEach((place, nth) => {
      const spots = [place, second[nth]];
      const letters = spots.map((spot, side) => lettersOf(texts[side][spot]));
      const apart = differing(...letters);
      const shared = letters[0].length - apart[0].size;
      if (shared < ALIKE * Math.max(letters[0].length, letters[1].length)) return;
      spots.forEach((spot, side) => {
        const runs = runsOf(letters[side], apart[side]);
        const pieces = runs.map(([from, to, mark]) => [
          letters[side].slice(from, to).join(""),
          mark,
        ]);
        found[side].set(spot, pieces);
      });
    });
  });
  return found;
}

/* one text as pieces: a text, and whether it is marked */
function piecesOf(words, inside, byLetter) {
  return runsOf(words, inside).flatMap(([start, end, different]) => {
    const gap = start ? [[" ", false]] : [];
    const run = words.slice(start, end);
    if (!different) return [...gap, [run.join(" "), false]];
    if (!run.some((_, nth) => byLetter.has(start + nth))) return [...gap, [run.join(" "), true]];
    return run.flatMap((word, nth) => {
      const space = nth || start ? [[" ", false]] : [];
      return [...space, ...(byLetter.get(start + nth) || [[word, true]])];
    });
  });
}

function markedText(pieces, language, others) {
  let left = others;
  const parts = pieces.map(([text, marked]) => {
    if (!marked) return text;
    const after = left && h("small", { class: "others" }, left);
    left = "";
    return [h("mark", null, text), after];
  });
  return h("q", { dir: "auto", lang: language }, parts);
}

/* both as elements; `others` follow the first mark of each, as in " (and 19 more)" */
export function markedSentences(first, second, language, others = ["", ""]) {
  const texts = [first, second].map((text) => text.split(/\s+/).filter(Boolean));
  const inside = differing(...texts);
  const letters = BY_LETTER.has(language.split("-")[0].toLowerCase());
  const byLetter = letters ? wordsByLetter(texts, inside) : [new Map(), new Map()];
  return texts.map((words, side) =>
    markedText(piecesOf(words, inside[side], byLetter[side]), language, others[side]),
  );
}
