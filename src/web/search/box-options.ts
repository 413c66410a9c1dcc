import { formatCost, formatCount } from "../../render/format-values.js";
import { neutralize } from "../../render/safe-text.js";
import type { FacetsAnswer, ListedSession } from "../../server/api/list.js";
import type { SearchAnswerGroups, SearchGroup, ServedHit } from "../../server/api/search.js";
import { projectName } from "../labels.js";
import { listPath } from "../list/list-filter.js";
import { searchPath, sessionPath } from "../router.js";
import { hitAnchor } from "../session/show-target.js";
import { type Action, offeredActions } from "../shell/actions.js";
import { type Completion, completeFilter } from "./complete-filter.js";

/** One line of the box. A link, an action, or a query to go on with. */
export interface BoxOption {
  readonly key: string;
  readonly group: string;
  readonly kind: "session" | "turn" | "file" | "project" | "action" | "search";
  readonly label: string;
  readonly detail: string;
  readonly at: string | null; // a time
  readonly href?: string;
  readonly keys?: string;
  /** Fills the box. */
  readonly query?: string;
  readonly hit?: ServedHit;
  /** Of the session: a hit is shown with it. */
  readonly session?: SearchGroup;
  readonly listed?: ListedSession;
  run?(): void;
}

export interface BoxSources {
  readonly query: string;
  readonly facets: FacetsAnswer | undefined;
  readonly latest: readonly ListedSession[];
  readonly recent: readonly string[];
  readonly saved: readonly string[];
  readonly found: SearchAnswerGroups | undefined;
  readonly files: SearchAnswerGroups | undefined;
}

const MOST_FILES = 5;
const MOST_PROJECTS = 4;

/** What the box offers, best first. */
export function boxOptions(sources: BoxSources): readonly BoxOption[] {
  const { query, facets, found } = sources;
  const text = query.trim();
  if (text === "") return emptyOptions(sources);
  const completions = completeFilter(query, facets).map(toCompletion);
  const actions = matchingActions(text);
  const first = actions.filter(({ label }) => label.toLowerCase().startsWith(text.toLowerCase()));
  return [
    ...completions,
    ...first,
    ...(found?.groups ?? []).flatMap((group) => groupOptions(group, query)),
    ...fileOptions(sources),
    ...projectOptions(text, facets),
    ...actions.filter((action) => !first.includes(action)),
    ...wholeSearches(sources),
  ];
}

/** Enter opens a hit, not its session, unless the title was found. */
export function firstChoice(options: readonly BoxOption[]): number {
  const [first, second] = options;
  const isTitleFound = first?.session?.hits.some(({ kind }) => kind === "title") ?? false;
  return first?.kind === "session" && second?.kind === "turn" && !isTitleFound ? 1 : 0;
}

function emptyOptions({ saved, recent, latest, facets }: BoxSources): BoxOption[] {
  return [
    ...saved.map((query) => searchOption("Saved searches", query)),
    ...recent.filter((query) => !saved.includes(query)).map((query) => searchOption("Recent searches", query)),
    ...latest.map(
      (session): BoxOption => ({
        key: `latest ${session.id}`,
        group: "Latest sessions",
        kind: "session",
        label: neutralize(session.title),
        detail: describeListed(session),
        at: session.endedAt,
        href: sessionPath(session.id),
        listed: session,
      }),
    ),
    ...projectOptions("", facets),
    ...offeredActions().map(toAction),
  ];
}

function describeListed({ project, turns, totalCostUsd }: ListedSession): string {
  const cost = totalCostUsd === null ? "" : ` · ${formatCost(totalCostUsd)}`;
  return `${neutralize(projectName(project))} · ${formatCount(turns, "turn")}${cost}`;
}

function searchOption(group: string, query: string): BoxOption {
  return { key: `${group} ${query}`, group, kind: "search", label: query, detail: "", at: null, query };
}

function toCompletion({ query, name, value, sessions }: Completion): BoxOption {
  const detail = sessions === null ? "" : formatCount(sessions, "session");
  const label = `${name}:${neutralize(value)}`;
  return { key: `filter ${label}`, group: "Filters", kind: "search", label, detail, at: null, query };
}

function matchingActions(text: string): BoxOption[] {
  const words = text.toLowerCase().split(/\s+/);
  const isFound = ({ label, words: more = "" }: Action) => {
    const known = `${label} ${more}`.toLowerCase().split(/\s+/);
    return words.every((word) => known.some((one) => one.startsWith(word)));
  };
  return offeredActions().filter(isFound).map(toAction);
}

function toAction({ label, group, keys, words, run }: Action & { readonly group: string }): BoxOption {
  const detail = words ?? "";
  const key = `action ${group} ${label}`;
  return { key, group, kind: "action", label, detail, at: null, run, ...(keys === undefined ? {} : { keys }) };
}

function groupOptions(group: SearchGroup, query: string): BoxOption[] {
  const { sessionId, title, project, latest, totalHits, hits } = group;
  const told = `${neutralize(projectName(project))} · ${formatCount(totalHits, "hit")}`;
  const session: BoxOption = {
    key: `session ${sessionId}`,
    group: "Sessions and turns",
    kind: "session",
    label: neutralize(title),
    detail: told,
    at: latest,
    href: sessionPath(sessionId, { query }),
    session: group,
  };
  const turns = hits
    .filter(({ kind }) => kind !== "title")
    .map((hit): BoxOption => hitOption(group, hit, { group: "Sessions and turns", kind: "turn", query }));
  return [session, ...turns];
}

function hitOption(
  group: SearchGroup,
  hit: ServedHit,
  { group: name, kind, query }: Pick<BoxOption, "group" | "kind"> & { readonly query: string },
): BoxOption {
  const { sessionId, title } = group;
  return {
    key: `${kind} ${sessionId} ${hit.line} ${hit.kind} ${hit.toolUseId}`,
    group: name,
    kind,
    label: neutralize(hit.snippet),
    detail: kind === "file" ? neutralize(title) : hit.turn === null ? "" : `#${hit.turn}`,
    at: hit.timestamp,
    href: sessionPath(sessionId, { turn: hit.turn, anchor: hitAnchor(hit), query }),
    hit,
    session: group,
  };
}

/** Each file once, where it was touched last. */
function fileOptions({ files, query }: BoxSources): BoxOption[] {
  const hits = (files?.groups ?? []).flatMap((group) => group.hits.map((hit) => ({ group, hit })));
  const byName = new Map(hits.map((one) => [one.hit.snippet, one] as const).toReversed());
  return [...byName.values()]
    .toReversed()
    .slice(0, MOST_FILES)
    .map(({ group, hit }) => hitOption(group, hit, { group: "Files", kind: "file", query }));
}

function projectOptions(text: string, facets: FacetsAnswer | undefined): BoxOption[] {
  const wanted = text.toLowerCase();
  return (facets?.projects ?? [])
    .filter(({ name }) => name.toLowerCase().includes(wanted))
    .slice(0, MOST_PROJECTS)
    .map(({ name, sessions, lastAt }) => ({
      key: `project ${name}`,
      group: "Projects",
      kind: "project",
      label: neutralize(projectName(name)),
      detail: `${neutralize(name)} · ${formatCount(sessions, "session")}`,
      at: lastAt,
      href: listPath({ project: name }),
    }));
}

function wholeSearches({ query, found }: BoxSources): BoxOption[] {
  const group = "More";
  const all: BoxOption = {
    key: "all results",
    group,
    kind: "search",
    label: found === undefined ? "All results" : describeFound(found),
    detail: "",
    at: null,
    href: searchPath(query),
    keys: "Ctrl Enter",
  };
  const text = found?.text ?? query.trim();
  const filter: BoxOption = {
    key: "filter list",
    group,
    kind: "search",
    label: `Sessions with “${neutralize(text)}” in title, project or id`,
    detail: "",
    at: null,
    href: listPath({ text }),
  };
  return text === "" ? [all] : [all, filter];
}

/** `12 hits in 3 sessions`; at least so many where not all was read. */
export function describeFound({ totalHits, totalSessions, exact }: SearchAnswerGroups): string {
  if (totalSessions === 0) return exact ? "No hits" : "No hits so far";
  const atLeast = exact ? "" : "at least ";
  return `${atLeast}${formatCount(totalHits, "hit")} in ${formatCount(totalSessions, "session")}`;
}
