/* The instrument: type, swap, see, understand. */

import { copyLink, copyTest, keepSentences, say } from "./actions.js";
import { begin, bundle } from "./api.js";
import { addPerson, askNames, read, showSystems, showTable, update } from "./ask.js";
import { showAudits } from "./audits.js";
import { byId, element, number } from "./elements.js";
import { drawStripSoon, setNames, strip } from "./names.js";
import { pointAtReading } from "./sentence.js";
import { readAddress, recall, remember, rewrite, state } from "./state.js";
import { setSystems, table } from "./variants.js";

function showKnobs() {
  byId("margin").value = state.margin;
  byId("threshold").value = state.threshold;
  byId("strip-system").value = state.strip;
  byId("beside").value = state.beside;
  byId("margin-shown").textContent = `${number(state.margin)} points of 100`;
  byId("threshold-shown").textContent = `${number(state.threshold, 0)} of 100`;
}

function listen(facts) {
  byId("text").addEventListener("input", () => {
    rewrite(byId("text").value);
    say("");
    grow();
    update();
  });
  byId("text").addEventListener("click", () => pointAtReading(read.reading));
  byId("text").addEventListener("keyup", () => pointAtReading(read.reading));
  for (const knob of ["margin", "threshold"]) {
    byId(knob).addEventListener("input", () => {
      state[knob] = Number(byId(knob).value);
      showKnobs();
      showTable();
      showAudits(read.audits);
      if (strip.raw.length) drawStripSoon();
      remember();
    });
  }
  byId("strip-system").addEventListener("change", () => {
    state.strip = byId("strip-system").value;
    remember();
    askNames();
  });
  byId("beside").addEventListener("change", () => {
    state.beside = byId("beside").value;
    remember();
    showTable();
  });
  byId("add").addEventListener("click", keepSentences);
  byId("test").addEventListener("click", copyTest);
  byId("link").addEventListener("click", copyLink);
  addEventListener("hashchange", () => {
    readAddress(facts);
    showView();
  });
  addEventListener("keydown", (event) => {
    if (event.key === "Escape") byId("text").focus();
  });
  addEventListener("resize", () => strip.raw.length && drawStripSoon());
}

/* The field is as tall as its text. */
function grow() {
  const field = byId("text");
  if (bundle) return;
  field.style.height = "auto";
  field.style.height = `${field.scrollHeight + 2}px`;
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
  say(bundle.note);
}

function offerSystems(systems) {
  const names = systems.map((system) => system.name);
  const option = (value, words) => element("option", { value }, words);
  byId("strip-system").replaceChildren(...names.map((name) => option(name, name)));
  byId("strip-system-label").hidden = names.length < 2;
  const pairs = names.flatMap((old) => names.filter((one) => one !== old).map((one) => [old, one]));
  byId("beside-label").hidden = pairs.length === 0;
  byId("beside").replaceChildren(
    option("", "none"),
    ...pairs.map(([old, fresh]) => option(`${old}\n${fresh}`, `${old} → ${fresh}`)),
  );
}

function showView() {
  byId("text").value = state.text;
  showKnobs();
  showAudits(read.audits);
  grow();
  update();
}

async function start() {
  let facts;
  let touched = false; // by somebody who wrote before the page was ready
  byId("text").addEventListener("input", () => (touched = true), { once: true });
  try {
    facts = await begin();
  } catch (error) {
    document.querySelector("main").replaceChildren(element("p", {}, error.message));
    return;
  }
  read.audits = facts.audits;
  recall(facts);
  if (touched) [state.text, state.decisions] = [byId("text").value, {}];
  if (bundle) for (const system of facts.systems) system.costs = false; // all is answered
  setSystems(facts.systems);
  setNames(facts.names, addPerson);
  if (bundle) offerSentences();
  offerSystems(table.systems);
  listen(facts);
  showSystems();
  byId("text").focus();
  showView();
}

start();
