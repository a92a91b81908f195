/* The sentence: people marked where they stand, and how each is read, which the user may change. */

import { byId, element } from "./elements.js";
import { state, wordAt } from "./state.js";

export function showMarks(reading) {
  if (!byId("marks")) return; // a bundle offers sentences instead of a field
  const pieces = [];
  let end = 0;
  const letters = Array.from(state.text); // Python counts letters, JavaScript halves of them
  const part = (from, to) => letters.slice(from, to).join("");
  for (const mention of reading.mentions) {
    const stop = mention.start + Array.from(mention.text).length;
    pieces.push(part(end, mention.start));
    const kind = { class: mention.doubt ? "doubt" : null, "data-start": mention.start };
    pieces.push(element("mark", kind, mention.text));
    end = stop;
  }
  byId("marks").replaceChildren(...pieces, `${part(end)}​`);
}

/* A choice for each word: how it is read, and what else it may be. */
export function showReadings(reading, changed) {
  const letters = Array.from(state.text);
  const words = new Map(reading.mentions.map((one) => [one.start, mentioned(one)]));
  for (const other of reading.others ?? []) {
    words.set(other.start, { text: other.text, says: "nobody", changes: ["a woman", "a man"] });
  }
  for (const [start, choice] of Object.entries(state.decisions)) {
    if (choice !== "nobody" || words.has(Number(start))) continue;
    words.set(Number(start), {
      text: wordAt(letters, Number(start)),
      says: "",
      changes: ["nobody"],
    });
  }
  const order = [...words].sort(([one], [other]) => one - other);
  const chips = order.map(([start, word]) => chip(start, word, changed));
  const nobody = state.text.trim() && !chips.length ? (reading.no_swap ?? "") : "";
  byId("readings").replaceChildren(...chips, nobody);
}

const WHO = { female: "a woman", male: "a man" };
const WHOSE = { female: "women", male: "men" };

function mentioned(mention) {
  const { text, changes, doubt } = mention;
  if (doubt) return { text, changes, doubt, says: "which?" };
  if (mention.kind !== "name") return { text, changes, says: WHO[mention.gender] };
  const whose = WHOSE[mention.gender] ?? "women and men";
  const group = mention.race ? `${mention.race} ` : "";
  return { text, changes, says: `a name common among ${group}${whose}` };
}

function chip(start, word, changed) {
  const chosen = state.decisions[start] ?? "";
  const asIs = chosen ? "as recognised" : word.says;
  const select = element(
    "select",
    { "aria-label": word.doubt || `${word.text} is`, title: word.doubt || null },
    element("option", { value: "" }, asIs),
    ...word.changes.map((choice) => element("option", { value: choice }, choice)),
  );
  if (chosen && !word.changes.includes(chosen)) {
    select.append(element("option", { value: chosen }, chosen));
  }
  select.value = chosen;
  select.addEventListener("change", () => decide(start, select.value, changed));
  const kind = word.doubt ? "reading doubt" : "reading";
  const next = word.doubt ? `${word.text} ${wordAfter(start, word.text)}` : word.text;
  return element("label", { class: kind, "data-start": start }, `${next.trim()} `, select);
}

/* Which of several *her* is meant: the one before *boss*. */
function wordAfter(start, text) {
  const rest = Array.from(state.text).slice(Number(start) + Array.from(text).length);
  return rest.join("").match(/^\s+([\p{L}\p{M}]+)/u)?.[1] ?? "";
}

function decide(start, choice, changed) {
  if (choice) state.decisions[start] = choice;
  else delete state.decisions[start];
  changed();
  byId("readings").querySelector(`[data-start="${start}"] select`)?.focus();
}

/* The caret in a marked word points at how it is read. */
export function pointAtReading(reading) {
  const field = byId("text");
  if (field.selectionStart === undefined) return;
  const at = Array.from(field.value.slice(0, field.selectionStart)).length;
  const here = reading.mentions.find(
    (one) => one.start <= at && at <= one.start + Array.from(one.text).length,
  );
  for (const one of byId("readings").querySelectorAll(".reading")) {
    one.classList.toggle("at", Boolean(here) && Number(one.dataset.start) === here.start);
  }
}

/* What has to be decided before anything can be swapped; empty where nothing has. */
export function undecided(reading) {
  const words = reading.mentions.filter((one) => one.doubt).map((one) => `“${one.text}”`);
  return words.length ? `Choose above what ${[...new Set(words)].join(" and ")} means.` : "";
}
