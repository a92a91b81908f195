/* Who was put in whose place: the swaps that move most, each with its worst pair. */
import {
  common,
  corpora,
  entryOf,
  languageOf,
  panelOf,
  singlesOf,
  submissions,
  towards,
  unitOf,
  words,
} from "./data.js";
import { fillSlots, h, lede, personLink } from "./elements.js";
import { sentencesInOthers } from "./others.js";
import { differenceOf, scoreOf } from "./pairs.js";
import { markedSentences } from "./sentences.js";

function swapItem(i, panel, [first, second, many, up, mean, worst, one, other]) {
  const { corpus } = submissions[i];
  const held = singlesOf(corpus);
  const sign = up ? 1 : -1;
  const ends = panelOf(i, panel);
  const entry = entryOf(i);
  const language = languageOf(i);
  const person = (nth) => personLink(corpora[corpus].name, held.nameOf(nth), { lang: language });
  const said = fillSlots(many === 1 ? words.swaps.one : words.swaps.many, {
    n: many,
    mean: common.texts[mean],
    unit: unitOf(i).short,
    way: towards(sign, ends),
  });
  const [above, below] = markedSentences(held.texts[first], held.texts[second], language);
  const others = sentencesInOthers(i, panel, first, second);
  return h(
    "li",
    { class: "pair swap" },
    h(
      "p",
      { class: "whose" },
      h(
        "b",
        null,
        person(first),
        h("span", { "aria-label": words.swaps.beside }, " ↔ "),
        person(second),
      ),
      h("span", null, said),
    ),
    above,
    scoreOf(one, entry),
    below,
    scoreOf(other, entry),
    differenceOf({ delta: sign, said: common.texts[worst] }, ends),
    others && [h("p", { class: "about" }, others.button), others.place],
  );
}

export function largestSwaps(i, panel) {
  const found = entryOf(i).swaps[panel];
  if (!found) return null;
  const said = found.said.map((place, nth) => {
    const text = common.notes[place];
    const last = nth === found.said.length - 1;
    return last ? lede(text) : h("p", { class: "rests" }, text);
  });
  if (!found.rows.length) return said;
  return [
    said,
    h(
      "ol",
      { class: "pairs swaps" },
      found.rows.map((row) => swapItem(i, panel, row)),
    ),
  ];
}
