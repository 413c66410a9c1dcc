import { join } from "node:path";
import { temporaryFolder } from "../format/temporary-folder.js";

const ID = "7e1c7d1e-9a34-4f6b-8c2d-1e0f3a4b5c6d";
export const FOLDER = "/home/dev/shop";

/** A call as a test tells it: the tool, its input, and what the client noted. */
export interface ToldCall {
  readonly name: string;
  readonly input: object;
  readonly noted?: object;
  readonly isError?: boolean;
}

/** A session with one turn for each list of calls, and perhaps a sub-agent that worked during the first. */
export function fileLibrary(
  turns: readonly (readonly ToldCall[])[],
  agentCalls: readonly ToldCall[] = [],
): { readonly root: string; readonly path: string } {
  const folder = "projects/-home-dev-shop";
  const lines = turns.flatMap((calls, turn) => [
    user(`p${turn}`, turn * 100, `turn ${turn + 1}`),
    ...calls.flatMap((call, at) => callLines(call, `t${turn}-${at}`, turn * 100 + 10 * (at + 1))),
  ]);
  const agent = [user("q", 4, "look"), ...agentCalls.flatMap((call, at) => callLines(call, `a${at}`, 5 + at * 2))];
  const root = temporaryFolder({
    [`${folder}/${ID}.jsonl`]: toText(lines),
    ...(agentCalls.length === 0
      ? {}
      : { [`${folder}/${ID}/subagents/agent-a1b2c3d.jsonl`]: toText(agent.map(asAgentLine)) }),
  });
  return { root, path: join(root, folder, `${ID}.jsonl`) };
}

export const write = (path: string, content: string): ToldCall => ({
  name: "Write",
  input: { file_path: path, content },
  noted: { type: "create", filePath: path, content, originalFile: null, structuredPatch: [] },
});

export const edit = (path: string, from: string, to: string, originalFile?: string): ToldCall => ({
  name: "Edit",
  input: { file_path: path, old_string: from, new_string: to },
  ...(originalFile === undefined ? {} : { noted: { filePath: path, oldString: from, newString: to, originalFile } }),
});

function callLines({ name, input, noted, isError }: ToldCall, id: string, second: number): object[] {
  const result = { type: "tool_result", tool_use_id: id, content: "fine", ...(isError ? { is_error: true } : {}) };
  const content = [{ type: "tool_use", id, name, input }];
  return [
    { type: "assistant", ...envelope(`c${id}`, second), message: { id: `m${id}`, role: "assistant", content } },
    { ...user(`r${id}`, second + 1, [result]), ...(noted ? { toolUseResult: noted } : {}) },
  ];
}

function user(uuid: string, second: number, content: unknown): object {
  return { type: "user", ...envelope(uuid, second), message: { role: "user", content } };
}

function envelope(uuid: string, second: number): object {
  const timestamp = new Date(Date.UTC(2026, 0, 1) + second * 1000).toISOString();
  return { uuid, timestamp, sessionId: ID, cwd: FOLDER, version: "2.1.325" };
}

const asAgentLine = (line: object) => ({ ...line, isSidechain: true, agentId: "a1b2c3d" });

/** Each line follows the one before. */
function toText(lines: readonly object[]): string {
  const uuids = lines.map((line) => Reflect.get(line, "uuid"));
  return lines.map((line, at) => `${JSON.stringify({ parentUuid: uuids[at - 1] ?? null, ...line })}\n`).join("");
}
