import { z } from "zod";
import { UserError } from "../../../errors.js";
import { tryParseJson } from "../../../format/json.js";
import { isSessionId } from "../../../format/layout/session-paths.js";

/*
 * What a bundle says of itself, in its first file. It names every other file in order, with size and hash, so that whoever reads it
 * knows what must come before it does.
 */

const FORMAT = "turnlog bundle";
const VERSION = 1;

/** Of the sessions of one bundle together. */
const MOST_SESSIONS = 10_000;
const MOST_FILES = 200_000;
export const MAX_MANIFEST_BYTES = 32 * 1024 * 1024;
const MAX_FILE_BYTES = 8 * 1024 ** 3; // what a header of tar can say

export const PROMPTS_FILE = "history.jsonl";

const text = (max: number) => z.string().max(max);
const moment = text(64).nullable();

const FileSchema = z.object({
  /** In the bundle. */
  path: text(255),
  /** A transcript, a file of the session's own folder, a backup of a file that it edited, its tasks, plan and typed prompts. */
  place: z.enum(["transcript", "side", "backup", "tasks", "todos", "plan", "prompts"]),
  /** Of the file below its place, with slashes. */
  name: text(1024),
  size: z.int().min(0).max(MAX_FILE_BYTES),
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
});

const ProjectSchema = z.object({
  /** What names its repository on every machine. */
  remote: text(4096).nullable(),
  /** `{home}/work/shop`, or only the last part of the path where it is not below the home folder. */
  folder: text(4096),
  isWindows: z.boolean(),
});

const SessionSchema = z.object({
  id: z.string().refine(isSessionId, "no session id"),
  title: text(10_000).nullable(),
  project: ProjectSchema,
  startedAt: moment,
  endedAt: moment,
  turns: z.int().min(0),
  versions: z.array(text(64)).max(1000),
  marks: z.object({
    title: text(10_000).nullable(),
    tags: z.array(text(1000)).max(1000),
    favourite: z.boolean(),
    note: text(1_000_000).nullable(),
  }),
  files: z.array(FileSchema).min(1).max(MOST_FILES),
});

const ManifestSchema = z.object({
  format: z.literal(FORMAT),
  version: z.literal(VERSION),
  turnlog: text(64),
  createdAt: text(64),
  /** Null: nothing was looked for. */
  redacted: z.int().min(0).nullable(),
  sessions: z.array(SessionSchema).min(1).max(MOST_SESSIONS),
});

export type Manifest = z.infer<typeof ManifestSchema>;
export type BundledSession = Manifest["sessions"][number];
export type BundledProject = BundledSession["project"];
export type BundledFile = BundledSession["files"][number];

export function toManifest(content: Omit<Manifest, "format" | "version">): Manifest {
  return { format: FORMAT, version: VERSION, ...content };
}

/** Throws one clear line for whatever is wrong with it. */
export function parseManifest(json: string): Manifest {
  const value = tryParseJson(json);
  const { format, version } = (value ?? {}) as { format?: unknown; version?: unknown };
  if (format === FORMAT && typeof version === "number" && version > VERSION)
    throw new UserError("newer", "the bundle was made by a newer turnlog", "update turnlog");
  const checked = ManifestSchema.safeParse(value);
  const issue = checked.error?.issues[0];
  if (!checked.success) throw refused(`its manifest is wrong at ${issue?.path.join(".") || "its start"}`);
  checkFiles(checked.data);
  return checked.data;
}

export function refused(reason: string): UserError {
  return new UserError("unreadable", `the bundle is refused: ${reason}`, "nothing was written");
}

function checkFiles({ sessions }: Manifest): void {
  const ids = new Set<string>();
  const paths = new Set<string>();
  for (const { id, files } of sessions) {
    if (!isNew(ids, id)) throw refused(`it has session ${id} twice`);
    const names = new Set<string>();
    for (const file of files) {
      if (!isNew(paths, file.path)) throw refused("two files have one name");
      if (isSmall(file) && file.size > MAX_SMALL_BYTES)
        throw refused("a list of tasks, a plan or prompts are too large");
      if (!isPlacedWell(id, file)) throw refused("it has a file where none may be");
      if (!isNew(names, `${file.place}/${file.name}`)) throw refused("two files have one name");
    }
    if (files.filter(({ place }) => place === "transcript").length !== 1 || files[0]?.place !== "transcript")
      throw refused(`session ${id} has no transcript`);
    refuseFilesAsFolders(names);
  }
  if (paths.size > MOST_FILES) throw refused("it has too many files");
}

/** Tasks, plans and prompts are read at once. */
export const MAX_SMALL_BYTES = 32 * 1024 * 1024;

function isSmall({ place }: BundledFile): boolean {
  return place === "tasks" || place === "todos" || place === "plan" || place === "prompts";
}

/** Some file systems take names for one that differ in case or in how accents are written. */
function isNew(known: Set<string>, name: string): boolean {
  const folded = name.normalize("NFC").toLowerCase();
  return !known.has(folded) && known.add(folded) !== undefined;
}

function refuseFilesAsFolders(names: ReadonlySet<string>): void {
  for (const name of names) {
    for (let at = name.indexOf("/"); at >= 0; at = name.indexOf("/", at + 1))
      if (names.has(name.slice(0, at))) throw refused("a file has the name of a folder");
  }
}

/** What a bundle may hold of a session; everything else stays at home, and is refused when it comes. */
export function isPlacedWell(id: string, { place, name }: Pick<BundledFile, "place" | "name">): boolean {
  if (place === "transcript") return name === `${id}.jsonl`;
  if (place === "prompts") return name === PROMPTS_FILE;
  if (place === "tasks" || place === "todos" || place === "plan") return isPlacedName(place, name);
  if (place === "backup") return /^[0-9a-f]{16,64}@v\d{1,9}$/.test(name);
  const parts = name.split("/");
  if (parts.length > 16 || !parts.every(isPortableName)) return false;
  const [folder, ...below] = parts;
  if (folder === "tool-results") return below.length > 0;
  if (folder === "subagents") return below.length > 0 && /\.jsonl?$/.test(name);
  if (folder === "workflows") return below.length > 0 && /\.(?:json|js)$/.test(name);
  return name === "custom-title.json";
}

function isPlacedName(place: "tasks" | "todos" | "plan", name: string): boolean {
  if (place === "tasks") return /^(?:\d{1,9}\.json|\.highwatermark)$/.test(name);
  if (place === "todos") return /^(?:session|agent-[\w-]{1,64})\.json$/.test(name);
  return /^[a-z0-9]{1,40}(?:-[a-z0-9]{1,40}){1,8}\.md$/.test(name);
}

/** A name that every system takes for the same one file. */
function isPortableName(name: string): boolean {
  return (
    /^[^\\/:*?"<>|\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]{1,255}$/u.test(name) &&
    !/^\.{1,2}$|[. ]$/.test(name) &&
    !/^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i.test(name)
  );
}
