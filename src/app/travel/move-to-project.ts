import { basename, dirname } from "node:path";
import type { RewrittenLines } from "../../edit/travel/map-paths.js";
import { type MovedItem, moveSession, type NewCwd, previewRewrite } from "../../edit/travel/move-session.js";
import { UserError } from "../../errors.js";
import type { FoundSession, UserData } from "../../library/found-session.js";
import { loadFound } from "../../library/load/load-session.js";
import { openRunningSessions } from "../../library/running/running-sessions.js";
import { mentionsOfPlace, type SharedMention } from "../../library/shared-files/shared-mentions.js";
import { isSameContent, isThere } from "../../store/move-file.js";
import { requireTranscript } from "../choose-session.js";
import { inUse } from "../describe-activity.js";
import { clientRootOf, projectDirOf } from "../edit/edit-target.js";
import { maskingRedactor } from "../redaction.js";
import { resumeCommand } from "../resume-command.js";
import { dataFolderOf, type Environment } from "../settings.js";
import { listMoves } from "./list-moves.js";
import { projectOf } from "./session-project.js";

export interface MoveRequest {
  /** The folder of the other project, whole. */
  readonly to: string;
  /** Also writes it wherever Claude Code reads the old one from the records. */
  readonly rewritesCwd: boolean;
  readonly force: boolean;
  readonly demo: boolean;
}

export interface MovePlan {
  readonly found: FoundSession;
  readonly to: string;
  readonly items: readonly MovedItem[];
  /** Null: records stay as they are. */
  readonly cwd: NewCwd | null;
  /** What still names the old place afterwards. */
  readonly remains: readonly SharedMention[];
}

/** The JSON of a move, done or not. */
export interface MoveJson extends RewrittenLines {
  readonly id: string;
  readonly path: string;
  readonly source: string;
  readonly files: number;
  readonly cwd: NewCwd | null;
  readonly dryRun: boolean;
  readonly resume: string | null;
  readonly remains: readonly SharedMention[];
}

/** Moves one session to another project. Nothing is written yet. */
export async function planMove(
  found: FoundSession,
  request: MoveRequest,
  settings: UserData,
  environment: Environment,
): Promise<MovePlan> {
  const { to, rewritesCwd } = request;
  const items = listMoves(found, projectDirOf(found.root, to, environment));
  if (!found.archived) requireTranscript(found);
  refuse(found, items, request);
  await refuseInUse(found, request, environment);
  const from = rewritesCwd ? oldCwd(found, settings) : null;
  const cwd = from === null || from === to ? null : { from, to };
  return { found, to, items, cwd, remains: mentionsOfPlace(found.root, found) };
}

/** What rewriting would change; nothing is written. */
export function previewMove({ items, cwd }: MovePlan): RewrittenLines {
  return cwd ? previewRewrite(items, cwd) : { rewritten: 0, left: 0 };
}

export function applyMove({ items, cwd }: MovePlan): Promise<RewrittenLines> {
  return moveSession(items, cwd);
}

export function toMoveJson({ found, to, items, cwd, remains }: MovePlan, lines: RewrittenLines, dryRun: boolean) {
  const files = items.filter(({ kind }) => kind !== "folder").length;
  const resume = resumeCommand(found.id, to, found.root);
  const path = items[0]?.to ?? "";
  return {
    id: found.id,
    path,
    source: found.path,
    files,
    cwd,
    dryRun,
    resume,
    ...lines,
    remains,
  } satisfies MoveJson;
}

/** An interrupted move may leave a session in both places; running it again finishes the move. */
export function findHalfMoved(
  id: string,
  to: string,
  sessions: readonly FoundSession[],
  environment: Environment,
): FoundSession | undefined {
  const twins = sessions.filter((session) => session.id === id);
  const [left, ...others] = twins.filter(({ root, path }) => dirname(path) !== projectDirOf(root, to, environment));
  const arrived = twins.find((session) => session !== left);
  if (!left || !arrived || others.length > 0 || !isThere(left.path) || !isThere(arrived.path)) return undefined;
  return isSameContent(left.path, arrived.path) ? left : undefined;
}

/** Where the session's folder says that it was; the session may have worked elsewhere before and after. */
function oldCwd(found: FoundSession, settings: UserData): string | null {
  const { header, outline } = loadFound(found, settings);
  return projectOf(found.path, outline.facts) ?? header.project;
}

function refuse(
  { id, path, archived, source }: FoundSession,
  [transcript]: readonly MovedItem[],
  { demo }: MoveRequest,
): void {
  if (archived)
    throw new UserError(
      "not-found",
      `session ${id} exists only in the archive`,
      "restore it with `turnlog archive restore`",
    );
  if (demo || source !== null || clientRootOf(path) === null)
    throw new UserError("usage", "only sessions in Claude Code's own folders can be moved", "use `turnlog clone -o`");
  if (transcript?.to === path)
    throw new UserError("usage", `the session is already in ${basename(dirname(path))}`, "name another project");
}

async function refuseInUse(found: FoundSession, { force }: MoveRequest, environment: Environment): Promise<void> {
  const activity = openRunningSessions(dataFolderOf(environment)).findOrGuess(found, found.mtimeMs);
  if (activity && (activity.kind === "chat" || !force))
    throw inUse(found.id, activity, await maskingRedactor(environment));
}
