import type { FacetsAnswer } from "../../server/api/list.js";

/** A value for the filter that is being typed. */
export interface Completion {
  /** The whole query with it. */
  readonly query: string;
  readonly name: string;
  readonly value: string;
  readonly sessions: number | null;
}

const FACETS: Readonly<Record<string, keyof FacetsAnswer>> = {
  project: "projects",
  model: "models",
  tool: "tools",
  branch: "gitBranches",
  tag: "tags",
  source: "sources",
};

const TIMES = ["1d", "7d", "30d", "90d"];
const WORDS: Readonly<Record<string, readonly string[]>> = {
  after: TIMES,
  before: TIMES,
  is: ["error", "favourite"],
  in: ["prompts", "answers", "thinking", "commands", "tools", "results", "titles", "files"],
  mode: ["regex", "literal"],
};

const MOST = 12;

/** What may follow `project:`, `after:` and so on at the end of the query. */
export function completeFilter(query: string, facets: FacetsAnswer | undefined): readonly Completion[] {
  const typed = /(^|\s)([a-z]+):("?)([^\s"]*)$/i.exec(query);
  if (!typed) return [];
  const [whole, space = "", name = "", , part = ""] = typed;
  const facet = FACETS[name.toLowerCase()];
  const known: readonly { readonly name: string; readonly sessions: number | null }[] = facet
    ? (facets?.[facet] ?? [])
    : (WORDS[name.toLowerCase()] ?? []).map((word) => ({ name: word, sessions: null }));
  const wanted = part.toLowerCase();
  if (known.some((one) => one.name.toLowerCase() === wanted)) return [];
  const before = query.slice(0, query.length - whole.length) + space;
  return known
    .filter((one) => one.name.toLowerCase().includes(wanted))
    .slice(0, MOST)
    .map(({ name: value, sessions }) => ({
      query: `${before}${name}:${/\s/.test(value) ? `"${value}"` : value} `,
      name,
      value,
      sessions,
    }));
}

/** The query with a filter or without it. */
export function toggleWord(query: string, word: string): string {
  const words = query.match(/(?:"[^"]*"|[^\s"])+/g) ?? [];
  const others = words.filter((one) => one.toLowerCase() !== word.toLowerCase());
  return others.length < words.length ? others.join(" ") : `${query.trim()}${query.trim() === "" ? "" : " "}${word}`;
}

export function withoutFilter(query: string, name: string, value: string): string {
  const wanted = [`${name}:${value}`, `${name}:"${value}"`];
  const isIt = (typed: string) => wanted.some((one) => one.toLowerCase() === typed.toLowerCase());
  const words = query.match(/(?:"[^"]*"|[^\s"])+/g) ?? [];
  return words.filter((word) => !isIt(word)).join(" ");
}
