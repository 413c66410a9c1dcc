import { readFileSync, statSync } from "node:fs";
import { UserError } from "../errors.js";
import { isObject, objectAt, stringAt } from "../format/json.js";
import { atomicWrite } from "../store/atomic-write.js";
import { dataPaths, ensureDataDir } from "../store/data-dir.js";

/** The keys of trace targets, by name. They lie in a file of their own that only its owner may read. */
export type TraceKeys = Readonly<Record<string, TargetKeys>>;

export interface TargetKeys {
  readonly publicKey?: string | undefined;
  readonly secretKey?: string | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

export function readTraceKeys(dir: string): TraceKeys {
  const path = dataPaths(dir).traceKeys;
  const stats = statSync(path, { throwIfNoEntry: false });
  if (!stats) return {};
  if (process.platform !== "win32" && (stats.mode & 0o077) !== 0) {
    throw new UserError("config", `others may read the keys in ${path}`, `run \`chmod 600 ${path}\``);
  }
  const json = parse(path);
  return Object.fromEntries(Object.entries(json).map(([name, keys]) => [name, toKeys(keys)]));
}

export function writeTraceKeys(dir: string, name: string, keys: TargetKeys | undefined): void {
  const { [name]: _old, ...others } = readTraceKeys(dir);
  const all = keys === undefined ? others : { ...others, [name]: keys };
  ensureDataDir(dir);
  atomicWrite(dataPaths(dir).traceKeys, `${JSON.stringify(all, null, 2)}\n`);
}

function parse(path: string): object {
  try {
    const json: unknown = JSON.parse(readFileSync(path, "utf8"));
    if (isObject(json)) return json;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  // The cause would quote the keys.
  throw new UserError("config", `${path} is not a JSON object`, "correct it, or run `turnlog trace install` again");
}

function toKeys(json: unknown): TargetKeys {
  const headers = Object.entries(objectAt(json, "headers") ?? {}).map(([name, value]) => [name, String(value)]);
  return {
    publicKey: stringAt(json, "publicKey"),
    secretKey: stringAt(json, "secretKey"),
    ...(headers.length === 0 ? {} : { headers: Object.fromEntries(headers) }),
  };
}
