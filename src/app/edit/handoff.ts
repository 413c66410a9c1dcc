import { randomUUID } from "node:crypto";
import { dirname } from "node:path";
import { gatherBrief } from "../../edit/handoff/gather-brief.js";
import { type Brief, type BriefPlace, writeBrief } from "../../edit/handoff/write-brief.js";
import { startSession } from "../../edit/write/start-session.js";
import { UserError } from "../../errors.js";
import { transcriptOf } from "../../format/layout/session-paths.js";
import type { FoundSession } from "../../library/found-session.js";
import { type LoadedSession, type LoadOptions, loadFound } from "../../library/load/load-session.js";
import { listTouchedFiles } from "../../library/load/touched-files.js";
import type { Redactor } from "../../redact/create-redactor.js";
import type { TurnRange } from "../../render/show-session.js";
import { markTitle } from "../../session/choose-title.js";
import { type FileSummary, sumFiles } from "../../session/file-history/file-touches.js";
import { recordLineage } from "../../store/user-db.js";
import { requireTranscript } from "../choose-session.js";
import { exportRedactor, maskingRedactor, type RedactionOptions } from "../redaction.js";
import { resumeCommand } from "../resume-command.js";
import { dataFolderOf, type Environment } from "../settings.js";
import { clientRootOf } from "./edit-target.js";

export interface HandoffOptions {
  readonly range: TurnRange;
  readonly maxTokens: number;
  /** Removes secrets from each text before it is cut. */
  readonly clean: (text: string) => string;
}

export interface Handoff {
  readonly session: LoadedSession;
  readonly brief: Brief;
  /** Which model wrote it; null: rules. */
  readonly model: string | null;
}

/** A session stays on this machine, so its paths and names stay too; a text may go anywhere. */
export function handoffRedactor(
  as: "text" | "session",
  { redact = true, ...options }: Partial<RedactionOptions>,
  environment: Environment,
): Promise<Redactor> | undefined {
  if (!redact) return undefined;
  return as === "session" ? maskingRedactor(environment) : exportRedactor({ redact, ...options }, environment);
}

const LEAST_TOKENS = 300;
const USUAL_TOKENS = 4000;

/** The brief of a session, by rules. */
export function writeHandoff(found: FoundSession, options: HandoffOptions, load: LoadOptions): Handoff {
  const { range, maxTokens, clean } = options;
  const session = readForHandoff(found, options, load);
  const facts = gatherBrief(session.turns(range.from, range.to));
  const place = placeOf(found, session, range);
  const brief = writeBrief(facts, changedFiles(session, range), place, maxTokens, clean);
  return { session, brief, model: null };
}

/** The session that a brief can be written of. */
export function readForHandoff(
  found: FoundSession,
  { maxTokens, range }: HandoffOptions,
  load: LoadOptions,
): LoadedSession {
  if (maxTokens < LEAST_TOKENS) {
    throw new UserError(
      "usage",
      `a brief needs at least ${LEAST_TOKENS} tokens`,
      `for example --max-tokens ${USUAL_TOKENS}`,
    );
  }
  requireTranscript(found);
  const session = loadFound(found, load);
  if (session.outline.turns.length === 0) {
    throw new UserError("not-found", "the session has no turns", "there is nothing to hand on");
  }
  if (range.from > session.outline.turns.length) {
    const last = session.outline.turns.length;
    throw new UserError("not-found", `the session has no turn ${range.from}`, `its last turn is ${last}`);
  }
  return session;
}

function changedFiles(session: LoadedSession, { from, to }: TurnRange): FileSummary[] {
  const { touches, cwd } = listTouchedFiles(session);
  return sumFiles(
    touches.filter(({ site }) => site.turn >= from && site.turn <= to),
    cwd,
  );
}

export function placeOf(found: FoundSession, { header, outline }: LoadedSession, { from, to }: TurnRange): BriefPlace {
  const all = outline.turns.length;
  const told = outline.turns.filter(({ index }) => index >= from && index <= to).map(({ index }) => index);
  const cwd = outline.facts.lastCwd ?? outline.facts.firstCwd;
  return {
    title: header.userTitle ?? header.title,
    project: cwd,
    gitBranch: header.gitBranch,
    startedAt: header.startedAt,
    endedAt: header.endedAt,
    turns: told.length === all ? `${all} turns` : `turns ${told[0]} to ${told.at(-1)} of ${all}`,
    pullRequests: header.prLinks.flatMap(({ url }) => url ?? []),
    path: found.path,
    resume: found.archived ? null : resumeCommand(found.id, cwd, clientRootOf(found.path)),
  };
}

export interface StartedHandoff {
  readonly id: string;
  readonly path: string;
  readonly resume: string | null;
}

const openingOf = (model: string | null) =>
  `You take over the work of another session. This brief says where it stands; it was made by ${model ?? "rules"} from the transcript, which has the details. Read what you need from the files and from the transcript before you change anything, and begin with the open points.`;

/** A new session beside the old one, whose first prompt is the brief. */
export async function startFromBrief(
  found: FoundSession,
  { session, brief, model }: Handoff,
  environment: Environment,
): Promise<StartedHandoff> {
  if (found.source !== null || found.archived) {
    const where = found.archived ? "the archive" : `the source "${found.source}"`;
    throw new UserError("usage", `cannot start a session in ${where}`, "write the brief to a file with -o");
  }
  const id = randomUUID();
  const path = transcriptOf(dirname(found.path), id);
  const { lastCwd: cwd } = session.outline.facts;
  const title = markTitle(session.header.userTitle ?? session.header.title, "handed on");
  const prompt = `${openingOf(model)}\n\n${brief.markdown}`;
  await startSession({ id, path, cwd, prompt, title, time: Date.now() });
  try {
    const at = new Date().toISOString();
    recordLineage(dataFolderOf(environment), { session: id, source: found.id, command: "handoff", at, path });
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    environment.warn(`the new session is not in the lineage: ${error.message}`);
  }
  return { id, path, resume: resumeCommand(id, cwd, clientRootOf(path)) };
}
