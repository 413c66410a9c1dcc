import { useEffect, useRef } from "preact/hooks";
import { formatCount, formatTokens } from "../../render/format-values.js";
import { Icon } from "../../render/html/icon.js";
import { neutralize } from "../../render/neutralize.js";
import type { OutlineTurn, SessionAnswer } from "../../server/api/session.js";
import { comparePath } from "../routes.js";
import { SignButton } from "../shell/sign.js";
import { useVisibleRows } from "../use-visible-rows.js";
import { FilesTouched } from "./files-touched.js";
import { failuresOf, isTurnShown, type SessionFilter } from "./session-filter.js";

interface OutlineProps {
  readonly session: SessionAnswer;
  readonly branch: string | null;
  readonly filter: SessionFilter;
  readonly current: number;
  onGo(turn: number): void;
  onFile(file: SessionFilter["file"]): void;
  /** Where there is no room for it, it lies above the turns. */
  onClose(): void;
}

const ROW = 28; // pixels

/** Every turn by its prompt, with what stands out in it. */
export function Outline({ session, branch, filter, current, onGo, onFile, onClose }: OutlineProps) {
  const turns = session.turns.filter((turn) => isTurnShown(turn, filter));
  const box = useRef<HTMLDivElement>(null);
  const { first, last, onScroll } = useVisibleRows(box, turns.length, ROW);
  const compacted = new Map(session.compactions.map((compaction) => [compaction.turn, compaction]));
  const at = turns.findIndex(({ index }) => index === current);
  useEffect(() => keepInSight(box.current, at), [at]);
  return (
    <aside class="outline" aria-label="Outline">
      <header>
        <h2>Outline</h2>
        <SignButton name="close" label="Close the outline" onClick={onClose} />
      </header>
      <div
        class="outline-rows"
        ref={box}
        onScroll={onScroll}
        tabIndex={0}
        role="group"
        aria-label="Turns of the session"
      >
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
      <FilesTouched session={session} branch={branch} onFile={onFile} />
    </aside>
  );
}

/** Also when the list of files takes some of its room. */
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

/** Where somebody went back: what was left behind, beside what came instead. */
function Forks({ id, branches }: ForksProps) {
  return branches.map(({ leaf, turns }) => (
    <a
      key={leaf}
      class="fork"
      href={comparePath({ a: id, b: id, branchA: null, branchB: leaf })}
      title={`Rewound after this turn: ${formatCount(turns, "turn")}, side by side`}
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
