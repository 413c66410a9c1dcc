import { randomUUID } from "node:crypto";
import { dirname } from "node:path";
import { UserError } from "../errors.js";
import { sessionPaths, transcriptOf } from "../format/layout.js";
import type { Lock } from "../store/lock.js";
import { lockSession } from "../store/session-lock.js";
import type { ChatOptions } from "./chat-options.js";
import { forkHistory } from "./fork-history.js";
import { type History, readHistory } from "./history.js";
import { Recorder, type RecorderOptions } from "./record/recorder.js";
import { createSlug } from "./record/session-slug.js";
import { newSessionFile } from "./session-files.js";
import { resultLine } from "./wire/line.js";

/** A session file that is ours to write to, and what it holds already. */
export interface OpenRecord {
  readonly recorder: Recorder;
  readonly history: History | undefined;
  readonly slug: string;
  readonly lock: Lock;
}

type RecordOptions = Pick<ChatOptions, "session" | "configRoot" | "cwd" | "dataDir" | "ownVersion" | "durability">;
type Hooks = Pick<RecorderOptions, "cwd" | "onLine" | "onStalled">;

/** Opens the chosen session. What a crash left open at its end is closed first. */
export async function openRecord(options: RecordOptions, hooks: Hooks): Promise<OpenRecord> {
  const { dataDir } = options;
  const path = await choosePath(options);
  const lock = holdSession(dataDir, sessionPaths(path).id);
  try {
    return { ...openHeld(path, options, hooks), lock };
  } catch (error) {
    lock.release();
    throw error;
  }
}

function openHeld(path: string, options: RecordOptions, hooks: Hooks): Omit<OpenRecord, "lock"> {
  const { session } = options;
  const at = session.kind === "resume" && !session.isFork ? session.at : undefined;
  const found = session.kind === "resume" ? readHistory(path, at) : undefined;
  const slug = found?.slug ?? createSlug();
  const recorder = openRecorder(path, options, { ...hooks, slug }, found);
  if (!found || found.openCalls.length === 0) return { recorder, history: found, slug };
  closeCalls(recorder, found);
  return { recorder, history: { ...readHistory(path), leaf: recorder.leaf }, slug };
}

/** A copy of a conversation up to a line, in the folder of the original, opened for going on. */
export async function openFork(
  from: Recorder,
  options: RecordOptions,
  hooks: Hooks & { slug: string },
): Promise<Pick<OpenRecord, "recorder" | "lock">> {
  const path = transcriptOf(dirname(from.path), randomUUID());
  await forkHistory(from.path, path, from.leaf ?? undefined);
  const lock = holdSession(options.dataDir, sessionPaths(path).id);
  const recorder = openRecorder(path, options, hooks, { leaf: from.leaf, lastTime: Date.parse(from.time()) });
  return { recorder, lock };
}

function openRecorder(
  path: string,
  { ownVersion, durability }: RecordOptions,
  hooks: Hooks & { slug: string },
  before: Pick<History, "leaf" | "lastTime"> | undefined,
): Recorder {
  return new Recorder({
    ...hooks,
    path,
    sessionId: sessionPaths(path).id,
    ownVersion,
    ...(before === undefined ? {} : { leaf: before.leaf, lastTime: before.lastTime }),
    ...(durability === undefined ? {} : { durability }),
  });
}

async function choosePath({ session, configRoot, cwd }: RecordOptions): Promise<string> {
  if (session.kind === "new") return newSessionFile(configRoot, cwd, session.id);
  if (!session.isFork) return session.path;
  const path = transcriptOf(dirname(session.path), randomUUID());
  await forkHistory(session.path, path, session.at);
  return path;
}

function holdSession(dataDir: string, id: string): Lock {
  const lock = lockSession(dataDir, id);
  if (lock) return lock;
  const hint = "end the other one first, or go on in a copy with --fork-session";
  throw new UserError("locked", `another turnlog works in session ${id}`, hint);
}

const LOST =
  "[Tool call interrupted: the program ended while it ran. Its outcome is unknown; check before you repeat it.]";

function closeCalls(recorder: Recorder, { openCalls }: History): void {
  for (const { id, callUuid } of openCalls) {
    const fields = {
      callId: id,
      content: LOST,
      isError: true,
      data: `Error: ${LOST}`,
      callUuid,
      permission: undefined,
    };
    recorder.add(resultLine({ ...fields, denialKind: "interrupted" }, randomUUID()));
  }
}
