import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { listCachedMachines } from "../../../src/library/machines/machine-sources.js";
import { listMemberships } from "../../../src/library/machines/memberships.js";
import { runCli } from "../../cli/run-cli.js";
import { temporaryFolder } from "../../format/temporary-folder.js";

/** A computer with Claude Code's folder, turnlog's data folder and its own copy of the shared folder. */
export interface Machine {
  readonly name: string;
  readonly root: string;
  readonly data: string;
  readonly share: string;
}

export function newMachine(name: string, share?: string): Machine {
  const folder = temporaryFolder({ "claude/projects/-p/x": "", "share/x": "" });
  return { name, root: join(folder, "claude"), data: join(folder, "data"), share: share ?? join(folder, "share") };
}

export function environmentOf({ root, data }: Machine): Record<string, string> {
  return { CLAUDE_CONFIG_DIR: root, TURNLOG_DATA_DIR: data };
}

export function sync(machine: Machine, ...options: string[]) {
  return runCli(["sync", machine.share, "--name", machine.name, ...options], environmentOf(machine));
}

/** Its own part of the shared folder. */
export function partOf({ data, share }: Machine): string | undefined {
  const machine = listMemberships(data)[0]?.membership.machine;
  return machine === undefined ? undefined : join(share, "turnlog", machine);
}

/** What a machine has of another one: bytes by path below Claude Code's folder. */
export function receivedFrom(at: Machine, from: Machine): Map<string, string> {
  const id = listMemberships(from.data)[0]?.membership.machine;
  const cached = listCachedMachines(at.data).find(({ cache }) => cache.machine === id);
  return cached ? filesBelow(cached.cache.root) : new Map();
}

export function filesBelow(folder: string): Map<string, string> {
  const entries = existsSync(folder) ? readdirSync(folder, { recursive: true, withFileTypes: true }) : [];
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return new Map(files.sort().map((path) => [relative(folder, path), readFileSync(path, "latin1")]));
}

/** What a service that mirrors folders has done when it is done. */
export function deliverAll(machines: readonly Machine[]): void {
  for (const from of machines) {
    const part = partOf(from);
    for (const to of part === undefined ? [] : machines) {
      if (to === from || part === undefined) continue;
      const target = join(to.share, relative(from.share, part));
      rmSync(target, { recursive: true, force: true });
      for (const path of pathsBelow(part)) copyTo(join(target, path), join(part, path));
    }
  }
}

export function pathsBelow(folder: string): string[] {
  return [...filesBelow(folder).keys()].filter((path) => !path.endsWith(".tmp"));
}

export function copyTo(target: string, path: string): void {
  mkdirSync(dirname(target), { recursive: true });
  copyFileSync(path, target);
}

export function write(path: string, text: string | Uint8Array): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}
