/* What a user takes away: sentences for a corpus, a test, a link. */

import { addToCorpus } from "./api.js";
import { read } from "./ask.js";
import { byId } from "./elements.js";
import { link, state } from "./state.js";
import { table } from "./variants.js";

const NOTHING = "There is no second sentence yet: nobody in this one was swapped.";

/* The sentence and its counterpart; those about names added above go with whom they are about. */
export async function keepSentences() {
  const { reading } = read;
  const whose = reading.mentions.find((one) => one.gender)?.gender;
  if (!reading.swapped || !whose) return say(NOTHING);
  const sentences = [
    { text: state.text, gender: whose },
    { text: reading.swapped, gender: whose === "female" ? "male" : "female" },
  ];
  for (const row of table.rows) {
    if (row.person) sentences.push({ text: row.text, gender: row.person.gender });
  }
  try {
    const { file, rows } = await addToCorpus(sentences);
    say(`Added to ${file}, ${rows} sentences now.`);
  } catch (error) {
    say(error.message);
  }
}

/* A function for pytest that holds each system to the margin on this sentence. */
function testText() {
  const systems = JSON.stringify(table.systems.map((system) => system.name));
  return [
    "import pytest",
    "import tiltmeter",
    "",
    "",
    `@pytest.mark.parametrize("system", ${systems})`,
    "def test_the_score_does_not_depend_on_who_is_mentioned(system):",
    `    tried = tiltmeter.try_sentence(system, ${JSON.stringify(read.reading.braced)})`,
    "    first, *others = tried.answers",
    "    width = tried.scale.width if tried.scale else 1",
    `    assert all(abs(first - other) <= ${state.margin / 100} * width for other in others)`,
    "",
  ].join("\n");
}

export const copyTest = () =>
  read.reading.braced ? copy(testText(), "The test is on the clipboard.") : say(NOTHING);
export const copyLink = () => copy(link(), "The link is on the clipboard.");

async function copy(text, words) {
  try {
    await navigator.clipboard.writeText(text);
    say(words);
  } catch {
    say(text);
  }
}

export function say(words) {
  byId("done").textContent = words;
}
