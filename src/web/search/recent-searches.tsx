import { searchPath } from "../routes.js";

const KEY = "turnlog-searches";
const MOST = 8;

/** All but the one that is searched now. */
export function RecentSearches({ query = "" }: { readonly query?: string }) {
  const searches = readSearches().filter((known) => known !== query.trim());
  if (searches.length === 0) return null;
  return (
    <div class="recent">
      <h2>Recent searches</h2>
      <ul>
        {searches.map((query) => (
          <li key={query}>
            <a href={searchPath(query)}>{query}</a>
          </li>
        ))}
      </ul>
    </div>
  );
}

export function rememberSearch(query: string): void {
  const text = query.trim();
  if (text.length < 3) return;
  const others = readSearches().filter((known) => known !== text && !text.startsWith(known));
  try {
    localStorage.setItem(KEY, JSON.stringify([text, ...others].slice(0, MOST)));
  } catch {
    // A browser may refuse to remember; the search itself works.
  }
}

function readSearches(): string[] {
  try {
    const known: unknown = JSON.parse(localStorage.getItem(KEY) ?? "[]");
    return Array.isArray(known) ? known.filter((query) => typeof query === "string") : [];
  } catch {
    return [];
  }
}
