import type { FacetsAnswer } from "../../server/api/sessions.js";
import { useServerEvents } from "../server-events.js";
import { useAnswer } from "../use-answer.js";

/** By what sessions can be told apart, as far as the index knows them. */
export function useFacets(): FacetsAnswer | undefined {
  const { answer, reload } = useAnswer<FacetsAnswer>("/api/facets");
  useServerEvents((event) => {
    if (event.kind === "marks" || (event.kind === "index" && event.index.state === "ready")) reload();
  });
  return answer;
}
