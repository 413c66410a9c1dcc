import { extname } from "node:path";
import { arrayAt, stringAt } from "../../format/json.js";
import type { ToolCall } from "../../session/turns/tool-calls.js";
import type { Effects } from "./observation.js";

const FILE_TOOLS: ReadonlySet<string> = new Set(["Write", "Edit", "MultiEdit", "NotebookEdit"]);
const SHELLS: ReadonlySet<string> = new Set(["Bash", "PowerShell"]);

/** What a call changed, as Claude Code's own metrics count it. */
export function effectsOf(call: ToolCall, decision: Effects["decision"]): Effects {
  const { name, input, status, resultData } = call;
  const fileExtension = FILE_TOOLS.has(name) ? extensionOf(input) : null;
  const nothing = { linesAdded: 0, linesRemoved: 0, commits: 0, pullRequests: 0, fileExtension, decision };
  if (status !== "ok") return nothing;
  if (fileExtension !== null) return { ...nothing, ...changedLines(input, resultData) };
  const command = SHELLS.has(name) ? (stringAt(input, "command") ?? "") : "";
  const isRequest = stringAt(resultData, "gitOperation", "pr", "action") === "created" || NEW_REQUEST.test(command);
  return { ...nothing, commits: COMMIT.test(command) ? 1 : 0, pullRequests: isRequest ? 1 : 0 };
}

function extensionOf(input: unknown): string {
  const path = stringAt(input, "file_path") ?? stringAt(input, "notebook_path") ?? "";
  return extname(path.replaceAll("\\", "/")).toLowerCase();
}

const COMMAND_START = String.raw`(?:^|[;&|(\n])\s*`;
const COMMIT = new RegExp(String.raw`${COMMAND_START}git\s(?:[^\n;&|]*\s)?commit(?:\s(?![^\n;&|]*--dry-run)|$)`);
const NEW_REQUEST = new RegExp(String.raw`${COMMAND_START}(?:gh\s+pr|glab\s+mr)\s+create(?:\s|$)`);

/** A file that was made has no patch: all its lines are new. */
function changedLines(input: unknown, resultData: unknown): Pick<Effects, "linesAdded" | "linesRemoved"> {
  const lines = arrayAt(resultData, "structuredPatch").flatMap((hunk) => arrayAt(hunk, "lines"));
  if (lines.length === 0 && stringAt(resultData, "type") === "create") {
    const content = stringAt(input, "content") ?? "";
    return { linesAdded: content === "" ? 0 : content.replace(/\n$/, "").split("\n").length, linesRemoved: 0 };
  }
  const count = (mark: string) => lines.filter((line) => typeof line === "string" && line.startsWith(mark)).length;
  return { linesAdded: count("+"), linesRemoved: count("-") };
}
