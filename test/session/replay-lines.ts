import type { LogRecord } from "../../src/format/record.js";
import { parseRecords } from "../../src/format/record-reader.js";

export type Line = Readonly<Record<string, unknown>>;

/** A session of the given lines, each hanging on the one before it unless it says otherwise, through the parser. */
export function session(...lines: readonly Line[]): LogRecord[] {
  return parseRecords(sessionText(...lines));
}

export function sessionText(...lines: readonly Line[]): string {
  const numbered = lines.map((line, at) => ({
    uuid: `u${at + 1}`,
    parentUuid: at === 0 ? null : (lines[at - 1]?.["uuid"] ?? `u${at}`),
    timestamp: new Date(Date.UTC(2026, 0, 1, 12, 0, at)).toISOString(),
    ...line,
  }));
  return numbered.map((line) => `${JSON.stringify(line)}\n`).join("");
}

export function user(content: unknown, fields: Line = {}): Line {
  return { type: "user", message: { role: "user", content }, ...fields };
}

export function assistant(id: string, blocks: readonly unknown[], fields: Line = {}): Line {
  return { type: "assistant", message: { id, role: "assistant", model: "claude-x", content: blocks }, ...fields };
}

export function system(subtype: string, fields: Line = {}): Line {
  return { type: "system", subtype, ...fields };
}

export function attachment(type: string, fields: Line = {}, outer: Line = {}): Line {
  return { type: "attachment", attachment: { type, ...fields }, ...outer };
}

export function text(words: string): Line {
  return { type: "text", text: words };
}

export function thinking(words: string, signature = `signed ${words}`): Line {
  return { type: "thinking", thinking: words, signature };
}

export function call(id: string, input: unknown = {}, name = "Bash"): Line {
  return { type: "tool_use", id, name, input };
}

export function result(id: string, content: unknown = `done ${id}`, fields: Line = {}): Line {
  return { type: "tool_result", tool_use_id: id, content, ...fields };
}
