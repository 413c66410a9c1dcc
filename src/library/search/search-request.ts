import { UserError } from "../../errors.js";
import type { TextKind } from "../../session/search-texts.js";
import type { UserData } from "../found-session.js";
import type { SessionFilter } from "../load/session-summary.js";
import { parseQuery, type Query } from "../text-index/parse-query.js";
import { compileQuery, findMatches, type TextMatch } from "./match-text.js";

/** What is looked for, and where. */
export interface SearchRequest {
  readonly text: string;
  /** `words` is the query language; the others look for the very characters. */
  readonly mode: "words" | "literal" | "regex";
  /** Undefined: all but files, which repeat what stands in tool inputs. */
  readonly kinds?: readonly TextKind[];
  /** `since` and `until` are about the text, `tool` and `errors` about its call, all else about its session. */
  readonly filter: SessionFilter;
  readonly sessionId?: string;
  readonly userData?: UserData;
}

/** Tells whether a text matches, and where. */
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

/** The filters that are about a session as a whole. */
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

/** A query in which nothing is a word, such as `=>`, can only be found as it stands. */
export function effectiveMode({ mode, text }: SearchRequest): SearchRequest["mode"] {
  return mode === "words" && parseQuery(text).kind === "empty" ? "literal" : mode;
}

export function createMatcher(request: SearchRequest): TextMatcher {
  const mode = effectiveMode(request);
  if (mode === "words") return wordMatcher(parseQuery(request.text));
  return mode === "regex" ? patternMatcher(toRegExp(request.text)) : literalMatcher(request.text);
}

/** Without capitals in it, case does not matter. */
export function literalMatcher(text: string): TextMatcher {
  return patternMatcher(new RegExp(escapePattern(text), flagsFor(text)));
}

/** Without any words everything matches: the filters alone choose. */
function wordMatcher(query: Query): TextMatcher {
  if (query.kind === "blank") return { matches: () => true, find: () => [] };
  return { matches: compileQuery(query), find: (text) => findMatches(query, text) };
}

function patternMatcher(pattern: RegExp): TextMatcher {
  const all = new RegExp(pattern.source, `${pattern.flags}g`);
  return {
    matches: (text) => pattern.test(text),
    find(text) {
      const places: Pick<TextMatch, "start" | "end">[] = [];
      for (const match of text.matchAll(all)) {
        if (match[0] !== "") places.push({ start: match.index, end: match.index + match[0].length });
        if (places.length === MAX_MARKS) break;
      }
      return places;
    },
  };
}

function toRegExp(text: string): RegExp {
  const flags = flagsFor(text.replace(/\\./g, ""));
  try {
    return unicodePattern(text, flags) ?? new RegExp(text, flags);
  } catch (error) {
    const reason = error instanceof Error ? error.message.replace(/^Invalid regular expression: /, "") : "";
    throw new UserError("usage", `not a regular expression: ${reason}`, "--literal looks for the text as it stands", {
      cause: error,
    });
  }
}

/** With `\p{Script=Han}` and whole characters; undefined where that is too strict, as it refuses `\-` and a lone `{`. */
function unicodePattern(text: string, flags: string): RegExp | undefined {
  try {
    return new RegExp(text, `${flags}u`);
  } catch {
    return undefined;
  }
}

/** Capitals in what is looked for mean that case matters. */
function flagsFor(text: string): string {
  return /\p{Lu}/u.test(text) ? "m" : "im";
}

function escapePattern(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");
}
