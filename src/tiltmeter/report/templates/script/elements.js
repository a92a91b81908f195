/* Making elements. Text from outside goes in as text, never as markup. */
const SVG = "http://www.w3.org/2000/svg";

export const root = document.documentElement;
export const byId = (id) => document.getElementById(id);
export const dialog = byId("detail");

function furnish(element, facts, inside) {
  for (const [name, value] of Object.entries(facts || {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name === "on") {
      for (const [kind, heard] of Object.entries(value)) element.addEventListener(kind, heard);
    } else {
      element.setAttribute(name, value === true ? "" : value);
    }
  }
  for (const one of inside.flat(Number.POSITIVE_INFINITY)) {
    if (one || one === 0) element.append(one);
  }
  return element;
}

/* h("p", { class: "lede" }, "text", [more]) makes an element of HTML, s one of SVG */
export const h = (name, facts, ...inside) => furnish(document.createElement(name), facts, inside);
export const s = (name, facts, ...inside) =>
  furnish(document.createElementNS(SVG, name), facts, inside);

export const lede = (text) => h("p", { class: "lede" }, text);
export const percent = (x) => `${Math.round(x * 100) / 100}%`;

/* Wide tables scroll by keyboard too, so they have a name */
export const scrollBox = (label, ...inside) =>
  h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": label }, inside);
export const headCell = (text, kind) => h("th", { scope: "col", class: kind }, text);

/* The address of a person's view */
export const personLink = (corpus, name, facts) =>
  h(
    "a",
    {
      href: `#person/${encodeURIComponent(corpus)}/${encodeURIComponent(name)}`,
      dir: "auto",
      ...facts,
    },
    name,
  );
/* A table's column that sorts it: `sort` is called with the button's column */
export function sortHead(text, kind, label, sort) {
  const head = headCell(
    h("button", { type: "button", class: "sort", "aria-label": label }, text),
    kind,
  );
  head.firstElementChild.addEventListener("click", () => sort(head));
  return head;
}

/* Python wrote every text; only what people filter is counted here: "{n} of 219 rows" */
export const fillSlots = (text, numbers) =>
  text.replace(/\{(\w+)\}/g, (slot, name) =>
    Object.hasOwn(numbers, name) ? numbers[name].toLocaleString("en-GB") : slot,
  );

/* some rows of a table, and a button for all of them */
export function cutRows(rows, most, text) {
  const body = h("tbody", null, rows.slice(0, most));
  if (rows.length <= most) return { body, more: null };
  const more = h("button", { type: "button" }, fillSlots(text, { n: rows.length }));
  more.addEventListener("click", () => {
    body.replaceChildren(...rows);
    more.remove();
  });
  return { body, more };
}
