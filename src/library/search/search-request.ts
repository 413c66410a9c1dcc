import { UserError } from "../../errors.js";
import { escapePattern } from "../../redact/escape-pattern.js";
import type { TextKind } from "../../session/search-texts.js";
import { compileUserPattern, findPlaces, type UserPattern } from "../../user-pattern.js";
import type { UserData } from "../found-session.js";
import type { SessionFilter } from "../load/session-summary.js";
import { parseQuery, type Query } from "../text-index/parse-query.js";
import { compileQuery, findMatches, type TextMatch } from "./match-text.js";

/** What to search for, and where. */
export interface SearchRequest {
  readonly text: string;
  /** `words` is the query language; the others match characters. */
  readonly mode: "words" | "literal" | "regex";
  /** Capital letters differ from small ones; otherwise they do in a literal or a pattern that has one. */
  readonly matchesCase?: boolean;
  /** Default: all but `file`, which repeats tool inputs. */
  readonly kinds?: readonly TextKind[];
  /** `since` and `until` apply to the text, `tool` and `errors` to its call, all others to its session. */
  readonly filter: SessionFilter;
  readonly sessionId?: string;
  /** Of several sessions with one id, the one at this path. */
  readonly sessionPath?: string;
  readonly userData?: UserData;
}

/** Whether a text matches, and where. */
export interface TextMatcher {
  matches(text: string): boolean;
  find(text: string): readonly Pick<TextMatch, "start" | "end">[];
}

const EVERYWHERE: readonly TextKind[] = [
  "prompt",
  "answer",
  "thinking",
  "command",
  "toolInput",
  "toolOutput",
  "title",
  "context",
];

export function kindsOf({ kinds }: SearchRequest): readonly TextKind[] {
  return kinds ?? EVERYWHERE;
}

/** The filters that apply to a session as a whole. */
export function sessionFilter({ filter: { project, model, gitBranch, tags, favourites, source } }: SearchRequest) {
  return {
    ...(tags === undefined ? {} : { tags }),
    ...(favourites === undefined ? {} : { favourites }),
    ...(source === undefined ? {} : { source }),
    ...(project === undefined ? {} : { project }),
    ...(model === undefined ? {} : { model }),
    ...(gitBranch === undefined ? {} : { gitBranch }),
  };
}

const MAX_MARKS = 64;

/** A query without words, such as `=>`, is searched literally. */
export function effectiveMode({ mode, text }: SearchRequest): SearchRequest["mode"] {
  return mode === "words" && parseQuery(text).kind === "empty" ? "literal" : mode;
}

export async function createMatcher(request: SearchRequest): Promise<TextMatcher> {
  return effectiveMode(request) === "regex" ? patternMatcher(await compilePattern(request)) : textMatcher(request);
}

/** For a query that is no regular expression. */
export function textMatcher(request: SearchRequest): TextMatcher {
  if (effectiveMode(request) === "words") return wordMatcher(parseQuery(request.text));
  const pattern = new RegExp(escapePattern(request.text), `${flagsOf(request)}g`);
  return patternMatcher({
    matches: (text) => text.search(pattern) >= 0,
    find: (text) => findPlaces(text, pattern),
  });
}

function flagsOf(request: SearchRequest): string {
  return isCaseIgnored(request) ? "im" : "m";
}

/** For literals and patterns. */
export function isCaseIgnored({ matchesCase, mode, text }: SearchRequest): boolean {
  const written = mode === "regex" ? text.replace(/\\./g, "") : text;
  return !matchesCase && !/\p{Lu}/u.test(written);
}

/** A blank query matches everything: only the filters select. */
function wordMatcher(query: Query): TextMatcher {
  if (query.kind === "blank") return { matches: () => true, find: () => [] };
  return { matches: compileQuery(query), find: (text) => findMatches(query, text) };
}

function patternMatcher(pattern: UserPattern): TextMatcher {
  return {
    matches: (text) => pattern.matches(text),
    find(text) {
      const places: Pick<TextMatch, "start" | "end">[] = [];
      for (const place of pattern.find(text)) {
        if (place.end > place.start) places.push(place);
        if (places.length === MAX_MARKS) break;
      }
      return places;
    },
  };
}

async function compilePattern(request: SearchRequest): Promise<UserPattern> {
  try {
    return await compileUserPattern(request.text, flagsOf(request));
  } catch (error) {
    const reason = error instanceof Error ? error.message.replace(/^Invalid regular expression: /, "") : "";
    throw new UserError(
      "usage",
      `not a regular expression: ${reason}`,
      "use --literal to search for the text as it is",
      { cause: error },
    );
  }
}
