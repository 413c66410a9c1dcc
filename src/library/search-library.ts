import type { FileProblem } from "../format/folder-listing.js";
import type { Index } from "./indexed/open-index.js";
import { gather, type SearchAnswer, type SearchOptions, searchIndexed } from "./indexed/search-indexed.js";
import { createMatcher, type SearchRequest } from "./search-request.js";

/** Finds texts in all sessions of the roots: through the index, or where that cannot tell by reading everything. */
export async function searchLibrary(
  index: Index | undefined,
  roots: readonly string[],
  request: SearchRequest,
  problems: FileProblem[] = [],
  options: SearchOptions = {},
): Promise<SearchAnswer> {
  const answer = index && searchIndexed(index, roots, request, problems, options);
  if (answer) return answer;
  const { searchByScan } = await import("./search-scan.js");
  return gather(searchByScan(roots, request, createMatcher(request), problems, options.mask), request, options);
}
