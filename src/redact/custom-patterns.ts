import { compileUserPattern, findPlaces, type UserPattern } from "../user-pattern.js";
import type { Finding } from "./finders/finding.js";

export interface CustomPatternProblem {
  readonly name: string;
  readonly reason: string;
}

export interface ParsedCustomPatterns {
  readonly patterns: readonly CustomPattern[];
  readonly problems: readonly CustomPatternProblem[];
}

/** Reads `{ "name": "pattern" | { "pattern": "…", "flags": "i" } }`. What is wrong is reported, the rest is used. */
export async function parseCustomPatterns(text: string): Promise<ParsedCustomPatterns> {
  const json = parseObject(text);
  if (typeof json === "string") return { patterns: [], problems: [{ name: "", reason: json }] };
  const parsed = await Promise.all(Object.entries(json).map(([name, value]) => parsePattern(name, value)));
  return {
    patterns: parsed.filter((result) => "pattern" in result),
    problems: parsed.filter((result) => "reason" in result),
  };
}

function parseObject(text: string): object | string {
  try {
    const json: unknown = JSON.parse(text);
    const isObject = typeof json === "object" && json !== null && !Array.isArray(json);
    return isObject ? json : "the file must hold one JSON object of names and patterns";
  } catch (error) {
    return `the file is not JSON: ${error instanceof Error ? error.message : String(error)}`;
  }
}

async function parsePattern(name: string, value: unknown): Promise<CustomPattern | CustomPatternProblem> {
  if (!/^[A-Za-z0-9][\w.-]{0,63}$/.test(name)) {
    return { name, reason: "a name has 1 to 64 letters, digits, dots, dashes or underscores" };
  }
  const { pattern: source, flags = "" } = typeof value === "string" ? { pattern: value } : toFields(value);
  if (typeof source !== "string" || typeof flags !== "string") {
    return { name, reason: 'expected a regular expression as text, or { "pattern": "…", "flags": "…" }' };
  }
  if (/[^imsuv]/.test(flags)) return { name, reason: `flags may be i, m, s, u and v, not "${flags}"` };
  return compile(name, source, flags);
}

function toFields(value: unknown): { pattern?: unknown; flags?: unknown } {
  return typeof value === "object" && value !== null ? value : {};
}

async function compile(name: string, source: string, flags: string): Promise<CustomPattern | CustomPatternProblem> {
  try {
    const pattern = await compileUserPattern(source, flags);
    const isEmptyMatch = PROBES.some((probe) => [...pattern.find(probe)].some(({ start, end }) => start === end));
    return isEmptyMatch ? { name, reason: "the pattern matches the empty string" } : { name, pattern };
  } catch (error) {
    return { name, reason: error instanceof Error ? error.message : String(error) };
  }
}

/** Texts in which patterns such as `x*` or `\b` match the empty string. */
const PROBES = ["", "a B-1_2.3 é\n\tz", "xyz 0"];

/** A user-defined pattern to redact. */
export interface CustomPattern {
  /** The kind in the placeholder. */
  readonly name: string;
  readonly pattern: RegExp | UserPattern; // a RegExp is global
}

export function findCustom(text: string, patterns: readonly CustomPattern[]): Finding[] {
  return patterns.flatMap(({ name, pattern }) => {
    const places = pattern instanceof RegExp ? findPlaces(text, pattern) : pattern.find(text);
    return [...places].flatMap(({ start, end }) => (end > start ? { kind: name, start, end, certain: true } : []));
  });
}
