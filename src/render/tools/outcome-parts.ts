import type { ToolCall } from "../../session/pair-tool-calls.js";
import { errorText } from "../../session/wrappers.js";
import { formatDuration } from "../format-values.js";
import { notePart } from "./result-parts.js";
import type { ViewPart } from "./tool-view.js";

/** How a call ended, where that is more than its result: the same for every tool. */
export function outcomeParts(call: ToolCall): ViewPart[] {
  return [...failureParts(call), ...notePart(call.persistedOutput ?? undefined, "full output"), ...endParts(call)];
}

function failureParts({ status, result, resultData, resultBlocks }: ToolCall): ViewPart[] {
  if (status === "ok") return [];
  if (status === "orphan") return [{ kind: "text", text: "no result was recorded", label: "unknown" }];
  const text = errorText(result ?? "") || (typeof resultData === "string" ? resultData.trim() : "");
  const exit = /^(?:Error: )?Exit code (\d+)(?:\n|$)/.exec(text);
  if (text === "") {
    const blocks = resultBlocks.filter(({ kind }) => kind !== "image").map(({ raw }) => raw);
    return [
      { kind: "text", text: "no message was recorded", label: status, isError: true },
      ...(blocks.length > 0 ? [{ kind: "json", value: blocks, label: "result" } as const] : []),
    ];
  }
  if (!exit) return [{ kind: "text", text, label: status, isError: true }];
  const label = status === "error" ? `exit code ${exit[1]}` : `${status}, exit code ${exit[1]}`;
  return [{ kind: "code", text: text.slice(exit[0].length), language: null, label, isError: true }];
}

/** Of a call that went to the background: what the client told about it later. */
function endParts({ notification }: ToolCall): ViewPart[] {
  if (!notification) return [];
  const { status, summary, durationMs } = notification;
  const took = durationMs === null ? "" : ` (${formatDuration(durationMs)})`;
  const isError = status === "failed" || status === "killed" ? { isError: true as const } : {};
  return [{ kind: "text", text: `${summary ?? status ?? "ended"}${took}`, label: status ?? "ended", ...isError }];
}
