import { formatCost, formatTokens } from "../../render/format-values.js";
import { withoutProject } from "../../render/html/without-project.js";
import { neutralize } from "../../render/neutralize.js";
import type { ComparedPair, CompareSide, PairedTurn } from "../../server/api/compare.js";
import { sessionPath } from "../routes.js";

interface PairedTurnsProps {
  readonly pair: ComparedPair;
  readonly a: CompareSide;
  readonly b: CompareSide;
}

/** What belongs together stands beside each other; what differs is marked, and a turn of one side alone as a whole. */
export function PairedTurns({ pair, a, b }: PairedTurnsProps) {
  return (
    <div class={`pair-row ${pair.kind}`}>
      <Half turn={pair.a} other={pair.b} side={a} differs={pair.differs} sign="removed" />
      <Half turn={pair.b} other={pair.a} side={b} differs={pair.differs} sign="added" />
    </div>
  );
}

interface HalfProps {
  readonly turn: PairedTurn | null;
  readonly other: PairedTurn | null;
  readonly side: CompareSide;
  readonly differs: ComparedPair["differs"];
  readonly sign: "added" | "removed";
}

function Half({ turn, other, side, differs, sign }: HalfProps) {
  if (!turn) return <div class="half nothing" />;
  const { index, prompt, answer, tokens, costUsd } = turn;
  const short = (lines: readonly string[]) => lines.map((line) => withoutProject(line, side.project));
  const [tools, files] = [short(turn.tools), short(turn.files)];
  const isAlone = other === null;
  const isMarked = (part: ComparedPair["differs"][number]) => (!isAlone && differs.includes(part) ? ` ${sign}` : "");
  return (
    <section
      class={isAlone ? `half alone ${sign}` : "half"}
      aria-label={`Turn ${index} on the ${sign === "added" ? "right" : "left"}`}
    >
      <header>
        <a class="number" href={sessionPath(side.id, { turn: index, branch: side.branch })}>
          {index}
        </a>
        <span class={differs.includes("tokens") ? "spent differs" : "spent"}>
          {formatTokens(tokens)} tokens · {formatCost(costUsd)}
        </span>
        {isAlone ? <span class="only-here">{sign === "added" ? "+" : "−"} only here</span> : null}
      </header>
      <p class={`half-prompt${isMarked("prompt")}`} dir="auto">
        {neutralize(prompt) || "(no text)"}
      </p>
      <Lines
        name="Tools"
        lines={tools}
        others={short((other ?? turn).tools)}
        sign={sign}
        isShown={isAlone || differs.includes("tools")}
      />
      <Lines
        name="Files"
        lines={files}
        others={short((other ?? turn).files)}
        sign={sign}
        isShown={isAlone || differs.includes("files")}
      />
      {answer === "" || (!isAlone && !differs.includes("answer")) ? null : (
        <details class="half-answer">
          <summary>
            <span class="label">Answer</span> <span class="title">{firstLine(answer)}</span>
          </summary>
          <p dir="auto">{neutralize(answer)}</p>
        </details>
      )}
    </section>
  );
}

interface LinesProps {
  readonly name: string;
  readonly lines: readonly string[];
  readonly others: readonly string[];
  readonly sign: "added" | "removed";
  readonly isShown: boolean;
}

function Lines({ name, lines, others, sign, isShown }: LinesProps) {
  if (!isShown || lines.length === 0) return null;
  const marks = markOwn(lines, others);
  return (
    <ul class="half-lines" aria-label={name}>
      {lines.map((line, index) => (
        <li key={index} {...(marks[index] ? { class: sign } : {})}>
          <b aria-hidden="true">{marks[index] ? (sign === "added" ? "+" : "−") : ""}</b>
          <span>{neutralize(line)}</span>
        </li>
      ))}
    </ul>
  );
}

/** Which lines the other side does not have as often. */
function markOwn(lines: readonly string[], others: readonly string[]): boolean[] {
  const left = new Map<string, number>();
  for (const line of others) left.set(line, (left.get(line) ?? 0) + 1);
  return lines.map((line) => {
    const count = left.get(line) ?? 0;
    left.set(line, count - 1);
    return count <= 0;
  });
}

const SHOWN_CHARACTERS = 160;

function firstLine(text: string): string {
  const [line = ""] = neutralize(text).trim().split("\n", 1);
  return line.length > SHOWN_CHARACTERS ? `${line.slice(0, SHOWN_CHARACTERS)}…` : line;
}
