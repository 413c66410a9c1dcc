import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { formatCost, formatCount, formatTime } from "../../render/format-values.js";
import { showStatus } from "../../render/html/page-script/page-elements.js";
import { describeCostParts, describeFailures } from "../../render/labels.js";
import { neutralize } from "../../render/safe-text.js";
import type { FacetsAnswer, ListedSession } from "../../server/api/list.js";
import type { DemoAnswer, StartAnswer } from "../../server/api/start.js";
import { change, toApiError, useAnswer } from "../api.js";
import { clockLabel, dayLabel, projectLabels, projectName } from "../labels.js";
import { comparePath, type Route, sessionPath } from "../router.js";
import { UiIcon } from "../shell/controls.js";
import { useKeys } from "../shell/keyboard.js";
import { EmptyState, FailedState, IndexProgress, LoadingState } from "../shell/states.js";
import { rowAt, toOffsets, useBoxView } from "../shell/visible-rows.js";
import { moveToTrash } from "../trash/trash-view.js";
import { openTravel } from "../travel/wanted-dialog.js";
import { FilterBar } from "./filter-bar.js";
import { clearListFilter, filterFields, isFiltered, type ListFilter, useListFilter } from "./list-filter.js";
import { LossNotice } from "./loss-notice.js";
import { type SessionPages, useRevealedRow, useSessionPages } from "./use-session-pages.js";

const ROW = 54; // pixels
const HEADING = 34;
const MARGIN = 600; // pixels rendered above and below the visible part

export interface ListCounts {
  readonly total: number;
  /** Without filter. */
  readonly found: number;
}

interface SessionListProps {
  readonly route: Route;
  readonly facets: FacetsAnswer | undefined;
  /** Called when the counts are known or change. */
  onListed(listed: ListCounts | undefined): void;
}

/** There may be ten thousand sessions: only visible ones are requested and rendered. */
export function SessionList({ route, facets, onListed }: SessionListProps) {
  const filter = useListFilter();
  const pages = useSessionPages(filterFields(filter));
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const current = route.page === "session" ? route.id : null;
  const toggle = (id: string) => setSelected((old) => toggled(old, id));
  useListKeys(current === null);
  const { found, total } = pages;
  useLayoutEffect(() => onListed(found === undefined ? undefined : { total, found }), [onListed, total, found]);
  return (
    <>
      {found === 0 ? null : (
        <FilterBar filter={filter} facets={facets} total={found === undefined ? undefined : total} />
      )}
      <IndexProgress />
      <LossNotice />
      {pages.failure && found === undefined ? (
        <FailedState failure={pages.failure} onRetry={pages.refresh} />
      ) : found === undefined || (found === 0 && pages.isIndexing) ? (
        <LoadingState />
      ) : total === 0 ? (
        <NoSessions filter={filter} pages={pages} />
      ) : (
        <Rows pages={pages} filter={filter} facets={facets} current={current} selected={selected} onSelect={toggle} />
      )}
      <SelectionBar selected={selected} onDone={() => setSelected(new Set())} />
    </>
  );
}

/** `j` and `k` move between rows unless a session is open, where they move between turns. */
function useListKeys(isListOnly: boolean): void {
  const rows = () => [...document.querySelectorAll<HTMLElement>(".rows .row > a")];
  const step = (by: 1 | -1) => {
    const all = rows();
    const at = all.indexOf(document.activeElement as HTMLElement);
    (all[at + by] ?? all[at] ?? all[0])?.focus();
  };
  const select = () => {
    const row = rows().find((one) => one === document.activeElement) ?? document.querySelector(".row [aria-current]");
    row?.parentElement?.querySelector("input")?.click();
  };
  useKeys(isListOnly ? { j: () => step(1), k: () => step(-1), x: select } : { x: select });
}

function toggled(old: ReadonlySet<string>, id: string): ReadonlySet<string> {
  const selected = new Set(old);
  if (!selected.delete(id)) selected.add(id);
  return selected;
}

interface RowsProps {
  readonly pages: SessionPages;
  readonly filter: ListFilter;
  readonly facets: FacetsAnswer | undefined;
  readonly current: string | null;
  readonly selected: ReadonlySet<string>;
  onSelect(id: string): void;
}

function Rows({ pages, filter, facets, current, selected, onSelect }: RowsProps) {
  const labelOf = useMemo(() => projectLabels((facets?.projects ?? []).map(({ name }) => name)), [facets]);
  const box = useRef<HTMLDivElement>(null);
  const { top, height, look } = useBoxView(box);
  const headings = useMemo(() => headingsOf(pages, filter), [pages, filter]);
  const offsets = useMemo(
    () => toOffsets(pages.total, (row) => ROW + (headings.has(row) ? HEADING : 0)),
    [pages.total, headings],
  );
  const first = rowAt(offsets, Math.max(0, top - MARGIN));
  const last = rowAt(offsets, top + height + MARGIN);
  useEffect(() => pages.want(first, last), [pages, first, last]);
  const onScroll = useRevealedRow(box, current, { pages, offsets }, look);
  const rows = Array.from({ length: last - first + 1 }, (_, index) => first + index);
  return (
    <div class="rows" ref={box} onScroll={onScroll} tabIndex={0} role="group" aria-label="Sessions">
      <ul style={{ height: `${offsets.at(-1) ?? 0}px` }}>
        {rows.map((row) => (
          <li key={row} style={{ top: `${offsets[row] ?? 0}px` }}>
            {headings.has(row) ? <h2>{neutralize(headings.get(row) ?? "")}</h2> : null}
            <SessionRow
              session={pages.at(row)}
              labelOf={labelOf}
              isCurrent={current !== null && pages.at(row)?.id === current}
              isSelected={selected.has(pages.at(row)?.id ?? "")}
              onSelect={onSelect}
            />
          </li>
        ))}
      </ul>
      {rows.length < pages.total ? (
        <p class="only-printed">
          Sessions {first + 1} to {last + 1} of {pages.total}.
        </p>
      ) : null}
    </div>
  );
}

/** A heading precedes the first session of each day or project. */
function headingsOf(pages: SessionPages, { sort }: ListFilter): ReadonlyMap<number, string> {
  const nameOf = GROUPS.get(sort);
  const headings = new Map<number, string>();
  if (!nameOf) return headings;
  let before: string | undefined;
  for (let row = 0; row < pages.total; row += 1) {
    const session = pages.at(row);
    if (!session) continue;
    const name = nameOf(session);
    if (name !== before) headings.set(row, sort === "project" ? projectWords(name, before) : name);
    before = name;
  }
  return headings;
}

/** Projects in different places may have the same folder name. */
function projectWords(path: string, before: string | undefined): string {
  const name = projectName(path);
  return before !== undefined && name === projectName(before) ? `${name} (${path})` : name;
}

const GROUPS: ReadonlyMap<ListFilter["sort"], (session: ListedSession) => string> = new Map([
  ["activity", ({ endedAt }) => dayLabel(endedAt)],
  ["started", ({ startedAt }) => dayLabel(startedAt)],
  ["project", ({ project }) => project ?? ""],
]);

/** The demo is a separate server, so that its sessions never mix with real ones. */
function OpenDemo() {
  const open = async () => {
    try {
      const { port, token } = await change<DemoAnswer>("/api/demo", {});
      location.href = `${location.protocol}//${location.hostname}:${port}/?token=${token}`;
    } catch (error) {
      showStatus(toApiError(error).message);
    }
  };
  return (
    <button type="button" class="button primary" onClick={open}>
      Open demo sessions
    </button>
  );
}

function NoSessions({ filter, pages }: { readonly filter: ListFilter; readonly pages: SessionPages }) {
  const { answer: start } = useAnswer<StartAnswer>("/api/start");
  if (isFiltered(filter)) {
    return (
      <EmptyState title="No matching sessions">
        <p>The filter hides {formatCount(pages.found ?? 0, "session")}.</p>
        <button type="button" class="button" onClick={clearListFilter}>
          Show all
        </button>
      </EmptyState>
    );
  }
  return (
    <EmptyState title="No sessions yet">
      <p>
        turnlog looked in <code>{start?.roots.join(", ") ?? "the default folder"}</code>. New sessions appear here
        automatically.
      </p>
      <OpenDemo />
      <dl class="commands">
        <dt>To open the demo from a terminal</dt>
        <dd>
          <code>{start?.demoCommand}</code>
        </dd>
        <dt>To read sessions from another folder</dt>
        <dd>
          <code>turnlog open --config-dir &lt;folder&gt;</code>
        </dd>
      </dl>
    </EmptyState>
  );
}

interface SessionRowProps {
  readonly session: ListedSession | undefined; // undefined until it is loaded
  labelOf(project: string | null): string;
  readonly isCurrent: boolean;
  readonly isSelected: boolean;
  onSelect(id: string): void;
}

function SessionRow({ session, labelOf, isCurrent, isSelected, onSelect }: SessionRowProps) {
  if (!session) return <div class="row pending" />;
  const { id, title, project, endedAt, turns, toolCalls, totalCostUsd, favourite, tags } = session;
  const name = neutralize(title);
  return (
    <div class={isSelected ? "row selected" : "row"}>
      <input type="checkbox" aria-label={`Select ${name}`} checked={isSelected} onChange={() => onSelect(id)} />
      <a href={sessionPath(id)} {...(isCurrent ? { "aria-current": "true" as const } : {})}>
        <span class="row-title">
          {session.live ? <span class="live-dot" role="img" aria-label="running" /> : null}
          <span class="name" dir="auto">
            {name}
          </span>
          {favourite ? (
            <span class="favourite" role="img" aria-label="favourite">
              <UiIcon name="star" />
            </span>
          ) : null}
          <time title={formatTime(endedAt)}>{clockLabel(endedAt)}</time>
        </span>
        <span class="row-facts">
          <span class="project" title={neutralize(project ?? "")}>
            {neutralize(labelOf(project))}
          </span>
          {tags.length === 0 ? null : (
            <span class="tag" title={neutralize(tags.join(", "))}>
              {neutralize(tags[0] ?? "")}
              {tags.length > 1 ? ` +${tags.length - 1}` : ""}
            </span>
          )}
          <span>{formatCount(turns, "turn")}</span>
          {totalCostUsd === null ? null : (
            <span {...titled(describeCostParts(session).join("; "))}>{formatCost(totalCostUsd)}</span>
          )}
          <Failures session={session} />
          {toolCalls === 0 ? null : (
            <span title={formatCount(toolCalls, "tool call")}>{formatCount(toolCalls, "tool")}</span>
          )}
        </span>
      </a>
    </div>
  );
}

function titled(title: string) {
  return title === "" ? {} : { title };
}

/** In short what the heading of the session says: a denied call did not fail. */
function Failures({ session }: { readonly session: ListedSession }) {
  const { failedToolCalls, apiErrors } = session;
  const rest = describeFailures({ ...session, failedToolCalls: 0 }).join(", ");
  return (
    <>
      {failedToolCalls === 0 ? null : <span class="failed">{failedToolCalls} failed</span>}
      {apiErrors === 0 ? null : <span class="failed">{formatCount(apiErrors, "API error")}</span>}
      {rest === "" ? null : <span>{rest}</span>}
    </>
  );
}

interface SelectionBarProps {
  readonly selected: ReadonlySet<string>;
  onDone(): void;
}

/** Actions on the selected sessions. */
function SelectionBar({ selected, onDone }: SelectionBarProps) {
  const [first, second] = selected;
  if (selected.size === 0) return null;
  return (
    <div class="selection" role="toolbar" aria-label="Selected sessions">
      <span>{formatCount(selected.size, "session")}</span>
      <button type="button" class="link" onClick={onDone}>
        Deselect
      </button>
      <div class="selection-actions">
        {first !== undefined && second !== undefined && selected.size === 2 ? (
          <a class="button" href={comparePath({ a: first, b: second, branchA: null, branchB: null })}>
            Compare
          </a>
        ) : null}
        <button type="button" class="button" onClick={() => openTravel({ kind: "bundle", ids: [...selected] })}>
          Bundle …
        </button>
        <button
          type="button"
          class="button"
          onClick={async () => {
            if (await moveToTrash([...selected])) onDone();
          }}
        >
          Move to trash
        </button>
      </div>
    </div>
  );
}
