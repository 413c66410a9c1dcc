import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { EditPlan } from "../../src/edit/plans/edit-plan.js";
import { type EditSource, readEditSource } from "../../src/edit/plans/edit-source.js";
import { editedLines } from "../../src/edit/write/edited-lines.js";
import { isObject, type JsonObject, tryParseJson } from "../../src/format/json.js";
import { parseRecords } from "../../src/format/reader/record-reader.js";
import { describeSession, type Session } from "../../src/session/describe-session.js";
import { toApiMessages } from "../../src/session/replay/api-replay.js";
import { verifySession } from "../../src/session/verify/verify-session.js";

export const SOURCE_ID = "5b0c7d1e-9a34-4f6b-8c2d-1e0f3a4b5c6d";
export const NEW_ID = "0f9e8d7c-6b5a-4c3d-9e2f-1a0b9c8d7e6f";

export interface Edited {
  readonly text: string;
  readonly rows: readonly JsonObject[];
  readonly session: Session;
  readonly replay: ReturnType<typeof toApiMessages>;
  readonly errors: readonly string[]; // codes that `verify` finds
}

/** A session in a file of its own while `use` runs. */
export function withSource<T>(text: string | Buffer, use: (source: EditSource) => T): T {
  const folder = mkdtempSync(join(tmpdir(), "turnlog-edit-"));
  try {
    const path = join(folder, `${SOURCE_ID}.jsonl`);
    writeFileSync(path, text);
    return use(readEditSource(path));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

export function edit(text: string | Buffer, plan: (source: EditSource) => EditPlan): Edited {
  return withSource(text, (source) => readEdited(Buffer.concat([...editedLines(plan(source))]), NEW_ID));
}

export function readEdited(bytes: Buffer, id: string = SOURCE_ID): Edited {
  const records = parseRecords(bytes);
  const { problems } = verifySession([bytes], `${id}.jsonl`);
  return {
    text: bytes.toString("utf8"),
    rows: bytes.toString("utf8").split("\n").map(tryParseJson).filter(isObject),
    session: describeSession(records),
    replay: toApiMessages(records),
    errors: problems.filter(({ severity }) => severity === "error").map(({ code }) => code),
  };
}

/** What a session means, without what an edit gives new names. */
export function meaningOf({ turns, totals }: Session): unknown {
  return {
    turns: turns.map(({ kind, prompt, messages, toolCalls, usage, followUps, locals }) => ({
      kind,
      prompt,
      usage,
      messages: messages.map(({ id, blocks, stopReason }) => ({ id, blocks, stopReason })),
      calls: toolCalls.map(({ id, status, result }) => ({ id, status, result })),
      followUps: followUps.length,
      locals: locals.length,
    })),
    totals: { ...totals, records: 0 },
  };
}
