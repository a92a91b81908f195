/* What the user has set: the sentence, how its words are read, names added, the sliders. */

import { bundle } from "./api.js";

export const state = {
  text: "",
  decisions: {},
  people: [],
  strip: "",
  margin: 1,
  threshold: 50,
  beside: "",
};

/* The whole view in the address, so that a copied link reopens it. */
export function link() {
  const kept = { ...state };
  return `${location.href.split("#")[0]}#${encodeURIComponent(JSON.stringify(kept))}`;
}

export function remember() {
  history.replaceState(null, "", link());
}

export function recall(start) {
  state.text = bundle ? Object.keys(bundle.sentences)[0] : start.example;
  state.strip = start.systems[0]?.name ?? "";
  readAddress(start);
}

/* What a link says, as far as it fits what is open here. */
export function readAddress(start) {
  if (location.hash.length < 2) return;
  try {
    const kept = JSON.parse(decodeURIComponent(location.hash.slice(1)));
    for (const key of Object.keys(state)) {
      if (typeof kept[key] === typeof state[key]) state[key] = kept[key];
    }
    state.text = String(state.text).slice(0, 5000);
    state.people = Array.isArray(state.people) ? state.people.slice(0, 12) : [];
    state.decisions ??= {};
  } catch {
    /* a link that somebody cut: the page begins as usual */
  }
  const names = start.systems.map((one) => one.name);
  if (!names.includes(state.strip)) state.strip = names[0] ?? "";
  if (!state.beside.split("\n").every((name) => names.includes(name))) state.beside = "";
}

/* The user wrote something else: what was decided about words that still stand stays decided. */
export function rewrite(text) {
  const [before, after] = [Array.from(state.text), Array.from(text)];
  const shorter = Math.min(before.length, after.length);
  let head = 0;
  while (head < shorter && before[head] === after[head]) head += 1;
  let tail = 0;
  while (tail < shorter - head && before.at(-1 - tail) === after.at(-1 - tail)) tail += 1;
  const kept = {};
  for (const [start, choice] of Object.entries(state.decisions)) {
    const word = wordAt(before, Number(start));
    const shift = Number(start) < head ? 0 : after.length - before.length;
    const whole = Number(start) + word.length <= head || Number(start) >= before.length - tail;
    if (whole && wordAt(after, Number(start) + shift) === word) {
      kept[Number(start) + shift] = choice;
    }
  }
  state.text = text;
  state.decisions = kept;
}

/* Python counts letters, JavaScript halves of some: letters come as an array. */
export function wordAt(letters, start) {
  let end = start;
  while (end < letters.length && /[\p{L}\p{M}]/u.test(letters[end])) end += 1;
  return letters.slice(start, end).join("");
}
