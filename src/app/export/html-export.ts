import { readdirSync, realpathSync, renameSync, rmdirSync, rmSync, statSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { UserError } from "../../errors.js";
import { formatBytes } from "../../render/format-values.js";
import type { ContentsEntry } from "../../render/html/export/contents.js";
import { indexBody, type PartLink, pageDocument } from "../../render/html/export/session-page.js";
import { atomicWriteChunks } from "../../store/atomic-write.js";
import { makeDraftFolder, removeTemporary } from "../../store/temporary.js";
import { type OutputFile, refusePlace } from "../output-file.js";
import { type HtmlSource, type SpooledSession, spoolSession } from "./html-spool.js";

/** Larger pages are slow to open in browsers. */
export const LARGEST_PAGE = 20_000_000; // bytes

/** The session as one page. Throws before anything is written if it is too large. */
export function htmlPage(source: HtmlSource, output: string | undefined): AsyncIterable<string | Uint8Array> {
  const refuse = (bytes: number) => {
    if (bytes > LARGEST_PAGE) throw tooLarge(output);
  };
  return spoolSession(source, refuse, wholePage);
}

/** The spooled session in one page. */
export function* wholePage({ shown, tools, spool, sections }: SpooledSession): Generator<string | Uint8Array> {
  const { header, totals } = shown;
  const entries = sections.flatMap(({ entry }) => entry ?? []);
  const [before, after] = pageDocument({ header, totals, entries, parts: [] }, tools);
  yield before;
  yield* spool.read(0, spool.size);
  yield after;
}

function tooLarge(output: string | undefined): UserError {
  const folder = `${(output ?? "session").replace(/\.html?$/i, "")}/`;
  return new UserError(
    "usage",
    `the page would be larger than ${formatBytes(LARGEST_PAGE)}`,
    `write a folder with an index and parts instead: -o ${folder}`,
  );
}

/** Small enough to open quickly, large enough to keep the number of parts low. */
const PART_BYTES = 5_000_000;

/** One file of a folder. */
export interface HtmlFile {
  readonly name: string;
  readonly pieces: Iterable<string | Uint8Array>;
}

interface HtmlPart {
  readonly name: string;
  readonly entries: readonly ContentsEntry[];
  readonly start: number;
  readonly end: number;
}

/** An index of all turns, and the parts. A turn is never split. */
export function* partPages(session: SpooledSession): Generator<HtmlFile> {
  const { shown, tools, spool } = session;
  const { header, totals } = shown;
  const parts = divide(session);
  const linksFor = (current: string) => toLinks(parts, current);
  const [before, after] = pageDocument({ header, totals, entries: [], parts: linksFor(INDEX) }, tools);
  const all = parts.flatMap(({ name, entries }) => entries.map((entry) => ({ ...entry, href: name + entry.href })));
  yield { name: INDEX, pieces: [before, indexBody(all, tools), after] };
  for (const { name, entries, start, end } of parts) {
    const [before, after] = pageDocument({ header, totals, entries, parts: linksFor(name) }, tools);
    yield { name, pieces: joined(before, spool.read(start, end), after) };
  }
}

const INDEX = "index.html";

function divide({ sections }: SpooledSession): HtmlPart[] {
  const parts: { start: number; end: number; entries: ContentsEntry[] }[] = [];
  for (const { entry, start, end } of sections) {
    const last = parts.at(-1);
    const part = last && end - last.start <= PART_BYTES ? last : { start, end, entries: [] };
    if (part !== last) parts.push(part);
    part.end = end;
    if (entry) part.entries.push(entry);
  }
  return parts.map((part, index) => ({ ...part, name: `part-${index + 1}.html` }));
}

function toLinks(parts: readonly HtmlPart[], current: string): PartLink[] {
  const links = parts.map(({ name, entries }) => ({ href: name, label: describe(entries), isThis: name === current }));
  return [{ href: INDEX, label: "All turns", isThis: current === INDEX }, ...links];
}

function describe(entries: readonly ContentsEntry[]): string {
  const turns = entries.flatMap(({ index }) => index ?? []);
  const [first, last] = [turns[0], turns.at(-1)];
  if (first === undefined) return entries[0]?.label ?? "Before the first turn";
  return first === last ? `Turn ${first}` : `Turns ${first} to ${last}`;
}

function* joined(before: string, inner: Iterable<Uint8Array>, after: string): Generator<string | Uint8Array> {
  yield before;
  yield* inner;
  yield after;
}

/** Writes a session as a folder of linked pages, completely or not at all. */
export async function writeHtmlFolder(output: OutputFile, source: HtmlSource): Promise<void> {
  const target = resolve(output.path);
  refuseTarget(target, output);
  const draft = makeDraftFolder(target);
  try {
    for await (const { name, pieces } of spoolSession(source, () => {}, toFiles)) {
      await atomicWriteChunks(join(draft, name), pieces, { durable: false });
    }
    removePages(target);
    renameSync(draft, target);
  } finally {
    removeTemporary(draft);
  }
}

function toFiles(session: SpooledSession): Iterable<HtmlFile> {
  return session.spool.size > LARGEST_PAGE ? partPages(session) : [{ name: "index.html", pieces: wholePage(session) }];
}

const PAGE_NAME = /^(index|part-\d+)\.html$/;

function refuseTarget(target: string, output: OutputFile): void {
  const { path, overwrite } = output;
  const parent = dirname(target);
  if (!statSync(parent, { throwIfNoEntry: false })?.isDirectory()) {
    throw new UserError("not-found", `no such folder: ${parent}`, "create it first");
  }
  refusePlace(join(realpathSync(parent), basename(target)), output);
  const names = namesIn(target);
  if (names.some((name) => !PAGE_NAME.test(name))) {
    throw new UserError("exists", `${path} has other files`, "use a new or empty folder");
  }
  if (names.length > 0 && !overwrite)
    throw new UserError("exists", `${path} already exists`, "add --force to overwrite its pages");
}

function namesIn(folder: string): string[] {
  const existing = statSync(folder, { throwIfNoEntry: false });
  if (existing && !existing.isDirectory()) {
    throw new UserError("exists", `${folder} is a file`, "use a folder, or remove the slash at the end");
  }
  return existing ? readdirSync(folder) : [];
}

/** Only pages of an earlier export are ever removed. */
function removePages(folder: string): void {
  const names = namesIn(folder);
  for (const name of names.filter((name) => PAGE_NAME.test(name))) rmSync(join(folder, name));
  if (statSync(folder, { throwIfNoEntry: false })) rmdirSync(folder);
}
