import { realpathSync, type Stats, statSync } from "node:fs";
import { sep } from "node:path";
import { isFileError } from "../../errors.js";
import { type FileState, guessChange, stateOf } from "../../format/identity/file-identity.js";
import { attempt, listFolder } from "../../format/layout/folder-listing.js";
import { projectEntryOf } from "../../format/layout/session-paths.js";

/** `appended` and `rewritten` are what the change looks like: who reads the file finds out what it was. */
export interface FileChange {
  readonly path: string;
  readonly root: string;
  readonly kind: WatchedKind;
  readonly change: "created" | "appended" | "rewritten" | "gone";
}

export interface TreeListeners {
  /** Called before a new or replaced folder is listed. */
  onEnter(folder: WatchedFolder): void;
  onLeave(folder: WatchedFolder): void;
}

/** File systems count time in steps of up to 2 s. */
const TIME_STEP_MS = 2000;

/** The folders and files below some roots as last seen; checking them again records what changed. */
export class WatchedTree {
  /** By path: a folder below two roots is watched once. */
  readonly folders = new Map<string, WatchedFolder>();
  private changes: FileChange[] = [];

  constructor(private readonly listeners: TreeListeners) {}

  addRoot(path: string): void {
    if (this.folders.has(path)) return;
    this.enter(newFolder({ path, name: "", role: "root", root: path, isLink: false, parent: undefined }));
  }

  /** The changes since the last call. */
  takeChanges(): readonly FileChange[] {
    const taken = this.changes;
    this.changes = [];
    return taken;
  }

  /** Checks a folder and those of its files that were written since a time. */
  checkFolder(folder: WatchedFolder, writtenSince = 0): void {
    const stats = statOrUnknown(folder.path);
    if (stats === "unknown") return;
    if (!stats?.isDirectory()) this.vanish(folder);
    else if (folder.inode !== stats.ino) this.replace(folder, stats);
    else if (folder.mtimeMs === stats.mtimeMs && !folder.isRacy) this.checkFiles(folder, writtenSince);
    else this.list(folder, stats.mtimeMs);
  }

  /** Checks one entry of a folder, of any kind. */
  checkEntry(folder: WatchedFolder, name: string): void {
    const child = folder.folders.get(name);
    if (child) this.checkFolder(child);
    else if (folder.files.has(name)) this.compareFile(folder, name);
    else if (statOrUnknown(folder.path + sep + name) !== undefined) this.addEntry(folder, name);
  }

  private addEntry(folder: WatchedFolder, name: string): void {
    if (fileKindIn(folder, name) !== undefined) this.compareFile(folder, name);
    if (folderRoleIn(folder, name, false) !== undefined || name === PROJECTS) this.relist(folder);
  }

  private relist(folder: WatchedFolder): void {
    folder.isRacy = true;
    this.checkFolder(folder, Number.POSITIVE_INFINITY);
  }

  private enter(folder: WatchedFolder): void {
    this.folders.set(folder.path, folder);
    folder.parent?.folders.set(folder.name, folder);
    this.checkFolder(folder);
  }

  private leave(folder: WatchedFolder): void {
    if (this.folders.get(folder.path) !== folder) return;
    this.empty(folder);
    this.folders.delete(folder.path);
    folder.parent?.folders.delete(folder.name);
  }

  /** A missing root stays known: it may reappear. */
  private vanish(folder: WatchedFolder): void {
    if (folder.parent) this.leave(folder);
    else this.empty(folder);
  }

  private empty(folder: WatchedFolder): void {
    for (const child of [...folder.folders.values()]) this.leave(child);
    for (const [name, { kind }] of folder.files) this.note(folder, name, kind, "gone");
    folder.files.clear();
    if (folder.inode !== 0) this.listeners.onLeave(folder);
    folder.inode = 0;
  }

  private replace(folder: WatchedFolder, { ino, mtimeMs }: Stats): void {
    if (folder.inode !== 0) this.listeners.onLeave(folder);
    folder.inode = ino;
    folder.activeAt = Math.max(folder.activeAt, mtimeMs);
    this.listeners.onEnter(folder);
    this.list(folder, mtimeMs);
  }

  /** A folder that cannot be listed keeps its last state. */
  private list(folder: WatchedFolder, mtimeMs: number): void {
    const { entries, problems } = listFolder(folder.path);
    if (problems.some(({ path }) => path === folder.path)) return;
    folder.mtimeMs = mtimeMs;
    folder.isRacy = Date.now() - mtimeMs < TIME_STEP_MS;
    folder.activeAt = Math.max(folder.activeAt, mtimeMs);
    folder.isConfigDir =
      folder.role === "root" && entries.some(({ name, kind }) => name === PROJECTS && kind === "folder");
    const kept = new Set<string>();
    for (const { name, kind, isLink } of entries) {
      if (kind === "file" && this.compareFile(folder, name)) kept.add(name);
      if (kind === "folder" && this.addFolder(folder, name, isLink)) kept.add(name);
    }
    for (const name of [...folder.files.keys()]) if (!kept.has(name)) this.forget(folder, name);
    for (const child of [...folder.folders.values()]) if (!kept.has(child.name)) this.leave(child);
  }

  /** Returns whether the folder is relevant. */
  private addFolder(parent: WatchedFolder, name: string, isLink: boolean): boolean {
    const role = folderRoleIn(parent, name, isLink);
    if (role === undefined) return false;
    const known = parent.folders.get(name);
    if (known?.role === role) return true;
    if (known) this.leave(known);
    const path = parent.path + sep + name;
    if (this.isKnownPlace(path, isLink)) return true;
    this.enter(newFolder({ path, name, role, root: parent.root, isLink, parent }));
    return true;
  }

  /** Whether the folder, or the target of the link, is already watched below another root. */
  private isKnownPlace(path: string, isLink: boolean): boolean {
    const real = isLink ? attempt(path, [], () => realpathSync(path)) : path;
    return real === undefined || this.folders.has(real) || this.folders.has(path);
  }

  private checkFiles(folder: WatchedFolder, writtenSince: number): void {
    for (const [name, { mtimeMs }] of folder.files) if (mtimeMs >= writtenSince) this.compareFile(folder, name);
  }

  /** Returns whether the file exists and is relevant. */
  private compareFile(folder: WatchedFolder, name: string): boolean {
    const kind = fileKindIn(folder, name);
    const known = folder.files.get(name);
    const stats = kind === undefined ? undefined : statOrUnknown(folder.path + sep + name);
    if (stats === "unknown") return known !== undefined;
    if (kind === undefined || !stats?.isFile()) {
      if (known) this.forget(folder, name);
      return false;
    }
    const state = stateOf(stats);
    const change = known ? CHANGES[guessChange(known, state)] : "created";
    if (change === undefined) return true;
    folder.files.set(name, { kind, ...state });
    folder.activeAt = Math.max(folder.activeAt, stats.mtimeMs);
    this.note(folder, name, kind, change);
    return true;
  }

  private forget(folder: WatchedFolder, name: string): void {
    const known = folder.files.get(name);
    folder.files.delete(name);
    if (known) this.note(folder, name, known.kind, "gone");
  }

  private note(folder: WatchedFolder, name: string, kind: WatchedKind, change: FileChange["change"]): void {
    this.changes.push({ path: folder.path + sep + name, root: folder.root, kind, change });
  }
}

/** Undefined when there is no such entry, `unknown` when that cannot be determined, for example on an unmounted drive. */
function statOrUnknown(path: string): Stats | undefined | "unknown" {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch (error) {
    if (!isFileError(error)) throw error;
    return "unknown";
  }
}

const CHANGES = { same: undefined, grown: "appended", rewritten: "rewritten", gone: "gone" } as const;

/** `projects` contains project folders, `side` is the folder of a session, `agents` contains sub-agents. */
type FolderRole = "root" | "projects" | "project" | "side" | "agents";

type WatchedKind = "session" | "agent" | "side";

interface WatchedFile extends FileState {
  readonly kind: WatchedKind;
}

/** A relevant folder, and what was last seen in it. */
export interface WatchedFolder {
  readonly path: string;
  readonly name: string;
  readonly role: FolderRole;
  readonly root: string;
  readonly isLink: boolean;
  readonly parent: WatchedFolder | undefined;
  readonly files: Map<string, WatchedFile>;
  readonly folders: Map<string, WatchedFolder>;
  /** A root with a projects folder: nothing else in it is relevant. */
  isConfigDir: boolean;
  inode: number; // 0 while it does not exist
  mtimeMs: number;
  /** It was listed so soon after a change that another change might leave the same time. */
  isRacy: boolean;
  activeAt: number; // ms since the epoch: the latest change of the folder or of a file in it
}

function newFolder(place: Pick<WatchedFolder, "path" | "name" | "role" | "root" | "isLink" | "parent">): WatchedFolder {
  return {
    ...place,
    files: new Map(),
    folders: new Map(),
    isConfigDir: false,
    inode: 0,
    mtimeMs: 0,
    isRacy: false,
    activeAt: 0,
  };
}

const PROJECTS = "projects";

/** The kind of a file, by its folder and name. */
function fileKindIn({ role, isConfigDir }: WatchedFolder, name: string): WatchedKind | undefined {
  if (role === "projects" || isConfigDir) return undefined;
  const what = projectEntryOf(name);
  if (what === "session") return "session";
  if (what === "subagent") return "agent";
  return role === "side" || role === "agents" ? "side" : undefined;
}

/** The role of a subfolder, by its folder and name. */
function folderRoleIn({ role, isConfigDir }: WatchedFolder, name: string, isLink: boolean): FolderRole | undefined {
  switch (role) {
    case "root":
      if (isConfigDir) return name === PROJECTS ? "projects" : undefined;
      return isLink ? undefined : (roleInProject(name) ?? "project");
    case "projects":
      return "project";
    case "project":
      return roleInProject(name);
    case "side":
      return projectEntryOf(name) === "subagentsFolder" ? "agents" : undefined;
    case "agents":
      return isLink ? undefined : "agents";
  }
}

function roleInProject(name: string): FolderRole | undefined {
  const what = projectEntryOf(name);
  if (what === "sessionFolder") return "side";
  return what === "subagentsFolder" ? "agents" : undefined;
}
