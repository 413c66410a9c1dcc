import * as z from "zod";
import { UserError } from "../../../errors.js";
import { searchLibrary } from "../../../library/search/run-search.js";
import {
  type FoundInSession,
  SEARCH_PLACES,
  type SearchAnswer,
  type SearchHit,
} from "../../../library/search/search-hit.js";
import type { SearchRequest } from "../../../library/search/search-request.js";
import { cleanText, firstWords, moreLine, type PageItem, parseCursor, takePage } from "../answer-pages.js";
import type { McpLibrary } from "../mcp-library.js";
import {
  argumentFilter,
  cursorField,
  defineMcpTool,
  findSession,
  limitField,
  projectField,
  sessionField,
  sinceField,
  untilField,
} from "../mcp-tool.js";

const DEFAULT_LIMIT = 20;
const HITS_PER_SESSION = 3;
/** For what the index does not have yet. */
const READING_MS = 2000;
const SNIPPET_CHARACTERS = 400;
const TITLE_CHARACTERS = 200;

const PLACES = Object.keys(SEARCH_PLACES);

const fields = {
  query: z
    .string()
    .max(2000)
    .optional()
    .describe('Words that must all occur in the same text; supports "a phrase", prefix*, -excluded, one OR other'),
  places: z
    .array(z.enum(PLACES as [string, ...string[]]))
    .min(1)
    .optional()
    .describe("Only search these: prompts, answers, thinking, commands, tool inputs, tool results, titles, files"),
  project: projectField,
  since: sinceField,
  until: untilField,
  tool: z.string().optional().describe("Only inputs and results of this tool, such as Bash"),
  mode: z
    .enum(["words", "literal", "regex"])
    .optional()
    .describe("words (default): the query language above; literal: an exact string; regex: a regular expression"),
  matchCase: z.boolean().optional().describe("Capital letters matter; only with the modes literal and regex"),
  errors: z.boolean().optional().describe("Only tool errors and API errors"),
  session: sessionField.optional().describe("Only in this session: id, unique id prefix, exact title, or `last`"),
  limit: limitField(DEFAULT_LIMIT, 50),
  cursor: cursorField,
};

type Arguments = z.infer<z.ZodObject<typeof fields>>;

export const searchSessionsTool = defineMcpTool({
  name: "search_sessions",
  title: "Search past sessions",
  description:
    "Finds words in everything that was said and done in past Claude Code sessions: prompts, answers, thinking, commands, " +
    "tool inputs and results, titles. Use it first when you look for how something was done, decided or fixed before. " +
    "Parts of camelCase, snake_case and paths match too. Returns sessions, best first, each with its best hits and their " +
    "turns (read more with session_turns); with `session`, all hits of that session in their order.",
  fields,
  async answer(args, library) {
    const [offset = 0] = parseCursor(args.cursor, 1);
    const limit = args.limit ?? DEFAULT_LIMIT;
    const request = await toRequest(args, limit, library);
    const mask = (text: string) => cleanText(text, library.clean, "snippet");
    const options = { mask, offset, perSession: HITS_PER_SESSION, budgetMs: READING_MS };
    const found = await library.withIndex((index) => searchLibrary(index, library.roots, request, [], options));
    const isOne = request.sessionId !== undefined;
    const items = isOne ? hitItems(found, offset, library) : sessionItems(found, offset, library);
    const page = takePage(items);
    const shown = isOne ? found.hits.length : found.sessions.length;
    const total = isOne ? found.totalHits : found.totalSessions;
    const hasMore = page.nextCursor === null && offset + shown < total;
    const nextCursor = hasMore ? `${offset + shown}` : page.nextCursor;
    const { totalSessions, totalHits, exact } = found;
    const count = `${exact ? "" : "at least "}${totalHits} hits in ${totalSessions} sessions`;
    return {
      text: page.items.length === 0 ? "nothing found" : `${count}\n\n${page.text}${moreLine(nextCursor)}`,
      structured: { ...structure(page.items), totalSessions, totalHits, exact, nextCursor },
    };
  },
});

async function toRequest(args: Arguments, limit: number, library: McpLibrary): Promise<SearchRequest> {
  const { query = "", places, session, project, since, until, tool, errors, mode = "words", matchCase = false } = args;
  const filter = argumentFilter({ project, since, until, tool, errors });
  if (query.trim() === "" && Object.keys(filter).length === 0 && session === undefined && places === undefined) {
    throw new UserError("usage", "nothing to search for", "pass a query or at least one filter");
  }
  return {
    text: query,
    mode,
    matchesCase: matchCase,
    filter: { ...filter, limit },
    userData: await library.loadOptions(),
    ...(places === undefined ? {} : { kinds: [...new Set(places.flatMap((place) => SEARCH_PLACES[place] ?? []))] }),
    ...(session === undefined ? {} : { sessionId: (await findSession(session, library)).id }),
  };
}

/** A session with its best hits, or one hit. */
type FoundItem =
  | {
      readonly sessionId: string;
      readonly totalHits: number;
      readonly hits: readonly object[];
      readonly title: string;
      readonly project: string | null;
    }
  | { readonly snippet: string };

function structure(items: readonly FoundItem[]): {
  readonly hits: readonly object[];
  readonly sessions: readonly object[];
} {
  const hits = items.flatMap((item): readonly object[] => ("hits" in item ? item.hits : [item]));
  const sessions = items.flatMap((item) => {
    if (!("hits" in item)) return [];
    const { hits: _hits, ...session } = item;
    return [session];
  });
  return { hits, sessions };
}

function* sessionItems(
  { sessions }: SearchAnswer,
  offset: number,
  library: McpLibrary,
): Generator<PageItem<FoundItem>> {
  for (const [at, session] of sessions.entries()) {
    const hits = session.hits.map((hit) => describeHit(hit, library));
    const { title, project } = nameOf(session, library);
    const { sessionId, totalHits } = session;
    const heading = `${sessionId} "${title}"${project === null ? "" : ` in ${project}`}`;
    const rest = totalHits > hits.length ? [`  (${totalHits - hits.length} more hits: search in this session)`] : [];
    yield {
      item: { sessionId, title, project, totalHits, hits: hits.map(({ item }) => item) },
      text: [heading, ...hits.map(({ text }) => text), ...rest].join("\n"),
      cursor: `${offset + at}`,
    };
  }
}

function* hitItems({ hits }: SearchAnswer, offset: number, library: McpLibrary): Generator<PageItem<FoundItem>> {
  for (const [at, hit] of hits.entries()) yield { ...describeHit(hit, library), cursor: `${offset + at}` };
}

function nameOf({ title, project }: Pick<FoundInSession, "title" | "project">, { clean }: McpLibrary) {
  return {
    title: firstWords(cleanText(title, clean, "title"), TITLE_CHARACTERS),
    project: project === null ? null : cleanText(project, clean, "project"),
  };
}

function describeHit(hit: SearchHit, library: McpLibrary) {
  const item = {
    sessionId: hit.sessionId,
    ...nameOf(hit, library),
    turn: hit.turn,
    kind: hit.kind,
    tool: hit.tool,
    at: hit.timestamp,
    snippet: firstWords(hit.snippet, SNIPPET_CHARACTERS),
    prompt: hit.prompt,
    agentId: hit.agentId,
  };
  const place = [item.turn === null ? "" : `turn ${item.turn}`, item.agentId === null ? "" : `agent ${item.agentId}`];
  const facts = [...place, item.kind, item.tool ?? "", item.at ?? ""].filter((fact) => fact !== "").join(" · ");
  return { item, text: `  ${facts}\n  ${item.snippet}` };
}
