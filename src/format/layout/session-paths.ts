import { basename, dirname, join, sep } from "node:path";
import { isPlainFileName } from "./path-forms.js";

const TRANSCRIPT = ".jsonl";
const SUBAGENTS = "subagents";
const WORKFLOWS = "workflows";
const UUID = "[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}";
const SESSION_ID = new RegExp(`^${UUID}$`);
const SESSION_PREFIX = new RegExp(`^(${UUID})\\..`);
const SESSION_FILE = new RegExp(`^${UUID}\\${TRANSCRIPT}$`);

/** The paths of everything that belongs to one session. Nothing is read: any of them may be missing. */
export interface SessionPaths {
  /** The file name, which is the session's identity; its lines may carry another `sessionId`. */
  readonly id: string;
  readonly projectDir: string;
  readonly sideDir: string;
  readonly subagentsDir: string;
  readonly toolResultsDir: string;
  readonly customTitleFile: string;
  /** `{archived, at, by}` of a session that was archived with Claude Code. */
  readonly archivedFile: string;
  readonly fileHistoryDir: (configRoot: string) => string;
}

export function sessionPaths(sessionFile: string): SessionPaths {
  return new PathsOfSession(basename(sessionFile, TRANSCRIPT), dirname(sessionFile));
}

/** A library has thousands of sessions, of which most callers want the id only: the other paths are made when asked for. */
class PathsOfSession implements SessionPaths {
  constructor(
    readonly id: string,
    readonly projectDir: string,
  ) {}

  get sideDir(): string {
    return join(this.projectDir, this.id);
  }

  get subagentsDir(): string {
    return subagentsDirOf(this.sideDir);
  }

  get toolResultsDir(): string {
    return join(this.sideDir, "tool-results");
  }

  get customTitleFile(): string {
    return join(this.sideDir, "custom-title.json");
  }

  get archivedFile(): string {
    return join(this.sideDir, "archived.json");
  }

  get fileHistoryDir(): SessionPaths["fileHistoryDir"] {
    return (configRoot) => join(configRoot, "file-history", this.id);
  }
}

/** What an entry of a project folder is, by its name. */
export type ProjectEntry = "session" | "subagent" | "sessionFolder" | "subagentsFolder";

export function projectEntryOf(name: string): ProjectEntry | undefined {
  if (isSessionFileName(name)) return "session";
  if (agentIdOf(name) !== undefined) return "subagent";
  if (isSessionId(name)) return "sessionFolder";
  return name === SUBAGENTS ? "subagentsFolder" : undefined;
}

/** The folder of sub-agent files below a session's side folder, or below a project folder (reported only). */
export function subagentsDirOf(folder: string): string {
  return join(folder, SUBAGENTS);
}

export function projectsDirOf(configRoot: string): string {
  return join(configRoot, "projects");
}

/** The configuration folder of a session at the usual place: `<root>/projects/<slug>/<id>.jsonl`. */
export function configRootOf(sessionFile: string): string {
  return dirname(dirname(dirname(sessionFile)));
}

/** Names in a project folder that Claude Code uses for other things: never a session or a session's folder. */
const RESERVED_NAMES = new Set([
  "memory",
  "tiny_memory",
  "bagel",
  "cloud-snapshots",
  "connector-downloads",
  "bridge-pointer",
  "bridge-pointer.json",
  ".session-aliases",
  SUBAGENTS,
]);

/** Whatever the case: some file systems do not tell `Memory` from `memory`. */
export function isReservedName(name: string): boolean {
  return RESERVED_NAMES.has(name.toLowerCase());
}

/** The session that a file beside transcripts is named after: `<uuid>.ccr-tip.json`, `<uuid>.jsonl.compact.tmp.<hex>`. */
export function sessionIdBefore(name: string): string | undefined {
  return SESSION_PREFIX.exec(name)?.[1];
}

export function isSessionId(name: string): boolean {
  return SESSION_ID.test(name);
}

/** Only `<uuid>.jsonl` is a session to list; Claude Code refuses other names, which can still be opened by path. */
export function isSessionFileName(name: string): boolean {
  return SESSION_FILE.test(name);
}

/** Files of other formats that end like a transcript: the prompt history, and those of workflows and background jobs. */
const NO_TRANSCRIPTS: ReadonlySet<string> = new Set([
  "history.jsonl",
  "journal.jsonl", // `subagents/workflows/<run>/`: how a workflow went (2.1.326)
  "timeline.jsonl", // `jobs/<id>/`: what a background session did (2.1.326)
  "resume-head.jsonl", // `<session>/`: offsets into the transcript (2.1.326, cloud sessions)
]);

/** Whether a file may be the transcript of a session or a sub-agent, wherever it is. */
export function isTranscriptName(name: string): boolean {
  return name.endsWith(TRANSCRIPT) && !NO_TRANSCRIPTS.has(name);
}

/** The id in `agent-<id>.jsonl`: an opaque string of 7, 8 or 17 characters, or a name. */
export function agentIdOf(name: string): string | undefined {
  return /^agent-(.+)\.jsonl$/s.exec(name)?.[1];
}

/** The session file of an id; an id from session data that is no plain name leads to a file that cannot be there. */
export function transcriptOf(projectDir: string, id: string): string {
  return join(projectDir, `${isPlainFileName(id) ? id : "no-session"}${TRANSCRIPT}`);
}

/** The run of a workflow to which a sub-agent at `…/subagents/workflows/<run>/agent-<id>.jsonl` belongs (2.1.326). */
export function workflowRunOf(subagentFile: string): string | undefined {
  const folder = dirname(subagentFile);
  const isOfRun = basename(dirname(folder)) === WORKFLOWS && basename(dirname(dirname(folder))) === SUBAGENTS;
  return isOfRun ? basename(folder) : undefined;
}

/** What is known of a run of a workflow besides its sub-agents: the log of its steps, and its script, state and result. */
export function workflowFiles(subagentFile: string): { readonly journal: string; readonly result: string } {
  const run = dirname(subagentFile);
  const sideDir = dirname(dirname(dirname(run)));
  return { journal: join(run, "journal.jsonl"), result: join(sideDir, WORKFLOWS, `${basename(run)}.json`) };
}

/** The metadata file of a sub-agent, written by 2.1.325. */
export function subagentMetaFile(subagentFile: string): string {
  return `${subagentFile.slice(0, -TRANSCRIPT.length)}.meta.json`;
}

/** The transcript to which a file belongs: for a sub-agent below `<session>/subagents/` its session's, else itself. */
export function owningSessionFile(file: string): string {
  const parts = dirname(file).split(sep);
  const at = parts.lastIndexOf(SUBAGENTS);
  const owner = parts[at - 1] ?? "";
  const isNested = at > 0 && agentIdOf(basename(file)) !== undefined && isSessionId(owner);
  return isNested ? parts.slice(0, at).join(sep) + TRANSCRIPT : file;
}

/** A backup of an edited file. The names come from session data: undefined when they would lead elsewhere. */
export function fileBackupPath(configRoot: string, sessionId: string, backupFileName: string): string | undefined {
  if (!isPlainFileName(sessionId) || !isPlainFileName(backupFileName)) return undefined;
  return join(configRoot, "file-history", sessionId, backupFileName);
}

/** The longest folder name that Claude Code keeps as it is; 2.1.325 shortens longer ones, 2.1.45 and older do not. */
const MAX_PLAIN_SLUG = 200;

/**
 * The folder name of a working directory below `projects/`. Every UTF-16 code unit outside [A-Za-z0-9] becomes "-":
 * `é` gives one, `😀` two. Lossy, so it is never decoded; the real path is the `cwd` of the lines.
 */
export function projectSlug(cwd: string): string {
  return cwd.replace(/[^A-Za-z0-9]/g, "-");
}

/** Every folder name that some version of Claude Code gives to `cwd`, the newest version's first. */
export function projectSlugs(cwd: string): readonly [string, ...string[]] {
  const plain = projectSlug(cwd);
  if (plain.length <= MAX_PLAIN_SLUG) return [plain];
  return [`${plain.slice(0, MAX_PLAIN_SLUG)}-${pathHash(cwd)}`, plain];
}

/** The 32-bit string hash that 2.1.325 appends, taken over the path itself and not over its slug. */
function pathHash(path: string): string {
  let hash = 0;
  for (let index = 0; index < path.length; index++) {
    hash = ((hash << 5) - hash + path.charCodeAt(index)) | 0;
  }
  return Math.abs(hash).toString(36);
}
