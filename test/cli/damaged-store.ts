import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openDatabase } from "../../src/store/sqlite.js";
import { temporaryFolder } from "../format/temporary-folder.js";
import { randomFrom } from "./fault-rounds.js";
import { oldLibrary } from "./old-library.js";
import { PLANTED_ID } from "./planted-library.js";
import { runCli } from "./run-cli.js";

const DATABASES = ["index.db", "user.db", "outbox.db"] as const;
const OTHER_FILES = ["config.json", "trusted-projects.json", "trace-keys.json"] as const;

export interface Store {
  readonly dataDir: string;
  readonly env: { readonly CLAUDE_CONFIG_DIR: string; readonly TURNLOG_DATA_DIR: string };
}

/** A library of which everything is known: indexed, tagged, forked, and traced to a receiver that is not there. */
export async function fullStore(): Promise<Store> {
  const { env } = oldLibrary();
  const dataDir = env.TURNLOG_DATA_DIR;
  await runCli(["index", "sync"], env);
  await runCli(["title", PLANTED_ID, "My own title"], env);
  await runCli(["tag", PLANTED_ID, "one", "two"], env);
  await runCli(["fork", PLANTED_ID, "--at", "1"], env);
  await runCli(["trace", "install", "--otlp", "http://127.0.0.1:9", "--yes", "--no-check"], env);
  await runCli(["trace", "send", PLANTED_ID], env);
  await runCli(["list"], env);
  writeFileSync(join(dataDir, "trusted-projects.json"), '{"/home/dev/shop":"0123"}\n');
  return { dataDir, env };
}

/** A copy of a data folder in which nothing is in a log any more. */
export function withoutLogs(dataDir: string): string {
  const copy = join(temporaryFolder(), "data");
  cpSync(dataDir, copy, { recursive: true });
  for (const name of DATABASES) {
    const database = openDatabase(join(copy, name));
    database.exec("PRAGMA wal_checkpoint(TRUNCATE)");
    database.close();
  }
  return copy;
}

export interface Damage {
  readonly file: string;
  readonly kind: string;
  apply(dataDir: string): void;
}

/** Everything about a damage follows from its seed. */
export function planDamage(seed: number): Damage {
  const next = randomFrom(seed);
  const below = (end: number) => Math.floor(next() * end);
  const pick = <T>(from: readonly T[]): T => from[below(from.length)] as T;
  const database = pick(DATABASES);
  const log = `${database}${pick(["-wal", "-shm"])}`;
  const file = pick([database, database, database, database, log, pick(OTHER_FILES)]);
  const other = pick(DATABASES.filter((name) => name !== database));
  const [kind, change] = pick(KINDS);
  return {
    file,
    kind,
    apply(dataDir) {
      const path = join(dataDir, file);
      change({ path, other: join(dataDir, other), below });
    },
  };
}

interface Place {
  readonly path: string;
  readonly other: string;
  below(end: number): number;
}

type Change = (place: Place) => void;

/** Common ones are there more than once. */
const KINDS: readonly (readonly [string, Change])[] = [
  ...Array.from({ length: 8 }, () => ["bytes", edited(changeBytes)] as const),
  ...Array.from({ length: 3 }, () => ["range", edited(changeRange)] as const),
  ...Array.from({ length: 2 }, () => ["header", edited(changeHeader)] as const),
  ...Array.from(
    { length: 3 },
    () => ["cut", edited((bytes, below) => bytes.subarray(0, below(bytes.length)))] as const,
  ),
  ...Array.from({ length: 2 }, () => ["zero range", edited(clearRange)] as const),
  ["zeros", edited((bytes) => bytes.fill(0))],
  ["random", edited((bytes, below) => randomBytes(Math.min(bytes.length, 20_000), below))],
  ["grown", edited((bytes, below) => Buffer.concat([bytes, randomBytes(1 + below(9000), below)]))],
  ["empty", edited(() => Buffer.alloc(0))],
  ["swapped", ({ path, other }) => writeFileSync(path, readFileSync(other))],
  ["folder", replaced((path) => mkdirSync(join(path, "inner"), { recursive: true }))],
  ["pipe", replaced((path) => void spawnSync("mkfifo", [path]))],
  ["link to itself", replaced((path) => symlinkSync(path, path))],
  ["link to nothing", replaced((path) => symlinkSync("/nowhere/at/all", path))],
];

function edited(edit: (bytes: Buffer, below: Place["below"]) => Buffer): Change {
  return ({ path, below }) => {
    const isThere = statSync(path, { throwIfNoEntry: false })?.isFile() ?? false;
    writeFileSync(path, edit(isThere ? readFileSync(path) : Buffer.alloc(0), below));
  };
}

function replaced(make: (path: string) => void): Change {
  return ({ path }) => {
    rmSync(path, { force: true });
    make(path);
  };
}

function changeBytes(bytes: Buffer, below: Place["below"]): Buffer {
  for (let left = 1 + below(40); left > 0; left--) bytes[below(bytes.length)] = below(256);
  return bytes;
}

function changeRange(bytes: Buffer, below: Place["below"]): Buffer {
  randomBytes(1 + below(6000), below).copy(bytes, below(bytes.length));
  return bytes;
}

function changeHeader(bytes: Buffer, below: Place["below"]): Buffer {
  randomBytes(1 + below(100), below).copy(bytes, below(100));
  return bytes;
}

function clearRange(bytes: Buffer, below: Place["below"]): Buffer {
  const at = below(bytes.length);
  return bytes.fill(0, at, Math.min(bytes.length, at + 1 + below(9000)));
}

function randomBytes(length: number, below: Place["below"]): Buffer {
  return Buffer.from(Array.from({ length }, () => below(256)));
}
