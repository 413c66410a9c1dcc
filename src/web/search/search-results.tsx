import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { formatCount, formatTime } from "../../render/format-values.js";
import { neutralize } from "../../render/safe-text.js";
import type { SearchAnswerGroups, SearchGroup, ServedHit, TypedFilter } from "../../server/api/search.js";
import { type Asked, useAnswer } from "../api.js";
import { dayLabel, projectName } from "../labels.js";
import { navigate, type Route, searchPath, sessionPath } from "../router.js";
import { useServerEvents } from "../server-events.js";
import { hitAnchor } from "../session/show-target.js";
import { UiIcon } from "../shell/controls.js";
import { isFocusLost } from "../shell/keyboard.js";
import { EmptyState, FailedState, IndexProgress, LoadingState } from "../shell/states.js";
import { toggleWord, withoutFilter } from "./complete-filter.js";
import { rememberSearch, toggleSaved, useSearchHistory } from "./search-history.js";
import { HIT_KINDS, Snippet } from "./snippet.js";

const REST_MS = 300;

interface SearchResultsProps {
  readonly query: string;
  readonly route: Route;
}

/** One screen of hits while typing, and more after a pause. */
export function SearchResults({ query, route }: SearchResultsProps) {
  const [pages, setPages] = useState({ query, count: 1 });
  const wanted = pages.query === query ? pages.count : 1;
  const { answer, failure, isCurrent, reload } = useTypedSearch(query, wanted);
  const box = useRef<HTMLDivElement>(null);
  const isWithin = box.current?.contains(document.activeElement) ?? false;
  useLayoutEffect(() => {
    if (isWithin && isFocusLost()) box.current?.querySelector<HTMLElement>("a.hit")?.focus({ preventScroll: true });
  }, [answer]);
  if (failure) return <FailedState failure={failure} onRetry={reload} />;
  if (!answer) return <LoadingState label="Searching" />;
  return (
    <div ref={box} class={isCurrent ? "results" : "results stale"}>
      <IndexProgress />
      <Chips query={query} typed={answer.typed} />
      <Totals answer={answer} query={query} />
      {answer.groups.length === 0 ? (
        <NothingFound query={query} answer={answer} />
      ) : (
        <ol class="groups">
          {answer.groups.map((group) => (
            <li key={group.sessionId}>
              <Group group={group} query={query} route={route} />
            </li>
          ))}
        </ol>
      )}
      {isCurrent && answer.groups.length > 0 && answer.groups.length < answer.totalSessions ? (
        <p class="more">
          <button type="button" class="button" onClick={() => setPages({ query, count: wanted + 1 })}>
            Show more of {formatCount(answer.totalSessions, "session")}
          </button>
        </p>
      ) : null}
    </div>
  );
}

interface TotalsProps {
  readonly answer: SearchAnswerGroups;
  readonly query: string;
}

function Totals({ answer: { totalHits, totalSessions, exact, text }, query }: TotalsProps) {
  const isSaved = useSearchHistory().saved.includes(query.trim());
  const last = /(?:^|\s)([\p{L}\p{N}_]{3,})$/u.exec(text)?.[1];
  if (totalSessions === 0) return null;
  return (
    <p class="quiet totals" role="status">
      {exact ? "" : "at least "}
      {formatCount(totalHits, "hit")} in {formatCount(totalSessions, "session")}
      {last === undefined ? null : (
        <span title={`Put it in quotes to find only the word itself: "${last}"`}>
          {" "}
          with <code>{last}*</code>
        </span>
      )}
      <button type="button" class="link" onClick={() => toggleSaved(query)}>
        {isSaved ? "Forget this search" : "Save this search"}
      </button>
    </p>
  );
}

const PAGE_SESSIONS = 30;

/** Requests a short answer while typing, and the full one after a pause. The last word is a prefix in both. */
function useTypedSearch(query: string, pages: number): Asked<SearchAnswerGroups> {
  const [rested, setRested] = useState<string>();
  const path = `/api/search?${new URLSearchParams({ q: query, prefix: "1" })}`;
  const isRested = rested === query;
  const asked = useAnswer<SearchAnswerGroups>(isRested ? `${path}&limit=${pages * PAGE_SESSIONS}` : `${path}&typing=1`);
  const { isCurrent, answer } = asked;
  useServerEvents((event) => {
    const isIndexed = event.kind === "index" && event.index.state === "ready";
    if (isIndexed && (answer?.index.state === "syncing" || answer?.exact === false)) asked.reload();
  });
  const isFound = (answer?.groups.length ?? 0) > 0;
  useEffect(() => {
    if (!isCurrent || rested === query) return;
    const resting = setTimeout(() => {
      setRested(query);
      if (isFound) rememberSearch(query);
    }, REST_MS);
    return () => clearTimeout(resting);
  }, [query, isCurrent, isFound, rested]);
  return asked;
}

function Chips({ query, typed }: { readonly query: string; readonly typed: readonly TypedFilter[] }) {
  if (typed.length === 0) return null;
  return (
    <ul class="chips" aria-label="Filters">
      {typed.map(({ name, value }) => (
        <li key={`${name}:${value}`}>
          <button type="button" class="chip" onClick={() => navigate(searchPath(withoutFilter(query, name, value)))}>
            {name}: {neutralize(value)} <UiIcon name="close" />
            <span class="out-of-sight">remove this filter</span>
          </button>
        </li>
      ))}
    </ul>
  );
}

function NothingFound({ query, answer }: { readonly query: string; readonly answer: SearchAnswerGroups }) {
  return (
    <EmptyState title="No results">
      <p>
        No match for “{neutralize(answer.text || query)}”
        {answer.exact ? " in all sessions" : " in the sessions read so far"}
        {answer.typed.length > 0 ? " with these filters" : ""}.
      </p>
      <ul class="looser">
        {looserQueries(query, answer).map(([label, looser]) => (
          <li key={label}>
            <button type="button" class="button" onClick={() => navigate(searchPath(looser))}>
              {label}
            </button>
          </li>
        ))}
      </ul>
    </EmptyState>
  );
}

/** Queries that find more: without filters, as words, with any of the words. */
function looserQueries(query: string, { text, typed }: SearchAnswerGroups): readonly (readonly [string, string])[] {
  const words = text
    .replaceAll('"', "")
    .split(/\s+/)
    .filter((word) => word !== "" && !/^(?:OR|AND|-.*)$/.test(word));
  const isPlain = typed.every(({ name }) => name !== "mode" && name !== "case");
  const looser: [string, string][] = [];
  if (typed.length > 0 && text !== "") looser.push(["Search without filters", text]);
  if (isPlain && text.includes('"')) looser.push(["The words in any order", query.replaceAll('"', "")]);
  if (isPlain && words.length > 1) looser.push(["Any of the words", words.join(" OR ")]);
  if (isPlain && text !== "") looser.push(["As a part of a word", toggleWord(query, "mode:literal")]);
  return looser;
}

interface GroupProps {
  readonly group: SearchGroup;
  readonly query: string;
  readonly route: Route;
}

function Group({ group: { sessionId, title, project, totalHits, latest, hits }, query, route }: GroupProps) {
  return (
    <section>
      <h2>
        <a href={sessionPath(sessionId, { query })} dir="auto">
          {neutralize(title)}
        </a>
        <span class="quiet">
          {neutralize(projectName(project))}
          {latest === null ? "" : ` · ${dayLabel(latest)}`}
        </span>
      </h2>
      {hits.map((hit, index) => (
        <Hit
          key={`${hit.line} ${hit.kind} ${hit.toolUseId}`}
          hit={hit}
          isPromptKnown={hit.kind === "prompt" || isSameTurn(hit, hits[index - 1])}
          path={hitPath(sessionId, hit, query)}
          route={route}
        />
      ))}
      {totalHits > hits.length ? (
        <a class="quiet more-hits" href={sessionPath(sessionId, { query })}>
          and {formatCount(totalHits - hits.length, "more hit")}
        </a>
      ) : null}
    </section>
  );
}

/** The prompt of the turn is shown with the previous hit already. */
function isSameTurn({ turn, agentId }: ServedHit, before: ServedHit | undefined): boolean {
  return turn === before?.turn && agentId === before.agentId;
}

function hitPath(id: string, hit: ServedHit, query: string): string {
  return sessionPath(id, { turn: hit.turn, anchor: hitAnchor(hit), query });
}

interface HitProps {
  readonly hit: ServedHit;
  readonly isPromptKnown: boolean;
  readonly path: string;
  readonly route: Route;
}

function Hit({ hit, isPromptKnown, path, route }: HitProps) {
  const isHere = route.page === "session" && path === location.pathname + location.search + location.hash;
  return (
    <a class="hit" href={path} {...(isHere ? { "aria-current": "true" as const } : {})}>
      <span class="hit-kind">
        {hit.turn === null ? "" : `#${hit.turn} `}
        {hit.tool === null ? HIT_KINDS[hit.kind] : `${neutralize(hit.tool)} ${HIT_KINDS[hit.kind]}`}
        {hit.agentId === null ? "" : ", sub-agent"}
        {hit.timestamp === null ? null : <time title={formatTime(hit.timestamp)}>{dayLabel(hit.timestamp)}</time>}
      </span>
      {hit.prompt === null || isPromptKnown ? null : <span class="hit-prompt">{neutralize(hit.prompt)}</span>}
      <Snippet text={hit.snippet} marks={hit.marks} />
    </a>
  );
}

/** Shown next to the results until one is opened. */
export function SearchTips() {
  return (
    <EmptyState title="Search">
      <p>Searches prompts, answers, thinking, commands, tool results and titles.</p>
      <dl class="tips">
        {TIPS.map(([sign, meaning]) => (
          <div key={sign}>
            <dt>
              <code>{sign}</code>
            </dt>
            <dd>{meaning}</dd>
          </div>
        ))}
      </dl>
    </EmptyState>
  );
}

const TIPS = [
  ['"two words"', "exact phrase"],
  ["prefix*", "words starting with; the last word you type always does, unless it is in quotes"],
  ["-word", "exclude a word"],
  ["project:shop", "sessions of a project; also model: branch: tag: source:"],
  ["tool:Bash is:error", "a tool, with failures only"],
  ["after:7d before:1d", "a range of time"],
  ["in:prompts", "only prompts; also answers, thinking, commands, tools, results, titles, files"],
  ["mode:regex", "a regular expression; also mode:literal, and case:yes where capitals matter"],
] as const;
