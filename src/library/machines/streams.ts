import { basename, join, sep } from "node:path";
import { ARCHIVED_PLACES } from "../../format/layout/config-places.js";
import type { SessionFileRole, SessionItem } from "../../format/layout/files-of-session.js";
import { isPlainFileName } from "../../format/layout/path-forms.js";
import { isSessionId, projectsDirOf } from "../../format/layout/session-paths.js";
import { isTemporaryName } from "../../store/temporary.js";

/*
 * The files of a session have names that are the same on every machine: `transcript`, `side/…` for its own folder, and the
 * place for what lies elsewhere: `file-history/…`. What only links to a cloud or to a process of its machine stays there.
 */

export const TRANSCRIPT = "transcript";
const SIDE = "side";

/** Its files are named after the session, not in a folder of its name. */
const TODOS = "todos";

const LEFT_OUT: ReadonlySet<SessionFileRole> = new Set(["state", "sibling", "formerTranscript"]);
/** Places outside of the project with files that a person may want on another machine. */
const PLACES = [...ARCHIVED_PLACES].filter((place) => place !== "project");

/** Undefined for what is not sent: folders, links, and what belongs to a process. */
export function streamOf({ kind, role, place, name, path }: SessionItem, id: string): string | undefined {
  if (role === "transcript") return TRANSCRIPT;
  if (kind !== "file" || LEFT_OUT.has(role) || !ARCHIVED_PLACES.has(place)) return undefined;
  const below = (name === "" ? basename(path) : name).split(sep).join("/");
  const stream = `${place === "project" ? SIDE : place}/${below}`;
  return isStream(stream, id) ? stream : undefined;
}

const MAX_NAME_BYTES = 240;
const MAX_STREAM_LENGTH = 1000;

/** Whether a name from another machine leads to a place that is the session's own, on every system. */
export function isStream(stream: string, id: string): boolean {
  if (stream === TRANSCRIPT) return true;
  const [place = "", ...parts] = stream.split("/");
  const isPlace = place === SIDE || PLACES.some((known) => known === place);
  const isOwn = place !== TODOS || (parts.length === 1 && parts[0]?.startsWith(`${id}-agent-`));
  return isPlace && isOwn === true && parts.length > 0 && stream.length <= MAX_STREAM_LENGTH && parts.every(isSafeName);
}

/** Windows refuses or changes some names; two spellings of one would be one file there and on macOS. */
function isSafeName(name: string): boolean {
  return (
    isPlainFileName(name) &&
    Buffer.byteLength(name) <= MAX_NAME_BYTES &&
    !/[\p{Cc}\p{Cf}<>:"|?*]|[. ]$/u.test(name) &&
    !/^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i.test(name) &&
    !isTemporaryName(name)
  );
}

/** A session's folder in a shared folder: its id, and a mark where one machine has several files of that id. */
export interface SessionKey {
  readonly key: string;
  readonly id: string;
  readonly mark: string;
}

/** Undefined for a name that no turnlog gave. */
export function parseKey(key: string): SessionKey | undefined {
  const [id = "", mark = "", ...rest] = key.split(".");
  const isMark = mark === "" ? !key.includes(".") : /^[0-9a-f]{8}$/.test(mark);
  return isSessionId(id) && id === id.toLowerCase() && isMark && rest.length === 0 ? { key, id, mark } : undefined;
}

export function isSlug(slug: string): boolean {
  return /^[A-Za-z0-9-]{1,220}$/.test(slug);
}

/** Where a stream lies below a folder in the layout of Claude Code. */
export function streamPath(root: string, { id, mark }: SessionKey, slug: string, stream: string): string {
  const project = join(projectsDirOf(root), mark === "" ? slug : `${slug}-${mark}`);
  if (stream === TRANSCRIPT) return join(project, `${id}.jsonl`);
  const [place = "", ...parts] = stream.split("/");
  if (place === SIDE) return join(project, id, ...parts);
  return place === TODOS ? join(root, place, ...parts) : join(root, place, id, ...parts);
}
