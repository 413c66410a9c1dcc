import { lstatSync, readdirSync } from "node:fs";
import { basename, delimiter, dirname, isAbsolute, join } from "node:path";
import { realPath } from "../../workspace.js";
import { hasGitName, isInGitData } from "../git-places.js";
import { isGuarded } from "../guarded-path.js";
import type { Situation } from "../judgement.js";
import { bothWays, EDIT_TOOLS, findOtherName, findPathRule, READ_TOOLS } from "../path-rules.js";
import type { Rule } from "../rule.js";
import { type Effects, isOfSystem } from "./effects.js";
import { KEEPS_CONTENTS } from "./run-files.js";

const MAX_FILES = 5_000;
const PROGRAMS = /^(?:\/usr(?:\/local)?)?\/s?bin\//;

/** Whether files that commands read and write are ones that rules deny. */
export class LineFiles {
  readonly #pathFolders: readonly string[];

  constructor(private readonly situation: Situation) {
    const path = situation.workspace.variables["PATH"] ?? process.env["PATH"] ?? "";
    this.#pathFolders = path.split(delimiter).filter((folder) => isAbsolute(folder));
  }

  /** The rule that denies one of the files by a name of it. */
  findDenied(paths: readonly string[], tools: ReadonlySet<string>): Rule | undefined {
    const { situation } = this;
    const { deny } = situation.rules;
    if (!deny.some(({ tool }) => tools.has(tool))) return undefined;
    const all = paths.flatMap((path) => bothWays(path, situation));
    const rule = findPathRule(deny, tools, all, situation);
    if (rule) return rule;
    for (const path of paths) {
      const found = findOtherName(situation.workspace.resolve(path), situation, tools);
      if (found !== undefined && found !== "unknown") return found;
    }
    return undefined;
  }

  /** A rule that denies reading knows no names of what git keeps of a file. */
  findGitData(paths: readonly string[], copied: readonly string[]): string | undefined {
    const found = paths.find(isInGitData) ?? copied.find((folder) => isInGitData(folder) || holdsGitData(folder));
    return found && `${found} has data of git, which may have files that a rule denies`;
  }

  /** Why a file may be denied although no rule matches its name. */
  findDoubt(paths: readonly string[], tools: ReadonlySet<string>): string | undefined {
    const { situation } = this;
    const odd = paths.find(isOfSystem);
    if (odd !== undefined) return `where ${odd} leads is known only when it runs, and a rule denies some files`;
    const other = paths.find(
      (path) => findOtherName(situation.workspace.resolve(path), situation, tools) !== undefined,
    );
    return other === undefined ? undefined : `${other} has other names, and a rule may deny one of them`;
  }

  /** Why files below these folders may be denied ones. */
  findDoubtBelow(folders: Effects["writesBelow"], tools: ReadonlySet<string>): string | undefined {
    const { situation } = this;
    for (const { folder, as } of folders) {
      const names = filesBelow(folder);
      if (!names) return `${folder} has very many files, and a rule may deny one of them`;
      const paths = [as, realPath(as)].flatMap((place) => names.map((name) => join(place, name)));
      const rule = findPathRule(situation.rules.deny, tools, paths, situation);
      if (rule) return `a file in ${folder} is one of the rule ${rule.text}`;
      const other = names.find((name) => findOtherName(join(folder, name), situation, tools) !== undefined);
      if (other !== undefined) return `${join(folder, other)} has other names, and a rule may deny one of them`;
    }
    return undefined;
  }

  /** Whether such a file decides which programs are started: by git, a shell or an editor, or by their names on the PATH. */
  decidesPrograms(path: string): boolean {
    return [path, realPath(path)].some(
      (place) => isGuarded(place) || this.#pathFolders.some((folder) => folder === place || folder === dirname(place)),
    );
  }

  /** A file that a command may change, and that decides which programs are started. */
  findDeciding(name: string, { writes, writesBelow, writesUnnamed }: Effects): string | undefined {
    const named = writes.find((path) => this.decidesPrograms(path));
    if (named !== undefined) return named;
    for (const { folder, as } of KEEPS_CONTENTS.test(name) ? [] : writesBelow) {
      const found = (filesBelow(folder) ?? [""]).find((path) => path === "" || this.decidesPrograms(join(as, path)));
      if (found !== undefined) return join(as, found);
    }
    // What git checks out are files of the project's own commits, and none of git's own.
    return writesUnnamed && name !== "git" ? `what \`${name}\` unpacks` : undefined;
  }

  /** A copy of a program is one that no rule names. */
  isProgram(path: string): boolean {
    return [path, realPath(path)].some((place) => PROGRAMS.test(place));
  }
}

export function concernsFiles(rules: readonly Rule[]): boolean {
  return rules.some(({ tool }) => READ_TOOLS.has(tool) || EDIT_TOOLS.has(tool));
}

function holdsGitData(folder: string): boolean {
  const names = new Set(filesBelow(folder));
  const isBare = (name: string) => ["objects", "refs"].every((other) => names.has(join(dirname(name), other)));
  return [...names].some((name) => hasGitName(`/${name}`) || (basename(name) === "HEAD" && isBare(name)));
}

/** All below a folder, relative to it, without following links; undefined: too many. */
export function filesBelow(folder: string): readonly string[] | undefined {
  const found: string[] = [];
  const open = [""];
  for (let place = open.pop(); place !== undefined; place = open.pop()) {
    for (const name of namesIn(join(folder, place))) {
      const path = join(place, name);
      found.push(path);
      if (lstatSync(join(folder, path), { throwIfNoEntry: false })?.isDirectory()) open.push(path);
      if (found.length > MAX_FILES) return undefined;
    }
  }
  return found;
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(realPath(folder));
  } catch {
    return []; // no folder, or one that the program cannot enter either
  }
}
