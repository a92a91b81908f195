/* The instrument: type, swap, see, understand. */

import { addToCorpus, begin, bundle, readPeople, stream } from "./api.js";
import { showAudits, showEvidence } from "./audits.js";
import { byId, element, number } from "./elements.js";
import { clearStrip, showStrip, strip, takeNames } from "./names.js";
import { showMarks, showReadings } from "./sentence.js";
import { link, recall, remember, state } from "./state.js";
import { setSystems, showVariants, table, take } from "./variants.js";
import { reasons, showWhy } from "./why.js";

const QUIET = 220; // milliseconds without a key before names and reasons are asked for
const AGAIN = 2000; // before a system that is down is asked again
let reading = { mentions: [] };
let asking = new AbortController();
let quiet = 0;
let audits = [];

const changed = () => update();

/* Everything follows from the sentence; what was asked for an earlier one is dropped. */
async function update() {
  asking.abort();
  asking = new AbortController();
  const { signal } = asking;
  clearTimeout(quiet);
  remember();
  table.rows = [{ text: state.text, label: "as written", words: [] }];
  try {
    if (state.text.trim()) score([state.text], signal);
    reading = await readPeople(state.text, numbered(state.decisions), signal);
    if (signal.aborted) return;
    showMarks(reading);
    showReadings(reading, changed);
    setRows();
    showVariants(removePerson);
    if (table.rows.length > 1)
      score(
        table.rows.map((row) => row.text),
        signal,
      );
    quiet = setTimeout(() => askFurther(signal), QUIET);
  } catch (error) {
    if (!signal.aborted) byId("verdict").textContent = error.message;
  }
}

const numbered = (decisions) =>
  Object.fromEntries(Object.entries(decisions).map(([start, choice]) => [Number(start), choice]));

function setRows() {
  const rows = [
    { text: state.text, label: "as written", words: (reading.words ?? []).map((one) => one.first) },
  ];
  if (reading.swapped) {
    const words = reading.words.map((one) => one.second);
    rows.push({ text: reading.swapped, label: "swapped", words });
  }
  if (reading.frame) {
    for (const person of state.people) {
      const text = reading.frame[person.gender].join(person.name);
      rows.push({ text, label: person.name, words: [person.name], person });
    }
  }
  const seen = new Set();
  table.rows = rows.filter((row) => !seen.has(row.text) && seen.add(row.text));
}

/* Scores as they come; a sentence that was typed over is nobody's any more. */
async function score(texts, signal) {
  try {
    await stream("/api/score", { texts }, signal, (event) => {
      if (signal.aborted || event.done) return;
      take(event, texts);
      showVariants(removePerson);
      showSystems();
    });
  } catch (error) {
    if (!signal.aborted) byId("verdict").textContent = error.message;
  }
}

function askFurther(signal) {
  askNames(signal);
  askWhy(signal);
  if (table.systems.some((system) => system.down)) setTimeout(() => recover(signal), AGAIN);
}

async function recover(signal) {
  if (signal.aborted) return;
  await score(
    table.rows.map((row) => row.text),
    signal,
  );
  if (table.systems.some((system) => system.down)) setTimeout(() => recover(signal), AGAIN);
}

async function askNames(signal) {
  clearStrip();
  if (reading.no_names || !state.text.trim()) {
    byId("strip").replaceChildren();
    byId("strip-answer").textContent = reading.no_names ?? "";
    return;
  }
  byId("strip-answer").textContent = "Asking…";
  const asked = { text: state.text, decisions: numbered(state.decisions), systems: [state.strip] };
  try {
    await stream("/api/names", asked, signal, (event) => {
      if (signal.aborted || event.done) return;
      if (event.raw) {
        takeNames(event);
        showStrip(addPerson);
      } else {
        const words = event.down ? `is down: ${event.down}` : `waiting ${event.waiting} s`;
        byId("strip-answer").textContent = `${event.system} ${words}`;
      }
    });
  } catch (error) {
    if (!signal.aborted) byId("strip-answer").textContent = error.message;
  }
}

async function askWhy(signal) {
  for (const name of Object.keys(reasons)) delete reasons[name];
  if (!state.text.trim()) return showWhy([]);
  const asked = { text: state.text, decisions: numbered(state.decisions) };
  try {
    await stream("/api/why", asked, signal, (event) => {
      if (signal.aborted || !event.why) return;
      reasons[event.system] = event;
      showWhy(table.systems);
    });
  } catch (error) {
    if (!signal.aborted) byId("why-answer").textContent = error.message;
  }
}

function addPerson(person) {
  if (!state.people.some((one) => one.name === person.name)) {
    state.people = [...state.people.slice(-11), person];
  }
  if (audits.length || bundle) showEvidence(person);
  setRows();
  remember();
  score(
    table.rows.map((row) => row.text),
    asking.signal,
  );
  showVariants(removePerson);
}

function removePerson(row) {
  state.people = state.people.filter((one) => one.name !== row.person.name);
  setRows();
  remember();
  showVariants(removePerson);
}

function showSystems() {
  byId("systems").replaceChildren(
    ...table.systems.map((system) => {
      const waiting = system.waiting ? ` waiting ${system.waiting} s` : "";
      const words = system.down ? " down" : waiting;
      const kind = system.down ? "down" : system.state === "opening" && waiting ? "opening" : null;
      const kept = system.stored ? `, ${system.stored} stored answers used` : "";
      return element(
        "li",
        { class: kind, title: system.down || null },
        `${system.name}${words}${kept}`,
      );
    }),
  );
}

function showKnobs() {
  byId("margin-shown").textContent = `${number(state.margin)} points of 100`;
  byId("threshold-shown").textContent = `${number(state.threshold, 0)} of 100`;
}

function listen() {
  byId("text").addEventListener("input", () => {
    state.text = byId("text").value;
    state.decisions = {};
    grow();
    update();
  });
  for (const knob of ["margin", "threshold"]) {
    byId(knob).addEventListener("input", () => {
      state[knob] = Number(byId(knob).value);
      showKnobs();
      showVariants(removePerson);
      if (strip.raw.length) showStrip(addPerson);
      remember();
    });
  }
  byId("strip-system").addEventListener("change", () => {
    state.strip = byId("strip-system").value;
    remember();
    askNames(asking.signal);
  });
  byId("beside").addEventListener("change", () => {
    state.beside = byId("beside").value;
    remember();
    showVariants(removePerson);
  });
  byId("add").addEventListener("click", keep);
  byId("test").addEventListener("click", () => copy(testText(), "The test is on the clipboard."));
  byId("link").addEventListener("click", () => copy(link(), "The link is on the clipboard."));
}

/* The field is as tall as its text. */
function grow() {
  const field = byId("text");
  field.style.height = "auto";
  field.style.height = `${field.scrollHeight + 2}px`;
}

async function keep() {
  const [first, second] = table.rows;
  if (!second) return say("There is no second sentence to add.");
  const gender = reading.mentions.find((one) => one.gender)?.gender ?? "female";
  const other = gender === "female" ? "male" : "female";
  const sentences = [
    { text: first.text, gender },
    { text: second.text, gender: other },
  ];
  try {
    const { file, rows } = await addToCorpus(sentences);
    say(`Added to ${file}, ${rows} sentences now.`);
  } catch (error) {
    say(error.message);
  }
}

/* A function for pytest that holds each system to the margin on this sentence. */
export function testText() {
  const systems = JSON.stringify(table.systems.map((system) => system.name));
  const sentence = JSON.stringify(reading.braced ?? state.text);
  return [
    "import pytest",
    "import tiltmeter",
    "",
    "",
    `@pytest.mark.parametrize("system", ${systems})`,
    "def test_the_score_does_not_depend_on_who_is_mentioned(system):",
    `    tried = tiltmeter.try_sentence(system, ${sentence})`,
    "    first, *others = tried.answers",
    "    width = tried.scale.width if tried.scale else 1",
    `    assert all(abs(first - other) <= ${state.margin / 100} * width for other in others)`,
    "",
  ].join("\n");
}

async function copy(text, words) {
  try {
    await navigator.clipboard.writeText(text);
    say(words);
  } catch {
    say(text);
  }
}

function say(words) {
  byId("done").textContent = words;
}

function offerSentences() {
  const options = Object.keys(bundle.sentences).map((text) =>
    element("option", { value: text }, text),
  );
  const select = element("select", { id: "text", "aria-label": "Sentence" }, ...options);
  select.value = state.text;
  byId("marks").remove();
  byId("text").replaceWith(select);
  for (const id of ["add", "test"]) byId(id).hidden = true;
  byId("done").textContent = bundle.note;
}

async function start() {
  let facts;
  try {
    facts = await begin();
  } catch (error) {
    document.querySelector("main").replaceChildren(element("p", {}, error.message));
    return;
  }
  audits = facts.audits;
  recall(facts);
  setSystems(facts.systems);
  strip.names = facts.names;
  const typed = byId("text").value;
  if (typed) [state.text, state.decisions] = [typed, {}]; // before the page was ready
  if (bundle) offerSentences();
  byId("text").value = state.text;
  byId("margin").value = state.margin;
  byId("threshold").value = state.threshold;
  const names = facts.systems.map((system) => system.name);
  byId("strip-system").replaceChildren(
    ...names.map((name) => element("option", { value: name }, name)),
  );
  byId("strip-system").value = state.strip;
  const pairs = names.flatMap((old) => names.filter((one) => one !== old).map((one) => [old, one]));
  byId("beside-label").hidden = pairs.length === 0;
  byId("beside").replaceChildren(
    element("option", { value: "" }, "all alike"),
    ...pairs.map(([old, fresh]) =>
      element("option", { value: `${old}\n${fresh}` }, `${old} → ${fresh}`),
    ),
  );
  byId("beside").value = state.beside;
  listen();
  showKnobs();
  showSystems();
  showAudits(audits);
  byId("text").focus();
  if (!bundle) grow();
  update();
}

start();
