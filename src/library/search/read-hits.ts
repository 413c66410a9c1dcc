import type { FileProblem } from "../../format/layout/folder-listing.js";
import { readRecordsAt } from "../../format/reader/record-reader.js";
import { isTaskNotification, parseTaskNotification } from "../../session/prompts/wrappers.js";
import { type SearchText, searchTexts } from "../../session/search-texts.js";
import type { Database } from "../../store/sqlite.js";
import type { UserData } from "../found-session.js";
import { skipUnreadable } from "../skip-unreadable.js";
import { createOpener } from "../sources/walk-library.js";
import { type DocPlace, type KnownTurns, type PlacedDoc, placeDocs } from "../text-index/place-docs.js";
import { kindOf } from "../text-index/write-docs.js";
import type { SearchHit } from "./search-hit.js";
import type { TextMatcher } from "./search-request.js";
import { hitSnippet, type Mask, promptLine } from "./snippet.js";

/** About one screen of hits. */
const AT_ONCE = 12;

/** Reads the texts of search results from the session files. */
export class HitReader {
  readonly #open: (path: string, archive: string | null) => string;
  readonly #prompts = new Map<string, string | null>();
  readonly #turns: KnownTurns = new Map();

  constructor(
    private readonly db: Database,
    private readonly matcher: TextMatcher,
    private readonly problems: FileProblem[],
    private readonly userData: UserData = {},
    private readonly mask?: Mask,
  ) {
    this.#open = createOpener(userData.archive);
  }

  /** The texts that are still at their place and match, in order. Lazy: reads as the caller iterates. */
  *read(docIds: readonly number[]): Generator<SearchHit> {
    for (let at = 0; at < docIds.length; at += AT_ONCE) {
      for (const doc of placeDocs(this.db, docIds.slice(at, at + AT_ONCE), this.#turns)) {
        const hit = this.#toHit(doc);
        if (hit) yield hit;
      }
    }
  }

  #toHit(doc: PlacedDoc): SearchHit | undefined {
    const found = this.#textOf(doc);
    const matches = found && this.matcher.find(found.text);
    if (!matches || !isStillFound(found, matches.length, this.matcher)) return undefined;
    const snippet = hitSnippet(found.text, this.matcher, this.mask, matches);
    return {
      sessionId: doc.sessionId,
      path: doc.path,
      project: doc.project,
      title: this.#titleOf(doc) ?? doc.sessionId,
      turn: doc.turn,
      line: doc.line,
      kind: kindOf(doc.id),
      tool: doc.tool,
      toolUseId: found.toolUseId ?? null,
      timestamp: doc.time === null ? null : new Date(doc.time).toISOString(),
      snippet: snippet.text,
      prompt: this.#promptOf(doc),
      agentId: doc.agentId,
      marks: snippet.marks,
    };
  }

  #textOf(doc: PlacedDoc): SearchText | undefined {
    if (kindOf(doc.id) !== "title") return readText(this.#open(doc.path, doc.archive), doc, this.problems);
    const title = this.#titleOf(doc);
    return title === null ? undefined : { kind: "title", text: title };
  }

  /** The title given by the user replaces the session's own. */
  #titleOf({ sessionId, title }: PlacedDoc): string | null {
    return this.userData.marks?.get(sessionId)?.title ?? title;
  }

  #promptOf(doc: PlacedDoc): string | null {
    const key = `${doc.turn} ${doc.sessionPath}`;
    const known = this.#prompts.get(key);
    const prompt = known === undefined ? this.#readPrompt(doc) : known;
    this.#prompts.set(key, prompt);
    return prompt;
  }

  #readPrompt({ prompt, sessionPath, archive }: PlacedDoc): string | null {
    const found = prompt && readText(this.#open(sessionPath, archive), prompt, this.problems);
    return found === undefined ? null : promptLine(wordsOf(found.text), this.mask);
  }
}

/** The prompt of a notification turn is the summary of the notification. */
function wordsOf(text: string): string {
  return isTaskNotification(text) ? (parseTaskNotification(text).summary ?? "") : text;
}

/** The index already matched the text, so one place is enough; only a title may differ. Matching a long text again is slow. */
function isStillFound({ kind, text }: SearchText, places: number, matcher: TextMatcher): boolean {
  return (kind !== "title" && places > 0) || matcher.matches(text);
}

/** Undefined where the text is no longer at its place. */
export function readText(
  path: string,
  { line, offset, length, part }: DocPlace,
  problems: FileProblem[],
): SearchText | undefined {
  return skipUnreadable(path, problems, () => {
    for (const record of readRecordsAt(path, [{ line, offset, length }])) {
      if (record.offset === offset) return searchTexts(record)[part];
    }
    return undefined;
  });
}
