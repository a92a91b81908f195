/* One system closely: its findings, differences, pairs, people, words, parts and regression. */
import { boxOfPairs } from "./boxes.js";
import { coefficientTable } from "./coefficients.js";
import { corpora, entryOf, fitOf, fits, panelOf, submissions, unitOf, words } from "./data.js";
import { byId, dialog, h, lede } from "./elements.js";
import { heatMap } from "./heat.js";
import { groupMeans, namesThatPull } from "./names.js";
import { pairExplorer } from "./pairs.js";
import { peopleOf } from "./people.js";
import { describedTable, factsOf, subsetTable } from "./tables.js";

const saidLine = (text) => h("p", { class: "said" }, text);
const heading = (text) => h("h3", null, text);

/* the same system's other tasks and corpora */
function otherAnswers(i) {
  const also = [...submissions.keys()].filter(
    (n) => submissions[n].system === submissions[i].system,
  );
  if (also.length < 2) return null;
  const links = also.map((n) => {
    const { anchor, label } = submissions[n];
    const current = n === i ? "true" : null;
    return h("a", { href: `#${anchor}`, "data-open": anchor, "aria-current": current }, label);
  });
  return h("p", { class: "also" }, links);
}

function panelPicker(i, panels, draw) {
  if (panels.length < 2) return null;
  const choices = panels.map((panel, nth) => {
    const facts = { type: "radio", name: `panel-${i}`, value: nth, checked: nth === 0 };
    return h("label", { class: "pick" }, h("input", facts), h("span", null, panel.pick));
  });
  const change = (event) => draw(Number(event.target.value));
  return h("fieldset", { on: { change } }, h("legend", null, words.system.pick), choices);
}

function differencesOf(i, panel) {
  const said = words.system;
  const { rests, part } = entryOf(i);
  const [text, hangs] = rests[panel];
  const resting = text && h("p", { class: hangs ? "rests" : null, dir: "auto" }, text);
  return [
    hangs && resting,
    heading(said.boxes),
    boxOfPairs(i, panel),
    part && lede(part),
    describedTable(i, panel),
    heading(said.pairs),
    lede(`${panelOf(i, panel).pairs} ${unitOf(i).scores}`),
    pairExplorer(i, panel),
    heading(said.people),
    lede(said.aboutPeople),
    !hangs && resting,
    peopleOf(i, panel),
    heading(said.heat),
    heatMap(i, panel),
    heading(said.subsets),
    lede(said.aboutSubsets),
    subsetTable(i, panel),
  ];
}

function regressionOf(i) {
  const fit = fits && fitOf(i);
  if (!fit) return null;
  const told = dialog ? fit.told.map(saidLine) : null;
  return h(
    "section",
    { class: "regressed" },
    h("h3", { tabindex: -1 }, fits.title),
    fit.reason ? h("p", null, fit.reason) : [told, coefficientTable([i])],
    h("p", { class: "aside" }, fit.from),
    fit.means && [
      h("h4", null, fits.words.groups),
      h("div", { class: "scroll" }, groupMeans(fit.means)),
    ],
    namesThatPull(i),
  );
}

export function systemClosely(i) {
  const { panels } = corpora[submissions[i].corpus];
  const body = h("div");
  const draw = (panel) =>
    body.replaceChildren(...h("div", null, differencesOf(i, panel)).childNodes);
  if (panels.length) draw(0);
  else if (byId("strip")) body.append(lede(words.system.none));
  return h(
    "div",
    { class: "inside" },
    otherAnswers(i),
    dialog && entryOf(i).told.map(saidLine),
    panelPicker(i, panels, draw),
    body,
    regressionOf(i),
    factsOf(i),
  );
}
