import { resolveAsPrograms } from "../../workspace.js";
import { isGlob } from "../command/expand-glob.js";
import { isProgramOfProject } from "../command/judge-reading.js";
import { allowsCommand, matchesText } from "../command/match-command.js";
import type { StartedCommand, StartedLine } from "../command/started-commands.js";
import { findStartedPrograms, programOf } from "../command/started-programs.js";
import type { Situation } from "../judgement.js";
import { bothWays, EDIT_TOOLS, findPathRule, isProcessSecret, READ_TOOLS } from "../path-rules.js";
import type { Rule } from "../rule.js";
import { mayNarrow, namesOf, programsIn, toSimple } from "./command-names.js";
import { type Effects, effects, resolveNamed, type Understood } from "./effects.js";
import { concernsFiles, LineFiles } from "./line-files.js";
import { foldersOf } from "./line-folders.js";
import { KEEPS_CONTENTS, mayBeRun } from "./run-files.js";
import { setsValue } from "./shell-builtins.js";
import { understandCommand } from "./understand-command.js";

export interface Forbidding {
  readonly decision: "deny" | "ask";
  readonly reason: string;
}

/**
 * What forbids a command line, or makes it need approval whatever allows it: a rule against a program that it starts or a file that it
 * reads or changes. Where a rule exists, only what is exactly known passes; everything else needs approval, in bypass mode too.
 */
export function findForbidding(command: string, situation: Situation): Forbidding | undefined {
  const { rules, mode, tool, workspace } = situation;
  const asking = mode === "bypassPermissions" ? [] : rules.ask;
  const { forms, line } = findStartedPrograms(command, { cwd: workspace.cwd, home: workspace.home });
  const texts = [command.trim(), ...forms];
  const denied = findTextRule(rules.deny, tool, texts);
  if (denied) return { decision: "deny", reason: `denied by the rule ${denied.text}` };
  const judge = new ForbiddingJudge(line, situation);
  const deniedFile = judge.findDeniedFile();
  if (deniedFile) return { decision: "deny", reason: `denied by the rule ${deniedFile.text}` };
  const asked = findTextRule(asking, tool, texts);
  if (asked) return { decision: "ask", reason: `the rule ${asked.text} requires approval` };
  const doubt =
    judge.findProgramDoubt(asking.filter((rule) => rule.tool === tool)) ??
    judge.findFileDoubt() ??
    (judge.hasProcessSecrets() ? "it reads the environment or memory of a process" : undefined);
  return doubt === undefined ? undefined : { decision: "ask", reason: doubt };
}

function findTextRule(rules: readonly Rule[], tool: string, texts: readonly string[]): Rule | undefined {
  return rules.find(
    (rule) =>
      rule.tool === tool && (rule.spec === undefined || texts.some((text) => matchesText(rule.spec ?? "", text))),
  );
}

const MAX_WORDS = 2_000;

/** A command in one of the folders where it may run. */
interface Judged {
  readonly command: StartedCommand;
  readonly understood: Understood;
  /** Files that it names, in whatever form. */
  readonly names: () => readonly string[];
}

class ForbiddingJudge {
  readonly #files: LineFiles;
  /** Undefined: where the commands run is not known. */
  readonly #folders: readonly string[] | undefined;
  readonly #hasTooMany: boolean;
  #judged: readonly Judged[] | undefined;

  constructor(
    private readonly line: StartedLine,
    private readonly situation: Situation,
  ) {
    this.#files = new LineFiles(situation);
    this.#folders = foldersOf(line, situation);
    this.#hasTooMany = line.commands.reduce((sum, { words }) => sum + words.length, 0) > MAX_WORDS;
  }

  findDeniedFile(): Rule | undefined {
    if (!concernsFiles(this.situation.rules.deny) || this.#hasTooMany) return undefined;
    const all = this.#all();
    const { reads, writes } = this.#redirected();
    const read = all.flatMap(({ understood, names }) => (understood.kind === "known" ? understood.reads : names()));
    const written = all.flatMap(({ understood }) => (understood.kind === "known" ? understood.writes : []));
    return (
      this.#files.findDenied([...writes, ...written], EDIT_TOOLS) ??
      this.#files.findDenied([...reads, ...read], READ_TOOLS)
    );
  }

  /** Why a program that a rule denies (or asks for) may be started although no form of the line shows it. */
  findProgramDoubt(asking: readonly Rule[]): string | undefined {
    const denying = this.situation.rules.deny.filter(({ tool }) => tool === this.situation.tool);
    const rules = [...denying, ...asking];
    const [rule] = rules;
    if (!rule) return undefined;
    const doubt = this.#hasTooMany ? "it has very many arguments" : this.line.doubts[0];
    if (doubt !== undefined) return `${doubt}, and the rule ${rule.text} may forbid it`;
    const [denied] = denying;
    for (const judged of this.#all()) {
      const reason = this.#findUnseenProgram(judged, rules) ?? (denied && this.#findDeniedDoubt(judged, denied));
      if (reason !== undefined) return reason;
    }
    const { writes } = this.#redirected();
    if (!denied) return undefined;
    if (this.line.writes.includes(undefined))
      return `which file it writes is known only when it runs, and the rule ${denied.text} may forbid what that starts`;
    return this.#findSteering("", effects({ writes }), denied) ?? this.#findCopiedProgram() ?? this.#findOwnProgram();
  }

  /** An argument that is not known may be the one that a rule names. */
  #findUnseenProgram({ command, understood }: Judged, rules: readonly Rule[]): string | undefined {
    const [first, ...words] = command.words;
    const program = first?.value;
    if (program === undefined)
      return (
        first && `which program it starts is known only when it runs, and the rule ${rules[0]?.text} may forbid it`
      );
    const isOpen =
      command.more !== undefined ||
      words.some(({ value, isCertain, pieces }) => value === undefined || !isCertain || isGlob(pieces));
    const narrower = isOpen ? rules.find(({ spec = "" }) => mayNarrow(spec, program)) : undefined;
    if (narrower)
      return `which arguments \`${program}\` gets is known only when it runs, and the rule ${narrower.text} may forbid them`;
    if (understood.kind === "unknown" && understood.isFamiliar)
      return `${understood.reason}, and the rule ${rules[0]?.text} may forbid what it starts`;
    const mentioned =
      understood.kind === "known" || understood.kind === "plain" ? undefined : this.#findMentioned(command, rules);
    return mentioned && `an argument names a program of the rule ${mentioned.text}`;
  }

  /** A rule whose program an argument of a program names that may start others. */
  #findMentioned({ words, assignments }: StartedCommand, rules: readonly Rule[]): Rule | undefined {
    const texts = [...words.slice(1).map(({ value = "" }) => value), ...assignments, ...this.line.inputs];
    const named = new Set(texts.flatMap(programsIn));
    return rules.find(({ spec = "" }) => {
      const [program = ""] = spec.split(/[\s:]/);
      return /^[\w./-]+$/.test(program) && named.has(programOf(program));
    });
  }

  /** What is left to chance: variables, programs that start others, and files that decide which programs are started. */
  #findDeniedDoubt({ command, understood, names }: Judged, denied: Rule): string | undefined {
    const variable = command.assignments.find((text) => !setsValue(text));
    const isNamed = this.#isNamed(command);
    if (variable !== undefined && !isNamed)
      return `\`${variable.replace(/\+?=[\s\S]*$/, "")}\` may change which programs are started, and the rule ${denied.text} may forbid them`;
    switch (understood.kind) {
      case "known":
        // Which files are found, nobody has seen.
        if (isFound(command) && understood.writes.length > 0 && !KEEPS_CONTENTS.test(command.words[0]?.value ?? ""))
          break;
        return this.#findSteering(programOf(command.words[0]?.value ?? ""), understood, denied);
      case "plain":
        return this.#findSteering("", effects({ writes: names() }), denied);
      case "opaque":
        // Names of files may be options, or variables of `make`.
        if (!isOpen(command) && (understood.isBuilder || isNamed)) return undefined;
        break;
      case "unknown":
        if (!understood.isFamiliar && isNamed && !isOpen(command)) return undefined;
        break;
      default:
        return understood satisfies never;
    }
    return `what \`${command.words[0]?.value}\` starts is not known, and the rule ${denied.text} may forbid it`;
  }

  #findSteering(name: string, done: Effects, denied: Rule): string | undefined {
    const path = this.#files.findDeciding(name, done);
    return path && `${path} decides which programs are started, and the rule ${denied.text} may forbid them`;
  }

  /** A program of the project or of a toolchain is what is in its files, unless the line itself writes them. */
  #findOwnProgram(): string | undefined {
    const all = this.#all();
    if (this.line.commands.length < 2) return undefined;
    const written = all.flatMap(({ command, understood }) => {
      const name = programOf(command.words[0]?.value ?? "");
      return understood.kind === "known" && name !== "git" && !KEEPS_CONTENTS.test(name) ? understood.writes : [];
    });
    for (const { command, understood, names } of all) {
      if (understood.kind === "known" || understood.kind === "plain") continue;
      const words = names();
      const own = [...this.#redirected().writes, ...written].find(
        (path) => !path.startsWith("/dev/") && mayBeRun(path, words),
      );
      if (own !== undefined) return `the line itself writes ${own}, which \`${command.words[0]?.value}\` may run`;
    }
    return undefined;
  }

  /** A line that reads a program and writes may make a copy of it, which no rule names. */
  #findCopiedProgram(): string | undefined {
    const all = this.#all().map(({ understood, names }) =>
      understood.kind === "known" ? understood : effects({ reads: names() }),
    );
    const { reads, writes } = this.#redirected();
    const hasWrites =
      writes.length > 0 ||
      this.#all().some(({ understood }) => understood.kind !== "known" || understood.writes.length > 0);
    const copied = [...reads, ...all.flatMap((it) => it.reads)].find((path) => this.#files.isProgram(path));
    return hasWrites && copied !== undefined
      ? `it may copy the program ${copied}, and no rule names the copy`
      : undefined;
  }

  /** Whether a rule allows the command by name. */
  #isNamed(command: StartedCommand): boolean {
    const { rules, tool } = this.situation;
    const simple = toSimple(command);
    return (
      simple !== undefined &&
      rules.allow.some((rule) => rule.tool === tool && rule.spec !== undefined && allowsCommand(rule.spec, simple))
    );
  }

  /** Why a file that a rule denies may be read or changed although the line does not name it. */
  findFileDoubt(): string | undefined {
    if (!concernsFiles(this.situation.rules.deny)) return undefined;
    const some = "and a rule denies some files";
    const [doubt] = this.line.doubts;
    if (doubt !== undefined) return `${doubt}, ${some}`;
    if (this.#hasTooMany) return `it has very many arguments, ${some}`;
    if (this.#folders === undefined) return `where it runs is known only when it runs, ${some}`;
    if ([...this.line.reads, ...this.line.writes].includes(undefined))
      return `which files it opens is known only when it runs, ${some}`;
    const all = this.#all();
    for (const judged of all) {
      const reason = this.#findUnseenFile(judged);
      if (reason !== undefined) return `${reason}, ${some}`;
    }
    return (
      this.#findUnsettled(all) ??
      this.#findDoubtOf(EDIT_TOOLS) ??
      this.#findDoubtOf(READ_TOOLS) ??
      this.#findDeciding(all) ??
      this.#findCopiedProgram() ??
      this.#findOwnProgram()
    );
  }

  /** Git, shells and editors would run what is written there, and nobody sees which files that opens. */
  #findDeciding(all: readonly Judged[]): string | undefined {
    const [denied] = this.situation.rules.deny.filter(({ tool }) => READ_TOOLS.has(tool) || EDIT_TOOLS.has(tool));
    if (!denied) return undefined;
    for (const { command, understood } of all) {
      if (understood.kind !== "known") continue;
      const reason = this.#findSteering(programOf(command.words[0]?.value ?? ""), understood, denied);
      if (reason !== undefined) return reason;
    }
    return this.#findSteering("", effects({ writes: this.#redirected().writes }), denied);
  }

  #findUnseenFile({ command, understood, names }: Judged): string | undefined {
    const variable = command.assignments.find((text) => !setsValue(text));
    if (variable !== undefined && understood.kind !== "opaque")
      return `\`${variable.replace(/\+?=[\s\S]*$/, "")}\` may change which files are opened`;
    const isOpaque =
      understood.kind === "opaque" ||
      (understood.kind === "unknown" && !understood.isFamiliar && this.#isNamed(command));
    if (isOpaque && isOpen(command))
      return `which arguments \`${command.words[0]?.value}\` gets is known only when it runs`;
    if (isOpaque) {
      const changed = findPathRule(
        this.situation.rules.deny,
        EDIT_TOOLS,
        names().flatMap((path) => bothWays(path, this.situation)),
        this.situation,
      );
      return changed && `it may change a file of the rule ${changed.text}`;
    }
    if (understood.kind === "unknown") return understood.reason;
    return understood.kind === "plain" ? `which files \`${command.words[0]?.value}\` opens is not known` : undefined;
  }

  /** Whether paths of a command may lead elsewhere when it runs, because another one of the line makes links or moves folders. */
  #findUnsettled(all: readonly Judged[]): string | undefined {
    const makers = all.filter(({ understood }) => understood.kind === "known" && understood.makesNames);
    const [maker] = makers;
    if (!maker) return undefined;
    const { reads, writes } = this.#redirected();
    const isNaming = ({ command, understood }: Judged) =>
      understood.kind === "known" &&
      !makers.some((it) => it.command === command) &&
      !(programOf(command.words[0]?.value ?? "") === "git" && command.words[1]?.value !== "-C") &&
      [...understood.reads, ...understood.writes, ...understood.readsBelow].length > 0;
    const first = this.line.isOrdered ? all.indexOf(maker) : 0;
    const isMoved = all.slice(first).some(({ command }) => /^(?:cd|pushd|popd)$/.test(command.words[0]?.value ?? ""));
    const isSecond = makers.some(
      ({ command }) => command !== maker.command && programOf(command.words[0]?.value ?? "") !== "git",
    );
    const others = [...reads, ...writes].filter((path) => !path.startsWith("/dev/"));
    if (!all.some(isNaming) && !isMoved && !isSecond && others.length === 0) return undefined;
    return `\`${maker.command.words[0]?.value}\` may change where a path of the line leads, and a rule denies some files`;
  }

  #findDoubtOf(tools: ReadonlySet<string>): string | undefined {
    const isReading = tools === READ_TOOLS;
    if (!this.situation.rules.deny.some(({ tool }) => tools.has(tool))) return undefined;
    const all = this.#all();
    const done = all.flatMap(({ understood }) => (understood.kind === "known" ? [understood] : []));
    const unnamed = all.find(
      ({ understood: it }) => it.kind === "known" && (isReading ? it.readsUnnamed : it.writesUnnamed),
    );
    if (unnamed)
      return `\`${unnamed.command.words[0]?.value}\` may ${isReading ? "show" : "change"} files that a rule denies`;
    const { reads, writes } = this.#redirected();
    const opaque = all.flatMap(({ understood, names }) => (understood.kind === "known" ? [] : names()));
    const named = isReading
      ? [...reads, ...done.flatMap((it) => it.reads), ...opaque]
      : [...writes, ...done.flatMap((it) => it.writes)];
    const below = isReading
      ? done.flatMap((it) => it.readsBelow.map((folder) => ({ folder, as: folder })))
      : done.flatMap((it) => it.writesBelow);
    if (below.length > 0 && all.some(({ understood }) => understood.kind !== "known" || understood.writesUnnamed))
      return "another command of the line may make files that a rule denies";
    const copied = done.filter(({ writes }) => writes.length > 0).flatMap(({ readsBelow }) => readsBelow);
    return (
      this.#files.findDoubt(named, tools) ??
      this.#files.findDoubtBelow(below, tools) ??
      (isReading ? this.#files.findGitData(named, copied) : undefined)
    );
  }

  hasProcessSecrets(): boolean {
    // A command's own environment is what `env` prints.
    const isOwn = (path: string) => /^\/proc\/(?:thread-)?self\//.test(path) && !path.includes("/..");
    const isShown = (path: string) =>
      !isOwn(path) && bothWays(resolveAsPrograms("/", path), this.situation).some(isProcessSecret);
    const words = this.line.commands.flatMap((command) => command.words.map(({ value }) => value));
    const hasProc = [...words, ...this.line.reads].some((word) => word?.includes("/proc"));
    if (!hasProc && !this.#places().some((folder) => folder.startsWith("/proc"))) return false;
    const named = this.#all().flatMap(({ understood, names }) =>
      understood.kind === "known" ? understood.reads : names(),
    );
    return [...this.#redirected().reads, ...named].some(isShown);
  }

  #all(): readonly Judged[] {
    this.#judged ??= this.#understand(true) ?? this.#understand(false) ?? [];
    return this.#judged;
  }

  /** `isAlone`: no command of the line makes files; undefined: one of several does. */
  #understand(isAlone: boolean): readonly Judged[] | undefined {
    const isOfProject = (program: string) => isProgramOfProject(program, this.situation);
    const judged = this.line.commands.flatMap((command) =>
      this.#places().map((folder) => ({
        command,
        understood: understandCommand(command, { folder, isAlone, isOfProject }),
        names: () => namesOf(command, folder),
      })),
    );
    const makes = ({ understood: it }: Judged) => it.kind !== "known" || it.writes.length > 0 || it.writesUnnamed;
    const isMaking = this.line.commands.length > 1 && judged.some(makes);
    const isWriting = this.line.writes.some((path) => path === undefined || !path.startsWith("/dev/"));
    return isAlone && (isMaking || isWriting) ? undefined : judged;
  }

  #places(): readonly string[] {
    return this.#folders ?? [this.situation.workspace.cwd, "/"];
  }

  #redirected(): Pick<Effects, "reads" | "writes"> {
    const at = (paths: readonly (string | undefined)[]) =>
      paths.flatMap((path) => (path === undefined ? [] : this.#places().map((folder) => resolveNamed(folder, path))));
    return { reads: at(this.line.reads), writes: at(this.line.writes) };
  }
}

function isFound({ more }: StartedCommand): boolean {
  return more === "found" || more === "below";
}

/** Words that come from elsewhere may become options or variables of it. Those that `find` makes of a plain path cannot. */
function isOpen({ words, more }: StartedCommand): boolean {
  if (more !== undefined && more !== "below") return true;
  return words.slice(1).some(({ value, pieces, isCertain }) => {
    if (value === undefined) return !isCertain;
    return isGlob(pieces) && pieces[0]?.kind === "glob";
  });
}
