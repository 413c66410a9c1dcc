import { createHash } from "node:crypto";
import { copyFileSync, existsSync, readdirSync, readFileSync, realpathSync, statSync } from "node:fs";
import { basename, dirname, join, relative, resolve } from "node:path";
import { isFileError } from "../../../errors.js";
import { isObject, type JsonObject, numberAt, objectAt, stringAt } from "../../../format/json.js";
import { fileBackupPath } from "../../../format/layout/session-paths.js";
import { parseLine } from "../../../format/reader/parse-line.js";
import { LineSplitter, readChunks } from "../../../format/reader/record-reader.js";
import { isFileHistory } from "../../../format/record/file-changes.js";
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
  warn(text: string): void;
}

interface Tracked {
  readonly backup: Backup;
  /** Null: the file did not exist. Undefined: the backup cannot be read. */
  readonly content: Buffer | null | undefined;
}

/**
 * Backups of files as they were at each prompt, in `file-history/` like Claude Code's own. A backup is on disk before the
 * file changes. In a resumed session it continues with the files and versions that the session names, whoever recorded them.
 */
export class FileHistory {
  readonly #tracked = new Map<string, Tracked>();
  #promptUuid: string | null = null;
  #changedSince = new Set<string>();

  constructor(
    private readonly configRoot: string,
    private readonly projectRoot: string,
    private readonly log: HistoryLog,
    /** Of the session so far: lines with backups. */
    before: readonly JsonObject[],
  ) {
    for (const line of before)
      for (const [path, backup] of backupsOf(line)) {
        const place = resolve(projectRoot, path);
        const known = backup.realParentDir === undefined ? place : join(backup.realParentDir, basename(path));
        this.#tracked.set(existsSync(place) ? place : known, { backup, content: undefined });
      }
  }

  /** Must be called with the uuid of each prompt before it is recorded. */
  startPrompt(promptUuid: string): void {
    this.#promptUuid = promptUuid;
    this.#changedSince = new Set();
    for (const path of this.#tracked.keys()) this.#tryBackUp(path);
    this.log.addSide(snapshotLine(promptUuid, this.#snapshot(promptUuid), false));
  }

  /** Must be called before a file is written; `answerUuid` is the record with the call. */
  beforeChange(path: string, answerUuid: string): void {
    const snapshotOf = this.#promptUuid;
    if (snapshotOf === null || this.#changedSince.has(path)) return;
    const isNew = !this.#tracked.has(path);
    const tracked = this.#backUp(path);
    this.#changedSince.add(path);
    if (!isNew || !tracked) return;
    this.log.addSide(
      this.log.layout === "current"
        ? snapshotDeltaLine(answerUuid, snapshotOf, this.#trackingPath(path), tracked.backup)
        : snapshotLine(answerUuid, this.#snapshot(snapshotOf), true),
    );
  }

  #snapshot(of: string): Parameters<typeof snapshotLine>[1] {
    const entries = [...this.#tracked].map(([path, { backup }]) => [this.#trackingPath(path), backup] as const);
    return { of, time: this.log.time(), backups: Object.fromEntries(entries) };
  }

  /** At a prompt nothing is changed yet, so a file that cannot be backed up must not stop it. */
  #tryBackUp(path: string): void {
    try {
      this.#backUp(path);
    } catch (error) {
      if (!isFileError(error)) throw error;
      this.log.warn(`${path} was changed earlier and cannot be backed up now: ${error.message}`);
    }
  }

  /** Where there is a folder now, the last backup stays; undefined if there is none. */
  #backUp(path: string): Tracked | undefined {
    const known = this.#tracked.get(path);
    if (statSync(path, { throwIfNoEntry: false })?.isFile() === false) return known;
    const content = readContent(path);
    if (known && sameBytes(this.#contentOf(known), content)) return known;
    const stored = this.#store(path, (known?.backup.version ?? 0) + 1, content);
    const backup = { ...stored, backupTime: this.log.time(), realParentDir: realParent(path) };
    const tracked: Tracked = { content, backup };
    this.#tracked.set(path, tracked);
    return tracked;
  }

  #contentOf({ content, backup }: Tracked): Buffer | null | undefined {
    if (content !== undefined || backup.backupFileName === null) return content ?? null;
    const place = fileBackupPath(this.configRoot, this.log.sessionId, backup.backupFileName);
    return place !== undefined && existsSync(place) ? readFileSync(place) : undefined;
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

const MARK = Buffer.from('"file-history-');

/** The lines of a session that name backups, in file order. */
export function readBackupLines(sessionFile: string): readonly JsonObject[] {
  const lines: JsonObject[] = [];
  const splitter = new LineSplitter((line) => {
    if (!line.bytes.subarray(line.start, line.end).includes(MARK)) return;
    for (const record of parseLine(line)) if (isFileHistory(record)) lines.push(record.raw);
  });
  for (const chunk of readChunks(sessionFile)) splitter.push(chunk);
  splitter.end();
  return lines;
}

/** The prompt that a line with backups belongs to. */
export function promptOfBackups(line: JsonObject): string | undefined {
  return stringAt(line, "snapshotMessageId") ?? stringAt(line, "snapshot", "messageId");
}

function backupsOf(line: JsonObject): readonly (readonly [path: string, backup: Backup])[] {
  const path = stringAt(line, "trackingPath");
  const entries =
    path === undefined
      ? Object.entries(objectAt(line, "snapshot", "trackedFileBackups") ?? {})
      : [[path, line["backup"]] as const];
  return entries.flatMap(([tracked, backup]) => {
    const name = isObject(backup) ? backup["backupFileName"] : undefined;
    if (!isObject(backup) || (name !== null && typeof name !== "string")) return [];
    return [[tracked, { ...backup, backupFileName: name, version: numberAt(backup, "version") ?? 1 } as Backup]];
  });
}

/** Gives a copy of a session its backups, by hard links as Claude Code 2.1.326 does. */
export function linkBackups(from: { root: string; id: string }, to: { root: string; id: string }): void {
  const [source, target] = [from, to].map(({ root, id }) => join(root, "file-history", id)) as [string, string];
  if (!existsSync(source)) return;
  makeFolder(target);
  for (const name of readdirSync(source)) {
    const [kept, copy] = [join(source, name), join(target, name)];
    if (!existsSync(copy) && !linkNew(kept, copy)) copyFileSync(kept, copy);
  }
}

function sameBytes(a: Buffer | null | undefined, b: Buffer | null): boolean {
  if (a === undefined) return false;
  return a === null || b === null ? a === b : a.equals(b);
}

function readContent(path: string): Buffer | null {
  return existsSync(path) ? readFileSync(path) : null;
}

function realParent(path: string): string {
  const parent = dirname(path);
  return existsSync(parent) ? realpathSync(parent) : parent;
}
