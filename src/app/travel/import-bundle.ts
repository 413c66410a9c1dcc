import { existsSync } from "node:fs";
import { dirname } from "node:path";
import type { LocalPlace } from "../../edit/travel/bundle/bundle-place.js";
import type { BundledProject, BundledSession } from "../../edit/travel/bundle/manifest.js";
import type { OpenBundle } from "../../edit/travel/bundle/open-bundle.js";
import { tasksFolder } from "../../edit/travel/bundle/placed-files.js";
import { unpackPrompts } from "../../edit/travel/bundle/typed-prompts.js";
import { compareSession, otherId, unpackSession } from "../../edit/travel/bundle/unpack-session.js";
import { UserError } from "../../errors.js";
import { sessionPaths, transcriptOf } from "../../format/layout/session-paths.js";
import type { FoundSession } from "../../library/found-session.js";
import { addPrompts } from "../../library/shared-files/add-prompts.js";
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
  /** The same for each project of the bundle, in the order of `mapProjects`; null: it is found. */
  readonly projects?: readonly (string | null)[] | undefined;
}

/** A project of a bundle. */
export interface MappedProject {
  readonly project: BundledProject;
  readonly sessions: number;
  /** Its folder on this machine, or why none was found. */
  readonly local: LocalProject | UserError;
}

/** Which folders of this machine the projects of a bundle are. */
export interface ProjectMap {
  readonly bundle: OpenBundle;
  readonly root: string;
  readonly projects: readonly MappedProject[];
  /** The sessions of this machine. */
  readonly here: readonly FoundSession[];
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
  return planMapped(await mapProjects(bundle, request, environment), environment);
}

/** The projects of a bundle in the order in which its sessions name them. */
export async function mapProjects(
  bundle: OpenBundle,
  request: ImportRequest,
  environment: Environment,
): Promise<ProjectMap> {
  const root = await ownRoot(request, environment);
  const { sessions: here } = findSessions([root]);
  const known = findProjects(here).map(({ folder }) => folder);
  const count = new Map<string, number>();
  for (const { project } of bundle.manifest.sessions) count.set(keyOf(project), (count.get(keyOf(project)) ?? 0) + 1);
  if (request.project !== undefined) refuseSeveral(count.size);
  const projects = [...count].map(([key, sessions], at) => {
    const project = JSON.parse(key) as BundledProject;
    const named = request.project ?? request.projects?.[at] ?? undefined;
    return { project, sessions, local: tryToChoose(project, known, { named, cwd: environment.cwd }) };
  });
  return { bundle, root, projects, here };
}

/** Throws where the folder of a project is not known. */
export function planMapped({ bundle, root, projects, here }: ProjectMap, environment: Environment): ImportPlan {
  const folders = new Map(projects.map(({ project, local }) => [keyOf(project), local]));
  const steps = bundle.manifest.sessions.map((session) => {
    const project = folders.get(keyOf(session.project));
    if (project === undefined || project instanceof UserError) throw project ?? new Error("a project is not mapped");
    const projectDir = projectDirOf(root, project.folder, environment);
    return { session, project, ...chooseId(bundle, session, { projectDir, folder: project.folder, here }) };
  });
  return { bundle, root, steps };
}

function keyOf(project: BundledProject): string {
  return JSON.stringify(project);
}

function tryToChoose(...asked: Parameters<typeof chooseLocalProject>): LocalProject | UserError {
  try {
    return chooseLocalProject(...asked);
  } catch (error) {
    if (error instanceof UserError) return error;
    throw error;
  }
}

/** Writes what is not here yet, one whole session after the other, and keeps its title, tags and notes. */
export async function applyImport(plan: ImportPlan, environment: Environment): Promise<void> {
  const dataDir = dataFolderOf(environment);
  for (const { session, place, id, action } of plan.steps) {
    const unpacked = { bundle: plan.bundle, session, place };
    if (action === "write") {
      const kept = await unpackSession(unpacked);
      for (const path of kept) environment.warn(`${path} is another plan of the same name and stays as it is`);
      keepMarks(dataDir, id, session, environment);
    }
    addPrompts(plan.root, unpackPrompts(unpacked));
    if (action !== "write") continue;
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

function refuseSeveral(count: number): void {
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
  const root = dirname(dirname(dirname(path)));
  return [path, sideDir, fileHistoryDir(root), tasksFolder(root, sessionPaths(path).id)].some(existsSync);
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
