/** Run by library-index.mjs: the times of queries by class, in process. Arguments: internals, library, data folder. */

import { cpuMsSince } from "./cpu-time.mjs";
import { percentile } from "./percentile.mjs";
import { createRandom } from "./random.mjs";
import { vocabularyOf } from "./vocabulary.mjs";

const QUERIES = 60;
const COMMON = ["the", "of", "and", "is", "to"];
const [internals = "", library = "", dataFolder = ""] = process.argv.slice(2);
const { NO_CHANGES, openIndex, searchLibrary } = await import(internals);
const index = openIndex(dataFolder);
const random = createRandom(5);
const { words, phrases, camelParts } = vocabularyOf(library);
const commonPhrases = phrases.filter((phrase) => phrase.split(" ").filter((word) => COMMON.includes(word)).length > 1);
const word = () => random.pick(words);
const longer = words.filter(({ length }) => length > 5);

/** Limits in ms. @type {Record<string, { limit: number, makeQuery: () => string }>} */
const CLASSES = {
  word: { limit: 10, makeQuery: word },
  "one of the commonest words": { limit: 10, makeQuery: () => random.pick(COMMON) },
  "two words": { limit: 10, makeQuery: () => `${word()} ${word()}` },
  phrase: { limit: 20, makeQuery: () => `"${random.pick(phrases)}"` },
  "phrase of the commonest words": { limit: 20, makeQuery: () => `"${random.pick(commonPhrases)}"` },
  "Chinese or Japanese": { limit: 10, makeQuery: () => random.pick(["日本", "本語のコ", "中文", "注", "コメント"]) },
  "part of an identifier": { limit: 10, makeQuery: () => random.pick(camelParts) },
  "prefix of 5 letters": { limit: 10, makeQuery: () => `${random.pick(longer).slice(0, 5)}*` },
  "prefix of 4 letters": { limit: 50, makeQuery: () => `${random.pick(longer).slice(0, 4)}*` },
  "prefix of 3 letters": { limit: 50, makeQuery: () => `${random.pick(longer).slice(0, 3)}*` },
};

/** As the web UI asks while no session changes: 20 sessions, with a few hits each. @param {string} text */
async function search(text) {
  const options = { perSession: 3, changes: NO_CHANGES };
  const answer = await searchLibrary(index, [library], { text, mode: "words", filter: {} }, [], options);
  if (!answer.exact) throw new Error(`the sessions with ${text} were not counted`);
  return answer.totalSessions;
}

/** Every class first warms up; the classes take turns, so that a busy moment of the machine hits all of them. */
const asked = Object.entries(CLASSES).map(([name, query]) => ({
  ...query,
  name,
  times: /** @type {number[]} */ ([]),
  sessions: 0,
}));
for (let round = -5; round < QUERIES; round++) {
  for (const query of asked) {
    const text = query.makeQuery();
    const started = process.cpuUsage();
    const sessions = await search(text);
    if (round >= 0) query.times.push(cpuMsSince(started));
    query.sessions = Math.max(query.sessions, sessions);
  }
}
index.close();
const figures = asked.map(({ name, limit, times, sessions }) => {
  return { name, limit, sessions, p50: percentile(times, 0.5), p95: percentile(times, 0.95) };
});
console.log(JSON.stringify({ figures }));
