/* The conversation with the server: everything follows from the sentence as it is written. */

import { readPeople, stream } from "./api.js";
import { showEvidence } from "./audits.js";
import { byId, element, number } from "./elements.js";
import { clearStrip, drawStripSoon, strip, takeNames } from "./names.js";
import { pointAtReading, showMarks, showReadings, undecided } from "./sentence.js";
import { remember, state } from "./state.js";
import { showVariants, table, take } from "./variants.js";
import { reasons, showWhy } from "./why.js";

const QUIET = 220; // milliseconds without a key before names and reasons are asked for
const PAUSE = 700; // before what has a price is asked
const AGAIN = 2000; // before a system that is down is asked again
export const read = { reading: { mentions: [] }, audits: [] };
const GRACE = 300; // before a request that nobody waits for is broken off: most are answered by then
let asking = newTurn();
let askingNames = newTurn();
let recovering = 0;
let drawing = 0;
const timers = [];

/* What is asked for one sentence; once it has ended, answers to it are ignored. */
function newTurn() {
  const network = new AbortController();
  const turn = { aborted: false, network: network.signal };
  turn.end = () => {
    turn.aborted = true;
    setTimeout(() => network.abort(), GRACE); // a connection broken off is opened anew
  };
  return turn;
}

/* What was asked for an earlier sentence is dropped. */
export async function update() {
  asking.end();
  askingNames.end();
  asking = newTurn();
  const signal = asking;
  for (const timer of timers.splice(0)) clearTimeout(timer);
  clearTimeout(recovering);
  recovering = 0;
  const braced = /\{[^{}]*\}/.test(state.text);
  table.rows = braced ? [] : [{ text: state.text, label: "as written" }];
  try {
    if (state.text.trim() && table.rows.length) score(free(), signal);
    const reading = await readPeople(state.text, numbered(state.decisions), signal.network);
    if (signal.aborted) return;
    read.reading = reading;
    showMarks(reading);
    showReadings(reading, update);
    pointAtReading(reading);
    setRows();
    showTable();
    if (table.rows.length > 1) score(free(), signal);
    timers.push(setTimeout(() => askFurther(signal), QUIET));
    timers.push(setTimeout(() => score(costly(), signal), PAUSE));
  } catch (error) {
    if (!signal.aborted) byId("verdict").textContent = error.message;
  }
}

const names = (systems) => systems.map((system) => system.name);
const free = () => names(table.systems.filter((system) => !system.costs));
const costly = () => names(table.systems.filter((system) => system.costs));
const numbered = (decisions) =>
  Object.fromEntries(Object.entries(decisions).map(([start, choice]) => [Number(start), choice]));
const asked = (systems) => ({
  text: read.reading.variants?.[0]?.text ?? state.text,
  decisions: read.reading.variants ? {} : numbered(state.decisions),
  systems,
});

function setRows() {
  const { reading } = read;
  if (reading.variants) {
    table.rows = reading.variants.map((one) => ({ ...one, label: "written" }));
    return;
  }
  const words = (side) => (reading.words ?? []).map((one) => one[side]);
  const rows = [{ text: state.text, label: "as written", words: words("first") }];
  if (reading.swapped) {
    rows.push({ text: reading.swapped, label: "swapped", words: words("second") });
  }
  for (const person of reading.frame ? state.people : []) {
    const parts = reading.frame[person.gender] ?? [];
    const text = parts.join(person.name);
    rows.push({ text, label: person.name, words: [person.name], person });
  }
  table.rows = rows;
}

export const showTable = () => showVariants(removePerson, undecided(read.reading));

/* Once a frame, however many systems answer in it. */
function showAnswersSoon() {
  if (drawing) return;
  drawing = requestAnimationFrame(() => {
    drawing = 0;
    showTable();
    showSystems();
  });
}

async function score(systems, signal) {
  const texts = table.rows.map((row) => row.text);
  if (!systems.length || !texts.length || !texts[0].trim() || signal.aborted) return;
  try {
    await stream("/api/score", { texts, systems }, signal.network, (event) => {
      if (signal.aborted || event.done) return;
      take(event, texts);
      showAnswersSoon();
      if (event.down && !recovering) recovering = setTimeout(() => recover(signal), AGAIN);
    });
  } catch (error) {
    if (!signal.aborted) byId("verdict").textContent = error.message;
  }
}

/* A system that was down is asked again, and then for the rest as well. */
async function recover(signal) {
  recovering = 0;
  if (signal.aborted) return;
  const down = table.systems.filter((system) => system.down);
  await score(names(down), signal);
  if (!signal.aborted && down.some((system) => !system.down)) askFurther(signal);
}

function askFurther(signal) {
  if (signal.aborted) return;
  remember();
  askNames();
  askWhy(signal);
}

export async function askNames(agreed = false) {
  askingNames.end();
  askingNames = newTurn();
  const signal = askingNames;
  const { reading } = read;
  clearStrip();
  const line = byId("strip-answer");
  if (reading.no_names || !state.text.trim()) {
    byId("strip").replaceChildren();
    line.textContent = undecided(reading) || (reading.no_names ?? "");
    return;
  }
  const system = table.systems.find((one) => one.name === state.strip);
  if (system.costs && !agreed) {
    byId("strip").replaceChildren();
    line.replaceChildren(askButton(strip.names.length, system, () => askNames(true)));
    return;
  }
  if (!byId("strip").firstChild) line.textContent = "Asking…";
  try {
    const request = { ...asked([state.strip]), agreed: agreed ? [state.strip] : [] };
    await stream("/api/names", request, signal.network, (event) => {
      if (signal.aborted || event.done) return;
      if (event.cost) {
        takeCost(event);
        line.replaceChildren(askButton(event.cost.questions, system, () => askNames(true)));
      } else if (event.raw) {
        takeNames(event);
        drawStripSoon();
      } else {
        line.textContent = event.down
          ? `${event.system} is down: ${event.down}`
          : `${event.system} waiting ${event.waiting} s`;
      }
    });
  } catch (error) {
    if (!signal.aborted) line.textContent = error.message;
  }
}

/* What has a price is asked when somebody says so. */
function askButton(many, system, agreed) {
  const price = system.price ? `, ${number(many * system.price, 2)} at its price` : "";
  const words = `Ask ${system.name} about ${many} questions${price}`;
  return element("button", { type: "button", onclick: agreed }, words);
}

/* A system that was down when the page began says only now that it has a price. */
function takeCost(event) {
  const system = table.systems.find((one) => one.name === event.system);
  Object.assign(system, { costs: true, price: event.cost.price });
}

async function askWhy(signal, agreed = []) {
  const systems = [...free(), ...agreed];
  for (const name of Object.keys(reasons)) if (!agreed.includes(name)) delete reasons[name];
  const buttons = table.systems.filter((one) => one.costs && !agreed.includes(one.name));
  const many = 2 + state.text.split(/\s+/).filter(Boolean).length; // the text, without each word, …
  byId("why-ask").replaceChildren(
    ...buttons.map((system) =>
      askButton(many, system, () => askWhy(asking, [...agreed, system.name])),
    ),
  );
  if (!state.text.trim() || !table.rows.length || !systems.length) return showWhy([]);
  try {
    await stream("/api/why", { ...asked(systems), agreed }, signal.network, (event) => {
      if (signal.aborted) return;
      if (event.cost) {
        takeCost(event);
        const system = table.systems.find((one) => one.name === event.system);
        const ask = () => askWhy(asking, [...agreed, system.name]);
        byId("why-ask").append(askButton(event.cost.questions, system, ask));
      }
      if (!event.why) return;
      reasons[event.system] = event;
      showWhy(table.systems);
    });
  } catch (error) {
    if (!signal.aborted) byId("why-answer").textContent = error.message;
  }
}

export function addPerson(person) {
  if (!state.people.some((one) => one.name === person.name)) {
    state.people = [...state.people.slice(-11), person];
  }
  if (read.audits.length) showEvidence(person);
  setRows();
  remember();
  score(names(table.systems), asking);
  showTable();
}

function removePerson(row) {
  state.people = state.people.filter((one) => one.name !== row.person.name);
  setRows();
  remember();
  showTable();
  byId("text").focus();
}

export function showSystems() {
  byId("systems").replaceChildren(
    ...table.systems.map((system) => {
      const waiting = system.waiting ? ` waiting ${system.waiting} s` : "";
      const words = system.down ? " down" : waiting;
      const kind = system.down ? "down" : system.state === "opening" && waiting ? "opening" : null;
      const kept = system.stored ? `, ${system.stored} stored answers used` : "";
      const attributes = { class: kind, title: system.down || null };
      return element("li", attributes, `${system.name}${words}${kept}`);
    }),
  );
}
