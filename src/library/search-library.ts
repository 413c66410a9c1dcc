import type { FileProblem } from "../format/folder-listing.js";
import type { Index } from "./indexed/open-index.js";
import { gather, type SearchAnswer, type SearchOptions, searchIndexed } from "./indexed/search-indexed.js";
import { createMatcher, type SearchRequest } from "./search-request.js";
import { searchByScan } from "./search-scan.js";

/** Finds texts in all sessions of the roots: through the index, or without one by reading everything. */
export function searchLibrary(
  index: Index | undefined,
  roots: readonly string[],
  request: SearchRequest,
  problems: FileProblem[] = [],
  options: SearchOptions = {},
): SearchAnswer {
  if (index) return searchIndexed(index, roots, request, problems, options);
  return gather(searchByScan(roots, request, createMatcher(request), problems, options.mask), request, options);
}
