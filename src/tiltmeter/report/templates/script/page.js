/* The page as a whole: it has a script, and prints with everything open. */
import { root } from "./elements.js";

const FOLDED = "#method details, #words details, #regression > details";

root.classList.add("js");
addEventListener("beforeprint", () => {
  for (const one of document.querySelectorAll(FOLDED)) one.open = true;
});
