/* Opening a system: in a dialog with an address of its own, or in place on a system's own page. */
import { corpora, placeOf, submissions, words } from "./data.js";
import { byId, dialog, h } from "./elements.js";
import { systemClosely } from "./system.js";
import { takeTipHome } from "./tips.js";

let opener = null;
let openNow = -1;

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
    button(text, { disabled: to === undefined, "aria-label": label }, () => open(to, true));
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

function open(i, remember, part) {
  openNow = i;
  dialog.replaceChildren(barOf(i), systemClosely(i));
  if (!dialog.open) dialog.showModal();
  dialog.scrollTop = 0;
  const heading = part && dialog.querySelector(`.${part} h3`);
  (heading || byId("detail-name")).focus({ preventScroll: true });
  if (heading) heading.parentNode.scrollIntoView();
  if (remember) history.pushState(null, "", `#${submissions[i].anchor}`);
}

function anchorOfAddress() {
  const anchor = location.hash.slice(1);
  try {
    return decodeURIComponent(anchor);
  } catch {
    return anchor;
  }
}
function followAddress() {
  const anchor = anchorOfAddress();
  if (placeOf.has(anchor)) open(placeOf.get(anchor), false);
  else if (dialog.open) dialog.close();
}
function afterClose() {
  takeTipHome();
  dialog.replaceChildren();
  if (submissions[openNow] && location.hash === `#${submissions[openNow].anchor}`) {
    history.pushState(null, "", location.pathname + location.search);
  }
  if (opener?.isConnected) opener.focus({ preventScroll: true });
  opener = null;
}
function openInDialog(event, link) {
  if (event.ctrlKey || event.metaKey || event.shiftKey || event.button) return;
  event.preventDefault();
  if (!dialog.open) opener = link;
  open(placeOf.get(link.dataset.open), true, link.dataset.part);
}

const drawInPlace = (i) => byId("own").replaceChildren(systemClosely(i));

document.addEventListener("click", (event) => {
  const link = event.target.closest?.("[data-open]");
  if (!link) return;
  if (dialog) openInDialog(event, link);
  else if (placeOf.has(link.dataset.open)) {
    event.preventDefault();
    drawInPlace(placeOf.get(link.dataset.open));
  }
});
if (dialog) {
  dialog.addEventListener("click", (event) => {
    if (event.target === dialog) dialog.close();
  });
  dialog.addEventListener("close", afterClose);
  addEventListener("hashchange", followAddress);
  addEventListener("popstate", followAddress);
  if (location.hash) followAddress();
} else if (submissions.length) {
  requestAnimationFrame(() => setTimeout(() => drawInPlace(0)));
}
