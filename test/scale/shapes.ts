import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  answer,
  assistant,
  call,
  callBlock,
  command,
  commandOutput,
  prompt,
  type Row,
  result,
  resultBlock,
  SESSION_ID,
  system,
  textBlock,
  toLines,
  uuidOf,
} from "../builders/session-builder.js";
import { temporaryFolder } from "../format/temporary-folder.js";

/** A session of any size, as rows in file order: `add` continues the row before, or the one that is given. */
export type Shape = (count: number, add: (row: Row, parent?: string | null) => string) => void;

const each = (count: number, make: (at: number) => void) => {
  for (let at = 0; at < count; at++) make(at);
};

/** A row that is no part of the conversation. */
const beside = (type: string, fields: Row): Row => ({ type, sessionId: SESSION_ID, uuid: undefined, ...fields });

export const SHAPES = {
  "a rewind after each turn": (count, add) => {
    let last = add(prompt("go"));
    each(count, (at) => {
      add(prompt(`taken back ${at}`), last);
      add(answer(`lost ${at}`));
      add(prompt(`go on ${at}`), last);
      last = add(answer(`done ${at}`));
    });
  },
  "rewinds to one place": (count, add) => {
    add(prompt("go"));
    const place = add(answer("done"));
    each(count, (at) => {
      add(prompt(`again ${at}`), place);
      add(answer(`done ${at}`));
    });
  },
  "a compaction after each turn": (count, add) => {
    each(count, (at) => {
      add(prompt(`go ${at}`));
      const logicalParentUuid = add(answer(`done ${at}`));
      const tail = { headUuid: logicalParentUuid, tailUuid: logicalParentUuid };
      const compactMetadata = { trigger: "auto", preTokens: 9, preservedSegment: tail };
      add(system("compact_boundary", { logicalParentUuid, compactMetadata }), null);
      add(prompt(`summary ${at}`, { isCompactSummary: true }));
    });
  },
  "sub-agents inside the file": (count, add) => {
    add(prompt("go"));
    each(count, (at) => {
      const launch = add(call(`t${at}`, "Task", { prompt: `look ${at}`, subagent_type: "Explore" }));
      const asked = add(prompt(`look ${at}`, { isSidechain: true }), null);
      add(answer(`seen ${at}`, { isSidechain: true }), asked);
      add(result(`t${at}`, `seen ${at}`), launch);
    });
    add(answer("done"));
  },
  "messages in the queue": (count, add) => {
    each(count, (at) => add(beside("queue-operation", { operation: "enqueue", content: `note ${at}` })));
    each(count, (at) => add(beside("queue-operation", { operation: at % 2 ? "dequeue" : "remove", content: null })));
    each(count, (at) => {
      add(call(`t${at}`, "Bash", {}));
      add(result(`t${at}`, "done"));
      add(prompt(`note ${at}`));
    });
  },
  "pull requests and marks": (count, add) => {
    each(count, (at) => {
      add(beside("pr-link", { prNumber: at, prUrl: `https://example.org/pull/${at}`, prRepository: "a/b" }));
      add(prompt(`go ${at}`));
      add(answer(`done ${at}`));
    });
    each(count, (at) => add(beside("memory-mode", { mode: at % 2 ? "on" : "off", timestamp: "2026-01-01T00:00:00Z" })));
  },
  "parents in circles": (count, add) => {
    each(count, (at) => {
      const asked = add(prompt(`go ${at}`), uuidOf(2 * at + 2));
      add(answer(`done ${at}`), asked);
    });
  },
  "calls in one turn": (count, add) => {
    add(prompt("go"));
    each(count, (at) => {
      add(call(`t${at}`, "Bash", { command: `echo ${at}` }));
      add(result(`t${at}`, `done ${at}`));
    });
  },
  "output of one command": (count, add) => {
    add(command("review"));
    each(count, (at) => add(commandOutput(`line ${at}`)));
    add(answer("done"));
  },
  "one message in many records": (count, add) => {
    add(prompt("go"));
    each(count, (at) => add(assistant("m", [textBlock(`part ${at}`)], { stopReason: null })));
  },
  "results in one record": (count, add) => {
    const ids = Array.from({ length: count }, (_, at) => `t${at}`);
    add(prompt("go"));
    add(
      assistant(
        "m",
        ids.map((id) => callBlock(id)),
        { stopReason: "tool_use" },
      ),
    );
    add(prompt(ids.map((id) => resultBlock(id))));
    add(answer("done"));
  },
  "backups of files": (count, add) => {
    each(count, (at) => {
      const messageId = add(prompt(`go ${at}`));
      const backup = { backupFileName: "0123456789abcdef@v1", version: 1, backupTime: "2026-01-01T00:00:00Z" };
      const timestamp = "2026-01-01T00:00:00Z";
      add(beside("file-history-delta", { messageId, trackingPath: `f${at}.ts`, backup, timestamp }));
      add(call(`t${at}`, "Write", { file_path: `/home/dev/shop/f${at}.ts`, content: "x" }));
      add(result(`t${at}`, "done"));
    });
  },
} satisfies Record<string, Shape>;

export interface ShapedLibrary {
  readonly root: string;
  readonly id: string;
}

/** A config folder with one session. */
export function shapedLibrary(shape: Shape, count: number): ShapedLibrary {
  const root = temporaryFolder();
  const project = join(root, "projects/-home-dev-shop");
  const rows: Row[] = [];
  let named = 0;
  let last: string | null = null;
  shape(count, (row, parent = last) => {
    const uuid = uuidOf(named + 1);
    const timestamp = new Date(Date.UTC(2026, 0, 1) + rows.length * 1000).toISOString();
    const common = { timestamp, sessionId: SESSION_ID, cwd: "/home/dev/shop", version: "2.1.326" };
    if ("uuid" in row) rows.push({ ...common, ...row });
    else {
      named += 1;
      rows.push({ uuid, parentUuid: parent, isSidechain: false, ...common, ...row });
      if (row["isSidechain"] !== true) last = uuid;
    }
    return uuid;
  });
  mkdirSync(project, { recursive: true });
  writeFileSync(join(project, `${SESSION_ID}.jsonl`), toLines(rows));
  return { root, id: SESSION_ID };
}

/** The session has so many files beside it: sub-agents with a call each, and spilled output. */
export function addSideFiles({ root, id }: ShapedLibrary, count: number): void {
  const folder = join(root, "projects/-home-dev-shop", id);
  mkdirSync(join(folder, "subagents"), { recursive: true });
  mkdirSync(join(folder, "tool-results"), { recursive: true });
  each(count, (at) => {
    const agentId = `a${String(at).padStart(7, "0")}`;
    const rows = [prompt(`look ${at}`), call(`s${at}`, "Bash", {}), result(`s${at}`, "seen"), answer(`seen ${at}`)];
    const common = { isSidechain: true, agentId, sessionId: id };
    const chained = rows.map((row, line) => ({
      uuid: `${agentId}-${line}`,
      parentUuid: line === 0 ? null : `${agentId}-${line - 1}`,
      timestamp: new Date(Date.UTC(2026, 0, 2) + line * 1000).toISOString(),
      ...common,
      ...row,
    }));
    writeFileSync(join(folder, "subagents", `agent-${agentId}.jsonl`), toLines(chained));
    writeFileSync(join(folder, "subagents", `agent-${agentId}.meta.json`), JSON.stringify({ toolUseId: `t${at}` }));
    writeFileSync(join(folder, "tool-results", `${at}.txt`), `output ${at}`);
  });
}
