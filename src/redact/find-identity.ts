import { escapePattern } from "./escape-pattern.js";
import type { Finding } from "./finding.js";
import { isEscapeLetter, startsToken } from "./starts-token.js";

export interface Identity {
  readonly home?: string | undefined;
  readonly user?: string | undefined;
}

/** Finds the home folder, however its path is written, and the user's name wherever it stands as a word. */
export function createIdentityFinder({ home = "", user }: Identity): (text: string) => Finding[] {
  const segments = home.split(/[\\/]+/).filter((segment) => segment !== "");
  const name = user ?? segments.at(-1) ?? "";
  const homes = homePattern(segments, name);
  const names = namePattern(name);
  return (text) => [...(homes ? findHomes(text, homes) : []), ...(names ? findNames(text, names) : [])];
}

/** What the home folder becomes, as shells show it. */
export const HOME_MARK = "~";

// As it is, escaped once or more in JSON, or escaped in an address.
const SLASH = "(?:\\\\{0,8}/|\\\\{1,8}|%2F|%5C)";
const END = "(?![A-Za-z0-9_-])";

/** The given home, and where the same user lives on other systems. */
function homePattern(segments: readonly string[], name: string): RegExp | undefined {
  const isDrive = /^[A-Za-z]:$/.test(segments[0] ?? "");
  const given = segments.map(escapePattern).join(SLASH);
  const usual = `(?:(?:(?:[A-Za-z]:|(?:/mnt)?/[a-z])?${SLASH}Users|${SLASH}home)${SLASH}${escapePattern(name)})`;
  const hasGiven = isDrive ? segments.length > 1 : segments.length > 0;
  const patterns = [...(hasGiven ? [isDrive ? given : SLASH + given] : []), ...(name === "" ? [] : [usual])];
  return patterns.length === 0 ? undefined : new RegExp(`(?:${patterns.join("|")})${END}`, "gi");
}

function findHomes(text: string, pattern: RegExp): Finding[] {
  return [...text.matchAll(pattern)]
    .filter(({ index }) => startsToken(text, index))
    .map(({ 0: match, index }) => ({ kind: "home", start: index, end: index + match.length, certain: false }));
}

/** A name that is also an everyday word is looked for in paths, prompts and user variables only. */
function namePattern(name: string): RegExp | undefined {
  if (name === "") return undefined;
  const escaped = escapePattern(name);
  const end = "(?![A-Za-z0-9])";
  const isWord = name.length < 3 || EVERYDAY_NAMES.has(name.toLowerCase());
  if (!isWord) return new RegExp(`(?:(?<![A-Za-z0-9])|(?<=\\\\[nrt]))${escaped}${end}`, "gi");
  const inPath = `(?<=[-/\\\\](?:home|Users)[-/\\\\]{1,8})${escaped}${end}`;
  const inPrompt = `(?<![\\w.-])${escaped}(?=@[\\w-]+[:\\s])`;
  const inVariable = `(?<=\\b(?:USER|USERNAME|LOGNAME)=)${escaped}${end}`;
  return new RegExp([inPath, inPrompt, inVariable].join("|"), "g");
}

function findNames(text: string, pattern: RegExp): Finding[] {
  return [...text.matchAll(pattern)]
    .map(({ 0: match, index }) => ({ kind: "user", start: index, end: index + match.length, certain: false }))
    .filter(({ start, end }) => !isInsideUuid(text, start, end) && !isEscapeLetter(text, start));
}

/** `beef` is a name, and four digits of a uuid. */
function isInsideUuid(text: string, start: number, end: number): boolean {
  return (
    /[0-9a-f]{4}-$/i.test(text.slice(Math.max(0, start - 5), start)) && /^-[0-9a-f]{4}/i.test(text.slice(end, end + 5))
  );
}

const EVERYDAY_NAMES = new Set(
  (
    "user users dev developer admin administrator root test tester guest node ubuntu debian fedora centos runner app web " +
    "www data home main git me docker vagrant pi claude max min mark will bill art grace hope rose may june april drew " +
    "gene jack rob sue pat chip dash code work build local default system daemon nobody server client host jenkins " +
    "deploy postgres mysql redis python java rust ruby swift dart julia crystal log file name type key task tool agent " +
    "model session message project content text"
  ).split(" "),
);
