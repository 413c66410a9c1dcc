import type { FileProblem } from "../../format/layout/folder-listing.js";
import { OpenedFiles } from "../../format/reader/record-reader.js";
import { type SearchText, searchTexts, type TextKind } from "../../session/search-texts.js";
import type { Database } from "../../store/sqlite.js";
import { skipUnreadable } from "../skip-unreadable.js";
import { type DocRow, readDocs } from "../text-index/find-docs.js";
import { kindOf } from "../text-index/write-docs.js";
import type { SearchHit } from "./search-hit.js";
import type { TextMatcher } from "./search-request.js";
import type { FoundFile, SearchedSession } from "./searched-files.js";
import type { FactsReader, SessionFacts } from "./session-facts.js";
import type { Match, SessionTally } from "./session-tally.js";
import { hitSnippet, type Mask, promptLine } from "./snippet.js";

/** Where a matching text is, and what is known of it. */
interface FoundText extends Omit<DocRow, "id"> {
  readonly kind: TextKind;
  readonly file: FoundFile;
}

/** Reads the texts that are shown from the session files, and matches them again. To be closed. */
export class HitReader {
  readonly #prompts = new Map<string, string | null>();
  readonly #files = new OpenedFiles();
  readonly #docs = new Map<number, DocRow>();

  constructor(
    private readonly db: Database | undefined,
    private readonly matcher: TextMatcher,
    private readonly facts: FactsReader,
    private readonly problems: FileProblem[],
    private readonly mask?: Mask,
  ) {}

  close(): void {
    this.#files.close();
  }

  /** Looks up where the best matches of several sessions are, all at once. */
  prepare(tallies: readonly SessionTally[], atMost: number): void {
    this.#lookUp(
      tallies.flatMap((tally) => {
        const matches: Match[] = [];
        for (const group of tally.bestFirst(atMost)) {
          if (matches.length >= atMost) break;
          matches.push(...group);
        }
        return matches;
      }),
    );
  }

  /** The best matches of a session. */
  best(tally: SessionTally, atMost: number): SearchHit[] {
    const hits: SearchHit[] = [];
    for (const group of tally.bestFirst(atMost)) {
      for (const found of this.#locate(group).sort(latestFirst)) {
        if (hits.length >= atMost) return hits;
        const hit = this.#toHit(tally.session, found);
        if (hit) hits.push(hit);
      }
    }
    return hits;
  }

  /** All matches of a session in their order, from one on. */
  all(tally: SessionTally, from: number, atMost: number): SearchHit[] {
    const hits: SearchHit[] = [];
    let batch: Match[] = [];
    const read = () => {
      for (const found of this.#locate(batch)) {
        const hit = hits.length < atMost ? this.#toHit(tally.session, found) : undefined;
        if (hit) hits.push(hit);
      }
      batch = [];
    };
    let at = 0;
    for (const match of tally.inOrder()) {
      if (at++ < from) continue;
      batch.push(match);
      if (batch.length === AT_ONCE) read();
      if (hits.length >= atMost) return hits;
    }
    read();
    return hits;
  }

  #lookUp(matches: readonly Match[]): void {
    const ids = matches.flatMap((match) => (match.source === "index" && !this.#docs.has(match.id) ? [match.id] : []));
    if (!this.db || ids.length === 0) return;
    for (const [id, row] of readDocs(this.db, ids)) this.#docs.set(id, row);
  }

  /** Keeps the order; texts that are no longer in the index are left out. */
  #locate(matches: readonly Match[]): (FoundText | undefined)[] {
    this.#lookUp(matches);
    return matches.flatMap((match): (FoundText | undefined)[] => {
      if (match.source === "title") return [undefined];
      if (match.source === "file") return [{ ...match.text, file: match.file }];
      const row = this.#docs.get(match.id);
      return row ? [{ ...row, kind: kindOf(match.id), file: match.file }] : [];
    });
  }

  #toHit(session: SearchedSession, found: FoundText | undefined): SearchHit | undefined {
    const facts = this.facts.of(session);
    const title = this.facts.titleOf(session);
    const text = found ? this.#readText(found) : { kind: "title" as const, text: title };
    const matches = text && this.matcher.find(text.text);
    if (!matches || !(matches.length > 0 || this.matcher.matches(text.text))) return undefined;
    const { text: snippet, marks } = hitSnippet(text.text, this.matcher, this.mask, matches);
    const turn = found ? turnOf(found, facts) : null;
    return {
      sessionId: session.id,
      path: found?.file.path ?? session.path,
      project: facts?.project ?? null,
      title,
      turn,
      line: found?.line ?? 0,
      kind: found?.kind ?? "title",
      tool: found?.tool ?? null,
      toolUseId: text.toolUseId ?? null,
      timestamp: found?.time == null ? null : new Date(found.time).toISOString(),
      snippet,
      prompt: turn === null ? null : this.#promptOf(session, turn, facts),
      agentId: found?.file.agentId ?? null,
      marks,
    };
  }

  /** Undefined where the text is no longer at its place. */
  #readText({ file, line, offset, length, part }: FoundText): SearchText | undefined {
    return skipUnreadable(file.path, this.problems, () => {
      for (const record of this.#files.readAt(file.open(), { line, offset, length })) {
        if (record.offset === offset) return searchTexts(record)[part];
      }
      return undefined;
    });
  }

  #promptOf({ path }: SearchedSession, turn: number, facts: SessionFacts | undefined): string | null {
    const key = `${turn} ${path}`;
    const known = this.#prompts.get(key);
    if (known !== undefined) return known;
    const prompt = facts?.promptOf(turn, this.#files) ?? null;
    const line = prompt === null ? null : promptLine(prompt, this.mask);
    this.#prompts.set(key, line);
    return line;
  }
}

/** About one screen of hits. */
const AT_ONCE = 12;

function latestFirst(a: FoundText | undefined, b: FoundText | undefined): number {
  const [one, other] = [a?.time ?? Number.NEGATIVE_INFINITY, b?.time ?? Number.NEGATIVE_INFINITY];
  if (one !== other) return other > one ? 1 : -1;
  if (a?.file.path !== b?.file.path) return (a?.file.path ?? "") < (b?.file.path ?? "") ? -1 : 1;
  return (b?.line ?? 0) - (a?.line ?? 0) || (b?.offset ?? 0) - (a?.offset ?? 0) || (a?.part ?? 0) - (b?.part ?? 0);
}

/** Texts of a sub-agent belong to the turn that launched it. */
function turnOf({ file: { agentId, path }, line }: FoundText, facts: SessionFacts | undefined): number | null {
  const place = agentId === null ? line : facts?.launchLine(agentId, path);
  return place === undefined || !facts ? null : facts.turnOf(place);
}
