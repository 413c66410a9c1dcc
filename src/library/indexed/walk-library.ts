import { hash } from "node:crypto";
import { statSync } from "node:fs";
import { attempt, type FileProblem, type FolderEntry, findFiles, listFolder } from "../../format/folder-listing.js";
import { agentIdOf, isSessionFileName, isSessionId, subagentsDirOf, transcriptOf } from "../../format/layout.js";
import { once } from "../../session/once.js";
import type { Archive } from "../archive-place.js";
import { projectFolders } from "../find-sessions.js";
import { listGone, readGone } from "./archived-files.js";
import type { AgentPlace, LibraryFile } from "./library-file.js";

export interface LibraryWalk {
  /** Those that are gone are read from the archive when they are asked for. */
  readonly files: readonly LibraryFile[];
  /** Sessions of which only side files survive. */
  readonly withoutTranscript: number;
  readonly problems: readonly FileProblem[];
  /** The projects that were looked through. */
  readonly folders: readonly string[];
  /** The same for the same files in the same state. */
  readonly fingerprint: string;
}

/** All sessions and sub-agents of all roots and of the archive, by names and file times alone. */
export function walkLibrary(roots: readonly string[], archive?: Archive): LibraryWalk {
  const problems: FileProblem[] = [];
  const found = new Map<string, LibraryFile>();
  let withoutTranscript = 0;
  const folders = new Set(roots.flatMap((root) => projectFolders(root, problems)));
  for (const folder of folders) {
    withoutTranscript += walkProject(folder, found, problems);
  }
  const present = [...found.values()];
  const gone = archive ? listGone(archive, present) : [];
  const files = once(() => (archive && gone.length > 0 ? [...present, ...readGone(archive, gone, roots)] : present));
  return {
    get files() {
      return files();
    },
    withoutTranscript,
    problems,
    folders: [...folders],
    fingerprint: fingerprintOf(present, gone),
  };
}

/** Adds the files of a project; gives back how many sessions have no transcript. */
function walkProject(folder: string, files: Map<string, LibraryFile>, problems: FileProblem[]): number {
  const listing = listFolder(folder);
  problems.push(...listing.problems);
  const names = new Set(listing.entries.map(({ name }) => name));
  for (const entry of listing.entries) {
    const isSession = isSessionFileName(entry.name);
    if (isSession && entry.kind !== "file") problems.push({ path: entry.path, reason: "not a file" });
    else if (isSession) add(entry, undefined);
    else if (entry.kind === "file") addAgent(entry, undefined);
    else if (entry.kind === "folder") addAgentsBelow(entry);
  }
  return listing.entries.filter(
    ({ kind, name }) => kind === "folder" && isSessionId(name) && !names.has(`${name}.jsonl`),
  ).length;

  function addAgentsBelow({ name, path }: FolderEntry): void {
    const isSession = isSessionId(name);
    const isShared = path === subagentsDirOf(folder);
    if (!isSession && !isShared) return;
    const below = findFiles(isSession ? subagentsDirOf(path) : path);
    problems.push(...below.problems);
    for (const entry of below.entries) addAgent(entry, isSession ? transcriptOf(folder, name) : undefined);
  }

  function addAgent(entry: FolderEntry, owner: string | undefined): void {
    const agentId = agentIdOf(entry.name);
    if (agentId !== undefined) add(entry, { agentId, owner, projectDir: folder });
  }

  /** Roots may lie within each other; the folder of a session tells more than the one in which its agents lie. */
  function add({ path }: FolderEntry, agent: AgentPlace | undefined): void {
    if (files.has(path) && agent?.owner === undefined) return;
    const stats = attempt(path, problems, () => statSync(path));
    if (stats)
      files.set(path, {
        path,
        size: stats.size,
        mtimeMs: stats.mtimeMs,
        inode: stats.ino,
        agent,
        archive: null,
        open: () => path,
      });
  }
}

function fingerprintOf(files: readonly LibraryFile[], gone: readonly string[]): string {
  const states = files.map(({ path, size, mtimeMs, inode }) => `${path}\n${size} ${mtimeMs} ${inode}`);
  return hash("sha1", [...states, ...gone].join("\n"));
}
