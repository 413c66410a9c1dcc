import { type FSWatcher, watch as watchFolder } from "node:fs";
import { resolve, sep } from "node:path";
import { isFileError } from "../../errors.js";
import { sessionPaths } from "../../format/layout/session-paths.js";
import { POLLED_WINDOW_MS, WATCHED_WINDOW_MS } from "../activity.js";
import { type FileChange, type WatchedFolder, WatchedTree } from "./watched-tree.js";

export type { FileChange } from "./watched-tree.js";

export interface WatchOptions {
  /** Every folder is polled once within this time, in case the system missed a change. */
  readonly pollMs?: number;
  /** How long changes are collected before they are reported. */
  readonly gatherMs?: number;
  readonly maxWatches?: number;
  readonly platform?: NodeJS.Platform;
  readonly watch?: Watch;
  /** Called once, when changes in some folders will be noticed late. */
  readonly onProblem?: (message: string) => void;
}

export interface RootsWatcher {
  close(): void;
}

const POLL_MS = 10_000;
const GATHER_MS = 50;
const MAX_WATCHES = 4096;
const SLICES = 10;
const THOROUGH_ROUND = 6;

/**
 * Reports changes below the roots (as in `findSessions`) from the moment this returns: session files, sub-agent files
 * and other files in session folders, except tool results. A root need not exist yet.
 */
export function watchRoots(
  roots: readonly string[],
  onChange: (changes: readonly FileChange[]) => void,
  options: WatchOptions = {},
): RootsWatcher {
  const { pollMs = POLL_MS, gatherMs = GATHER_MS, platform = process.platform } = options;
  const events = gatherEvents(gatherMs, checkNames);
  const watches = new FolderWatches({
    watch: options.watch,
    isRecursive: platform === "darwin" || platform === "win32",
    maxWatches: options.maxWatches ?? MAX_WATCHES,
    onEvent: events.note,
    onProblem: (reason) => options.onProblem?.(describeProblem(reason, pollMs)),
  });
  const tree = new WatchedTree({
    onEnter: (folder) => {
      if (isAlwaysWatched(folder) || isBusy(folder)) watches.add(folder);
    },
    onLeave: (folder) => watches.remove(folder),
  });
  const nextInRound = inRounds(tree.folders);

  function checkNames(named: ReadonlyMap<WatchedFolder, ReadonlySet<string | null>>): void {
    for (const [folder, names] of named) for (const name of names) checkNamed(tree, folder, name);
    report();
  }

  function poll(): void {
    watchBusyFolders(tree, watches);
    const { folders, round } = nextInRound(Math.ceil(tree.folders.size / SLICES));
    const writtenSince = round % THOROUGH_ROUND === 0 ? 0 : Date.now() - POLLED_WINDOW_MS;
    for (const folder of folders) {
      if (!isAlwaysWatched(folder) && !isBusy(folder)) watches.remove(folder);
      if (isAlwaysWatched(folder) || folder.activeAt >= writtenSince) tree.checkFolder(folder, writtenSince);
    }
    report();
  }

  function report(): void {
    const changes = tree.takeChanges();
    for (const { path, kind } of changes) if (kind === "session") watchSideFolder(path, tree, watches);
    const all = [...changes, ...tree.takeChanges()];
    if (all.length > 0) onChange(all);
  }

  for (const root of roots) tree.addRoot(resolve(root));
  watchBusyFolders(tree, watches);
  tree.takeChanges();
  const polling = setInterval(poll, pollMs / SLICES);
  return {
    close: () => {
      clearInterval(polling);
      watches.close();
      events.cancel();
    },
  };
}

interface GatheredEvents {
  note(folder: WatchedFolder, name: string | null): void;
  cancel(): void;
}

/** A write causes several events, and writes come in bursts: each name is passed on once after `gatherMs`. */
function gatherEvents(
  gatherMs: number,
  onGathered: (events: ReadonlyMap<WatchedFolder, ReadonlySet<string | null>>) => void,
): GatheredEvents {
  let pending = new Map<WatchedFolder, Set<string | null>>();
  let timer: NodeJS.Timeout | undefined;

  function flush(): void {
    const events = pending;
    pending = new Map();
    timer = undefined;
    onGathered(events);
  }

  return {
    note: (folder, name) => {
      const names = pending.get(folder) ?? new Set();
      pending.set(folder, names.add(name));
      timer ??= setTimeout(flush, gatherMs);
    },
    cancel: () => clearTimeout(timer),
  };
}

function describeProblem(reason: string, pollMs: number): string {
  return `some folders cannot be watched (${reason}); changes in them are noticed within ${pollMs / 1000} s`;
}

/** Few enough for a watch each; session folders get one only while they are active. */
function isAlwaysWatched({ role }: WatchedFolder): boolean {
  return role === "root" || role === "projects" || role === "project";
}

function isBusy({ activeAt }: WatchedFolder): boolean {
  return activeAt >= Date.now() - WATCHED_WINDOW_MS;
}

/** `name` may contain several folders, from a recursive watch. */
function checkNamed(tree: WatchedTree, folder: WatchedFolder, name: string | null): void {
  if (tree.folders.get(folder.path) !== folder) return;
  if (name === null) {
    tree.checkFolder(folder);
    return;
  }
  let at = folder;
  const [first = "", ...further] = name.split(sep);
  let step = first;
  for (const next of further) {
    const below = at.folders.get(step);
    if (!below) break;
    at = below;
    step = next;
  }
  tree.checkEntry(at, step);
}

/** Checks missing roots, which may appear, and watches active folders that have no watch yet. */
function watchBusyFolders(tree: WatchedTree, watches: FolderWatches): void {
  for (const folder of tree.folders.values()) {
    if (folder.inode === 0) tree.checkFolder(folder);
    else if (isBusy(folder) && !watches.covers(folder)) watchAndCheck(folder, tree, watches);
  }
}

/** When a session is written, its sub-agents may be written too. */
function watchSideFolder(sessionFile: string, tree: WatchedTree, watches: FolderWatches): void {
  const open = [tree.folders.get(sessionPaths(sessionFile).sideDir)];
  for (let folder = open.pop(); folder; folder = open.pop()) {
    folder.activeAt = Date.now();
    if (!watches.covers(folder)) watchAndCheck(folder, tree, watches);
    open.push(...folder.folders.values());
  }
}

/** Watched before it is checked, so that no change in between is missed. */
function watchAndCheck(folder: WatchedFolder, tree: WatchedTree, watches: FolderWatches): void {
  watches.add(folder);
  tree.checkFolder(folder, Date.now() - WATCHED_WINDOW_MS);
}

/** Iterates over all folders in rounds, `count` at a time. */
function inRounds(
  all: ReadonlyMap<string, WatchedFolder>,
): (count: number) => { readonly folders: readonly WatchedFolder[]; readonly round: number } {
  let left = all.values();
  let round = 1;
  return (count) => {
    const folders: WatchedFolder[] = [];
    while (folders.length < count) {
      const next = left.next();
      if (next.done) break;
      folders.push(next.value);
    }
    const taken = { folders, round };
    if (folders.length < count) {
      left = all.values();
      round += 1;
    }
    return taken;
  };
}

/** The part of `fs.watch` in use here. */
export type Watch = (
  path: string,
  options: { readonly recursive: boolean },
  listener: (event: string, name: string | null) => void,
) => Pick<FSWatcher, "close" | "on">;

export interface FolderWatchesOptions {
  readonly watch?: Watch | undefined;
  /** A watch covers all subfolders: macOS and Windows. */
  readonly isRecursive: boolean;
  readonly maxWatches: number;
  /** `name` is relative to the folder; null where the system does not report it. */
  onEvent(folder: WatchedFolder, name: string | null): void;
  /** Called once: some folders cannot be watched, and are only polled. */
  onProblem(reason: string): void;
}

/** The system has no watches left; further requests would fail too. */
const EXHAUSTED: ReadonlySet<string | undefined> = new Set(["ENOSPC", "EMFILE", "ENFILE"]);

/** File system watches, one per folder, up to `maxWatches`. */
class FolderWatches {
  private readonly watchers = new Map<WatchedFolder, Pick<FSWatcher, "close">>();
  private isExhausted = false;
  private isReported = false;

  constructor(private readonly options: FolderWatchesOptions) {}

  /** Whether changes in the folder are reported by a watch. */
  covers(folder: WatchedFolder): boolean {
    if (this.watchers.has(folder)) return true;
    return this.options.isRecursive && !folder.isLink && folder.parent !== undefined && this.covers(folder.parent);
  }

  add(folder: WatchedFolder): void {
    if (this.covers(folder) || this.isExhausted) return;
    if (this.watchers.size >= this.options.maxWatches)
      this.report(`there are more than ${this.options.maxWatches} folders`);
    else this.tryToOpen(folder);
  }

  remove(folder: WatchedFolder): void {
    this.watchers.get(folder)?.close();
    this.watchers.delete(folder);
  }

  close(): void {
    for (const watcher of this.watchers.values()) watcher.close();
    this.watchers.clear();
  }

  private tryToOpen(folder: WatchedFolder): void {
    const { watch = watchFolder, isRecursive, onEvent } = this.options;
    try {
      const watcher = watch(folder.path, { recursive: isRecursive }, (_event, name) => onEvent(folder, name));
      watcher.on("error", (error) => this.fail(folder, error));
      this.watchers.set(folder, watcher);
    } catch (error) {
      if (!isFileError(error)) throw error;
      this.fail(folder, error);
    }
  }

  /** A watched folder that was deleted is not a failure. */
  private fail(folder: WatchedFolder, error: Error): void {
    this.remove(folder);
    const code = isFileError(error) ? error.code : undefined;
    if (EXHAUSTED.has(code)) this.isExhausted = true;
    if (code === "ENOENT" || code === "EPERM") this.options.onEvent(folder, null);
    else this.report(error.message);
  }

  private report(reason: string): void {
    if (this.isReported) return;
    this.isReported = true;
    this.options.onProblem(reason);
  }
}
