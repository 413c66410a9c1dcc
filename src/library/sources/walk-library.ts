import { hash } from "node:crypto";
import { type Stats, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { type FileState, readState, stateKey, stateOf } from "../../format/identity/file-identity.js";
import { sessionIdOf } from "../../format/layout/files-of-session.js";
import {
  attempt,
  type FileProblem,
  type FolderEntry,
  findFiles,
  listFolder,
} from "../../format/layout/folder-listing.js";
import {
  agentIdOf,
  isSessionId,
  projectEntryOf,
  sessionPaths,
  subagentsDirOf,
  transcriptOf,
} from "../../format/layout/session-paths.js";
import { once } from "../../lazy.js";
import { isTemporaryName, removeIfLeft } from "../../store/temporary.js";
import { type ArchivedSession, archivedFolders, readArchived } from "../archive/archive.js";
import { openArchived } from "../archive/open-archived.js";
import { openWhole } from "../archive/whole-transcript.js";
import type { Archive } from "../found-session.js";
import { isBelow } from "./below-roots.js";
import { projectFolders } from "./find-sessions.js";

export interface LibraryWalk {
  /** Lazy: sessions that only the archive has are read from it on first access. */
  readonly files: readonly LibraryFile[];
  /** Sessions whose transcript is missing and only side files are left. */
  readonly withoutTranscript: number;
  readonly problems: readonly FileProblem[];
  /** The project folders that were listed. */
  readonly folders: readonly string[];
  /** Equal for the same files in the same state. */
  readonly fingerprint: string;
}

/** Lists all sessions and sub-agents of the roots and the archive by name and file state, without reading them. */
export function walkLibrary(roots: readonly string[], archive?: Archive): LibraryWalk {
  const problems: FileProblem[] = [];
  const found = new Map<string, LibraryFile>();
  let withoutTranscript = 0;
  const folders = new Set(roots.flatMap((root) => projectFolders(root, problems)));
  for (const folder of folders) {
    withoutTranscript += walkProject(folder, found, problems, archive);
  }
  const present = [...found.values()];
  const archivedOnly = archive ? listArchivedOnly(archive, present) : [];
  const files = once(() =>
    archive && archivedOnly.length > 0 ? [...present, ...readArchivedOnly(archive, archivedOnly, roots)] : present,
  );
  return {
    get files() {
      return files();
    },
    withoutTranscript,
    problems,
    folders: [...folders],
    fingerprint: fingerprintOf(present, archivedOnly),
  };
}

/** Adds the files of a project; returns the number of sessions without a transcript. */
function walkProject(
  folder: string,
  files: Map<string, LibraryFile>,
  problems: FileProblem[],
  archive: Archive | undefined,
): number {
  const listing = listFolder(folder);
  problems.push(...listing.problems);
  const names = new Set(listing.entries.map(({ name }) => name));
  for (const entry of listing.entries) {
    const { name, path, kind } = entry;
    if (isTemporaryName(name)) attempt(path, problems, () => removeIfLeft(path));
    const what = projectEntryOf(name);
    if (what === "session" && kind !== "file") problems.push({ path, reason: "not a file" });
    else if (what === "session") add(entry, undefined);
    else if (what === "subagent" && kind === "file") addAgent(entry, undefined);
    else if (what === "sessionFolder" && kind === "folder")
      addAgentsIn(subagentsDirOf(path), transcriptOf(folder, name));
    else if (what === "subagentsFolder" && kind === "folder") addAgentsIn(path, undefined);
  }
  return listing.entries.filter(
    ({ kind, name }) => kind === "folder" && isSessionId(name) && !names.has(`${name}.jsonl`),
  ).length;

  function addAgentsIn(agentsFolder: string, owner: string | undefined): void {
    const below = findFiles(agentsFolder);
    problems.push(...below.problems);
    for (const entry of below.entries) addAgent(entry, owner);
  }

  function addAgent(entry: FolderEntry, owner: string | undefined): void {
    const agentId = agentIdOf(entry.name);
    if (agentId !== undefined) add(entry, { agentId, owner, projectDir: folder });
  }

  /** Nested roots find a file twice; the find that knows its session wins. */
  function add({ path }: FolderEntry, agent: AgentPlace | undefined): void {
    if (files.has(path) && agent?.owner === undefined) return;
    const stats = attempt(path, problems, () => statSync(path));
    const hasTitle = !agent && names.has(sessionPaths(path).id);
    if (stats) files.set(path, toLibraryFile(path, stats, { agent, archive, hasTitle }));
  }
}

/** A session and the sub-agents in its own folder, as far as they exist, without a look at others. */
export function filesOfSession(sessionFile: string, archive?: Archive): LibraryFile[] {
  const { projectDir, subagentsDir } = sessionPaths(sessionFile);
  const own = { path: sessionFile, agent: undefined };
  const agents = findFiles(subagentsDir).entries.flatMap(({ path, name }) => {
    const agentId = agentIdOf(name);
    return agentId === undefined ? [] : [{ path, agent: { agentId, owner: sessionFile, projectDir } }];
  });
  return [own, ...agents].flatMap(({ path, agent }) => {
    const stats = statSync(path, { throwIfNoEntry: false });
    return stats?.isFile() ? [toLibraryFile(path, stats, { agent, archive, hasTitle: false })] : [];
  });
}

function fingerprintOf(files: readonly LibraryFile[], archivedOnly: readonly string[]): string {
  const states = files.map((file) => `${file.path}\n${stateKey(file)} ${file.titleState}`);
  return hash("sha1", [...states, ...archivedOnly].join("\n"));
}

/** A transcript as a walk finds it, unread. */
export interface LibraryFile extends FileState {
  readonly path: string;
  /** Undefined for a session. */
  readonly agent: AgentPlace | undefined;
  /** The folder of its copy, where only the archive still has it. */
  readonly archive: string | null;
  /** Changes with the file beside it that may hold the session's title. */
  readonly titleState: string;
  /** The file to read it from, whole where the archive has what was trimmed. */
  open(): string;
}

interface AgentPlace {
  readonly agentId: string;
  /** The session's file, if known from the folder; otherwise only the records name the session. */
  readonly owner: string | undefined;
  readonly projectDir: string;
}

interface FilePlace {
  readonly agent: AgentPlace | undefined;
  /** Where the beginning of a trimmed session may be. */
  readonly archive: Archive | undefined;
  /** There may be a file with its title. */
  readonly hasTitle?: boolean;
}

export function toLibraryFile(
  path: string,
  stats: Stats,
  { agent, archive, hasTitle = agent === undefined }: FilePlace,
): LibraryFile {
  const titleState = hasTitle ? titleStateOf(path) : "";
  const open = agent ? () => path : () => openWhole(archive, path).path;
  const { size, mtimeMs, ctimeMs, inode } = stateOf(stats); // spreading them would cost more than the stat itself
  return { path, size, mtimeMs, ctimeMs, inode, agent, archive: null, titleState, open };
}

/** Empty where there is none. */
function titleStateOf(path: string): string {
  const { customTitleFile } = sessionPaths(path);
  const state = attempt(customTitleFile, [], () => readState(customTitleFile));
  return state ? stateKey(state) : "";
}

/** The session that a file belongs to. */
export interface FileOwner {
  readonly sessionId: string;
  readonly path: string | null; // null: the file is the session
}

/** A sub-agent that names no session counts as a session of its own without a transcript. */
export function ownerOf({ path, agent }: LibraryFile, problems: FileProblem[]): FileOwner {
  if (!agent) return { sessionId: sessionPaths(path).id, path: null };
  if (agent.owner !== undefined) return { sessionId: sessionPaths(agent.owner).id, path: agent.owner };
  const sessionId = sessionIdOf(path, agent.projectDir, problems) ?? sessionPaths(path).id;
  return { sessionId, path: transcriptOf(agent.projectDir, sessionId) };
}

/** The folder names of archived copies whose session no longer exists. */
function listArchivedOnly(archive: Archive, present: readonly LibraryFile[]): string[] {
  const copies = archivedFolders(archive);
  if (copies.length === 0) return [];
  const ids = new Set(present.flatMap(({ path, agent }) => (agent ? [] : [sessionPaths(path).id])));
  return copies.flatMap(({ id, folder }) => (ids.has(id) ? [] : [basename(folder)]));
}

/** The transcripts in some archived copies, with their former paths; of several copies of one session, the latest. */
function readArchivedOnly(archive: Archive, folders: readonly string[], roots: readonly string[]): LibraryFile[] {
  const latest = new Map<string, ArchivedSession>();
  for (const folder of folders) {
    const session = readArchived(join(archive.folder, folder));
    if (!session?.files[0] || !isBelow(session.path, roots)) continue;
    const other = latest.get(session.id);
    if (!other || transcriptTime(other) < transcriptTime(session)) latest.set(session.id, session);
  }
  return [...latest.values()].flatMap(toFiles);
}

/** A copy in the archive changes with its manifest only. */
const SETTLED = 1;

function transcriptTime({ files }: ArchivedSession): number {
  return files[0]?.mtimeMs ?? 0;
}

function toFiles(session: ArchivedSession): LibraryFile[] {
  const unpack = once(() => openArchived(session));
  const [transcript] = session.files;
  const open = (name: string) => unpackedPath(unpack(), transcript?.name ?? "", name);
  return session.files.flatMap((file): LibraryFile[] => {
    const { name, rawLength: size, mtimeMs, inode } = file;
    const agentId = file === transcript ? undefined : agentIdOf(basename(name));
    if (file !== transcript && agentId === undefined) return [];
    const path = join(session.root, ...name.split("/"));
    const agent =
      agentId === undefined ? undefined : { agentId, owner: session.path, projectDir: dirname(session.path) };
    return [
      {
        path,
        size,
        mtimeMs,
        ctimeMs: SETTLED,
        inode,
        agent,
        archive: basename(session.folder),
        titleState: "",
        open: () => (agent ? open(name) : openUnpacked(session, open(name), name)),
      },
    ];
  });
}

function isAgentPath(path: string): boolean {
  return agentIdOf(basename(path)) !== undefined;
}

function openUnpacked({ folder, path: owner }: ArchivedSession, path: string, name: string): string {
  return openWhole({ folder: dirname(folder) }, owner, { path, root: path.slice(0, -name.length - 1) }).path;
}

/** The path of another file of an unpacked copy, which has the layout of the root. */
function unpackedPath(transcript: string, transcriptName: string, name: string): string {
  return join(transcript.slice(0, -transcriptName.length), ...name.split("/"));
}

/** Returns where a transcript of the index can be read: its own path, or an unpacked copy from the archive. */
export function createOpener(archive: Archive | undefined): (path: string, folder: string | null) => string {
  const copies = new Map<string, readonly LibraryFile[]>();
  return (path, folder) => {
    if (!archive) return path;
    if (folder === null) return isAgentPath(path) ? path : openWhole(archive, path).path;
    const session = copies.has(folder) ? undefined : readArchived(join(archive.folder, folder));
    const files = copies.get(folder) ?? (session ? toFiles(session) : []);
    copies.set(folder, files);
    return files.find((file) => file.path === path)?.open() ?? path;
  };
}
