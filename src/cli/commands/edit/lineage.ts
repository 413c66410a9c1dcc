import { existsSync } from "node:fs";
import type { Command } from "commander";
import { chooseSession } from "../../../app/choose-session.js";
import { loadOptions } from "../../../app/load-options.js";
import { maskingRedactor } from "../../../app/redaction.js";
import { type RootOptions, sessionRoots } from "../../../app/session-roots.js";
import { dataFolderOf } from "../../../app/settings.js";
import { listLibrary } from "../../../library/catalog/list-catalog.js";
import type { FoundSession, UserData } from "../../../library/found-session.js";
import { loadFound } from "../../../library/load/load-session.js";
import { findSessions } from "../../../library/sources/find-sessions.js";
import { formatTime } from "../../../render/format-values.js";
import { neutralize } from "../../../render/safe-text.js";
import { type LineageEntry, readLineage } from "../../../store/user-db.js";
import type { CommandContext, Io } from "../../io.js";
import { MAX_INDEX_AGE_MS, withIndex } from "../../library-index.js";

interface LineageOptions extends RootOptions {
  readonly json?: boolean;
}

/** One step from a session to one created from it. */
interface Descent {
  readonly id: string;
  readonly source: string;
  readonly command: string | null; // null: created by Claude Code
  readonly at: string | null;
  readonly path: string | null; // null: not known, or no longer there
  readonly evidence: "turnlog" | "forkedFrom";
}

export function define(command: Command, { io }: CommandContext): void {
  command
    .argument("[session]", "only its ancestors and descendants (default: all sessions that turnlog created)")
    .option("--json", "print JSON")
    .action(async (name: string | undefined, options: LineageOptions) => {
      const made = await readDescents(options, io);
      const { steps, id } = name === undefined ? { steps: made, id: null } : await familyOf(name, made, options, io);
      if (options.json) await io.stdout(`${JSON.stringify(steps, null, 2)}\n`);
      else if (steps.length === 0) io.stderr("no session was created from another one\n");
      else await io.stdout(neutralize(paintTree(steps, id, await titlesOf(steps, options, io))));
    });
}

type Titles = ReadonlyMap<string, string>;

/** By session id, of existing sessions. */
async function titlesOf(steps: readonly Descent[], options: LineageOptions, io: Io): Promise<Titles> {
  const ids = new Set(steps.flatMap(({ id, source }) => [id, source]));
  const [roots, load] = [await sessionRoots(io, options), await loadOptions(io)];
  const { sessions } = await withIndex(io, roots, { maxAgeMs: MAX_INDEX_AGE_MS }, (index, sync) =>
    listLibrary(index, sync, roots, {}, load),
  );
  const redactor = maskingRedactor();
  const family = sessions.filter(({ id }) => ids.has(id));
  return new Map(family.map(({ id, title }) => [id, redactor.text(title, "title")]));
}

/** A session may have been moved since: its id says where it is. */
async function readDescents(options: LineageOptions, io: Io): Promise<Descent[]> {
  const entries = readLineage(dataFolderOf(io));
  const isAway = entries.some(({ path }) => !existsSync(path));
  const { sessions } = isAway ? findSessions(await sessionRoots(io, options), await loadOptions(io)) : NOWHERE;
  const places = new Map(sessions.map(({ id, path }) => [id, path]));
  return entries.map((entry) => toDescent(entry, places));
}

const NOWHERE: { readonly sessions: readonly FoundSession[] } = { sessions: [] };

function toDescent(
  { session: id, source, command, at, path }: LineageEntry,
  places: ReadonlyMap<string, string>,
): Descent {
  return { id, source, command, at, path: existsSync(path) ? path : (places.get(id) ?? null), evidence: "turnlog" };
}

/** Ancestors also from the records of the sessions; descendants from turnlog's data. */
async function familyOf(
  name: string,
  made: readonly Descent[],
  options: LineageOptions,
  io: Io,
): Promise<{ readonly steps: readonly Descent[]; readonly id: string }> {
  const settings = await loadOptions(io);
  const found = chooseSession(name, await sessionRoots(io, options), io, settings);
  const own = made.find(({ id }) => id === found.id) ?? recordedOrigin(found, settings);
  const steps = new Set<Descent>(own ? [own] : []);
  for (let step = own; step; ) {
    const { source } = step;
    step = made.find(({ id }) => id === source);
    if (!step || steps.has(step)) break;
    steps.add(step);
  }
  const family = new Set([found.id]);
  for (const step of made) {
    if (!family.has(step.source)) continue;
    family.add(step.id);
    steps.add(step);
  }
  return { steps: [...steps], id: found.id };
}

function recordedOrigin(found: Parameters<typeof loadFound>[0], settings: UserData): Descent | undefined {
  const { forkedFrom, startedAt } = loadFound(found, settings).header;
  if (!forkedFrom) return undefined;
  const { id, path } = found;
  return { id, source: forkedFrom.sessionId, command: null, at: startedAt, path, evidence: "forkedFrom" };
}

/** Each session below the one it was created from. */
function paintTree(steps: readonly Descent[], marked: string | null, titles: Titles): string {
  const made = new Set(steps.map(({ id }) => id));
  const roots = [...new Set(steps.map(({ source }) => source))].filter((id) => !made.has(id));
  const lines: string[] = [];
  const open = roots.toReversed().map((id) => ({ id, depth: 0, step: undefined as Descent | undefined }));
  for (let next = open.pop(); next; next = open.pop()) {
    const { id, depth, step } = next;
    const parts = [`${id}${id === marked ? " *" : ""}`, ...(step ? describeStep(step) : []), titles.get(id) ?? ""];
    lines.push(`${"  ".repeat(depth)}${parts.filter((part) => part !== "").join("  ")}\n`);
    const below = steps.filter(({ source }) => source === id).toReversed();
    open.push(...below.map((child) => ({ id: child.id, depth: depth + 1, step: child as Descent | undefined })));
  }
  return lines.join("");
}

function describeStep({ command, at, path }: Descent): string[] {
  return [command ?? "forked by Claude Code", at === null ? "" : formatTime(at), path === null ? "(deleted)" : ""];
}
