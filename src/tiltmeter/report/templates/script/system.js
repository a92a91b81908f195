/* One system closely: its findings, differences, pairs, people, words, parts and regression. */
import { boxOfPairs } from "./boxes.js";
import { coefficientTable } from "./coefficients.js";
import { corpora, entryOf, fitOf, fits, panelOf, submissions, unitOf, words } from "./data.js";
import { byId, dialog, h, lede } from "./elements.js";
import { cellFilters, heatMap } from "./heat.js";
import { groupMeans, namesThatPull } from "./names.js";
import { pairExplorer } from "./pairs.js";
import { peopleOf } from "./people.js";
import { largestSwaps } from "./swaps.js";
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

function panelPicker(i, panels, now, draw) {
  if (panels.length < 2) return null;
  const choices = panels.map((panel, nth) => {
    const facts = { type: "radio", name: `panel-${i}`, value: nth, checked: nth === now };
    return h("label", { class: "pick" }, h("input", facts), h("span", null, panel.pick));
  });
  const change = (event) => draw(Number(event.target.value));
  return h("fieldset", { on: { change } }, h("legend", null, words.system.pick), choices);
}

/* `remember` keeps a part of the address: `cell/0/12` */
function differencesOf(i, panel, remember) {
  const said = words.system;
  const { rests, part } = entryOf(i);
  const [text, hangs] = rests[panel];
  const resting = text && h("p", { class: hangs ? "rests" : null, dir: "auto" }, text);
  const explorer = pairExplorer(i, panel, remember);
  const swaps = largestSwaps(i, panel);
  if (!swaps && explorer.element.tagName === "DETAILS") explorer.element.open = true;
  const openCell = (at) => {
    explorer.show({ chosen: cellFilters(i, panel, at) });
    remember(`cell/${panel}/${at}`);
  };
  const element = h(
    "div",
    null,
    hangs && resting,
    heading(said.pairs),
    lede(`${panelOf(i, panel).pairs} ${unitOf(i).scores}`),
    swaps,
    explorer.element,
    heading(said.boxes),
    boxOfPairs(i, panel),
    part && lede(part),
    describedTable(i, panel),
    heading(said.people),
    lede(said.aboutPeople),
    !hangs && resting,
    peopleOf(i, panel),
    heading(said.heat),
    lede(words.heat.open),
    heatMap(i, panel, openCell),
    heading(said.subsets),
    lede(said.aboutSubsets),
    subsetTable(i, panel),
  );
  return { element, show: explorer.show };
}

/* the verdicts, each with why, and what would decide it */
function judgedOf(i) {
  const { why } = entryOf(i);
  if (!why.length) return null;
  const texts = words.why;
  const line = ({ title, shape, verdict, sentence, rule, step }) =>
    h(
      "li",
      null,
      h(
        "p",
        null,
        h(
          "span",
          { class: `chip ${shape[0]}` },
          h("span", { class: "sign", "aria-hidden": "true" }, shape[1]),
          h("b", null, verdict),
        ),
        " ",
        title,
      ),
      h("p", { dir: "auto" }, sentence),
      h("p", { class: "aside" }, rule),
      step &&
        h(
          "p",
          null,
          h("span", { class: "aside" }, `${texts.decide} `),
          step.command && h("code", { dir: "ltr" }, step.command),
          step.command && " ",
          h("span", { class: "aside" }, step.said),
        ),
    );
  return h(
    "section",
    { class: "judged" },
    h("h3", { tabindex: -1 }, texts.title),
    h("ul", { class: "why" }, why.map(line)),
  );
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

/* `parts` of its address: which part is shown, as ["cell", "0", "12"] */
export function systemClosely(i, parts, remember) {
  const { panels } = corpora[submissions[i].corpus];
  const body = h("div");
  const [kind, nth, at] = parts;
  const place = ["cell", "pair"].includes(kind) && panels[nth] ? Number(nth) : 0;
  let shown = null;
  const draw = (panel) => {
    shown = differencesOf(i, panel, remember);
    body.replaceChildren(...shown.element.childNodes);
  };
  if (panels.length) draw(place);
  else if (byId("strip")) body.append(lede(words.system.none));
  const judged = judgedOf(i);
  const element = h(
    "div",
    { class: "inside" },
    otherAnswers(i),
    judged || (dialog && entryOf(i).told.map(saidLine)),
    panelPicker(i, panels, place, draw),
    body,
    regressionOf(i),
    factsOf(i),
  );
  /* once it is on the page: to what its address names; whether there is such a part */
  const showPart = () => {
    const chosen = kind === "cell" && shown && cellFilters(i, place, Number(at));
    const pair = kind === "pair" && shown ? Number(at) : Number.NaN;
    if (chosen) shown.show({ chosen });
    else if (!Number.isNaN(pair)) shown.show({ at: pair });
    const heading = { why: ".judged h3", regressed: ".regressed h3" }[kind];
    const found = heading && element.querySelector(heading);
    if (found) {
      found.focus({ preventScroll: true });
      found.parentNode.scrollIntoView();
    }
    return Boolean(chosen || found || !Number.isNaN(pair));
  };
  return { element, showPart };
}
