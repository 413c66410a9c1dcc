import { useState } from "preact/hooks";
import { formatCost, formatCount, formatTime, formatTokens, totalTokens } from "../../render/format-values.js";
import { Icon } from "../../render/html/icon.js";
import { withoutProject } from "../../render/html/without-project.js";
import { neutralize } from "../../render/neutralize.js";
import type { CompareAnswer, ComparedPair, CompareSide } from "../../server/api/compare.js";
import { SameCommand } from "../edit/edit-report.js";
import { type CompareRoute, compareFields, comparePath, sessionPath } from "../routes.js";
import { FailedState, LoadingState } from "../shell/states.js";
import { useAnswer } from "../use-answer.js";
import { projectName } from "../words.js";
import { PairedTurns } from "./paired-turns.js";

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
            Show turns that are the same
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
              <p class="same-run">{formatCount(run, "turn is", "turns are")} the same</p>
            ) : (
              <PairedTurns pair={run} a={a} b={b} />
            )}
          </li>
        ))}
      </ol>
      {isCut ? <p class="quiet">Very long texts are shortened here.</p> : null}
      {command === null ? null : <SameCommand command={command} />}
    </div>
  );
}

/** Turns that are the same are counted, unless they are to be seen. */
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
  const { id, title, project, branch, models, startedAt, turns, toolCalls, toolErrors, files, usage, costUsd } = side;
  const only = files.filter((file) => !other.files.includes(file));
  const figures = [
    ["turns", String(turns)],
    ["tool calls", `${toolCalls}${toolErrors > 0 ? ` (${toolErrors} failed)` : ""}`],
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
  const parts = (["prompt", "answer", "tools", "files", "tokens"] as const).flatMap((part) => {
    const count = turns.filter(({ differs }) => differs.includes(part)).length;
    return count === 0 ? [] : [`${part} in ${count}`];
  });
  const alone = turns.filter(({ kind }) => kind === "onlyA" || kind === "onlyB").length;
  const words = [
    same > 0 ? formatCount(same, "turn is the same", "turns are the same") : "",
    same === turns.length ? "there is no difference" : "",
    parts.length > 0 ? `different: ${parts.join(", ")}` : "",
    alone > 0 ? `${formatCount(alone, "turn stands", "turns stand")} on one side alone` : "",
  ];
  return <p class="changes">{words.filter(Boolean).join("; ")}</p>;
}
