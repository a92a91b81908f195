/* Elements made of text alone: nothing that a user or a system says is ever read as markup. */

export function element(name, attributes, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes ?? {})) {
    if (value === undefined || value === null || value === false) continue;
    if (key.startsWith("on")) made.addEventListener(key.slice(2), value);
    else made.setAttribute(key, value === true ? "" : value);
  }
  made.append(...children.filter((child) => child !== null && child !== undefined));
  return made;
}

export function shape(name, attributes, ...children) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes ?? {})) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

export const byId = (id) => document.getElementById(id);

export function number(value, digits = 1) {
  const text = value.toFixed(digits).replace("-", "−");
  return Number(value.toFixed(digits)) === 0 ? (0).toFixed(digits) : text;
}

/* A score as points of 100 where the scale is known, else as the system gave it. */
export function onScale(raw, scale) {
  if (raw === null || raw === undefined) return null;
  return scale ? (100 * (raw - scale.low)) / (scale.high - scale.low) : raw;
}

export const plural = (many, one, several) =>
  `${many.toLocaleString("en")} ${many === 1 ? one : several}`;
