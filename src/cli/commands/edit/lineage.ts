import type { Command } from "commander";
import { chooseSession } from "../../../app/choose-session.js";
import { loadOptions } from "../../../app/load-options.js";
import { describeTwin, openTwins, type Twin } from "../../../app/organize/twins.js";
import { maskingRedactor } from "../../../app/redaction.js";
import { type RootOptions, sessionRoots } from "../../../app/session-roots.js";
import { dataFolderOf } from "../../../app/settings.js";
import { listAt } from "../../../collections.js";
import {
  type Descent,
  familyOf,
  findDescents,
  type RelatedSession,
  readRelations,
} from "../../../library/catalog/lineage.js";
import { loadFound } from "../../../library/load/load-session.js";
import { formatTime } from "../../../render/format-values.js";
import { neutralize } from "../../../render/safe-text.js";
import { readLineage } from "../../../store/user-db.js";
import type { CommandContext, Io } from "../../io.js";
import { withNumbers } from "../../library-index.js";
import { addIndexOption, type IndexOptions } from "../../options/filter-options.js";
import { printedJson } from "../../terminal/printed-json.js";

interface LineageOptions extends RootOptions, IndexOptions {
  readonly json?: boolean;
}

const EXAMPLES = `
Examples:
  turnlog lineage               every session that was created from another
  turnlog lineage last --json   one family, for a script`;

export function define(command: Command, { io }: CommandContext): void {
  addIndexOption(command)
    .argument("[session]", "only its ancestors and descendants (default: all sessions that were made of others)")
    .option("--json", "print JSON")
    .addHelpText("after", EXAMPLES)
    .action(async (name: string | undefined, options: LineageOptions) => {
      const named = name === undefined ? null : await readNamed(name, options, io);
      const sessions = await readSessions(named, options, io);
      const all = findDescents(sessions, readLineage(dataFolderOf(io)));
      const steps = named ? familyOf(named.id, all) : all;
      const twins = await listTwins(sessions, named, steps, options, io);
      if (options.json) await io.stdout(printedJson([...steps, ...twins.map(toStep)], io));
      else if (steps.length + twins.length === 0) io.stderr("no session was created from another one\n");
      else {
        const tree = paintTree(steps, named?.id ?? null, await titlesOf(sessions, steps, io));
        await io.stdout(neutralize(`${tree}${twins.map(paintTwin).join("")}`));
      }
    });
}

/** A session that is named by its path may be outside of all folders. */
async function readNamed(name: string, options: LineageOptions, io: Io): Promise<RelatedSession> {
  const settings = await loadOptions(io);
  const found = chooseSession(name, await sessionRoots(io, options), io, settings);
  const { header, outline } = loadFound(found, settings);
  const { title, startedAt } = header;
  return { id: found.id, path: found.path, title, startedAt, relations: outline.facts.relations };
}

async function readSessions(named: RelatedSession | null, options: LineageOptions, io: Io): Promise<RelatedSession[]> {
  const roots = await sessionRoots(io, options);
  const listed = await withNumbers(io, roots, options, (db) => readRelations(db, roots));
  return named && !listed.some(({ path }) => path === named.path) ? [named, ...listed] : listed;
}

/** Sessions of this family that another machine has too, under the same id; without a name, those that went on in both places. */
async function listTwins(
  sessions: readonly RelatedSession[],
  named: RelatedSession | null,
  steps: readonly Descent[],
  options: LineageOptions,
  io: Io,
): Promise<Twin[]> {
  const twinOf = await openTwins(io, options);
  const family = new Set([named?.id, ...steps.flatMap(({ id, source }) => [id, source])]);
  const twins = sessions.flatMap((session) => twinOf(session) ?? []);
  return twins.filter(({ id, relation }) => (named ? family.has(id) : relation === "fork"));
}

function toStep({ id, relation, path, pathHere }: Twin): object {
  const how = relation === "fork" ? "forked" : "copied";
  return { id, source: id, relation: how, command: "sync", at: null, path, sourcePath: pathHere, evidence: "sync" };
}

function paintTwin(twin: Twin): string {
  return `${twin.id}  on ${twin.machine}: ${describeTwin(twin)}  ${twin.path}\n`;
}

type Titles = ReadonlyMap<string, string>;

/** By session id, of existing sessions. */
async function titlesOf(sessions: readonly RelatedSession[], steps: readonly Descent[], io: Io): Promise<Titles> {
  const ids = new Set(steps.flatMap(({ id, source }) => [id, source]));
  const { marks } = await loadOptions(io);
  const redactor = await maskingRedactor(io);
  return new Map(
    sessions
      .filter(({ id }) => ids.has(id))
      .map(({ id, title }) => [id, redactor.text(marks?.get(id)?.title ?? title, "title")]),
  );
}

interface TreeLine {
  readonly id: string;
  readonly depth: number;
  readonly step: Descent | undefined;
}

/** Each session below the one it was created from. */
function paintTree(steps: readonly Descent[], marked: string | null, titles: Titles): string {
  const made = new Set(steps.map(({ id }) => id));
  const below = new Map<string, Descent[]>();
  for (const step of steps) listAt(below, step.source).push(step);
  const gone = new Set(steps.flatMap(({ source, sourcePath }) => (sourcePath === null ? [source] : [])));
  const roots = [...below.keys()].filter((id) => !made.has(id));
  // In a circle none is the first.
  const starts = roots.length > 0 ? roots : [...below.keys()].slice(0, 1);
  const lines: string[] = [];
  const painted = new Set<Descent>();
  const open = starts.toReversed().map((id): TreeLine => ({ id, depth: 0, step: undefined }));
  for (let next = open.pop(); next; next = open.pop()) {
    const { id, depth, step } = next;
    const how = step ? describeStep(step) : [gone.has(id) ? GONE : ""];
    const parts = [`${id}${id === marked ? " *" : ""}`, ...how, titles.get(id) ?? ""];
    lines.push(`${"  ".repeat(depth)}${parts.filter((part) => part !== "").join("  ")}\n`);
    const children = (below.get(id) ?? []).filter((child) => !painted.has(child)).sort(byTime);
    for (const child of children.toReversed()) {
      painted.add(child);
      open.push({ id: child.id, depth: depth + 1, step: child });
    }
  }
  return lines.join("");
}

/** Unknown times last. */
function byTime(a: Descent, b: Descent): number {
  const [first, second] = [a.at, b.at].map((at) => (at === null ? Number.POSITIVE_INFINITY : Date.parse(at)));
  return first === second ? 0 : (first ?? 0) - (second ?? 0);
}

const GONE = "(deleted)";

function describeStep({ command, relation, at, path }: Descent): string[] {
  return [command ?? `${relation} by Claude Code`, at === null ? "" : formatTime(at), path === null ? GONE : ""];
}
