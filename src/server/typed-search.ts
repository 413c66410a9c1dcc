import type { FilterOptions } from "../app/filter-options.js";
import { SEARCH_PLACES } from "../library/search-places.js";
import { parseMoment } from "../library/session-filter.js";
import type { TypedFilter } from "./api/search.js";

/** What somebody typed into the search box: words, and filters among them. */
export interface TypedSearch {
  readonly text: string;
  readonly typed: readonly TypedFilter[];
  readonly options: FilterOptions;
  readonly places: readonly string[];
  readonly sessionId: string | undefined;
}

type FieldName = "project" | "tool" | "model" | "gitBranch" | "source" | "since" | "until";

/** `project:acme tool:Bash is:error after:7d`. */
const FIELDS: ReadonlyMap<string, FieldName> = new Map([
  ["project", "project"],
  ["tool", "tool"],
  ["model", "model"],
  ["branch", "gitBranch"],
  ["source", "source"],
  ["after", "since"],
  ["since", "since"],
  ["before", "until"],
  ["until", "until"],
]);

/** A name, a colon, and a value or a value in quotes. Anything else with a colon is just text. */
const TYPED = /(?<=^|\s)([a-z]+):("[^"]*"|[^\s"]+)(?=\s|$)/gi;

/** Of whoever is still typing, a time that is none yet is no mistake. */
export function parseTypedSearch(box: string, isTyping = false): TypedSearch {
  const typed: TypedFilter[] = [];
  const options: { -readonly [Name in keyof FilterOptions]: FilterOptions[Name] } = {};
  const tags: string[] = [];
  const places: string[] = [];
  let sessionId: string | undefined;

  function take(name: string, value: string): boolean {
    const field = FIELDS.get(name);
    if (field && isTyping && !isUsable(field, value)) return true;
    if (field) options[field] = value;
    else if (name === "tag") tags.push(value);
    else if (name === "in" && Object.hasOwn(SEARCH_PLACES, value)) places.push(value);
    else if (name === "session") sessionId = value;
    else if (name === "is" && /^errors?$/.test(value)) options.errors = true;
    else if (name === "is" && /^favou?rites?$/.test(value)) options.favourites = true;
    else return false;
    return true;
  }

  const text = box.replace(TYPED, (whole, name: string, quoted: string) => {
    const value = quoted.replace(/^"|"$/g, "");
    if (value === "" || !take(name.toLowerCase(), value)) return whole;
    typed.push({ name: name.toLowerCase(), value });
    return "";
  });
  return {
    text: text.replace(/\s+/g, " ").trim(),
    typed,
    options: tags.length > 0 ? { ...options, tag: tags } : options,
    places,
    sessionId,
  };
}

function isUsable(field: FieldName, value: string): boolean {
  if (field !== "since" && field !== "until") return true;
  try {
    parseMoment(value);
    return true;
  } catch {
    return false;
  }
}

/** Whoever is still typing has not ended the last word. */
export function whileTyping(text: string): string {
  return /(?:^|\s)[\p{L}\p{N}_]{2,}$/u.test(text) && !/(?:^|\s)(?:OR|AND)$/.test(text) ? `${text}*` : text;
}
