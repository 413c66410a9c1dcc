import type { FileProblem } from "../format/folder-listing.js";
import { expandHome } from "../format/path-forms.js";
import type { SearchHit } from "./search-hit.js";
import { literalMatcher } from "./search-request.js";
import { searchByScan } from "./search-scan.js";

/** Reads all sessions below the folders and yields every text that contains the query, whatever its case. */
export function* search(
  folders: string | readonly string[],
  query: string,
  problems: FileProblem[] = [],
): Generator<SearchHit> {
  if (query === "") return;
  const home = process.env["HOME"] ?? process.env["USERPROFILE"] ?? "";
  const roots = [folders].flat().map((folder) => expandHome(folder, home));
  const request = { text: query, mode: "literal" as const, filter: {} };
  yield* searchByScan(roots, request, literalMatcher(query.toLowerCase()), problems);
}
