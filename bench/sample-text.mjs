/**
 * @typedef {import("./random.mjs").Random} Random
 * @typedef {ReturnType<typeof createSampleText>} SampleText
 * @typedef {{ random: Random, word: () => string }} Writer Some words are many times as common as others.
 */

const POOL_LENGTH = 150_000;
const SYLLABLES = "ba ce di fo gu ha je ki lo mu na pe ri so tu va we xi yo zu tra ple sto kri den mar".split(" ");
const FOREIGN = ["→ naïve café", "日本語のコメント", "中文注释", "🚀 shipped", "größer ≥ kleiner", "привет мир"];
const STOP_WORDS = "the of a to in and is it for that with this on".split(" ");
const LEVELS = ["INFO", "DEBUG", "WARN", "ERROR"];

/** The text of one imaginary project. Pieces are cut out of prepared pools, so that a gigabyte costs seconds. @param {Random} random */
export function createSampleText(random) {
  const words = Array.from({ length: 600 }, () => makeWord(random));
  const writer = { random, word: () => /** @type {string} */ (words[Math.floor(words.length * random.next() ** 2)]) };
  const pools = {
    code: fillPool(() => codeLine(writer)),
    log: fillPool(() => logLine(writer)),
    paths: fillPool(() => path(writer)),
    prose: fillPool(() => sentence(writer)),
  };
  return {
    word: writer.word,
    path: () => path(writer),
    sentence: () => sentence(writer),
    /** Whole lines of one kind. @param {keyof typeof pools} kind @param {number} length */
    lines: (kind, length) => cutLines(pools[kind], random, length),
  };
}

/** @param {Random} random */
function makeWord(random) {
  return Array.from({ length: random.between(1, 4) }, () => random.pick(SYLLABLES)).join("");
}

/** @param {Writer} writer */
function camelCase({ random, word }) {
  const capital = () => word().replace(/^./, (letter) => letter.toUpperCase());
  return word() + Array.from({ length: random.between(1, 2) }, capital).join("");
}

/** @param {() => string} makeLine */
function fillPool(makeLine) {
  const lines = [];
  for (let length = 0; length < POOL_LENGTH; ) {
    const line = makeLine();
    lines.push(line);
    length += line.length + 1;
  }
  return `${lines.join("\n")}\n`;
}

/** @param {Writer} writer */
function codeLine(writer) {
  const { random, word } = writer;
  const name = () => camelCase(writer);
  const indent = "  ".repeat(random.below(5));
  const templates = [
    () => `${indent}const ${name()} = await ${name()}("${word()}/${word()}", { ${word()}: ${random.below(999)} });`,
    () => `${indent}if (${word()}_${word()} !== null && ${word()} > ${random.below(100)}) {`,
    () => `${indent}return [...${word()}, "${word()} \\"${word()}\\" ${word()}"].join("\\n");`,
    () => `${indent}// ${word()} ${word()} ${random.chance(0.2) ? random.pick(FOREIGN) : word()} ${word()}`,
    () => `${indent}def ${word()}(self, ${name()}: str = '${word()}') -> dict[str, "${word()}"]:`,
    () => `${indent}{"${word()}": "${word()}", "usage": {"input_tokens": ${random.below(9999)}}, "type": "assistant"}`,
    () => `${indent}}`,
    () => "",
  ];
  return random.pick(templates)();
}

/** @param {Writer} writer */
function logLine(writer) {
  const { random, word } = writer;
  const name = () => camelCase(writer);
  const time = `2026-0${random.between(1, 9)}-1${random.below(10)}T09:${random.between(10, 59)}:09.${random.between(100, 999)}Z`;
  const templates = [
    () => `${time} ${random.pick(LEVELS)} [${word()}-${random.below(64)}] ${word()} took ${random.below(5000)} ms`,
    () => `\u001b[32m✓\u001b[39m ${word()} ${word()} keeps ${word()} (${random.below(900)} ms)`,
    () => `    at ${word()}.${name()} (/srv/${word()}/src/${word()}.ts:${random.below(900)}:${random.below(80)})`,
    () => `${random.hex(7)} ${word()}: ${word()} the ${word()} of "${word()}"`,
    () =>
      `-rw-r--r-- 1 dev dev ${random.between(1000, 99999)} Nov 15 20:05 ${word()}.${random.pick(["ts", "py", "go"])}`,
  ];
  return random.pick(templates)();
}

/** @param {Writer} writer */
function path({ random, word }) {
  const folders = Array.from({ length: random.between(1, 4) }, word).join("/");
  return `/home/dev/${folders}/${word()}-${word()}.${random.pick(["ts", "tsx", "py", "md", "json", "go"])}`;
}

/** @param {Writer} writer */
function sentence(writer) {
  const { random, word } = writer;
  const words = Array.from({ length: random.between(5, 18) }, () =>
    random.chance(0.3) ? random.pick(STOP_WORDS) : word(),
  );
  if (random.chance(0.1)) words.push(random.pick(FOREIGN));
  if (random.chance(0.2)) words.push(`\`${camelCase(writer)}()\``);
  return `${words.join(" ")}.`;
}

/** @param {string} pool @param {Random} random @param {number} length */
function cutLines(pool, random, length) {
  const parts = [];
  for (let missing = Math.round(length); missing > 0; ) {
    const from = pool.indexOf("\n", random.below(pool.length >> 1)) + 1;
    const part = pool.slice(from, pool.indexOf("\n", Math.min(from + missing, pool.length - 1)) + 1);
    parts.push(part);
    missing -= part.length;
  }
  return parts.join("");
}
