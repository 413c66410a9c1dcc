import * as z from "zod";
import { UserError } from "../../../errors.js";
import { searchLibrary } from "../../../library/search/run-search.js";
import { SEARCH_PLACES, type SearchHit } from "../../../library/search/search-hit.js";
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
/** No paging beyond this many hits. */
const MAX_HITS = 2000;
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
    "Parts of camelCase, snake_case and paths match too. Each hit names its session and turn: read more with " +
    "session_turns. Without a query, returns everything that matches the filters, newest first.",
  fields,
  async answer(args, library) {
    const [offset = 0, asked = 0] = parseCursor(args.cursor, 2);
    const now = asked || Date.now();
    const limit = args.limit ?? DEFAULT_LIMIT;
    const request = await toRequest(args, Math.min(MAX_HITS, offset + limit), library);
    const mask = (text: string) => cleanText(text, library.clean, "snippet");
    const found = await library.withIndex((index) => searchLibrary(index, library.roots, request, [], { mask, now }));
    const page = takePage(toItems(found.hits, offset, now, library), limit);
    const hasMore = page.nextCursor === null && found.truncated;
    const isDeep = found.hits.length >= MAX_HITS;
    const nextCursor = hasMore && !isDeep ? `${found.hits.length}.${now}` : page.nextCursor;
    const narrow = hasMore && isDeep ? "\n\n(there is more: narrow the query)" : moreLine(nextCursor);
    return {
      text: page.items.length === 0 ? "nothing found" : page.text + narrow,
      structured: { hits: page.items, nextCursor },
    };
  },
});

async function toRequest(args: Arguments, limit: number, library: McpLibrary): Promise<SearchRequest> {
  const { query = "", places, session, project, since, until, tool, errors } = args;
  const filter = argumentFilter({ project, since, until, tool, errors });
  if (query.trim() === "" && Object.keys(filter).length === 0 && session === undefined && places === undefined) {
    throw new UserError("usage", "nothing to search for", "pass a query or at least one filter");
  }
  return {
    text: query,
    mode: "words",
    filter: { ...filter, limit },
    userData: await library.loadOptions(),
    ...(places === undefined ? {} : { kinds: [...new Set(places.flatMap((place) => SEARCH_PLACES[place] ?? []))] }),
    ...(session === undefined ? {} : { sessionId: (await findSession(session, library)).id }),
  };
}

function* toItems(
  hits: readonly SearchHit[],
  offset: number,
  now: number,
  { clean }: McpLibrary,
): Generator<PageItem<object>> {
  let shown: string | undefined;
  for (const [at, hit] of hits.entries()) {
    if (at < offset) continue;
    const item = {
      sessionId: hit.sessionId,
      title: firstWords(cleanText(hit.title, clean, "title"), TITLE_CHARACTERS),
      project: hit.project === null ? null : cleanText(hit.project, clean, "project"),
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
    const heading = `${item.sessionId} "${item.title}"${item.project === null ? "" : ` in ${item.project}`}`;
    const text = `${heading === shown ? "" : `${heading}\n`}  ${facts}\n  ${item.snippet}`;
    shown = heading;
    yield { item, text, cursor: `${at}.${now}` };
  }
}
