/* The sentence: people marked where they stand, and what the user has to decide. */

import { byId, element } from "./elements.js";
import { state } from "./state.js";

const KINDS = { name: "name", noun: "word for a person", pronoun: "pronoun", title: "title" };

export function showMarks(reading) {
  if (!byId("marks")) return; // a bundle offers sentences instead of a field
  const pieces = [];
  let end = 0;
  const letters = Array.from(state.text); // Python counts letters, JavaScript halves of them
  const part = (from, to) => letters.slice(from, to).join("");
  for (const mention of reading.mentions) {
    const stop = mention.start + Array.from(mention.text).length;
    pieces.push(part(end, mention.start));
    pieces.push(element("mark", { class: mention.doubt ? "doubt" : null }, mention.text));
    end = stop;
  }
  byId("marks").replaceChildren(...pieces, `${part(end)}​`);
}

export function showReadings(reading, changed) {
  const line = byId("readings");
  const pieces = [];
  for (const mention of reading.mentions) {
    if (pieces.length) pieces.push(" · ");
    const chosen = state.decisions[mention.start];
    if (mention.choices.length) pieces.push(chooser(mention, chosen, changed));
    else pieces.push(described(mention));
  }
  const set = Object.entries(state.decisions).filter(([, choice]) => choice === "nobody");
  for (const [start] of set) {
    const undo = element(
      "button",
      { type: "button", class: "remove", onclick: () => decide(start, "", changed) },
      "undo “nobody”",
    );
    pieces.push(" ", undo);
  }
  if (!pieces.length) pieces.push(state.text.trim() ? (reading.no_swap ?? "") : "");
  line.replaceChildren(...pieces);
}

const ABOUT = { female: "a woman", male: "a man" };
const NAMES = { female: "women", male: "men" };

function described(mention) {
  const people = `${mention.race ? `${mention.race} ` : ""}${NAMES[mention.gender] ?? "women and men"}`;
  const whose = mention.kind === "name" ? `a name of ${people}` : ABOUT[mention.gender];
  return element("span", { title: KINDS[mention.kind] }, `${mention.text}: ${whose}`);
}

function chooser(mention, chosen, changed) {
  const options = [["", "which?"], ...mention.choices.map((choice) => [choice, choice])];
  const select = element(
    "select",
    { "aria-label": mention.doubt || mention.text, title: mention.doubt || null },
    ...options.map(([value, words]) => element("option", { value }, words)),
  );
  select.value = chosen ?? "";
  select.addEventListener("change", () => decide(mention.start, select.value, changed));
  return element("label", {}, `${mention.text} is `, select);
}

function decide(start, choice, changed) {
  if (choice) state.decisions[start] = choice;
  else delete state.decisions[start];
  changed();
}
