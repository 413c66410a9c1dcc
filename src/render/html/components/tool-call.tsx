import type { ComponentChildren } from "preact";
import { useContext } from "preact/hooks";
import { toJsonText } from "../../../format/json.js";
import type { ToolCall } from "../../../session/turns/tool-calls.js";
import { formatDuration } from "../../format-values.js";
import { neutralize } from "../../safe-text.js";
import { failingLine } from "../../tools/failing-line.js";
import {
  findError,
  hasFailed,
  shownToolName,
  type TodoItem,
  type ToolView,
  type ViewPart,
} from "../../tools/view-parts.js";
import { CodeBlock, DiffBlock, LineCounts, ScrollBox } from "./code-blocks.js";
import { Icon, Kept } from "./icon.js";
import { PageToolsContext, useUnfolded, withoutProject } from "./page-tools.js";
import { Markdown, Picture, PlainText } from "./prose.js";

export interface ToolCallProps {
  readonly call: Pick<ToolCall, "name" | "status" | "durationMs">;
  readonly view: ToolView;
  /** Element id in the page. */
  readonly anchor: string;
  /** Target of links to the call; default: the anchor in this page. */
  readonly href?: string;
  readonly isKept?: boolean;
  /** The session is live and the result may still come. */
  readonly isRunning?: boolean;
  /** Buttons before the permalink. */
  readonly actions?: ComponentChildren;
  /** Sub-agents that the call launched. */
  readonly children?: ComponentChildren;
}

/** A line with status, name, title and duration; opening it shows the parts. */
export function ToolCallRow(props: ToolCallProps) {
  const { call, view, anchor, href = `#${anchor}`, isKept = false, isRunning = false, actions, children } = props;
  const { project } = useContext(PageToolsContext);
  const { isUnfolded, onToggle } = useUnfolded();
  const { title, parts } = view;
  const why = call.status === "ok" || call.status === "orphan" ? undefined : whyFailed(parts);
  const name = neutralize(shownToolName(call.name));
  const words = took(call, isRunning, why);
  return (
    <details
      id={anchor}
      class={`call ${hasFailed(call) ? "failed" : call.status}`}
      data-tool={name}
      onToggle={onToggle}
    >
      <summary>
        <Icon {...signOf(call.status, isRunning)} />
        <span class="tool">{name}</span>
        <span class="title" title={neutralize(title)}>
          {neutralize(withoutProject(rowTitle(title, parts), project))}
        </span>
        <Kept isKept={isKept} />
        <ChangedLines parts={parts} />
        {words === "" ? null : <span class="took">{words}</span>}
        {why ? <span class="why">{why}</span> : null}
      </summary>
      <div class="parts">
        <div class="call-actions">
          {actions}
          <a class="permalink" href={href} aria-label={`Link to this call of ${name}`}>
            <Icon name="link" />
          </a>
        </div>
        {(isUnfolded ? parts : [])
          .filter((part) => (part.kind !== "agent" || children === undefined) && !isInTitle(part, title))
          .map((part, index) => (
            <Part key={index} part={part} />
          ))}
        {isUnfolded ? children : null}
      </div>
    </details>
  );
}

function signOf(status: ToolCall["status"], isRunning: boolean) {
  if (status !== "orphan") return { name: status, label: status };
  return isRunning ? ({ name: "active", label: "running" } as const) : { name: status, label: "no result" };
}

/** An edit names the first line that it changed. */
function rowTitle(title: string, parts: readonly ViewPart[]): string {
  const line = parts.find((part) => part.kind === "diff")?.hunks[0];
  const first = line
    ? line.newStart +
      Math.max(
        0,
        line.lines.findIndex((one) => /^[-+]/.test(one)),
      )
    : 0;
  const path = title.replace(/ \(edit\)/, "");
  return line === undefined || path === title || line.newStart === 0 ? path : path.replace(/(?= \(all|$)/, `:${first}`);
}

/** Lines that an edit added and removed. */
function ChangedLines({ parts }: { readonly parts: readonly ViewPart[] }) {
  const lines = parts.flatMap((part) => (part.kind === "diff" ? part.hunks.flatMap((hunk) => hunk.lines) : []));
  if (lines.length === 0) return null;
  const count = (sign: string) => lines.filter((line) => line.startsWith(sign)).length;
  return <LineCounts added={count("+")} removed={count("-")} />;
}

/** Tools whose call is a question to the person. */
const ASKING: ReadonlySet<string> = new Set(["AskUserQuestion", "ExitPlanMode"]);

/** How long it took, or why it did not. */
function took({ name, status, durationMs }: ToolCallProps["call"], isRunning: boolean, why = ""): string {
  const isStopped = status === "denied" || status === "interrupted";
  if (isStopped && !why.startsWith(status)) return status;
  if (status === "orphan") return isRunning ? (ASKING.has(name) ? "waits for you" : "running") : "no result";
  return durationMs === null ? "" : formatDuration(durationMs);
}

/** The title is whole when a call is open: a short command need not be repeated below it. */
function isInTitle(part: ViewPart, title: string): boolean {
  if (part.kind !== "code" || part.language !== "bash" || part.text.includes("\n")) return false;
  return title === part.text || title === `${part.text} # ${part.label}`;
}

const WHY_CHARACTERS = 200;

/** The line of the error message that shows the failure. */
function whyFailed(parts: readonly ViewPart[]): string {
  const error = findError(parts);
  if (!error) return "";
  const line = failingLine(error.text).slice(0, WHY_CHARACTERS);
  const label = error.label === "error" ? "" : error.label; // the icon shows that already
  return neutralize([label, line].filter((words) => words).join(": "));
}

function Part({ part }: { readonly part: ViewPart }) {
  switch (part.kind) {
    case "code":
      return <CodeBlock {...part} />;
    case "diff":
      return <DiffBlock {...part} />;
    case "text":
      return <Note {...part} />;
    case "markdown":
      return (
        <figure class="part">
          {part.label === undefined ? null : <figcaption>{neutralize(part.label)}</figcaption>}
          <Markdown text={part.text} />
        </figure>
      );
    case "table":
      return <Table {...part} />;
    case "todos":
      return <Todos items={part.items} />;
    case "image":
      return <Picture {...part} />;
    case "json":
      return <Json {...part} />;
    case "agent":
      return part.agentId === null ? null : <Note text={part.agentId} label="sub-agent" />;
  }
}

function Note({ text, label, isError }: Omit<Extract<ViewPart, { kind: "text" }>, "kind">) {
  return (
    <div class={isError ? "note is-error" : "note"}>
      {label === undefined ? null : <span class="label">{neutralize(label)}</span>}
      <PlainText text={text} />
    </div>
  );
}

function Json({ value, label }: Omit<Extract<ViewPart, { kind: "json" }>, "kind">) {
  const text = toJsonText(value, 2) ?? "nothing";
  return <CodeBlock text={text} language="json" {...(label === undefined ? {} : { label })} />;
}

function Table({ head, rows }: Omit<Extract<ViewPart, { kind: "table" }>, "kind">) {
  return (
    <ScrollBox class="table-box" label="table">
      <table>
        <thead>
          <tr>
            {head.map((cell, index) => (cell === "" ? <td key={index} /> : <th key={index}>{neutralize(cell)}</th>))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, index) => (
            <tr key={index}>
              {row.map((cell, column) => (
                <td key={column}>
                  <TableCell text={neutralize(cell)} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollBox>
  );
}

/** Only whole cells that are web addresses become links. */
function TableCell({ text }: { readonly text: string }) {
  if (!/^https?:\/\/\S+$/i.test(text)) return text;
  return (
    <a href={text} rel="noopener noreferrer">
      {text}
    </a>
  );
}

function Todos({ items }: { readonly items: readonly TodoItem[] }) {
  return (
    <ul class="todos">
      {items.map(({ text, state }, index) => (
        <li key={index} class={state}>
          <Icon name={state} label={state} />
          <span dir="auto">{neutralize(text)}</span>
        </li>
      ))}
    </ul>
  );
}
