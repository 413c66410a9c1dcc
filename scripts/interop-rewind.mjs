// Lets a real client put back files that it and turnlog changed by turns in one session, and compares them with those of a session
// that is the client's alone. See docs/interop.md.
//   node scripts/interop-rewind.mjs [--client 2.1.326]
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { openPlace } from "./interop/chat/place.mjs";
import { clientCommand } from "./interop/clients.mjs";

/** Who runs each of the three prompts: c the client, t turnlog. The first is what the others must equal. */
const ORDERS = ["ccc", "ttt", "tct", "ctc", "ctt", "ttc", "cct"];
const PROMPTS = ["[[one]] first", "[[two]] second", "[[three]] third"];
const FILES = ["a.txt", "b.txt"];

const { values: options } = parseArgs({ options: { client: { type: "string", default: "2.1.326" } } });
const client = { version: options.client, command: clientCommand(options.client) };
const found = [];
for (const order of ORDERS) found.push(await rewindAll(order));
for (const [at, order] of ORDERS.entries()) {
  const isEqual = JSON.stringify(found[at]) === JSON.stringify(found[0]);
  console.log(`${isEqual ? "ok  " : "FAIL"} ${order}: ${JSON.stringify(found[at])}`);
  if (!isEqual) process.exitCode = 1;
}

/** The files after a rewind to each prompt. */
async function rewindAll(order) {
  const place = await openPlace();
  place.variables = { CLAUDE_CODE_ENABLE_SDK_FILE_CHECKPOINTING: "1" }; // with -p a client keeps backups only if this is set
  try {
    writeFileSync(join(place.cwd, "b.txt"), "beta\n");
    for (const [at, who] of [...order].entries()) {
      const resume = at === 0 ? [] : [who === "c" ? "--resume" : "-r", place.id];
      if (who === "c") await place.client(client, PROMPTS[at], ...resume);
      else await place.turnlog(PROMPTS[at], ...resume);
    }
    const last = filesOf(place);
    const states = [last];
    for (const uuid of promptsOf(place)) {
      for (const [name, content] of Object.entries(last)) writeFileSync(join(place.cwd, name), content);
      await place.rewind(client, uuid);
      states.push(filesOf(place));
    }
    return states;
  } finally {
    place.close();
  }
}

function promptsOf({ file }) {
  const lines = readFileSync(file, "utf8").trim().split("\n");
  const records = lines.map((line) => JSON.parse(line));
  return records
    .filter(
      ({ type, message }) => type === "user" && PROMPTS.some((prompt) => JSON.stringify(message).includes(prompt)),
    )
    .map(({ uuid }) => uuid);
}

function filesOf({ cwd }) {
  const read = (name) => (existsSync(join(cwd, name)) ? readFileSync(join(cwd, name), "utf8") : null);
  return Object.fromEntries(FILES.map((name) => [name, read(name)]));
}
