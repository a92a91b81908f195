/* A link into something folded opens it, unless it opens a view of its own (data-open). Printing
   opens every section, and folds it again. */
function unfold(id) {
  const target = id && document.getElementById(id);
  if (!target || document.querySelector(`[data-open="${CSS.escape(id)}"]`)) return;
  let box = target.querySelector(":scope > details.fold") || target;
  let shut = false;
  while (box) {
    if (box.tagName === "DETAILS" && !box.open) {
      box.open = true;
      shut = true;
    }
    box = box.parentElement;
  }
  if (shut) target.scrollIntoView();
}
const unfoldHash = () => unfold(decodeURIComponent(location.hash.slice(1)));

addEventListener("hashchange", unfoldHash);
addEventListener("click", (event) => {
  const link = event.target.closest?.('a[href^="#"]');
  if (link && !event.defaultPrevented)
    unfold(decodeURIComponent(link.getAttribute("href").slice(1)));
});
let printed = [];
addEventListener("beforeprint", () => {
  printed = [...document.querySelectorAll("details.fold:not([open])")];
  for (const fold of printed) fold.open = true;
});
addEventListener("afterprint", () => {
  for (const fold of printed) fold.open = false;
});
unfoldHash();
