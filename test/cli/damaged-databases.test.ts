import { cpSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { temporaryFolder } from "../format/temporary-folder.js";
import { CommandWorker, type Ending } from "./command-worker.js";
import { type Damage, fullStore, planDamage, withoutLogs } from "./damaged-store.js";
import { PLANTED_ID } from "./planted-library.js";

const { TURNLOG_SOAK: isSoak, TURNLOG_SEED: seed } = process.env;
const FIRST = Number(seed ?? (isSoak ? Date.now() % 1_000_000_000 : 20_261_118));
const FILES = isSoak ? 500 : 24;

const TITLE = ["title", PLANTED_ID];
const COMMANDS: readonly (readonly string[])[] = [
  ["list"],
  ["show", PLANTED_ID],
  ["search", "deploy"],
  ["stats"],
  ["doctor"],
  ["index", "status"],
  TITLE,
  ["tag", PLANTED_ID, "three"],
  ["lineage"],
  ["trace", "status"],
  ["export", PLANTED_ID, "--format", "md"],
];

const worker = new CommandWorker();
afterAll(() => worker.close());

/** `TURNLOG_SOAK=1 TURNLOG_SEED=<seed>` begins with that damage. */
test("no command is ended by a damaged file, and what the user wrote is kept", async () => {
  const { dataDir, env } = await fullStore();
  const logged = join(temporaryFolder(), "data"); // SQLite may remove a log of the original when it closes it
  cpSync(dataDir, logged, { recursive: true });
  const still = withoutLogs(dataDir);
  const copies = temporaryFolder();
  const wrong: string[] = [];
  for (let number = FIRST; number < FIRST + FILES; number++) {
    for (const args of COMMANDS) {
      const damage = planDamage(number);
      const copy = join(copies, `${number} ${args.join(" ").slice(0, 12)}`);
      cpSync(number % 3 === 0 ? logged : still, copy, { recursive: true });
      damage.apply(copy);
      const ending = await worker.run({ args, env: { ...env, TURNLOG_DATA_DIR: copy } });
      rmSync(copy, { recursive: true, force: true });
      const problem = problemOf(ending, damage, args);
      if (problem !== undefined) wrong.push(`seed ${number}, ${damage.file}, ${damage.kind}, ${args[0]}: ${problem}`);
    }
  }
  expect(wrong).toEqual([]);
});

function problemOf({ fatal, stderr, stdout, exitCode }: Ending, damage: Damage, args: readonly string[]) {
  if (fatal !== null) return fatal;
  if (/^ {4}at /m.test(stderr)) return stderr;
  if (![0, 1].includes(exitCode)) return `exit code ${exitCode}`;
  if (stderr.includes("was written by a newer turnlog")) return undefined; // so says the changed version
  if (damage.file === "config.json" || damage.kind.startsWith("link")) return undefined; // these are the user's own
  if (exitCode === 1 && args[0] !== "doctor" && damage.file !== "trace-keys.json") return stderr;
  return args === TITLE && stdout !== "My own title\n" ? `the title is ${stdout}` : undefined;
}
