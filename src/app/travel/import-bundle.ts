import { existsSync } from "node:fs";
import { dirname } from "node:path";
import type { LocalPlace } from "../../edit/travel/bundle/bundle-place.js";
import type { BundledProject, BundledSession } from "../../edit/travel/bundle/manifest.js";
import type { OpenBundle } from "../../edit/travel/bundle/open-bundle.js";
import { compareSession, otherId, unpackSession } from "../../edit/travel/bundle/unpack-session.js";
import { UserError } from "../../errors.js";
import { sessionPaths, transcriptOf } from "../../format/layout/session-paths.js";
import type { FoundSession } from "../../library/found-session.js";
import { findProjects } from "../../library/sources/find-projects.js";
import { findSessions } from "../../library/sources/find-sessions.js";
import { homeFolder } from "../../own-user.js";
import { changeMarks, readMarks, recordLineage } from "../../store/user-db.js";
import { projectDirOf } from "../edit/edit-target.js";
import { type RootOptions, sessionRoots, sourceFolders } from "../session-roots.js";
import { dataFolderOf, type Environment } from "../settings.js";
import { chooseLocalProject, type LocalProject } from "./choose-local-project.js";

export interface ImportRequest extends RootOptions {
  /** The folder of the project on this machine; by default it is found. */
  readonly project?: string | undefined;
}

/** What becomes of one session of a bundle. */
export interface ImportStep {
  readonly session: BundledSession;
  readonly place: LocalPlace;
  readonly id: string;
  readonly project: LocalProject;
  /** `same` and `continued`: it is here already, in the latter case with more at its end. */
  readonly action: "write" | "same" | "continued";
}

/** Nothing is written yet. */
export interface ImportPlan {
  readonly bundle: OpenBundle;
  readonly root: string;
  readonly steps: readonly ImportStep[];
}

/** Where each session of a bundle would go, and under which id. */
export async function planImport(
  bundle: OpenBundle,
  request: ImportRequest,
  environment: Environment,
): Promise<ImportPlan> {
  const root = await ownRoot(request, environment);
  const { sessions: here } = findSessions([root]);
  const known = findProjects(here).map(({ folder }) => folder);
  const { sessions } = bundle.manifest;
  if (request.project !== undefined) refuseSeveral(sessions.map(({ project }) => project));
  const choices = new Map<string, LocalProject>();
  const steps = sessions.map((session) => {
    const { project } = session;
    const key = JSON.stringify(project);
    const chosen =
      choices.get(key) ?? chooseLocalProject(project, known, { named: request.project, cwd: environment.cwd });
    choices.set(key, chosen);
    const projectDir = projectDirOf(root, chosen.folder, environment);
    return { session, project: chosen, ...chooseId(bundle, session, { projectDir, folder: chosen.folder, here }) };
  });
  return { bundle, root, steps };
}

/** Writes what is not here yet, one whole session after the other, and keeps its title, tags and notes. */
export async function applyImport(plan: ImportPlan, environment: Environment): Promise<void> {
  const dataDir = dataFolderOf(environment);
  for (const { session, place, id, action } of plan.steps) {
    if (action !== "write") continue;
    await unpackSession({ bundle: plan.bundle, session, place });
    keepMarks(dataDir, id, session, environment);
    if (id === session.id) continue;
    const at = new Date().toISOString();
    recordLineage(dataDir, { session: id, source: session.id, command: "import", at, path: place.path });
  }
}

async function ownRoot(request: ImportRequest, environment: Environment): Promise<string> {
  if (request.demo) throw new UserError("usage", "cannot write into the demo", "leave out --demo");
  const sources = await sourceFolders(environment);
  const root = (await sessionRoots(environment, request)).find((folder) => !sources.has(folder));
  if (root !== undefined) return root;
  throw new UserError("config", "Claude Code's folder is not known", "name it with --config-dir");
}

function refuseSeveral(projects: readonly BundledProject[]): void {
  const count = new Set(projects.map((project) => JSON.stringify(project))).size;
  if (count < 2) return;
  throw new UserError(
    "usage",
    `the bundle has sessions of ${count} projects, and --project names one folder`,
    "have all projects here with their git remotes, or bundle them apart",
  );
}

interface Wanted {
  readonly projectDir: string;
  readonly folder: string;
  readonly here: readonly FoundSession[];
}

/** Its own id where no other session has that; else one that is the same each time. */
function chooseId(
  bundle: OpenBundle,
  session: BundledSession,
  { projectDir, folder, here }: Wanted,
): Pick<ImportStep, "id" | "place" | "action"> {
  const home = homeFolder();
  for (const id of [session.id, otherId(session)]) {
    const place = { path: transcriptOf(projectDir, id), project: folder, home };
    const twin = here.find((found) => found.id === id);
    if (!twin && !isTaken(place.path)) return { id, place, action: "write" };
    if (!twin) continue;
    const projectThere = dirname(twin.path) === projectDir ? folder : projectNamed(twin);
    const there = { path: twin.path, project: projectThere ?? folder, home };
    const found = compareSession({ bundle, session, place: there });
    if (found !== "other") return { id, place: there, action: found };
  }
  throw new UserError(
    "exists",
    `session ${session.id} is here twice with other content`,
    "move one of them away first",
  );
}

/** What is left of a session that is gone. */
function isTaken(path: string): boolean {
  const { sideDir, fileHistoryDir } = sessionPaths(path);
  return [path, sideDir, fileHistoryDir(dirname(dirname(dirname(path))))].some(existsSync);
}

function projectNamed(twin: FoundSession): string | undefined {
  return findProjects([twin])[0]?.folder;
}

/** Nothing that the user wrote about a session here is replaced. */
function keepMarks(dataDir: string, id: string, { marks }: BundledSession, environment: Environment): void {
  const isEmpty = marks.title === null && marks.note === null && !marks.favourite && marks.tags.length === 0;
  if (isEmpty) return;
  try {
    if (!readMarks(dataDir).has(id)) changeMarks(dataDir, id, () => marks);
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    environment.warn(`the session is imported without its title, tags and note: ${error.message}`);
  }
}
