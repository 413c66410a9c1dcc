import { useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { formatCount, formatTokens, lastFolder } from "../../render/format-values.js";
import { Icon } from "../../render/html/components/icon.js";
import { describeShellGap } from "../../render/labels.js";
import { neutralize } from "../../render/safe-text.js";
import type { FilesAnswer } from "../../server/api/files.js";
import type { OutlineTurn, SessionAnswer } from "../../server/api/session.js";
import { useAnswer } from "../api.js";
import { LazyContextPanel } from "../lazy-views.js";
import { comparePath } from "../router.js";
import { IconButton } from "../shell/controls.js";
import { isFocusLost } from "../shell/keyboard.js";
import { LoadingState } from "../shell/states.js";
import { useVisibleRows } from "../shell/visible-rows.js";
import { useSettled } from "./use-settled.js";
import { failuresOf, isTurnShown, type TurnFilter } from "./visible-parts.js";

interface OutlineProps {
  readonly session: SessionAnswer;
  readonly branch: string | null;
  readonly filter: TurnFilter;
  readonly current: number;
  onGo(turn: number, anchor?: string): void;
  onFile(file: TurnFilter["file"]): void;
  /** On narrow screens the outline is a drawer over the turns. */
  onClose(): void;
}

const ROW = 28; // pixels

/** All turns by their prompts, with marks for errors, interruptions and compactions. */
export function Outline({ session, branch, filter, current, onGo, onFile, onClose }: OutlineProps) {
  const [tab, setTab] = useState<"outline" | "context">("outline");
  return (
    <aside class="outline" aria-label={tab === "outline" ? "Outline" : "Context"}>
      <header>
        <fieldset class="toggle" aria-label="Beside the text">
          <button type="button" aria-pressed={tab === "outline"} onClick={() => setTab("outline")}>
            Outline
          </button>
          <button type="button" aria-pressed={tab === "context"} onClick={() => setTab("context")}>
            Context
          </button>
        </fieldset>
        <IconButton name="close" label="Close outline" onClick={onClose} />
      </header>
      {tab === "outline" ? (
        <Turns session={session} filter={filter} current={current} onGo={onGo} />
      ) : (
        <LazyContextPanel session={session} branch={branch} current={current} onGo={onGo} />
      )}
      {tab === "outline" ? <FilesTouched session={session} branch={branch} onFile={onFile} /> : null}
    </aside>
  );
}

function Turns({ session, filter, current, onGo }: Pick<OutlineProps, "session" | "filter" | "current" | "onGo">) {
  const turns = session.turns.filter((turn) => isTurnShown(turn, filter));
  const box = useRef<HTMLDivElement>(null);
  const { first, last, onScroll } = useVisibleRows(box, turns.length, ROW);
  const compacted = new Map(session.compactions.map((compaction) => [compaction.turn, compaction]));
  const at = turns.findIndex(({ index }) => index === current);
  useEffect(() => keepInSight(box.current, at), [at]);
  return (
    <div class="outline-rows" ref={box} onScroll={onScroll} tabIndex={0} role="group" aria-label="Turns of the session">
      <ol style={{ height: `${turns.length * ROW}px` }}>
        {turns.slice(first, last + 1).map((turn, index) => (
          <li key={turn.index} style={{ top: `${(first + index) * ROW}px` }}>
            <button
              type="button"
              {...(turn.index === current ? { "aria-current": "true" as const } : {})}
              onClick={() => onGo(turn.index)}
            >
              <span class="index">{turn.index}</span>
              <span class="label" dir="auto">
                {neutralize(turn.prompt) || turn.kind}
              </span>
              <Marks turn={turn} compaction={compacted.get(turn.index)} />
            </button>
            <Forks
              id={session.header.id}
              branches={session.branches.dead.filter(({ sharedTurns }) => sharedTurns === turn.index)}
            />
          </li>
        ))}
      </ol>
    </div>
  );
}

/** Scrolls to a row, again when the size of the box changes. */
function keepInSight(box: HTMLElement | null, row: number): (() => void) | undefined {
  if (!box || row < 0) return;
  const [top, bottom] = [row * ROW, (row + 1) * ROW];
  const observer = new ResizeObserver(() => {
    if (top < box.scrollTop) box.scrollTop = top;
    else if (bottom > box.scrollTop + box.clientHeight) box.scrollTop = bottom - box.clientHeight;
  });
  observer.observe(box);
  return () => observer.disconnect();
}

interface ForksProps {
  readonly id: string;
  readonly branches: SessionAnswer["branches"]["dead"];
}

/** Links to a comparison with the branches that were rewound after this turn. */
function Forks({ id, branches }: ForksProps) {
  return branches.map(({ leaf, turns }) => (
    <a
      key={leaf}
      class="fork"
      href={comparePath({ a: id, b: id, branchA: null, branchB: leaf })}
      title={`Rewound after this turn (${formatCount(turns, "turn")}): compare`}
      aria-label="Rewound after this turn: compare"
    >
      <Icon name="fork" />
    </a>
  ));
}

interface MarksProps {
  readonly turn: OutlineTurn;
  readonly compaction: SessionAnswer["compactions"][number] | undefined;
}

function Marks({ turn, compaction }: MarksProps) {
  const failures = failuresOf(turn);
  const sizes = [compaction?.preTokens, compaction?.postTokens].flatMap((tokens) =>
    tokens == null ? [] : formatTokens(tokens),
  );
  return (
    <span class="marks">
      {compaction ? (
        <span title={`compacted ${sizes.join(" → ")}`}>
          <Icon name="seam" label="compacted" />
        </span>
      ) : null}
      {turn.interrupted ? <Icon name="interrupted" label="interrupted" /> : null}
      {failures > 0 ? (
        <span class="failed" title={`${failures} failed`}>
          <Icon name="error" label={`${failures} failed`} />
        </span>
      ) : null}
    </span>
  );
}

interface FilesTouchedProps {
  readonly session: Pick<SessionAnswer, "header" | "version" | "sizeBytes">;
  readonly branch: string | null;
  onFile(file: TurnFilter["file"]): void;
}

/** Listing files reads all file changes of the session; above this size, only on request. */
const LARGE_BYTES = 16 * 1024 * 1024;
const SETTLE_MS = 1000;

/** Files that the session changed, with added and removed lines. */
function FilesTouched({ session, branch, onFile }: FilesTouchedProps) {
  const isLarge = session.sizeBytes > LARGE_BYTES;
  const [isOpen, setOpen] = useState(false);
  const version = useSettled(session.version, SETTLE_MS);
  const isWanted = version !== undefined && (isOpen || !isLarge);
  const fields = { session: session.header.id, version: String(version), ...(branch === null ? {} : { branch }) };
  const { answer } = useAnswer<FilesAnswer>(isWanted ? `/api/files?${new URLSearchParams(fields)}` : null);
  const written = (answer?.files ?? []).filter(({ writes, edits }) => writes + edits > 0);
  if (written.length === 0 && !answer?.unrecorded.length && !isLarge) return null;
  return (
    <details class="files-touched" onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>{answer ? `${formatCount(written.length, "file")} changed` : "Files changed"}</summary>
      {answer || !isOpen ? null : <LoadingState />}
      <ul>
        {written.map(({ path, name, added, removed, isNew, turns }) => (
          <li key={path}>
            <button
              type="button"
              class="name"
              title={`Show only turns with ${neutralize(path)}`}
              onClick={() => onFile({ path, name: lastFolder(path), turns })}
            >
              <bdi>{neutralize(name ?? path)}</bdi>
            </button>
            {isNew ? <span class="quiet">new</span> : null}
            {added === null ? null : <b class="added">+{added}</b>}
            {removed === null ? null : <b class="removed">−{removed}</b>}
          </li>
        ))}
      </ul>
      {(answer?.unrecorded ?? []).map((gap, index) => (
        <p key={index} class="note">
          Turn {gap.turn}, files changed by a command: {neutralize(describeShellGap(gap))}
        </p>
      ))}
    </details>
  );
}

export interface OutlineDrawer {
  readonly isOpen: boolean;
  toggle(): void;
  close(): void;
}

/** The outline on narrow screens: opened by its button, closed by Escape or a click elsewhere. */
export function useOutlineDrawer(): OutlineDrawer {
  const [isOpen, setOpen] = useState(false);
  const close = useCallback(() => setOpen(false), []);
  useLayoutEffect(() => {
    if (!isOpen) return;
    const away = new AbortController();
    const options = { signal: away.signal };
    (find(".outline [aria-current]") ?? find(".outline-rows"))?.focus({ preventScroll: true });
    addEventListener("keydown", ({ key }) => key === "Escape" && close(), options);
    addEventListener("pointerdown", ({ target }) => isElsewhere(target) && close(), options);
    return () => {
      away.abort();
      const isWithin = find(".outline")?.contains(document.activeElement);
      if (isWithin || isFocusLost()) find(".to-outline")?.focus({ preventScroll: true });
    };
  }, [isOpen]);
  return useMemo(() => ({ isOpen, close, toggle: () => setOpen((before) => !before) }), [isOpen]);
}

function isElsewhere(target: EventTarget | null): boolean {
  return target instanceof Element && target.closest(".outline, .to-outline") === null;
}

function find(selector: string): HTMLElement | null {
  return document.querySelector<HTMLElement>(`.session-view ${selector}`);
}
