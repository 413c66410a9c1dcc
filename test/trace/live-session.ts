import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** A session file as a client writes it, record by record. */
export interface LiveSession {
  readonly path: string;
  /** The lines of the next turn, not written yet, and the words with which it ends. */
  nextTurn(tools: number): { readonly lines: readonly string[]; readonly lastWords: string };
  append(lines: readonly string[]): void;
  /** A copy of the history in a new file, as clients (the same uuids) or SDKs (new ones) make it. */
  fork(id: string, way: "sameUuids" | "newUuids"): LiveSession;
}

export function liveSession(projectDir: string, id: string): LiveSession {
  const path = join(projectDir, `${id}.jsonl`);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, "");
  return toSession(path, id, 0);
}

function toSession(path: string, id: string, written: number): LiveSession {
  let count = written;
  let parentUuid: string | null = null;

  function record(type: string, message: object): string {
    count += 1;
    const uuid = `${id}-${count}`;
    const timestamp = new Date(Date.UTC(2026, 0, 1) + count * 1000).toISOString();
    const line = JSON.stringify({
      type,
      uuid,
      parentUuid,
      timestamp,
      sessionId: id,
      cwd: "/srv/shop",
      version: "2.1.325",
      message,
    });
    parentUuid = uuid;
    return `${line}\n`;
  }

  function answer(messageId: string, block: object, stopReason: string): string {
    const usage = { input_tokens: 3, output_tokens: 20, cache_read_input_tokens: 100 };
    const model = "claude-sonnet-4-5";
    const content = [block];
    return record("assistant", { id: messageId, role: "assistant", model, content, stop_reason: stopReason, usage });
  }

  function nextTurn(tools: number): ReturnType<LiveSession["nextTurn"]> {
    const turn = `${id}-turn-${count}`;
    const lines = [record("user", { role: "user", content: `ask ${turn}` })];
    for (let at = 0; at < tools; at++) {
      const tool = `${turn}-tool-${at}`;
      lines.push(
        answer(
          `${turn}-message-${at}`,
          { type: "tool_use", id: tool, name: "Bash", input: { command: tool } },
          "tool_use",
        ),
        record("user", { role: "user", content: [{ type: "tool_result", tool_use_id: tool, content: `did ${tool}` }] }),
      );
    }
    const lastWords = `answered ${turn}`;
    lines.push(answer(`${turn}-last`, { type: "text", text: lastWords }, "end_turn"));
    return { lines, lastWords };
  }

  return {
    path,
    nextTurn,
    append: (lines) => appendFileSync(path, lines.join("")),
    fork: (forkId, way) => {
      const copy = join(dirname(path), `${forkId}.jsonl`);
      const lines = readFileSync(path, "utf8").split("\n").filter(isWhole);
      writeFileSync(
        copy,
        lines.map((line) => `${JSON.stringify(copied(JSON.parse(line), forkId, id, way))}\n`).join(""),
      );
      return toSession(copy, forkId, count + 1000);
    },
  };
}

function isWhole(line: string): boolean {
  return line.endsWith("}");
}

type Copied = Record<string, unknown> & { uuid: string; parentUuid: string | null };

function copied(record: Copied, forkId: string, id: string, way: "sameUuids" | "newUuids"): object {
  const forkedFrom = record["forkedFrom"] ?? { sessionId: id, messageUuid: record.uuid };
  const own = { ...record, sessionId: forkId, forkedFrom };
  if (way === "sameUuids") return own;
  const renewed = (uuid: string | null) => uuid && `${forkId}/${uuid}`;
  return { ...own, uuid: renewed(record.uuid), parentUuid: renewed(record.parentUuid) };
}
