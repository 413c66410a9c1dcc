// What was found with this build, kept as it is found: a run that was cut short goes on where it ended.
import { createHash } from "node:crypto";
import { appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { cacheFolder } from "./clients.mjs";

const ROOT = resolve(import.meta.dirname, "..", "..");

export function openResults() {
  const folder = join(cacheFolder(), "interop");
  const file = join(folder, `results-${hashBuild()}.jsonl`);
  mkdirSync(folder, { recursive: true });
  const known = new Map(readResults(file).map((result) => [keyOf(result), result]));
  return {
    find: (check) => known.get(keyOf(check)),
    add(result) {
      known.set(keyOf(result), result);
      appendFileSync(file, `\n${JSON.stringify(result)}`);
    },
    list: () => [...known.values()],
  };
}

/** A run that was killed may leave half a line; that check is made again. */
function readResults(file) {
  if (!existsSync(file)) return [];
  return readFileSync(file, "utf8")
    .split("\n")
    .flatMap((line) => {
      try {
        return [JSON.parse(line)];
      } catch {
        return [];
      }
    });
}

function keyOf({ session, edit, client }) {
  return `${session} / ${edit} / ${client}`;
}

/** Another build, or another way of checking, starts over. */
function hashBuild() {
  const hash = createHash("sha256");
  for (const folder of ["dist", "scripts/interop"]) {
    const names = readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" });
    for (const name of names.filter((it) => /\.m?js$/.test(it) && !it.startsWith("web")).toSorted())
      hash.update(readFileSync(join(ROOT, folder, name)));
  }
  return hash.digest("hex").slice(0, 12);
}
