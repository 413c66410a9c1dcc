import { existsSync } from "node:fs";
import { join } from "node:path";
import { realPath, resolveAsPrograms } from "../../../workspace.js";
import { namesOf } from "../../forbid/command-names.js";
import { type Effects, effects, resolveNamed } from "../../forbid/effects.js";
import { filesBelow } from "../../forbid/line-files.js";
import { COPIERS, KEEPS_CONTENTS, mayBeRun, overlaps, UNPACKERS } from "../../forbid/run-files.js";
import { understandCommand } from "../../forbid/understand-command.js";
import { describeGuarded, isGuarded } from "../../guarded-path.js";
import type { Situation } from "../../judgement.js";
import type { Rule } from "../../rule.js";
import { isProgramOfProject } from "../judge-reading.js";
import { commandText } from "../match-command.js";
import { repositoryOf } from "../rule-meaning.js";
import type { SimpleCommand } from "../shell-node.js";
import type { StartedCommand } from "../started-commands.js";
import { findStartedPrograms, isStateBuiltin, programOf } from "../started-programs.js";
import type { Folders } from "./moment.js";

/** A part of a line that passes alone: what it opens, or that a rule allows it. */
export interface Step {
  readonly text: string;
  /** Its place among the parts of the line; undefined: it has none. */
  readonly part: number | undefined;
  /** Steps with the same number run at the same time. */
  readonly at: number;
  readonly command?: SimpleCommand | undefined;
  readonly reads?: { readonly paths: readonly string[]; readonly searches: boolean };
  readonly writes?: readonly string[];
  readonly allowed?: { readonly rule: Rule; readonly command: SimpleCommand; readonly folders: Folders };
}

export interface Conflict {
  readonly step: Step;
  readonly reason: string;
}

/**
 * What a line must be asked for although each part passes alone: reading where another part may have made a link or put a file from
 * elsewhere, running what the line itself writes, and changing files that other programs execute by a rule that does not name them.
 */
export function findConflicts(steps: readonly Step[], situation: Situation): readonly Conflict[] {
  const acts = steps.map((step) => ({ step, act: step.allowed && actOf(step.allowed, situation) }));
  return acts.flatMap(({ step, act }) => {
    const before = acts.filter((it) => it.step.at <= step.at && it.step !== step && it.step.command !== step.command);
    const reason =
      (act && step.allowed && (findGuarded(act, step.allowed) ?? findOwnProgram(act, before))) ??
      (step.reads || step.writes ? findUnsettled(step, before, situation) : undefined);
    return reason === undefined ? [] : [{ step, reason }];
  });
}

/** What a command does that a rule allows. */
interface Act {
  readonly program: string;
  readonly known: readonly (Effects & { readonly program: string })[];
  /** Commands of which it is not known what they do to files, with the files that they name. */
  readonly open: readonly Open[];
  /** It may run files of the project; these are its words that may be files. */
  readonly runs: readonly string[] | undefined;
  /** It changes what the shell makes of later commands. */
  readonly changesShell: boolean;
}

interface Open {
  readonly program: string;
  readonly names: readonly string[];
  /** It may write to a file that nobody sees. */
  readonly isUnseen?: boolean;
}

interface Before {
  readonly step: Step;
  readonly act: Act | undefined;
}

function actOf({ command, folders }: NonNullable<Step["allowed"]>, situation: Situation): Act {
  const { workspace } = situation;
  const places = folders ?? [workspace.cwd, "/"];
  const { line } = findStartedPrograms(commandText(command), { cwd: workspace.cwd, home: workspace.home });
  const program = programOf(command.words[0]?.value ?? "");
  const known: (Effects & { program: string })[] = places.map((folder) => ({
    ...effects({ writes: line.writes.flatMap((path) => (path === undefined ? [] : resolveNamed(folder, path))) }),
    program,
  }));
  const open: Open[] = line.doubts.length > 0 || line.writes.includes(undefined) ? [{ program, names: [] }] : [];
  const runs: string[][] = line.doubts.length > 0 ? [[]] : [];
  let changesShell = false;
  const isOfProject = (name: string) => isProgramOfProject(name, situation);
  for (const folder of places) {
    for (const started of line.commands) {
      const name = programOf(started.words[0]?.value ?? "");
      const understood = understandCommand(started, { folder, isAlone: false, isOfProject });
      const names = namesOf(started, folder);
      if (understood.kind === "known") known.push({ ...understood, program: name });
      else if (understood.kind === "unknown" || (understood.kind === "plain" && COPIERS.test(name)))
        open.push({
          program: name,
          names: [...names, ...namedInTexts(started, folder)],
          isUnseen: isUnseen(name, started),
        });
      if (understood.kind === "opaque" || understood.kind === "unknown") runs.push([...names]);
      changesShell ||= understood.kind === "unknown" && isStateBuiltin(name) && !/^(?:\.|source)$/.test(name);
      changesShell ||= setsPrograms(started);
    }
  }
  return { program, known, open, runs: runs.length > 0 ? runs.flat() : undefined, changesShell };
}

/** Files in scripts of `sed`, `awk` and the like: `w .envrc`. */
function namedInTexts({ words }: StartedCommand, folder: string): readonly string[] {
  const texts = words
    .slice(1)
    .flatMap(({ value = "" }) => (/\s|["'<>]/.test(value) ? value.split(/[\s"'();|<>]+/) : []));
  return texts
    .filter((text) => text !== "" && text.length < 4_096 && !text.includes("\0"))
    .map((text) => resolveNamed(folder, text));
}

function isUnseen(program: string, { words, more }: StartedCommand): boolean {
  const takesNames =
    program === "curl" && words.some(({ value }) => /^-\w*[JK]|^--(?:conf|remote-h)/.test(value ?? ""));
  const isHidden = more === "unseen" || words.some(({ value }) => value === undefined);
  return takesNames || (COPIERS.test(program) && isHidden);
}

/** Without a command, assignments stay. */
function setsPrograms({ words, assignments }: StartedCommand): boolean {
  return words.length === 0 && assignments.length > 0;
}

const EMPTY = /^(?:mkdir|rmdir|touch)$/;

/** Why files that other programs execute may be changed by a rule that does not name them. */
function findGuarded(
  { known, open }: Act,
  { rule, command, folders = [] }: NonNullable<Step["allowed"]>,
): string | undefined {
  const { spec } = rule;
  if (spec === undefined || spec === commandText(command)) return undefined;
  const words = spec.split(/[\s:]+/);
  if (words.some((word) => isGuarded(`/${word}`))) return undefined;
  const repository = repositoryOf(command.words.map(({ value }) => value));
  const isLocal =
    repository !== undefined && folders.some((folder) => existsSync(resolveAsPrograms(folder, repository)));
  if (isLocal && !words.includes(repository)) return `git runs the hooks and settings of ${repository}`;
  const changed = known.filter(({ program }) => !EMPTY.test(program));
  const path =
    changed.flatMap(({ writes }) => writes).find(isGuardedPlace) ??
    open.flatMap(({ names }) => names).find(isGuardedPlace) ??
    changed.flatMap(({ writesBelow }) => writesBelow.flatMap(guardedBelow))[0];
  if (path !== undefined) return describeGuarded(path);
  const unpacker =
    changed.find(({ program, writesUnnamed }) => writesUnnamed && program !== "git") ??
    open.find(({ program, isUnseen: isAny }) => isAny || UNPACKERS.test(program));
  return unpacker && `\`${unpacker.program}\` may write files that other programs execute`;
}

function isGuardedPlace(path: string): boolean {
  return isGuarded(path) || isGuarded(realPath(path));
}

function guardedBelow({ folder, as }: Effects["writesBelow"][number]): readonly string[] {
  const names = filesBelow(folder);
  return names ? names.map((name) => join(as, name)).filter(isGuardedPlace) : [as];
}

/** Why what it runs may be what the line itself writes, or what the line makes of the shell. */
function findOwnProgram({ runs, program }: Act, before: readonly Before[]): string | undefined {
  const changer = before.find(({ act }) => act?.changesShell);
  if (changer) return `\`${changer.step.text}\` may change which programs are started`;
  if (!runs) return undefined;
  for (const { step: other, act } of before) {
    const written = [
      ...(other.writes ?? []),
      ...(act?.known.flatMap((it) => (KEEPS_CONTENTS.test(it.program) || it.program === "git" ? [] : it.writes)) ?? []),
    ];
    const own = written.find((path) => mayBeRun(path, runs));
    if (own !== undefined) return `the line itself writes ${own}, which \`${program}\` may run`;
    const isUnseen = act?.known.some((it) => it.program !== "git" && (it.writesUnnamed || it.writesBelow.length > 0));
    if (isUnseen || act?.open.some((it) => COPIERS.test(it.program) || UNPACKERS.test(it.program)))
      return `the line itself writes files, which \`${program}\` may run`;
  }
  return undefined;
}

/** Why a path may lead elsewhere, or to contents from elsewhere, when it is opened. */
function findUnsettled(
  { reads, writes }: Step,
  before: readonly Before[],
  { workspace }: Situation,
): string | undefined {
  const paths = [...(reads?.paths ?? []), ...(writes ?? [])];
  const searched = reads?.searches && paths.length === 0 ? [workspace.cwd] : paths;
  if (searched.length === 0) return undefined;
  const isForeign = (path: string) => !workspace.isInside(realPath(path)) && !path.startsWith("/dev/");
  for (const { step, act } of before) {
    const isOpen = act && (act.open.length > 0 || act.changesShell);
    const made = act?.known.find((it) => {
      if (it.makesNames || it.writesUnnamed) return true;
      const isBrought = it.readsUnnamed || [...it.reads, ...it.readsBelow].some(isForeign);
      const all = [...it.writes, ...it.writesBelow.map(({ as }) => as)];
      return isBrought && all.some((path) => searched.some((other) => overlaps(path, other)));
    });
    if (isOpen || made) return `\`${step.text}\` may change where it leads, or what is there`;
  }
  return undefined;
}
