/* The tip beside what the mouse or the keyboard points at. */
import { byId, root } from "./elements.js";

const tip = byId("tip");
const tips = new WeakMap();
let tipAt = null;
/* what the keyboard asked for stays, though the page scrolls under a mouse at rest */
let byKey = false;

function place() {
  const box = tipAt.getBoundingClientRect();
  const mine = tip.getBoundingClientRect();
  const middle = box.left + box.width / 2 - mine.width / 2;
  const above = box.top - mine.height - 8;
  tip.style.left = `${Math.min(Math.max(8, middle), root.clientWidth - mine.width - 8)}px`;
  tip.style.top = `${above > 4 ? above : box.bottom + 8}px`;
}
function show(target) {
  const one = target.closest?.("[data-tip], .pt");
  if (!one) return false;
  const home = [...document.querySelectorAll("dialog[open]")].pop() || document.body;
  if (tip.parentNode !== home) home.append(tip);
  const made = tips.get(one);
  tip.replaceChildren(...(made ? made() : [one.getAttribute("data-tip")]));
  tip.hidden = false;
  tipAt = one;
  place();
  return true;
}
function hide() {
  tip.hidden = true;
}

/* `make` returns what the tip of an element holds */
export const setTip = (element, make) => tips.set(element, make);
export function showByKey(element) {
  byKey = show(element);
}
export function takeTipHome() {
  hide();
  document.body.append(tip);
}

document.addEventListener("pointerover", (event) => {
  if (!byKey && !show(event.target)) hide();
});
document.addEventListener("focusin", (event) => {
  byKey = show(event.target) && event.target.matches(":focus-visible");
});
document.addEventListener("focusout", () => {
  byKey = false;
  hide();
});
const follow = () => {
  if (!tip.hidden) place();
};
document.addEventListener("scroll", follow, { passive: true, capture: true });
document.addEventListener("keydown", (event) => {
  if (event.key !== "Escape") return;
  byKey = false;
  hide();
});
