import { basename, join } from "node:path";
import { configRootOf, sessionPaths } from "../../../format/layout/session-paths.js";
import type { SessionPlace } from "../map-paths.js";

/** A session in the library of a machine. */
export interface LocalPlace {
  /** Where its transcript is, or will be. */
  readonly path: string;
  /** The folder it worked in; null where no record says. */
  readonly project: string | null;
  readonly home: string;
}

export function toLocalPlace({ path, project, home }: LocalPlace): SessionPlace {
  const folders = { home, claude: configRootOf(path), transcripts: sessionPaths(path).projectDir };
  return { path, folders: project === null ? folders : { ...folders, project } };
}

/** The same session in a bundle, where folders are tokens. */
export function toBundlePlace(id: string, isWindows: boolean): SessionPlace {
  const names = ["home", "claude", "transcripts", "project"];
  return {
    path: join("{transcripts}", `${id}.jsonl`),
    folders: Object.fromEntries(names.map((name) => [name, `{${name}}`])),
    tokens: { isWindows },
  };
}

/** A project folder as a bundle tells it: below the home folder, else its name alone. */
export function toBundledFolder(project: string, home: string): string {
  const below = project.startsWith(`${home}/`) || project.startsWith(`${home}\\`);
  return below ? `{home}${project.slice(home.length).replaceAll("\\", "/")}` : basename(project);
}
