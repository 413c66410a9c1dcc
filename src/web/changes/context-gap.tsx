import { useContext, useState } from "preact/hooks";
import { formatCount } from "../../render/format-values.js";
import { PageToolsContext } from "../../render/html/components/page-tools.js";
import type { LinesAnswer } from "../../server/api/changes.js";
import { useAnswer } from "../api.js";
import type { SessionRoute } from "../router.js";
import { Refusal } from "../shell/states.js";
import type { DiffLook } from "./changes-tools.js";
import { DiffRows } from "./diff-rows.js";

/** Unchanged lines, by their numbers after the change. */
export interface Gap {
  readonly from: number;
  readonly to: number | null; // null: up to the end of the file
  /** What leads from the number after to the number before. */
  readonly shift: number;
}

interface GapRowProps {
  readonly gap: Gap;
  readonly path: string;
  readonly language: string | null;
  readonly look: DiffLook;
  readonly route: Pick<SessionRoute, "id" | "branch">;
}

const STEP = 20; // lines
const MOST = 2000;

/** Hidden unchanged lines, with buttons that show them from either end. */
export function GapRow({ gap, path, language, look, route: { id, branch } }: GapRowProps) {
  const { highlight } = useContext(PageToolsContext);
  const [isOpened, setOpened] = useState(false);
  const [shown, setShown] = useState({ above: 0, below: 0 });
  const fields = {
    session: id,
    path,
    from: String(gap.from),
    to: String(Math.min(gap.to ?? Number.POSITIVE_INFINITY, gap.from + MOST - 1)),
    ...(branch === null ? {} : { branch }),
  };
  const { answer, failure } = useAnswer<LinesAnswer>(
    isOpened ? `/api/changes/lines?${new URLSearchParams(fields)}` : null,
  );
  const lines = endAtLastLine(answer, gap);
  const known = lines?.length ?? (gap.to === null ? null : gap.to - gap.from + 1);
  const above = Math.min(shown.above, known ?? 0);
  const below = Math.min(shown.below, (known ?? 0) - above);
  const rows = (from: number, to: number) =>
    lines && to > from ? (
      <DiffRows hunk={toContext(lines, gap, from, to)} language={language} highlight={highlight} look={look} />
    ) : null;
  const show = (more: Partial<typeof shown>) => {
    setOpened(true);
    setShown({ ...shown, ...more });
  };
  if (failure) return <Refusal problem={failure} />;
  const left = known === null ? null : known - above - below;
  const isLong = left === null || left > STEP;
  return (
    <>
      {rows(0, above)}
      {left === 0 ? null : (
        <p class="gap-row">
          {gap.from > 1 && isLong ? (
            <button type="button" class="link" onClick={() => show({ above: above + STEP })}>
              Show {STEP} lines below
            </button>
          ) : null}
          {gap.to !== null && isLong ? (
            <button type="button" class="link" onClick={() => show({ below: below + STEP })}>
              Show {STEP} lines above
            </button>
          ) : null}
          <button type="button" class="link" onClick={() => show({ above: MOST })}>
            {left === null ? "Show the rest" : `Show ${formatCount(left, "unchanged line")}`}
          </button>
        </p>
      )}
      {rows((known ?? 0) - below, known ?? 0)}
    </>
  );
}

/** A text that ends with a line break has an empty piece after it, which is no line. */
function endAtLastLine(answer: LinesAnswer | undefined, { to, from }: Gap): readonly string[] | undefined {
  if (!answer) return undefined;
  const isAtEnd = to === null && from + answer.lines.length - 1 >= answer.total;
  return isAtEnd && answer.lines.at(-1) === "" ? answer.lines.slice(0, -1) : answer.lines;
}

function toContext(lines: readonly string[], { from, shift }: Gap, first: number, end: number) {
  const newStart = from + first;
  return { oldStart: newStart + shift, newStart, lines: lines.slice(first, end).map((line) => ` ${line}`) };
}
