import type { ComponentChildren } from "preact";
import { useContext } from "preact/hooks";
import type { ToolCall } from "../../session/pair-tool-calls.js";
import { formatDuration } from "../format-values.js";
import { neutralize } from "../neutralize.js";
import { shownToolName } from "../tools/shown-tool-name.js";
import type { ToolView, ViewPart } from "../tools/tool-view.js";
import { Icon } from "./icon.js";
import { Kept } from "./kept.js";
import { PageToolsContext } from "./page-tools.js";
import { Part } from "./part.js";
import { useUnfolded } from "./use-unfolded.js";
import { withoutProject } from "./without-project.js";

export interface ToolCallProps {
  readonly call: Pick<ToolCall, "name" | "status" | "durationMs">;
  readonly view: ToolView;
  /** The id of its place in the page. */
  readonly anchor: string;
  /** Where a link to it leads, if not to its place in this page. */
  readonly href?: string;
  readonly isKept?: boolean;
  /** Its result may still come. */
  readonly isRunning?: boolean;
  /** What can be done with it, besides linking to it. */
  readonly actions?: ComponentChildren;
  /** What the call launched: sub-agents. */
  readonly children?: ComponentChildren;
}

/** One line: state, name, what it did in words, time. It opens in place. */
export function ToolCallRow(props: ToolCallProps) {
  const { call, view, anchor, href = `#${anchor}`, isKept = false, isRunning = false, actions, children } = props;
  const { project } = useContext(PageToolsContext);
  const { isUnfolded, onToggle } = useUnfolded();
  const { title, parts } = view;
  const failed = call.status === "ok" || call.status === "orphan" ? undefined : firstError(parts);
  const name = neutralize(shownToolName(call.name));
  return (
    <details
      id={anchor}
      class={`call ${failed === undefined ? call.status : "failed"}`}
      data-tool={name}
      onToggle={onToggle}
    >
      <summary>
        <Icon {...signOf(call.status, isRunning)} />
        <span class="tool">{name}</span>
        <span class="title" title={neutralize(title)}>
          {neutralize(withoutProject(title, project))}
        </span>
        <Kept isKept={isKept} />
        {call.durationMs === null ? null : <span class="took">{formatDuration(call.durationMs)}</span>}
        {failed ? <span class="why">{failed}</span> : null}
      </summary>
      <div class="parts">
        <a class="permalink" href={href} aria-label={`Link to this call of ${name}`}>
          <Icon name="link" />
        </a>
        {actions}
        {(isUnfolded ? parts : [])
          .filter(({ kind }) => kind !== "agent" || children === undefined)
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

const WHY_CHARACTERS = 200;

/** What went wrong, in a line. */
function firstError(parts: readonly ViewPart[]): string {
  const part = parts.find((part) => (part.kind === "text" || part.kind === "code") && part.isError);
  if (part?.kind !== "text" && part?.kind !== "code") return "";
  const [line = ""] = part.text.trim().slice(0, WHY_CHARACTERS).split("\n");
  const label = part.label === "error" ? "" : part.label; // the mark says so already
  return neutralize([label, line].filter((words) => words).join(": "));
}
