import { isObject, stringAt, valueAt } from "./json-at.js";
import type { Row } from "./read-session.js";

export type UserClass =
  | "tool-result"
  | "compact-summary"
  | "injected"
  | "command"
  | "bash"
  | "notification"
  | "output"
  | "wrapper"
  | "interrupt"
  | "not-human"
  | "context-only"
  | "prompt";

/** FACTS 5.1, first match wins. The sidechain row of that table is decided by the caller, who picks the chain. */
export function classifyUser(row: Row): UserClass {
  const { json } = row;
  const text = promptText(row);
  if (isForkStart(row)) return "prompt";
  if (blocksOf(row).some((block) => block["type"] === "tool_result")) return "tool-result";
  if (json["isCompactSummary"] === true) return "compact-summary";
  if (json["isMeta"] === true) return "injected";
  const wrapper = classifyWrapper(text);
  if (wrapper !== null) return wrapper;
  if (/^\[Request interrupted by user( for tool use)?\]$/.test(text)) return "interrupt";
  if (!["human", null].includes(stringAt(json, "origin", "kind"))) return "not-human";
  if (!["human", "sdk", null].includes(stringAt(json, "turnOrigin"))) return "not-human";
  if (json["promptSource"] === "system") return "not-human";
  if (text === "" && !blocksOf(row).some((block) => block["type"] === "image")) return "context-only";
  return "prompt";
}

/** FACTS-2.1.326 D2: with this row the own work of a forked sub-agent begins. */
export function isForkStart(row: Row): boolean {
  const isStarted = (block: Record<string, unknown>) =>
    block["type"] === "tool_result" && JSON.stringify(block["content"] ?? "").includes("Fork started");
  return row.type === "user" && row.json["isSidechain"] === true && blocksOf(row).some(isStarted);
}

export function blocksOf({ json }: Row): Record<string, unknown>[] {
  const content = valueAt(json, "message", "content") ?? json["content"];
  if (typeof content === "string") return [{ type: "text", text: content }];
  return Array.isArray(content) ? content.filter(isObject) : [];
}

/** The text without what the client or the IDE put around it (FACTS 5.3). */
export function promptText(row: Row): string {
  return blocksOf(row)
    .filter((block) => block["type"] === "text")
    .map((block) => stripContext(stripBriefing(stringAt(block, "text") ?? "")))
    .filter((text) => text !== "")
    .join("\n");
}

/** What a person typed to get this wrapper, or what it printed. */
export function unwrap(text: string, kind: "command" | "bash" | "notification" | "output"): string {
  switch (kind) {
    case "command":
      return unwrapCommand(text);
    case "bash":
      return insideTag(text, "bash-input");
    case "notification":
      return insideTag(text, "summary");
    case "output":
      return text.replace(/<\/?(local-command|bash)-std(out|err)>/g, "").trim();
  }
}

export function classifyWrapper(text: string): "command" | "bash" | "notification" | "output" | "wrapper" | null {
  if (/^<command-(name|message|args)>/.test(text)) return "command";
  if (/^<bash-input>/.test(text)) return "bash";
  if (/^<task-notification>/.test(text)) return "notification";
  if (/^<(local-command|bash)-std(out|err)>/.test(text)) return "output";
  return /^<(command|local-command|bash)-/.test(text) ? "wrapper" : null;
}

/** What every fork is told before its directive. */
function stripBriefing(text: string): string {
  return text.replace(/^<fork-boilerplate>[\s\S]*<\/fork-boilerplate>\s*Your directive: /, "");
}

function stripContext(text: string): string {
  const tags = "system-reminder|ide_selection|ide_opened_file";
  const atStart = new RegExp(`^\\s*<(${tags})>[\\s\\S]*?</\\1>`);
  const atEnd = new RegExp(`<(${tags})>(?:(?!</?\\1>)[\\s\\S])*</\\1>\\s*$`);
  const stripped = text.replace(atStart, "").replace(atEnd, "");
  return stripped === text ? text.trim() : stripContext(stripped);
}

function unwrapCommand(text: string): string {
  const name = insideTag(text, "command-name") || insideTag(text, "command-message");
  return `/${name.replace(/^\//, "")} ${insideTag(text, "command-args")}`.trim();
}

function insideTag(text: string, tag: string): string {
  return (new RegExp(`<${tag}>([\\s\\S]*?)</${tag}>`).exec(text)?.[1] ?? "").trim();
}
