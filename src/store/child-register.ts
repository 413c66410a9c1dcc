import { randomBytes } from "node:crypto";
import { readdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { isFileError, readIfReadable } from "../errors.js";
import { atomicWrite } from "./atomic-write.js";
import { ensureDataDir } from "./data-dir.js";
import { isAlive, isDeadTag, ownTag, startOfProcess, TAG_PATTERN } from "./process-identity.js";

/** The leader of a process group, and when it started. */
interface Group {
  readonly pid: number;
  readonly start: string;
}

/** Notes the process groups that this process starts, so that the next start ends what a killed process left running. */
export class ChildRegister {
  readonly #path: string;
  readonly #groups = new Map<number, Group>();

  constructor(dataDir: string) {
    this.#path = join(ensureDataDir(dataDir, "children"), `${ownTag()}.${randomBytes(4).toString("hex")}.json`);
  }

  add(pid: number): void {
    this.#groups.set(pid, { pid, start: startOfProcess(pid) });
    this.#write();
  }

  remove(pid: number): void {
    if (this.#groups.delete(pid)) this.#write();
  }

  /** Nothing that was noted runs any more. */
  close(): void {
    this.#groups.clear();
    this.#write();
  }

  /** Without a note a command runs all the same. */
  #write(): void {
    try {
      if (this.#groups.size === 0) rmSync(this.#path, { force: true });
      else atomicWrite(this.#path, JSON.stringify([...this.#groups.values()]), { durable: false });
    } catch (error) {
      if (!isFileError(error)) throw error;
    }
  }
}

/** Ends the process groups of processes that died without ending them. */
export function endLeftChildren(dataDir: string): void {
  if (process.platform === "win32") return; // no process groups
  const folder = join(dataDir, "children");
  for (const name of namesIn(folder)) {
    const path = join(folder, name);
    const tag = TAG_PATTERN.exec(name)?.[0];
    const since = statSync(path, { throwIfNoEntry: false })?.mtimeMs;
    if (tag === undefined || since === undefined || !isDeadTag(tag, since)) continue;
    for (const group of parseGroups(readIfReadable(path))) endGroup(group);
    rmSync(path, { force: true });
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if (isFileError(error)) return []; // nothing was ever started
    throw error;
  }
}

function parseGroups(text = ""): readonly Group[] {
  try {
    const groups: unknown = JSON.parse(text);
    return Array.isArray(groups) ? groups.filter(isGroup) : [];
  } catch {
    return []; // cut by a power failure
  }
}

function isGroup(value: unknown): value is Group {
  const { pid, start } = (value ?? {}) as Partial<Group>;
  return Number.isSafeInteger(pid) && Number(pid) > 1 && typeof start === "string";
}

/** A number is not given to another process while a group has it, so a group whose leader is gone is still the one that was noted. */
function endGroup({ pid, start }: Group): void {
  const isOther = isAlive(pid, "") && !isAlive(pid, start);
  if (isOther) return;
  try {
    process.kill(-pid, "SIGKILL");
  } catch {
    // it ended, or it belongs to another user
  }
}
