import { escapePattern } from "../escape-pattern.js";
import { type Finding, isEscapeLetter, startsToken } from "./finding.js";

export interface Identity {
  readonly home?: string | undefined;
  readonly user?: string | undefined;
}

/** Finds the home folder in any notation of its path, and the user's name where it is a word. */
export function createIdentityFinder({ home = "", user }: Identity): (text: string) => Finding[] {
  const segments = home.split(/[\\/]+/).filter((segment) => segment !== "");
  const folder = segments.findLast((segment) => !isDrive(segment)) ?? "";
  const name = user || folder;
  if (name === "") return () => [];
  const mention = new RegExp([name, folder || name].map(escapePattern).join("|"), "i");
  const homes = [...(folder === "" ? [] : [givenHome(segments)]), usualHome(name)];
  const findName = createNameFinder(name);
  // A quick test: most strings do not mention the user.
  return (text) => (mention.test(text) ? [...homes.flatMap((path) => findHome(text, path)), ...findName(text)] : []);
}

/** A path, searched by its last part and then matched backwards. */
interface HomePath {
  readonly last: RegExp;
  readonly whole: RegExp;
  readonly maxLength: number;
}

// Plain, escaped once or more in JSON, or percent-encoded.
const SLASH = "(?:\\\\{0,8}/|\\\\{1,8}|%2F|%5C)";

const isDrive = (segment: string) => /^[A-Za-z]:$/.test(segment);

function givenHome(segments: readonly string[]): HomePath {
  const path = segments.map(escapePattern).join(SLASH);
  return toHomePath(isDrive(segments[0] ?? "") ? path : SLASH + path, segments);
}

/** The same user's home folder on other systems. */
function usualHome(name: string): HomePath {
  const users = `(?:[A-Za-z]:|(?:/mnt)?/[a-z])?${SLASH}Users`;
  return toHomePath(`(?:${users}|${SLASH}home)${SLASH}${escapePattern(name)}`, ["mnt", "c:", "Users", name]);
}

function toHomePath(path: string, segments: readonly string[]): HomePath {
  return {
    last: new RegExp(`${escapePattern(segments.at(-1) ?? "")}(?![A-Za-z0-9_-])`, "gi"),
    whole: new RegExp(`${path}$`, "i"),
    maxLength: segments.join("").length + 9 * segments.length,
  };
}

function findHome(text: string, { last, whole, maxLength }: HomePath): Finding[] {
  return [...text.matchAll(last)].flatMap(({ 0: match, index }) => {
    const end = index + match.length;
    const path = whole.exec(text.slice(Math.max(0, end - maxLength), end))?.[0] ?? "";
    const start = end - path.length;
    return path !== "" && startsToken(text, start) ? [{ kind: "home", start, end, certain: false, mark: "~" }] : [];
  });
}

function createNameFinder(name: string): (text: string) => Finding[] {
  const pattern = new RegExp(`${escapePattern(name)}(?![A-Za-z0-9])`, "gi");
  const isUser = name.length < 3 || EVERYDAY_NAMES.has(name.toLowerCase()) ? namesUser : isWord;
  return (text) =>
    [...text.matchAll(pattern)]
      .map(({ 0: match, index }) => ({ kind: "user", start: index, end: index + match.length, certain: false }))
      .filter(({ start, end }) => isUser(text, start, end));
}

function isWord(text: string, start: number, end: number): boolean {
  const before = text.slice(Math.max(0, start - 8), start);
  const isInside = /[A-Za-z0-9]$/.test(before) && !/\\[nrt]$/.test(before);
  const isInUuid = /[0-9a-f]{4}-$/i.test(before) && /^-[0-9a-f]{4}/i.test(text.slice(end, end + 5)); // -beef-
  return !isInside && !isInUuid && !isEscapeLetter(text, start);
}

/** A name that is also an everyday word counts only in paths, shell prompts and variables. */
function namesUser(text: string, start: number, end: number): boolean {
  const before = text.slice(Math.max(0, start - 24), start);
  const isInPrompt = /(?:^|[^\w.-])$/.test(before) && /^@[\w-]+[:\s]/.test(text.slice(end, end + 64));
  return isInPrompt || /[-/\\](?:home|Users)[-/\\]{1,8}$|\b(?:USER|USERNAME|LOGNAME)=$/.test(before);
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

/** Email addresses of people: not `git@host`, `noreply@…` or `icon@2x.png`. */
export function findEmails(text: string): Finding[] {
  const found: Finding[] = [];
  for (let at = text.indexOf("@"); at >= 0; at = text.indexOf("@", at + 1)) {
    const start = at - localPartLength(text, at);
    DOMAIN.lastIndex = at;
    if (start < at && DOMAIN.test(text) && !IMPERSONAL.test(text.slice(start, DOMAIN.lastIndex))) {
      found.push({ kind: "email", start, end: DOMAIN.lastIndex, certain: true });
    }
  }
  return found;
}

const DOMAIN = /@(?:[A-Za-z0-9-]{1,63}\.){1,8}[A-Za-z]{2,24}(?![\w@-])/y;
const IMPERSONAL = /^git@|^(?:no-?reply|donotreply)@|\.(?:png|jpe?g|gif|svg|webp|ico)$/i;
const MAX_LOCAL_PART = 64;

function localPartLength(text: string, at: number): number {
  const before = text.slice(Math.max(0, at - MAX_LOCAL_PART), at);
  const name = /[A-Za-z0-9_.+%-]+$/.exec(before)?.[0] ?? "";
  return isEscapeLetter(text, at - name.length) ? name.length - 1 : name.length; // \ndana@… in JSON
}
