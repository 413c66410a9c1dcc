import { statSync } from "node:fs";
import { join } from "node:path";
import { readEditSource } from "../../edit/plans/edit-source.js";
import { toBundledFolder } from "../../edit/travel/bundle/bundle-place.js";
import { type BundledSession, toManifest } from "../../edit/travel/bundle/manifest.js";
import { packSession } from "../../edit/travel/bundle/pack-session.js";
import type { TypedLines } from "../../edit/travel/bundle/typed-prompts.js";
import { BundleSpool } from "../../edit/travel/bundle/write-bundle.js";
import type { RewrittenLines } from "../../edit/travel/map-paths.js";
import { readIfReadable, UserError } from "../../errors.js";
import { projectIdentity } from "../../format/git/git-remotes.js";
import { sessionPaths } from "../../format/layout/session-paths.js";
import type { FoundSession } from "../../library/found-session.js";
import type { LoadOptions } from "../../library/load/load-session.js";
import { liveSince, openRunningSessions } from "../../library/running/running-sessions.js";
import { findHistoryLines, pastePath, readHistory } from "../../library/shared-files/prompt-history.js";
import { homeFolder } from "../../own-user.js";
import type { Redactor } from "../../redact/create-redactor.js";
import type { RedactionReport } from "../../redact/tally.js";
import type { Outline } from "../../session/open-session.js";
import type { Passphrase } from "../../store/sealed-file.js";
import { makeTemporaryFolder, removeTemporary } from "../../store/temporary.js";
import { NO_MARKS } from "../../store/user-db.js";
import { requireTranscript } from "../choose-session.js";
import { type OutputFile, writeOutputFile } from "../output-file.js";
import { dataFolderOf, type Environment } from "../settings.js";
import { VERSION } from "../version.js";
import { projectOf } from "./session-project.js";

export interface BundleRequest {
  readonly sessions: readonly FoundSession[];
  /** Undefined: nothing is redacted. */
  readonly redactor: Redactor | undefined;
  /** Undefined: the bundle is not encrypted. */
  readonly passphrase: Passphrase | undefined;
  readonly output: Pick<OutputFile, "path" | "overwrite" | "roots">;
  readonly settings: LoadOptions;
  /** Where sessions that another machine sent come from. */
  readonly originOf?: (found: FoundSession) => SessionOrigin | undefined;
}

/** What a machine said of a session of its own. */
export interface SessionOrigin {
  readonly home: string | null;
  readonly remote: string | null;
}

export interface BundledReport extends RewrittenLines {
  readonly id: string;
  readonly title: string | null;
  readonly files: number;
  readonly bytes: number;
  /** Files that stay behind. */
  readonly leftOut: readonly string[];
  readonly isRunning: boolean;
}

export interface BundleReport {
  readonly path: string;
  readonly bytes: number;
  readonly encrypted: boolean;
  readonly sessions: readonly BundledReport[];
  readonly redaction: RedactionReport | null;
}

/** A bundle in a private folder. */
export interface BundleDraft {
  readonly path: string;
  readonly report: BundleReport;
  remove(): void;
}

/** For who passes it on or looks what would be in it. */
export async function bundleToDraft(
  request: Omit<BundleRequest, "output">,
  environment: Environment,
): Promise<BundleDraft> {
  const folder = makeTemporaryFolder("bundle");
  const remove = () => removeTemporary(folder);
  const path = join(folder, "session.tar.gz");
  try {
    const report = await bundleSessions({ ...request, output: { path, overwrite: false, roots: [] } }, environment);
    return { path, report, remove };
  } catch (error) {
    remove();
    throw error;
  }
}

/** Writes sessions with everything that belongs to them into one file, or nothing. */
export async function bundleSessions(request: BundleRequest, environment: Environment): Promise<BundleReport> {
  const { redactor, passphrase, output } = request;
  const spool = new BundleSpool();
  try {
    const packed = request.sessions.map((found) => addSession(found, spool, request, environment));
    const manifest = toManifest({
      turnlog: VERSION,
      createdAt: new Date().toISOString(),
      redacted: redactor ? redactor.report().total : null,
      sessions: packed.map(({ session }) => session),
    });
    const [first] = request.sessions;
    const file = first ? { ...output, source: first.open() } : output;
    await writeOutputFile(file, spool.pieces(manifest, passphrase));
    return {
      path: output.path,
      bytes: statSync(output.path).size,
      encrypted: passphrase !== undefined,
      sessions: packed.map(({ report }) => report),
      redaction: redactor?.report() ?? null,
    };
  } finally {
    spool.close();
  }
}

function addSession(
  found: FoundSession,
  spool: BundleSpool,
  { redactor, settings, originOf }: BundleRequest,
  environment: Environment,
): { readonly session: BundledSession; readonly report: BundledReport } {
  const running = openRunningSessions(dataFolderOf(environment));
  const { projectDir } = sessionPaths(found.path);
  const since = found.archived ? {} : { liveSince: liveSince(running, found) };
  const source = readEditSource(requireTranscript(found).open(), { projectDir, ...since });
  if (source.outline.isAgentFile) throw isAgent(found);
  const origin = originOf?.(found);
  const home = origin?.home ?? homeFolder();
  const project = projectOf(found.path, source.outline.facts);
  const packed = packSession({
    source,
    place: { path: found.path, project, home },
    cleaning: redactor ? { clean: redactor.json, learn: redactor.learn } : null,
    typed: typedIn(found),
  });
  const files = spool.add(found.id, packed);
  const session = { id: found.id, files, ...describe(found, source.outline, { redactor, settings, origin }) };
  const report: BundledReport = {
    id: found.id,
    title: session.title,
    files: files.length,
    bytes: files.reduce((sum, { size }) => sum + size, 0),
    leftOut: packed.leftOut,
    isRunning: !found.archived && running.find(found) !== undefined,
    ...packed.lines(),
  };
  return { session, report };
}

/** What was typed in the session, by the history of the folder that it is of. */
function typedIn({ root, id }: FoundSession): TypedLines {
  const history = readHistory(root);
  return {
    lines: findHistoryLines(history, id).map(({ start, end }) => history.subarray(start, end)),
    pasteOf: (hash) => (/^[0-9a-f]{8,64}$/.test(hash) ? readIfReadable(pastePath(root, hash)) : undefined),
  };
}

function describe(
  found: FoundSession,
  { facts, title, turns }: Outline,
  {
    settings: { marks },
    redactor,
    origin,
  }: Pick<BundleRequest, "settings" | "redactor"> & { readonly origin: SessionOrigin | undefined },
): Omit<BundledSession, "id" | "files"> {
  const clean = <Value>(value: Value): Value => (redactor ? redactor.json(value, "manifest") : value);
  const project = projectOf(found.path, facts);
  const own = marks?.get(found.id) ?? NO_MARKS;
  return {
    title: clean(title?.text.slice(0, LONGEST_TITLE) ?? null),
    project: {
      remote: origin ? origin.remote : ((project === null ? undefined : projectIdentity(project)) ?? null),
      folder: project === null ? "" : clean(toBundledFolder(project, origin?.home ?? homeFolder())),
      isWindows: process.platform === "win32",
    },
    startedAt: facts.startedAt,
    endedAt: facts.endedAt,
    turns: turns.length,
    versions: facts.versions.slice(0, MOST_VERSIONS),
    marks: clean({ ...own, tags: [...own.tags] }),
  };
}

const LONGEST_TITLE = 1000;
const MOST_VERSIONS = 1000;

function isAgent({ path }: FoundSession): UserError {
  const hint = "name its main session instead; sub-agents are included";
  return new UserError("usage", `${path} is a sub-agent's file`, hint);
}
