import { createHash } from "node:crypto";
import { join } from "node:path";
import { readIfPresent } from "../../errors.js";
import { arrayAt, isObject, tryParseJson } from "../../format/json.js";
import { atomicWrite } from "../../store/atomic-write.js";
import { ensureDataDir } from "../../store/data-dir.js";
import { acquireLock } from "../../store/lock.js";
import { hooksOf } from "../hooks/read-hooks.js";
import { realPath } from "../workspace.js";
import { directoriesOf, environmentOf, projectModeOf, type SettingsFile } from "./chat-settings.js";

const MAX_NAMED = 3;

/** What a project's settings would permit, run or set, as a person reads it. */
export interface ProjectGrants {
  readonly folder: string;
  readonly grants: readonly Grant[];
}

export interface Grant {
  readonly file: string;
  /** Such as `allows without asking`. */
  readonly what: string;
  readonly value: string;
}

/** Asks the user whether what a project's settings bring may count; without the method it does not. */
export interface Truster {
  trustProject?(project: ProjectGrants): Promise<boolean>;
}

/** Undefined: the project brings nothing that needs trust. */
export function readGrants(files: readonly SettingsFile[], projectRoot: string): ProjectGrants | undefined {
  const grants = files.filter(({ scope }) => scope === "project").flatMap(grantsOf);
  return grants.length === 0 ? undefined : { folder: realPath(projectRoot), grants };
}

function grantsOf(settings: SettingsFile): readonly Grant[] {
  const { file, json } = settings;
  const mode = projectModeOf(json);
  const entries: readonly (readonly [string, readonly string[]])[] = [
    ["allows without asking", arrayAt(json, "permissions", "allow").filter((rule) => typeof rule === "string")],
    ["works also in", directoriesOf(json)],
    ["permission mode", mode === undefined ? [] : [mode]],
    ...hooksOf(settings).map(
      ({ event, matcher, command }) =>
        [`runs at ${event}${matcher === undefined ? "" : ` (${matcher})`}`, [command]] as const,
    ),
    ["sets for commands", Object.entries(environmentOf(json)).map(([name, value]) => `${name}=${value}`)],
  ];
  return entries.flatMap(([what, values]) => values.map((value) => ({ file, what, value })));
}

/** Whether the user trusts these grants, now or since an earlier chat. Only a yes is remembered. */
export async function isTrusted(
  project: ProjectGrants,
  dataDir: string,
  person: Truster | undefined,
): Promise<boolean> {
  const trusted = new TrustedProjects(dataDir);
  if (trusted.includes(project)) return true;
  if (!(await person?.trustProject?.(project))) return false;
  await trusted.add(project);
  return true;
}

/** Such as `ignored what this project's settings bring: allows without asking Bash(npm test); runs at Stop ./notify.sh`. */
export function describeIgnored({ grants }: ProjectGrants, wasAsked: boolean): string {
  if (wasAsked) return "of this project's settings only deny and ask rules count";
  const shown = grants.slice(0, MAX_NAMED).map(({ what, value }) => `${what} ${value}`);
  const more = grants.length > MAX_NAMED ? [`${grants.length - MAX_NAMED} more`] : [];
  return `ignored what this project's settings bring: ${[...shown, ...more].join("; ")} (--trust-project lets it count)`;
}

/** Folders that the user trusts, each with the grants that were shown: other grants need another yes. */
class TrustedProjects {
  readonly #path: string;

  constructor(private readonly dataDir: string) {
    this.#path = join(dataDir, "trusted-projects.json");
  }

  includes(project: ProjectGrants): boolean {
    return this.#read()[project.folder] === digestOf(project);
  }

  async add(project: ProjectGrants): Promise<void> {
    const lock = await acquireLock(join(ensureDataDir(this.dataDir, "locks"), "trust.lock"), {
      purpose: "remembering a trusted project",
    });
    try {
      const all = { ...this.#read(), [project.folder]: digestOf(project) };
      atomicWrite(this.#path, `${JSON.stringify(all, undefined, 2)}\n`);
    } finally {
      lock.release();
    }
  }

  /** A damaged file trusts nothing. */
  #read(): Readonly<Record<string, unknown>> {
    const json = tryParseJson(readIfPresent(this.#path) ?? "");
    return isObject(json) ? json : {};
  }
}

function digestOf({ grants }: ProjectGrants): string {
  return createHash("sha256").update(JSON.stringify(grants)).digest("hex");
}
