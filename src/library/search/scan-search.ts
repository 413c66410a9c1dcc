import type { FileProblem } from "../../format/layout/folder-listing.js";
import { findChanges } from "../catalog/library-changes.js";
import { skipUnreadable } from "../skip-unreadable.js";
import { expandRoots } from "../sources/find-sessions.js";
import { scanFileTexts } from "../text-index/file-texts.js";
import { NO_DOCS } from "../text-index/find-docs.js";
import { HitReader } from "./read-hits.js";
import { textFilter } from "./run-search.js";
import type { SearchHit } from "./search-hit.js";
import { type SearchRequest, textMatcher } from "./search-request.js";
import { SearchedFiles } from "./searched-files.js";
import { FactsReader } from "./session-facts.js";
import { SessionTally } from "./session-tally.js";

/** Reads all sessions below the folders and yields every text that contains the query, ignoring case; latest session first. */
export function* search(
  folders: string | readonly string[],
  query: string,
  problems: FileProblem[] = [],
): Generator<SearchHit> {
  if (query === "") return;
  const roots = expandRoots(folders);
  const request: SearchRequest = { text: query.toLowerCase(), mode: "literal", filter: {} };
  const matcher = textMatcher(request);
  const changes = findChanges(undefined, roots);
  problems.push(...changes.problems);
  const files = new SearchedFiles(undefined, roots, problems, undefined, changes);
  const facts = new FactsReader(undefined, files, problems);
  const reader = new HitReader(undefined, matcher, facts, problems);
  const isWanted = textFilter(request, matcher);
  for (const file of files.toRead("all")) {
    const tally = new SessionTally(file.session);
    const scanned = skipUnreadable(file.path, problems, () => scanFileTexts(file.open(), isWanted)) ?? [];
    tally.files.push({ file, ids: NO_DOCS, scanned });
    const isTranscript = file.path === file.session.path;
    tally.hasTitle =
      isTranscript && facts.of(file.session) !== undefined && matcher.matches(facts.titleOf(file.session));
    const hits = reader.all(tally, 0, Number.POSITIVE_INFINITY);
    reader.close();
    yield* hits;
  }
}
