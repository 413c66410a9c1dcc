import { useState } from "preact/hooks";
import { formatCost, formatCount, formatTime, formatTokens, totalTokens } from "../../render/format-values.js";
import { Icon } from "../../render/html/components/icon.js";
import { withoutProject } from "../../render/html/components/page-tools.js";
import { describeFailures, describeMissingPreserved } from "../../render/labels.js";
import { neutralize } from "../../render/safe-text.js";
import type { CompareAnswer, ComparedPair, CompareSide, PairedTurn } from "../../server/api/compare.js";
import { useAnswer } from "../api.js";
import { projectName } from "../labels.js";
import { type CompareRoute, compareFields, comparePath, sessionPath } from "../router.js";
import { SameCommand } from "../shell/copy.js";
import { FailedState, LoadingState } from "../shell/states.js";

/** Two sessions, or two branches of one, side by side. */
export function CompareView({ route }: { readonly route: CompareRoute }) {
  const { answer, failure, reload } = useAnswer<CompareAnswer>(`/api/compare?${compareFields(route)}`);
  const [isWhole, setWhole] = useState(false);
  if (failure) return <FailedState failure={failure} onRetry={reload} />;
  if (!answer) return <LoadingState label="Comparing" />;
  const { a, b, turns, command, isCut } = answer;
  const same = turns.filter(({ kind }) => kind === "same").length;
  return (
    <div class="page-body compare">
      <header class="insights-head">
        <h1>Compare</h1>
        <span class="compare-tools">
          <label class="field check">
            <input
              type="checkbox"
              checked={isWhole}
              onChange={({ currentTarget }) => setWhole(currentTarget.checked)}
            />
            Show identical turns
          </label>
          <a class="button" href={comparePath({ a: b.id, b: a.id, branchA: b.branch, branchB: a.branch })}>
            Swap
          </a>
        </span>
      </header>
      <div class="sides">
        <Side place="Left" side={a} other={b} />
        <Side place="Right" side={b} other={a} />
      </div>
      <Changes turns={turns} same={same} />
      <ol class="pairs">
        {(same === turns.length && !isWhole ? [] : toRuns(turns, isWhole)).map((run, index) => (
          <li key={index}>
            {typeof run === "number" ? (
              <p class="same-run">{formatCount(run, "identical turn")}</p>
            ) : (
              <PairedTurns pair={run} a={a} b={b} />
            )}
          </li>
        ))}
      </ol>
      {isCut ? <p class="quiet">Very long texts are shortened.</p> : null}
      {command === null ? null : <SameCommand command={command} />}
    </div>
  );
}

/** Replaces runs of identical turns by their number, unless all are to be shown. */
function toRuns(turns: readonly ComparedPair[], isWhole: boolean): (ComparedPair | number)[] {
  const runs: (ComparedPair | number)[] = [];
  for (const pair of turns) {
    const last = runs.at(-1);
    if (pair.kind !== "same" || isWhole) runs.push(pair);
    else if (typeof last === "number") runs[runs.length - 1] = last + 1;
    else runs.push(1);
  }
  return runs;
}

interface SideProps {
  readonly place: "Left" | "Right";
  readonly side: CompareSide;
  readonly other: CompareSide;
}

function Side({ place, side, other }: SideProps) {
  const { id, title, project, branch, models, startedAt, turns, files, usage, costUsd } = side;
  const failures = describeFailures(side).join(", ");
  const missing = describeMissingPreserved(side.missingPreserved);
  const only = files.filter((file) => !other.files.includes(file));
  const figures = [
    ["turns", String(turns)],
    ["tool calls", `${side.toolCalls}${failures === "" ? "" : ` (${failures})`}`],
    ["files changed", `${files.length}${only.length > 0 ? ` (${only.length} only here)` : ""}`],
    ["tokens", formatTokens(totalTokens(usage))],
    ["cost", formatCost(costUsd)],
  ] as const;
  return (
    <section class="side" aria-label={`${place}: ${neutralize(title)}`}>
      <h2 dir="auto">
        <a href={sessionPath(id, { branch })}>{neutralize(title)}</a>
      </h2>
      <p class="quiet">
        {[neutralize(projectName(project)), neutralize(models.join(", ")), formatTime(startedAt)]
          .filter(Boolean)
          .join(" · ")}
        {branch === null ? null : (
          <span class="branch-tag">
            <Icon name="fork" /> rewound branch
          </span>
        )}
      </p>
      <dl class="side-figures">
        {figures.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      {missing === "" ? null : <p class="note">{missing}</p>}
      {only.length === 0 ? null : (
        <ul class="only-files" aria-label="Files that only this side changed">
          {only.map((file) => (
            <li key={file}>{neutralize(withoutProject(file, project))}</li>
          ))}
        </ul>
      )}
    </section>
  );
}

function Changes({ turns, same }: { readonly turns: readonly ComparedPair[]; readonly same: number }) {
  const parts = (["prompt", "answer", "tools", "files", "tokens", "preserved"] as const).flatMap((part) => {
    const count = turns.filter(({ differs }) => differs.includes(part)).length;
    return count === 0 ? [] : [`${part} in ${count}`];
  });
  const alone = turns.filter(({ kind }) => kind === "onlyA" || kind === "onlyB").length;
  const words = [
    same > 0 ? formatCount(same, "identical turn") : "",
    same === turns.length ? "no differences" : "",
    parts.length > 0 ? `different: ${parts.join(", ")}` : "",
    alone > 0 ? `${formatCount(alone, "turn")} on one side only` : "",
  ];
  return <p class="changes">{words.filter(Boolean).join("; ")}</p>;
}

interface PairedTurnsProps {
  readonly pair: ComparedPair;
  readonly a: CompareSide;
  readonly b: CompareSide;
}

/** Two matching turns side by side with their differences marked, or a turn of one side. */
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
        {turn.preserved > 0 || differs.includes("preserved") ? (
          <span class={differs.includes("preserved") ? "spent differs" : "spent"}>
            {formatCount(turn.preserved, "message")} preserved by a compaction
          </span>
        ) : null}
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

/** Marks the lines that the other side does not have, or has less often. */
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
