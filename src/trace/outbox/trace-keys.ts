import { randomBytes } from "node:crypto";
import { statSync } from "node:fs";
import { readText, UserError } from "../../errors.js";
import { isObject, objectAt, stringAt } from "../../format/json.js";
import { atomicWrite } from "../../store/atomic-write.js";
import { dataPaths, ensureDataDir } from "../../store/data-dir.js";
import { findKeychain, keychainNamed } from "./keychain.js";

/** The keys of trace targets, by name. */
export type TraceKeys = Readonly<Record<string, TargetKeys>>;

export interface TargetKeys {
  readonly publicKey?: string | undefined;
  readonly secretKey?: string | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Why the keychain does not give them. */
  readonly problem?: string | undefined;
}

/** `trace-keys.json`, which only its owner can read. It has the keys, or says which keychain has them. */
export function readTraceKeys(dir: string, { opensKeychain = true } = {}): TraceKeys {
  const entries = Object.entries(readKeysFile(dir)).map(([name, entry]) => {
    const keychain = stringAt(entry, "keychain");
    return [name, keychain === undefined ? toKeys(entry) : opensKeychain ? readKept(keychain, dir, name) : {}] as const;
  });
  return Object.fromEntries(entries);
}

function readKept(keychain: string, dir: string, name: string): TargetKeys {
  try {
    return toKeys(JSON.parse(keychainNamed(keychain).read(accountOf(dir, name))));
  } catch (error) {
    const reason = error instanceof UserError ? error.message : `${keychain} has something else there`;
    return { problem: `${reason}: unlock it where Claude Code runs, or install the target with its keys again` };
  }
}

export interface KeyPlaces {
  /** The program of the keychain; null: the keys are in a file. */
  readonly keychain: string | null;
  /** A keychain that did not take them, such as a locked one. */
  readonly refusedBy: string | null;
}

/** Into the system's keychain, where there is one that takes them; else into the file. */
export function writeTraceKeys(
  dir: string,
  name: string,
  keys: TargetKeys | undefined,
  env: Readonly<Record<string, string | undefined>> = {},
): KeyPlaces {
  const { [name]: old, ...others } = readKeysFile(dir);
  const held = stringAt(old, "keychain");
  if (held !== undefined) keychainNamed(held).remove(accountOf(dir, name));
  const isEmpty = keys === undefined || Object.values(keys).every((value) => value === undefined);
  const keychain = isEmpty ? undefined : findKeychain(env);
  const isKept = keychain?.write(accountOf(dir, name), JSON.stringify(keys)) ?? false;
  const entry = isKept ? { keychain: keychain?.name } : keys;
  const all = isEmpty ? others : { ...others, [name]: entry };
  ensureDataDir(dir);
  atomicWrite(dataPaths(dir).traceKeys, `${JSON.stringify(all, null, 2)}\n`);
  const program = keychain?.name ?? null;
  return isKept ? { keychain: program, refusedBy: null } : { keychain: null, refusedBy: program };
}

/** Several data folders may have a target of one name. */
function accountOf(dir: string, name: string): string {
  return `${name} (${dir})`;
}

function readKeysFile(dir: string): Readonly<Record<string, unknown>> {
  const path = dataPaths(dir).traceKeys;
  const stats = statSync(path, { throwIfNoEntry: false });
  if (!stats) return {};
  if (process.platform !== "win32" && (stats.mode & 0o077) !== 0) {
    throw new UserError("config", `other users can read ${path}`, `run \`chmod 600 ${path}\``);
  }
  try {
    const json: unknown = JSON.parse(readText(path));
    if (isObject(json)) return json;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  // The cause would quote the keys.
  throw new UserError("config", `${path} is not a JSON object`, "fix it, or run `turnlog trace install` again");
}

function toKeys(json: unknown): TargetKeys {
  const headers = Object.entries(objectAt(json, "headers") ?? {}).map(([name, value]) => [name, String(value)]);
  return {
    publicKey: stringAt(json, "publicKey"),
    secretKey: stringAt(json, "secretKey"),
    ...(headers.length === 0 ? {} : { headers: Object.fromEntries(headers) }),
  };
}

/** The key of the hashes that stand for hidden names; made when it is first needed. */
export function readHashKey(dir: string): string {
  const path = dataPaths(dir).traceHashKey;
  ensureDataDir(dir);
  if (!statSync(path, { throwIfNoEntry: false })) {
    try {
      atomicWrite(path, `${randomBytes(32).toString("hex")}\n`, { overwrite: false });
    } catch (error) {
      if (!statSync(path, { throwIfNoEntry: false })) throw error; // else another process was faster
    }
  }
  return readText(path).trim();
}
