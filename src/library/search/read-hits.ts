import type { FileProblem } from "../../format/layout/folder-listing.js";
import { readRecordsAt } from "../../format/reader/record-reader.js";
import { isTaskNotification, parseTaskNotification } from "../../session/prompts/wrappers.js";
import { type SearchText, searchTexts } from "../../session/search-texts.js";
import type { Database } from "../../store/sqlite.js";
import type { UserData } from "../found-session.js";
import { skipUnreadable } from "../skip-unreadable.js";
import { createOpener } from "../sources/walk-library.js";
import { type DocPlace, type PlacedDoc, placeDocs } from "../text-index/place-docs.js";
import { kindOf } from "../text-index/write-docs.js";
import type { SearchHit } from "./search-hit.js";
import type { TextMatcher } from "./search-request.js";
import { hitSnippet, type Mask, promptLine } from "./snippet.js";

interface HitReader {
  /** The texts that are still at their place and match, in order. Lazy: reads as the caller iterates. */
  toHits(docIds: readonly number[], matcher: TextMatcher): Generator<SearchHit>;
}

/** About one screen of hits. */
const AT_ONCE = 12;

/** Reads the texts of search results from the session files. */
export function createHitReader(
  db: Database,
  problems: FileProblem[],
  { archive, marks }: UserData = {},
  mask?: Mask,
): HitReader {
  const open = createOpener(archive);
  const prompts = new Map<string, string | null>();

  /** The title given by the user replaces the session's own. */
  const titleOf = (doc: PlacedDoc) => marks?.get(doc.sessionId)?.title ?? doc.title;

  function textOf(doc: PlacedDoc): SearchText | undefined {
    if (kindOf(doc.id) !== "title") return readText(open(doc.path, doc.archive), doc, problems);
    const title = titleOf(doc);
    return title === null ? undefined : { kind: "title", text: title };
  }

  function promptOf(doc: PlacedDoc): string | null {
    const key = `${doc.turn} ${doc.sessionPath}`;
    const known = prompts.get(key);
    const prompt = known === undefined ? readPrompt(doc) : known;
    prompts.set(key, prompt);
    return prompt;
  }

  function readPrompt({ prompt, sessionPath, archive: copy }: PlacedDoc): string | null {
    const found = prompt && readText(open(sessionPath, copy), prompt, problems);
    return found === undefined ? null : promptLine(wordsOf(found.text), mask);
  }

  function toHit(doc: PlacedDoc, matcher: TextMatcher): SearchHit | undefined {
    const found = textOf(doc);
    const matches = found && matcher.find(found.text);
    if (!matches || !isStillFound(found, matches.length, matcher)) return undefined;
    return placedHit(doc, found, {
      title: titleOf(doc),
      prompt: promptOf(doc),
      snippet: hitSnippet(found.text, matcher, mask, matches),
    });
  }

  return {
    *toHits(docIds, matcher) {
      for (let at = 0; at < docIds.length; at += AT_ONCE) {
        for (const doc of placeDocs(db, docIds.slice(at, at + AT_ONCE))) {
          const hit = toHit(doc, matcher);
          if (hit) yield hit;
        }
      }
    },
  };
}

interface HitText {
  readonly title: string | null;
  readonly prompt: string | null;
  readonly snippet: ReturnType<typeof hitSnippet>;
}

function placedHit(doc: PlacedDoc, { toolUseId }: SearchText, { title, prompt, snippet }: HitText): SearchHit {
  return {
    sessionId: doc.sessionId,
    path: doc.path,
    project: doc.project,
    title: title ?? doc.sessionId,
    turn: doc.turn,
    line: doc.line,
    kind: kindOf(doc.id),
    tool: doc.tool,
    toolUseId: toolUseId ?? null,
    timestamp: doc.time === null ? null : new Date(doc.time).toISOString(),
    snippet: snippet.text,
    prompt,
    agentId: doc.agentId,
    marks: snippet.marks,
  };
}

/** The prompt of a notification turn is the summary of the notification. */
function wordsOf(text: string): string {
  return isTaskNotification(text) ? (parseTaskNotification(text).summary ?? "") : text;
}

/** The index already matched the text, so one place is enough; only a title may differ. Matching a long text again is slow. */
function isStillFound({ kind, text }: SearchText, places: number, matcher: TextMatcher): boolean {
  return (kind !== "title" && places > 0) || matcher.matches(text);
}

function readText(
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
