import "./blame.css";
import { useState } from "preact/hooks";
import { formatCount, formatTime } from "../../render/format-values.js";
import { neutralize } from "../../render/safe-text.js";
import type { BlameAnswer } from "../../server/api/blame.js";
import { useAnswer } from "../api.js";
import { type BlameRoute, blamePath, navigate, sessionPath } from "../router.js";
import { FailedState, LoadingState } from "../shell/states.js";

/** A file beside the turns and commits that wrote its lines. */
export function BlameView({ route: { file, line } }: { readonly route: BlameRoute }) {
  const { answer, failure, isCurrent, reload } = useAnswer<BlameAnswer>(
    file === "" ? null : `/api/blame?${new URLSearchParams({ file })}`,
  );
  return (
    <div class="blame-view" role="region" aria-label="Who wrote a file" tabIndex={0}>
      <h1>Who wrote a file</h1>
      <FileChoice file={file} />
      {file === "" ? (
        <p class="quiet">
          The whole path of a file that a session changed. Each line is shown with the prompt that led to it.
        </p>
      ) : failure ? (
        <FailedState failure={failure} onRetry={reload} />
      ) : answer && isCurrent ? (
        <BlamedFile answer={answer} line={line} />
      ) : (
        <LoadingState label="Reading the file, its repository and its sessions" />
      )}
    </div>
  );
}

function FileChoice({ file }: { readonly file: string }) {
  const [typed, setTyped] = useState(file);
  return (
    <form
      class="blame-choice"
      onSubmit={(event) => {
        event.preventDefault();
        navigate(blamePath(typed.trim()));
      }}
    >
      <label>
        <span>File</span>
        <input
          type="text"
          value={typed}
          spellcheck={false}
          autocomplete="off"
          onInput={(event) => setTyped(event.currentTarget.value)}
        />
      </label>
      <button type="submit" class="button" disabled={typed.trim() === ""}>
        Show
      </button>
    </form>
  );
}

/** More make the page slow. */
const MAX_LINES = 20_000;

function BlamedFile({ answer, line }: { readonly answer: BlameAnswer; readonly line: number | null }) {
  const { counts, turns, commits, lines, notes } = answer;
  const sessions = new Set(turns.map(({ session }) => session)).size;
  const groups = groupLines(lines.slice(0, MAX_LINES));
  return (
    <>
      <p class="blame-sums">
        {formatCount(counts.turn, "line")} by {formatCount(turns.length, "turn")} of {formatCount(sessions, "session")},{" "}
        {counts.commit} by {formatCount(commits.length, "commit")}, {counts.unknown} unknown
      </p>
      {notes.map((note) => (
        <p key={note} class="note">
          {neutralize(note)}
        </p>
      ))}
      {lines.length > MAX_LINES ? (
        <p class="note">The first {MAX_LINES} lines. `turnlog blame` prints all of them.</p>
      ) : null}
      <div class="blame-lines">
        {groups.map((group) => (
          <Group key={group[0]?.line} group={group} answer={answer} line={line} />
        ))}
      </div>
    </>
  );
}

type Line = BlameAnswer["lines"][number];

/** Lines that follow upon each other and have one author. */
function groupLines(lines: readonly Line[]): Line[][] {
  const groups: Line[][] = [];
  for (const line of lines) {
    const [last] = groups.at(-1) ?? [];
    if (last && last.origin === line.origin && last.turn === line.turn && last.commit === line.commit)
      groups.at(-1)?.push(line);
    else groups.push([line]);
  }
  return groups;
}

interface GroupProps {
  readonly group: readonly Line[];
  readonly answer: BlameAnswer;
  readonly line: number | null;
}

function Group({ group, answer, line: wanted }: GroupProps) {
  const [first] = group;
  const isWanted = group.some(({ line }) => line === wanted);
  const numbers = group.map(({ line, reformatted }) => `${line}${reformatted ? "~" : " "}`).join("\n");
  return (
    <div class={`blame-group by-${first?.origin}`} data-wanted={isWanted || undefined}>
      <div class="who">{first ? <Author line={first} answer={answer} /> : null}</div>
      <pre class="numbers" title={numbers.includes("~") ? "~: only the spacing was changed since" : undefined}>
        {numbers}
      </pre>
      <pre class="code">{group.map(({ text }) => neutralize(text)).join("\n")}</pre>
    </div>
  );
}

function Author({ line, answer: { turns, commits } }: { readonly line: Line; readonly answer: BlameAnswer }) {
  const turn = line.turn === null ? undefined : turns[line.turn];
  if (turn) {
    const href = sessionPath(turn.session, { turn: Math.max(1, turn.turn) });
    return (
      <>
        <a href={href} title={neutralize(turn.prompt)}>
          {neutralize(turn.prompt) || `turn ${turn.turn}`}
        </a>
        <span class="quiet">
          turn {turn.turn}
          {turn.agentId === null ? "" : ", sub-agent"} · {neutralize(turn.title)} · {formatTime(turn.at)}
        </span>
      </>
    );
  }
  const commit = commits.find(({ id }) => id === line.commit);
  if (!commit) return <span class="quiet">{line.commit?.slice(0, 8) ?? "not known"}</span>;
  return (
    <>
      <span title={neutralize(commit.subject)}>{neutralize(commit.subject)}</span>
      <span class="quiet">
        commit {commit.id.slice(0, 8)} · {neutralize(commit.author)} · {formatTime(commit.at)}
      </span>
    </>
  );
}
