import type { ContentsEntry } from "../../render/html/contents-entry.js";
import { indexBody } from "../../render/html/index-body.js";
import type { PartLink } from "../../render/html/page.js";
import { pageDocument } from "../../render/html/page-document.js";
import type { SpooledSession } from "./html-session.js";

/** Small enough to open at once, large enough that a session does not fall into crumbs. */
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

/** An index of all turns, and the parts that hold them. A turn is never divided. */
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
