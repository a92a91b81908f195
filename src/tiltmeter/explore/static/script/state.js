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
  if (location.hash.length < 2) return;
  try {
    const kept = JSON.parse(decodeURIComponent(location.hash.slice(1)));
    for (const key of Object.keys(state)) {
      if (typeof kept[key] === typeof state[key]) state[key] = kept[key];
    }
    state.text = String(state.text).slice(0, 5000);
    state.people = Array.isArray(state.people) ? state.people.slice(0, 12) : [];
  } catch {
    /* a link that somebody cut: the page begins as usual */
  }
  if (!start.systems.some((one) => one.name === state.strip)) {
    state.strip = start.systems[0]?.name ?? "";
  }
}
