import { createContext, Script } from "node:vm";
import type { RE2JS } from "re2js";
import { UserError } from "./errors.js";

/** A regular expression that somebody typed or configured. No text makes it run for long. */
export interface UserPattern {
  matches(text: string): boolean;
  /** The matches from left to right. */
  find(text: string): Iterable<Place>;
}

interface Place {
  readonly start: number;
  readonly end: number;
}

/** Written so, JavaScript and RE2 mean different things. */
const DIFFERENT = /\\[aACEkQz]|\[\[:|\(\?P/;

/**
 * A pattern of JavaScript. RE2 runs it in a time that grows with the text alone; what RE2 does not know (back-references, lookaheads)
 * runs in V8, for a limited time. Throws a SyntaxError.
 */
export async function compileUserPattern(source: string, flags: string): Promise<UserPattern> {
  const native = nativePattern(source, flags);
  if (flags.includes("v") || DIFFERENT.test(source)) return timedPattern(native);
  const { RE2JS } = await import("re2js");
  try {
    return linearPattern(RE2JS, source, flags);
  } catch {
    return timedPattern(native);
  }
}

function linearPattern(engine: typeof RE2JS, source: string, flags: string): UserPattern {
  const set = [
    flags.includes("i") ? engine.CASE_INSENSITIVE : 0,
    flags.includes("m") ? engine.MULTILINE : 0,
    flags.includes("s") ? engine.DOTALL : 0,
    engine.LOOKBEHINDS,
  ].reduce((sum, flag) => sum | flag);
  const pattern = engine.compile(engine.translateRegExp(asInJavaScript(source)), set);
  return {
    matches: (text) => pattern.test(text),
    *find(text) {
      const matcher = pattern.matcher(text);
      while (matcher.find()) yield { start: matcher.start(), end: matcher.end() };
    },
  };
}

const SPACES = String.raw`\t-\r \x{a0}\x{1680}\x{2000}-\x{200a}\x{2028}\x{2029}\x{202f}\x{205f}\x{3000}\x{feff}`;

/** Gives `\s`, `$` and scripts the meaning that they have in JavaScript: all spaces of Unicode; before `\r\n`, too; `\p{Script=Han}`. */
function asInJavaScript(source: string): string {
  let isInClass = false;
  return source.replace(/\\[pP]\{(?:Script|sc)=(\w+)\}|\\[\s\S]|[[\]$]/g, (part, script?: string) => {
    if (script !== undefined) return `${part.slice(0, 2)}{${script}}`;
    if (part === "\\s") return isInClass ? SPACES : `[${SPACES}]`;
    if (part === "\\S" && !isInClass) return `[^${SPACES}]`;
    if (part === "$" && !isInClass) return String.raw`(?:\r?$)`;
    if (part === "[" || part === "]") isInClass = part === "[" || (isInClass && part !== "]");
    return part;
  });
}

/** With the flag `u` where the pattern allows it, for scripts and characters beyond 16 bits. */
function nativePattern(source: string, flags: string): RegExp {
  if (/[uv]/.test(flags)) return new RegExp(source, `${flags}g`);
  try {
    return new RegExp(source, `${flags}gu`);
  } catch {
    return new RegExp(source, `${flags}g`);
  }
}

/** For one text, and for all: a search reads very many. */
const TEXT_LIMIT_MS = 500;
const WHOLE_LIMIT_MS = 30_000;

/** V8 ends a script whose time is over even within a regular expression. */
function timedPattern(pattern: RegExp): UserPattern {
  let spentMs = 0;
  let work = () => {};
  const context = createContext({ run: () => work() });
  const script = new Script("run()");
  const timed = <T>(find: () => T): T => {
    const found: T[] = [];
    work = () => void found.push(find());
    const start = performance.now();
    try {
      script.runInContext(context, { timeout: TEXT_LIMIT_MS });
    } catch (error) {
      throw isTimeout(error) ? slow(error) : error;
    }
    spentMs += performance.now() - start;
    if (spentMs > WHOLE_LIMIT_MS) throw slow();
    return found[0] as T;
  };
  return {
    matches: (text) => timed(() => text.search(pattern) >= 0),
    find: (text) => timed(() => [...findPlaces(text, pattern)]),
  };
}

export function* findPlaces(text: string, global: RegExp): Generator<Place> {
  for (const { 0: match, index } of text.matchAll(global)) yield { start: index, end: index + match.length };
}

function isTimeout(error: unknown): boolean {
  return Object(error).code === "ERR_SCRIPT_EXECUTION_TIMEOUT";
}

function slow(cause?: unknown): UserError {
  return new UserError(
    "usage",
    "the regular expression takes too long on some text",
    "lookaheads and back-references can need very many steps: without them every text is read in one pass",
    { cause },
  );
}
