import { useEffect, useState } from "preact/hooks";
import type { FacetsAnswer, SessionsAnswer } from "../../server/api/list.js";
import type { SearchAnswerGroups } from "../../server/api/search.js";
import { useAnswer } from "../api.js";
import type { BoxSources } from "./box-options.js";
import { rememberSearch, useSearchHistory } from "./search-history.js";

const REST_MS = 300;
const LATEST = 6;
const LEAST_FOR_FILES = 2;

interface BoxAnswers {
  readonly sources: BoxSources;
  /** What was found belongs to what is typed. */
  readonly isCurrent: boolean;
}

/** Asks while somebody types; for files, after a pause. The search is that of the result page. */
export function useBoxAnswers(query: string, facets: FacetsAnswer | undefined): BoxAnswers {
  const text = query.trim();
  const [rested, setRested] = useState(text);
  const { recent, saved } = useSearchHistory();
  const { answer: latest } = useAnswer<SessionsAnswer>(`/api/sessions?limit=${LATEST}`);
  const search = `/api/search?${new URLSearchParams({ q: text, prefix: "1", typing: "1" })}`;
  const { answer: found, isCurrent } = useAnswer<SearchAnswerGroups>(text === "" ? null : search);
  const asksFiles = rested === text && text.length >= LEAST_FOR_FILES;
  const { answer: files, isCurrent: isFilesCurrent } = useAnswer<SearchAnswerGroups>(
    asksFiles ? `${search}&in=files` : null,
  );
  const isFound = isCurrent && (found?.totalSessions ?? 0) > 0;
  useEffect(() => {
    const resting = setTimeout(() => {
      setRested(text);
      if (isFound) rememberSearch(text);
    }, REST_MS);
    return () => clearTimeout(resting);
  }, [text, isFound]);
  return {
    isCurrent: isCurrent || text === "",
    sources: {
      query,
      facets,
      recent,
      saved,
      latest: latest?.sessions ?? [],
      found: text === "" ? undefined : found,
      files: isFilesCurrent && asksFiles ? files : undefined,
    },
  };
}
