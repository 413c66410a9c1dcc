import { type FilterOptions, toFilter } from "../../app/filter-options.js";
import { loadOptions } from "../../app/load-options.js";
import { type RootOptions, sessionRoots } from "../../app/session-roots.js";
import { warnAboutSkipped } from "../../app/skipped-files.js";
import { UserError } from "../../errors.js";
import type { FileProblem } from "../../format/layout/folder-listing.js";
import type { UserData } from "../../library/found-session.js";
import { searchLibrary } from "../../library/search/run-search.js";
import { SEARCH_PLACES } from "../../library/search/search-hit.js";
import type { SearchRequest } from "../../library/search/search-request.js";
import { formatCount, formatDuration } from "../../render/format-values.js";
import { paintSearchResults } from "../../render/terminal/lists/search-results.js";
import { createStyle } from "../../render/terminal/style.js";
import type { TextKind } from "../../session/search-texts.js";
import type { Io } from "../io.js";
import { MAX_INDEX_AGE_MS, withIndex } from "../library-index.js";
import type { IndexOptions } from "../options/filter-options.js";
import { isColoured } from "../terminal/paint-options.js";

export interface SearchCommandOptions extends FilterOptions, RootOptions, IndexOptions {
  readonly in?: string;
  readonly session?: string;
  readonly regex?: boolean;
  readonly literal?: boolean;
  readonly json?: boolean;
  readonly reveal?: boolean;
}

const JSON_LIMIT = 100;
const SHOWN_PER_SESSION = 3;

export async function writeHits(text: string, options: SearchCommandOptions, io: Io): Promise<void> {
  const started = performance.now();
  const roots = await sessionRoots(io, options);
  const request = await toRequest(text, options, roots, await loadOptions(io), io);
  const problems: FileProblem[] = [];
  const redactor = options.reveal ? undefined : (await import("../../app/redaction.js")).maskingRedactor();
  const answer = await withIndex(io, roots, { ...options, maxAgeMs: MAX_INDEX_AGE_MS }, (index, sync) => {
    problems.push(...(sync?.problems ?? []));
    return searchLibrary(index, roots, request, problems, {
      ...(redactor ? { mask: (found: string) => redactor.text(found, "snippet") } : {}),
      ...(options.json || options.session ? {} : { perSession: SHOWN_PER_SESSION }),
    });
  });
  warnAboutSkipped(problems, io);
  const { truncated } = answer;
  const hits = redactor
    ? answer.hits.map((hit) => ({ ...hit, title: redactor.text(hit.title, "title") }))
    : answer.hits;
  if (options.json) {
    const plain = hits.map(({ marks: _marks, ...hit }) => hit);
    await io.stdout(`${JSON.stringify({ hits: plain, truncated }, null, 2)}\n`);
    return;
  }
  if (hits.length > 0) {
    await io.stdout(paintSearchResults(hits, { columns: io.columns, style: createStyle(isColoured(io)) }));
  }
  const sessions = new Set(hits.map(({ sessionId }) => sessionId)).size;
  const more = truncated ? "; there are more (--limit, --session)" : "";
  const found = `${formatCount(hits.length, "hit")} in ${formatCount(sessions, "session")}${more}`;
  io.stderr(`${hits.length === 0 ? "nothing found" : found} (${formatDuration(performance.now() - started)})\n`);
}

async function toRequest(
  text: string,
  options: SearchCommandOptions,
  roots: readonly string[],
  knowledge: UserData,
  io: Io,
): Promise<SearchRequest> {
  if (options.regex && options.literal) {
    throw new UserError("usage", "--regex and --literal cannot be combined", "remove one of them");
  }
  const filter = toFilter(options);
  if (
    text.trim() === "" &&
    Object.keys(filter).length === 0 &&
    options.session === undefined &&
    options.in === undefined
  ) {
    throw new UserError("usage", "no query given", "for example `turnlog search 'flaky test'`");
  }
  return {
    text,
    mode: options.regex ? "regex" : options.literal ? "literal" : "words",
    filter: options.json ? { limit: JSON_LIMIT, ...filter } : filter,
    userData: knowledge,
    ...(options.in === undefined ? {} : { kinds: toKinds(options.in) }),
    ...(options.session === undefined ? {} : { sessionId: await idOf(options.session, roots, knowledge, io) }),
  };
}

async function idOf(name: string, roots: readonly string[], knowledge: UserData, io: Io): Promise<string> {
  const { chooseSession } = await import("../../app/choose-session.js");
  return chooseSession(name, roots, io, knowledge).id;
}

function toKinds(places: string): TextKind[] {
  return places.split(",").flatMap((place) => {
    const name = place.trim().toLowerCase();
    const kinds = Object.hasOwn(SEARCH_PLACES, name) ? SEARCH_PLACES[name] : undefined;
    if (kinds) return kinds;
    throw new UserError(
      "usage",
      `unknown place in --in: "${place}"`,
      `the places are ${Object.keys(SEARCH_PLACES).join(", ")}`,
    );
  });
}
