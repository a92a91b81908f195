/* Opening a system: in a dialog with an address of its own, or in place on a system's own page. */
import { corpora, placeOf, submissions, words } from "./data.js";
import { byId, dialog, h } from "./elements.js";
import { personDialog, showPerson } from "./person.js";
import { systemClosely } from "./system.js";
import { takeTipHome } from "./tips.js";

let opener = null;
let openNow = -1;
let shownAddress = "";

/* before and after it in the order that the page shows now */
function neighbours(i) {
  const rows = byId("strip") ? "#strip table.strip tbody tr" : "#regression .plot tbody tr";
  const shown = [...document.querySelectorAll(`${rows}:not([hidden])`)];
  const order = [...new Set(shown.map((row) => Number(row.dataset.i)))];
  const at = order.indexOf(i);
  return at < 0 ? [] : [order[at - 1], order[at + 1]];
}

function barOf(i) {
  const { system, task, corpus } = submissions[i];
  const { previous, next, close } = words.detail;
  const [before, after] = neighbours(i);
  const button = (text, facts, click) =>
    h("button", { type: "button", ...facts, on: { click } }, text);
  const step = (to, text, label) =>
    button(text, { disabled: to === undefined, "aria-label": label }, () =>
      openSystem(to, [], true),
    );
  const title = h(
    "h2",
    { id: "detail-name", tabindex: -1 },
    h("bdi", null, system),
    " ",
    h("span", { class: "task" }, task),
    corpora.length > 1 && h("span", { class: "task" }, corpora[corpus].name),
  );
  const steps = [
    step(before, "↑", previous),
    step(after, "↓", next),
    button(close, null, () => dialog.close()),
  ];
  return h("div", { class: "bar" }, title, h("div", { class: "steps" }, steps));
}

/* ---------------------------------------------------------------- addresses */
/* #system-vader, #system-vader/cell/0/12, #person/eec/Ebony */
const addressOf = (i, parts) => [submissions[i].anchor, ...parts].join("/");
function partsOfAddress() {
  return location.hash
    .slice(1)
    .split("/")
    .map((part) => {
      try {
        return decodeURIComponent(part);
      } catch {
        return part;
      }
    });
}
function keepAddress(address, anew) {
  shownAddress = address;
  const where = address ? `#${address}` : location.pathname + location.search;
  history[anew ? "pushState" : "replaceState"](null, "", where);
}

/* ---------------------------------------------------------------- a system */
function openSystem(i, parts, remember) {
  if (personDialog.open) personDialog.close();
  openNow = i;
  const rememberPart = (part) => keepAddress(addressOf(i, [part]), false);
  const { element, showPart } = systemClosely(i, parts, rememberPart);
  if (dialog) {
    dialog.replaceChildren(barOf(i), element);
    if (!dialog.open) dialog.showModal();
    dialog.scrollTop = 0;
  } else {
    byId("own").replaceChildren(element);
    const fold = byId("own").closest("details");
    if (fold) fold.open = true;
    if (!parts.length) byId("own").parentNode.scrollIntoView();
  }
  if (remember) keepAddress(addressOf(i, parts), true);
  else shownAddress = addressOf(i, parts);
  if (!showPart() && dialog) byId("detail-name").focus({ preventScroll: true });
}
function afterClose() {
  takeTipHome();
  dialog.replaceChildren();
  const [anchor] = partsOfAddress();
  if (submissions[openNow]?.anchor === anchor) keepAddress("", true);
  openNow = -1;
  if (opener?.isConnected) opener.focus({ preventScroll: true });
  opener = null;
}

/* ---------------------------------------------------------------- a person */
let before = "";
function openPerson(person, remember) {
  const address = ["person", ...person.map(encodeURIComponent)].join("/");
  const wasOpen = personDialog.open;
  if (!showPerson(person)) return;
  if (!wasOpen) before = remember ? shownAddress : "";
  if (remember) keepAddress(address, true);
  else shownAddress = address;
}
personDialog.addEventListener("close", () => {
  if (partsOfAddress()[0] === "person") keepAddress(before, true);
});

/* ---------------------------------------------------------------- following links and addresses */
function followAddress() {
  const [anchor, ...parts] = partsOfAddress();
  if (anchor === "person") {
    openPerson(parts, false);
    return;
  }
  if (personDialog.open) personDialog.close();
  if (!placeOf.has(anchor)) {
    if (dialog?.open) dialog.close();
    shownAddress = "";
    return;
  }
  const i = placeOf.get(anchor);
  if (i === openNow && shownAddress === addressOf(i, parts)) return;
  if (dialog || parts.length) openSystem(i, parts, false);
}
/* what a link opens; a verdict's chip in a system's row opens why */
function linkedPart(target) {
  const link = target.closest?.("[data-open]");
  if (link) {
    const { open, part } = link.dataset;
    return { link, anchor: open, parts: part ? [part] : [] };
  }
  const chip = target.closest?.("tr a.chip");
  const row = chip?.closest("tr").querySelector("[data-open]");
  return row && { link: chip, anchor: row.dataset.open, parts: ["why"] };
}
const elsewhere = (event) => event.ctrlKey || event.metaKey || event.shiftKey || event.button;

document.addEventListener("click", (event) => {
  if (elsewhere(event)) return;
  const person = event.target.closest?.('a[href^="#person/"]');
  if (person) {
    event.preventDefault();
    const [, ...parts] = person.getAttribute("href").split("/");
    openPerson(parts.map(decodeURIComponent), true);
    return;
  }
  const found = linkedPart(event.target);
  if (!found || !placeOf.has(found.anchor)) return;
  event.preventDefault();
  if (dialog && !dialog.open) opener = found.link;
  openSystem(placeOf.get(found.anchor), found.parts, true);
});
addEventListener("hashchange", followAddress);
addEventListener("popstate", followAddress);
if (dialog) {
  dialog.addEventListener("click", (event) => {
    if (event.target === dialog) dialog.close();
  });
  dialog.addEventListener("close", afterClose);
}
/* a browser also opens the fold that holds the address's words, and scrolls there, behind it */
function tidyBehind() {
  for (const fold of document.querySelectorAll("details.fold[open]")) fold.open = false;
  scrollTo(0, 0);
}
if (location.hash) {
  followAddress();
  if (dialog?.open) addEventListener("load", () => requestAnimationFrame(tidyBehind));
}
if (!dialog && submissions.length) {
  const drawOwn = () => {
    if (byId("own").children.length) return;
    openNow = 0;
    const rememberPart = (part) => keepAddress(addressOf(0, [part]), false);
    byId("own").append(systemClosely(0, [], rememberPart).element);
  };
  requestAnimationFrame(() => setTimeout(drawOwn));
}
