/** Run by library-index.mjs: the times of queries by class, in process. Arguments: internals, library, data folder. */

import { percentile } from "./percentile.mjs";
import { createRandom } from "./random.mjs";
import { vocabularyOf } from "./vocabulary.mjs";

const QUERIES = 60;
const [internals = "", library = "", dataFolder = ""] = process.argv.slice(2);
const { openIndex, searchIndexed } = await import(internals);
const index = openIndex(dataFolder);
const random = createRandom(5);
const { words, phrases, camelParts } = vocabularyOf(library);
const word = () => random.pick(words);

/** @type {Record<string, () => string>} */
const CLASSES = {
  word,
  "stop word": () => random.pick(["the", "of", "and", "is", "to"]),
  "two words": () => `${word()} ${word()}`,
  phrase: () => `"${random.pick(phrases)}"`,
  prefix: () => `${word().slice(0, 3)}*`,
  "Chinese or Japanese": () => random.pick(["日本", "本語のコ", "中文", "注", "コメント"]),
  "part of an identifier": () => random.pick(camelParts),
};

/** Every class first warms up; the classes take turns, so that a busy moment of the machine hits all of them. */
const times = Object.fromEntries(Object.keys(CLASSES).map((name) => [name, /** @type {number[]} */ ([])]));
let hits = 0;
for (let round = -5; round < QUERIES; round++) {
  for (const [name, makeQuery] of Object.entries(CLASSES)) {
    const text = makeQuery();
    const started = process.cpuUsage();
    hits += searchIndexed(index, [library], { text, mode: "words", filter: {} }, [])?.hits.length ?? 0;
    if (round >= 0) times[name]?.push(cpuMs(started));
  }
}
index.close();
const figures = Object.entries(times).map(([name, list]) => ({
  name,
  p50: percentile(list, 0.5),
  p95: percentile(list, 0.95),
}));
console.log(JSON.stringify({ engine: index.db.engine, hits, figures }));

/** The time of the processor, because that of the clock counts what other programs do. @param {NodeJS.CpuUsage} started */
function cpuMs(started) {
  const { user, system } = process.cpuUsage(started);
  return (user + system) / 1000;
}
