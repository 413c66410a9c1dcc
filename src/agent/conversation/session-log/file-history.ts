import { createHash } from "node:crypto";
import { copyFileSync, existsSync, readdirSync, readFileSync, realpathSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import type { JsonObject } from "../../../format/json.js";
import { fileBackupPath } from "../../../format/layout/session-paths.js";
import { atomicWrite, linkNew } from "../../../store/atomic-write.js";
import { makeFolder } from "../../../store/make-folder.js";
import { type Backup, snapshotDeltaLine, snapshotLine } from "./side-lines.js";

/** Folder layout of the session: that of Claude Code 2.1.x, or the older one with sub-agent files beside the session. */
export type Layout = "current" | "classic";

/** The session log, as far as backups need it. */
interface HistoryLog {
  readonly layout: Layout;
  readonly sessionId: string;
  addSide(line: JsonObject): void;
  time(): string;
}

interface Tracked {
  readonly backup: Backup;
  /** Null: the file did not exist. */
  readonly content: Buffer | null;
}

/**
 * Backups of files as they were at each prompt, in `file-history/` like Claude Code's own. A backup is on disk before the
 * file changes.
 */
export class FileHistory {
  readonly #tracked = new Map<string, Tracked>();
  #promptUuid: string | null = null;
  #changedSince = new Set<string>();

  constructor(
    private readonly configRoot: string,
    private readonly projectRoot: string,
    private readonly log: HistoryLog,
  ) {}

  /** Gives a copy of the session the backups, without copying their content. */
  linkBackups(from: string, to: string): void {
    const [source, target] = [from, to].map((id) => join(this.configRoot, "file-history", id));
    if (source === undefined || target === undefined || !existsSync(source)) return;
    makeFolder(target);
    for (const name of readdirSync(source)) {
      const [kept, copy] = [join(source, name), join(target, name)];
      if (!linkNew(kept, copy)) copyFileSync(kept, copy);
    }
  }

  /** Must be called with the uuid of each prompt before it is recorded. */
  startPrompt(promptUuid: string): void {
    this.#promptUuid = promptUuid;
    this.#changedSince = new Set();
    for (const path of this.#tracked.keys()) this.#backUp(path);
    this.log.addSide(snapshotLine(promptUuid, this.#snapshot(promptUuid), false));
  }

  /** Must be called before a file is written; `answerUuid` is the record with the call. */
  beforeChange(path: string, answerUuid: string): void {
    const snapshotOf = this.#promptUuid;
    if (snapshotOf === null || this.#changedSince.has(path)) return;
    const isNew = !this.#tracked.has(path);
    const { backup } = this.#backUp(path);
    this.#changedSince.add(path);
    if (!isNew) return;
    this.log.addSide(
      this.log.layout === "current"
        ? snapshotDeltaLine(answerUuid, snapshotOf, this.#trackingPath(path), backup)
        : snapshotLine(answerUuid, this.#snapshot(snapshotOf), true),
    );
  }

  #snapshot(of: string): Parameters<typeof snapshotLine>[1] {
    const entries = [...this.#tracked].map(([path, { backup }]) => [this.#trackingPath(path), backup] as const);
    return { of, time: this.log.time(), backups: Object.fromEntries(entries) };
  }

  #backUp(path: string): Tracked {
    const known = this.#tracked.get(path);
    const content = readContent(path);
    if (known && sameBytes(known.content, content)) return known;
    const stored = this.#store(path, (known?.backup.version ?? 0) + 1, content);
    const backup = { ...stored, backupTime: this.log.time(), realParentDir: realParent(path) };
    const tracked: Tracked = { content, backup };
    this.#tracked.set(path, tracked);
    return tracked;
  }

  /** Backups of earlier runs of a resumed session are never overwritten. */
  #store(path: string, from: number, content: Buffer | null): Pick<Backup, "backupFileName" | "version"> {
    if (content === null) return { backupFileName: null, version: from };
    const hash = createHash("sha256").update(path).digest("hex").slice(0, 16);
    const place = (version: number) => fileBackupPath(this.configRoot, this.log.sessionId, `${hash}@v${version}`) ?? "";
    let version = from;
    while (existsSync(place(version)) && !readFileSync(place(version)).equals(content)) version += 1;
    makeFolder(dirname(place(version)));
    atomicWrite(place(version), content);
    return { backupFileName: `${hash}@v${version}`, version };
  }

  #trackingPath(path: string): string {
    const inside = relative(this.projectRoot, path);
    return inside === "" || inside.startsWith("..") || resolve(inside) === inside ? path : inside;
  }
}

function sameBytes(a: Buffer | null, b: Buffer | null): boolean {
  return a === null || b === null ? a === b : a.equals(b);
}

function readContent(path: string): Buffer | null {
  return existsSync(path) ? readFileSync(path) : null;
}

function realParent(path: string): string {
  const parent = dirname(path);
  return existsSync(parent) ? realpathSync(parent) : parent;
}
