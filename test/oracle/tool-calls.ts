import { blocksOf } from "./classify-user.js";
import { stringAt } from "./json-at.js";
import { messageKey } from "./message-key.js";
import type { Row } from "./read-session.js";

export interface ToolCallFacts {
  readonly id: string;
  readonly status: "ok" | "error" | "denied" | "interrupted" | "orphan";
  readonly isError: boolean;
  readonly row: Row;
}

interface ToolResult {
  readonly callId: string;
  readonly isError: boolean;
  readonly text: string;
  readonly row: Row;
}

/** The calls made in `rows`, message by message, answered by results anywhere in `nodes` (FACTS 4.1). */
export function findToolCalls(rows: readonly Row[], nodes: readonly Row[]): ToolCallFacts[] {
  const assistants = rows.filter(({ type }) => type === "assistant");
  const results = nodes.flatMap(toolResultsOf);
  const keys = [...new Set(assistants.map(messageKey))];
  const calls = new Map<string, ToolCallFacts>();
  for (const row of keys.flatMap((key) => inBlockOrder(assistants.filter((it) => messageKey(it) === key)))) {
    for (const block of blocksOf(row)) {
      const id = stringAt(block, "id");
      if (block["type"] !== "tool_use" || id === null || calls.has(id)) continue;
      const answers = results.filter(({ callId }) => callId === id);
      const shown = answers.findLast(({ isError }) => !isError) ?? answers.at(-1);
      calls.set(id, { id, status: statusOf(shown), isError: shown?.isError ?? false, row });
    }
  }
  return [...calls.values()];
}

export function toolResultsOf(row: Row): ToolResult[] {
  if (row.type !== "user") return [];
  return blocksOf(row)
    .filter((block) => block["type"] === "tool_result")
    .map((block) => ({
      callId: stringAt(block, "tool_use_id") ?? "",
      isError: block["is_error"] === true,
      text: typeof block["content"] === "string" ? block["content"] : JSON.stringify(block["content"] ?? ""),
      row,
    }));
}

function inBlockOrder(rows: readonly Row[]): Row[] {
  const indexOf = ({ json }: Row) => json["apiBlockIndex"];
  if (!rows.every((row) => typeof indexOf(row) === "number")) return [...rows];
  return rows.toSorted((a, b) => Number(indexOf(a)) - Number(indexOf(b)));
}

/** FACTS 4.6. Esc during a tool and a refusal look the same from 2.1.325 on: both say "user-rejected". */
function statusOf(result: ToolResult | undefined): ToolCallFacts["status"] {
  if (result === undefined) return "orphan";
  const { json } = result.row;
  const denialKind = stringAt(json, "toolDenialKind");
  if (denialKind === "interrupted" || result.text.includes("[Request interrupted by user")) return "interrupted";
  if (!result.isError) return "ok";
  if (result.text.startsWith("[Tool call interrupted")) return "interrupted";
  const isRejected =
    denialKind !== null ||
    json["toolUseResult"] === "User rejected tool use" ||
    result.text.startsWith("The user doesn't want to proceed with this tool use");
  return isRejected ? "denied" : "error";
}
