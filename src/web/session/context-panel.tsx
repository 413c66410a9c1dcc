import { useContext } from "preact/hooks";
import { formatNumber, formatTokens } from "../../render/format-values.js";
import { PageToolsContext, withoutProject } from "../../render/html/components/page-tools.js";
import { neutralize } from "../../render/safe-text.js";
import { shownToolName } from "../../render/tools/view-parts.js";
import type { ContextPoint, SessionAnswer, WindowAnswer, WindowPart } from "../../server/api/session.js";
import { useAnswer } from "../api.js";
import { FailedState, LoadingState } from "../shell/states.js";
import { callAnchor } from "./show-target.js";
import { useSettled } from "./use-settled.js";

interface ContextPanelProps {
  readonly session: SessionAnswer;
  readonly branch: string | null;
  /** The turn that is read. */
  readonly current: number;
  onGo(turn: number, anchor?: string): void;
}

const SETTLE_MS = 200;

/** What fills the context window at the turn that is read: by source, and the largest parts. */
export function ContextPanel({ session, branch, current, onGo }: ContextPanelProps) {
  const turn = useSettled(Math.max(1, current), SETTLE_MS);
  const fields = new URLSearchParams({
    turn: String(turn ?? 1),
    version: String(session.version),
    ...(branch === null ? {} : { branch }),
  });
  const path = `/api/sessions/${encodeURIComponent(session.header.id)}/context/window?${fields}`;
  const { answer, failure } = useAnswer<WindowAnswer>(turn === undefined || session.turns.length === 0 ? null : path);
  if (session.turns.length === 0) return <p class="note">This session has no turns.</p>;
  if (failure) return <FailedState failure={failure} />;
  if (!answer) return <LoadingState label="Measuring" />;
  return (
    <div class="context-panel" tabIndex={0} role="group" aria-label="Context window">
      <Total answer={answer} />
      <Sources point={answer.point} />
      <Parts answer={answer} onGo={onGo} />
    </div>
  );
}

function Total({ answer: { point, from } }: { readonly answer: WindowAnswer }) {
  const sources = sourcesOf(point);
  const sum = sources.reduce((all, { tokens }) => all + tokens, 0);
  return (
    <>
      <p class="context-total">
        <strong>{formatTokens(point.recordedTokens ?? sum)} tokens</strong> after turn {point.turn}
      </p>
      <p class="quiet">
        {point.recordedTokens === null
          ? "Estimated from the length of the texts: no count is recorded for this turn."
          : `Counted by the API${tokensNote(point)}. How they divide is estimated from the length of the texts.`}
        {from > 1 ? ` Since the compaction in turn ${from}.` : ""}
      </p>
    </>
  );
}

/** Where estimates had to be stretched or shrunk a lot, they say less. */
function tokensNote({ scale, recordedTokens }: ContextPoint): string {
  const exact = recordedTokens === null ? "" : ` (${formatNumber(recordedTokens)})`;
  return scale < 0.5 || scale > 1.5 ? `${exact}; the estimates were scaled by ${scale.toFixed(1)}` : exact;
}

interface Source {
  readonly name: string;
  readonly tokens: number;
}

function sourcesOf(point: ContextPoint): Source[] {
  const { system, summary, prompts, answers, thinking, toolInputs, toolResults, readAgain } = point;
  const results = Object.entries(toolResults).map(([name, tokens]) => ({
    name: `Results of ${neutralize(shownToolName(name))}`,
    tokens: tokens - (name === "Read" ? readAgain : 0),
  }));
  return [
    { name: "System prompt and tools", tokens: system },
    { name: "Summary", tokens: summary },
    { name: "Prompts", tokens: prompts },
    { name: "Answers", tokens: answers },
    { name: "Thinking", tokens: thinking },
    { name: "Tool calls", tokens: toolInputs },
    ...results,
    { name: "Files read again", tokens: readAgain },
  ]
    .filter(({ tokens }) => tokens > 0)
    .toSorted((a, b) => b.tokens - a.tokens);
}

function Sources({ point }: { readonly point: ContextPoint }) {
  const sources = sourcesOf(point);
  const most = Math.max(1, ...sources.map(({ tokens }) => tokens));
  return (
    <ul class="context-sources">
      {sources.map(({ name, tokens }) => (
        <li key={name}>
          <span class="name">{name}</span>
          <span class="amount">{formatTokens(tokens)}</span>
          <meter min={0} max={most} value={tokens} aria-label={`${name}: ${formatTokens(tokens)} tokens`} />
        </li>
      ))}
    </ul>
  );
}

const KINDS: Readonly<Record<WindowPart["kind"], string>> = {
  prompt: "Prompt",
  answer: "Answer",
  thinking: "Thinking",
  call: "Call of",
  result: "",
};

function Parts({
  answer: { parts, total },
  onGo,
}: Pick<ContextPanelProps, "onGo"> & { readonly answer: WindowAnswer }) {
  const { project } = useContext(PageToolsContext);
  return (
    <>
      <h3>Largest parts</h3>
      <ol class="context-parts">
        {parts.map((part, index) => (
          <li key={index}>
            <button
              type="button"
              title={neutralize(part.title)}
              onClick={() => onGo(part.turn, part.callId === null ? "" : callAnchor(part.callId))}
            >
              <span class="amount">{formatTokens(part.tokens)}</span>
              <span class="label" dir="auto">
                <b>
                  {[KINDS[part.kind], part.tool === null ? "" : neutralize(shownToolName(part.tool))].join(" ").trim()}
                </b>{" "}
                {neutralize(withoutProject(part.title, project))}
              </span>
              <span class="turn-number">
                {part.isAgain ? "again, " : ""}#{part.turn}
              </span>
            </button>
          </li>
        ))}
      </ol>
      {total > parts.length ? <p class="quiet">and {formatNumber(total - parts.length)} smaller ones</p> : null}
    </>
  );
}
