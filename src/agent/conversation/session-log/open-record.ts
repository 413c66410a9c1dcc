import { randomBytes, randomInt, randomUUID } from "node:crypto";
import { dirname, join } from "node:path";
import { UserError } from "../../../errors.js";
import {
  projectSlugs,
  projectsDirOf,
  sessionPaths,
  subagentMetaFile,
  transcriptOf,
} from "../../../format/layout/session-paths.js";
import { atomicWrite } from "../../../store/atomic-write.js";
import { adviceAbout, type Lock, lockSession, sessionLockPath } from "../../../store/lock.js";
import { makeFolder } from "../../../store/make-folder.js";
import type { ChatOptions } from "../../chat-options.js";
import type { Layout } from "./file-history-recorder.js";
import { forkHistory, type History, readHistory } from "./history.js";
import { resultLine } from "./lines.js";
import { Recorder, type RecorderOptions } from "./recorder.js";

/** A session file opened for writing, with its history. */
export interface OpenRecord {
  readonly recorder: Recorder;
  readonly history: History | undefined;
  readonly slug: string;
  readonly lock: Lock;
}

type RecordOptions = Pick<
  ChatOptions,
  "session" | "configRoot" | "recordRoot" | "projectDir" | "cwd" | "dataDir" | "ownVersion" | "durability"
>;
type Hooks = Pick<RecorderOptions, "cwd" | "onLine" | "onStalled">;

/** Opens the chosen session. Calls that a crash left without a result get one first. */
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

/** Opens a copy of a conversation up to a record, in the folder of the original. */
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

async function choosePath({ session, configRoot, recordRoot, projectDir, cwd }: RecordOptions): Promise<string> {
  const ownFolder =
    recordRoot === undefined && projectDir !== undefined
      ? projectDir
      : join(projectsDirOf(recordRoot ?? configRoot), projectSlugs(cwd)[0]);
  if (session.kind === "new") return newSessionFile(ownFolder, session.id);
  if (recordRoot !== undefined) makeFolder(ownFolder);
  else if (!session.isFork) return session.path;
  const path = transcriptOf(recordRoot === undefined ? dirname(session.path) : ownFolder, randomUUID());
  await forkHistory(session.path, path, session.at);
  return path;
}

function holdSession(dataDir: string, id: string): Lock {
  const lock = lockSession(dataDir, id);
  if (lock) return lock;
  const hint = "end it first, or resume in a copy with --fork-session";
  throw new UserError(
    "locked",
    `session ${id} is open in another turnlog${adviceAbout(sessionLockPath(dataDir, id))}`,
    hint,
  );
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

/** The file of a new session, in the folder where Claude Code expects those of this directory. */
function newSessionFile(folder: string, id: string = randomUUID()): string {
  makeFolder(folder);
  return transcriptOf(folder, id);
}

export interface AgentFile {
  readonly agentId: string;
  readonly path: string;
}

export function newAgentFile(sessionFile: string, layout: Layout): AgentFile {
  const { subagentsDir, projectDir } = sessionPaths(sessionFile);
  const agentId =
    layout === "current" ? `a${randomBytes(8).toString("hex")}` : randomBytes(4).toString("hex").slice(0, 7);
  return { agentId, path: join(layout === "current" ? subagentsDir : projectDir, `agent-${agentId}.jsonl`) };
}

export interface AgentMeta {
  readonly agentType: string;
  readonly isBuiltIn: boolean;
  readonly description: string;
  readonly toolUseId: string;
  readonly spawnDepth: number;
  readonly requestShape: "foreground" | "background";
  readonly finished: boolean;
}

/** Claude Code 2.1.325 stores it beside the sub-agent's file; the older layout has none. */
export function writeAgentMeta(agentFile: string, meta: AgentMeta, layout: Layout): void {
  if (layout !== "current") return;
  makeFolder(dirname(agentFile));
  atomicWrite(subagentMetaFile(agentFile), JSON.stringify(meta), { durable: false });
}

/** Stores output that is too long for the conversation in a file beside the session. */
export function keepToolResult(sessionFile: string, text: string): string {
  const { toolResultsDir } = sessionPaths(sessionFile);
  makeFolder(toolResultsDir);
  const path = join(toolResultsDir, `b${randomBytes(4).toString("hex")}.txt`);
  atomicWrite(path, text, { durable: false });
  return path;
}

/** A pronounceable name: adjective, adjective, surname. */
export function createSlug(): string {
  return [pick(ADJECTIVES), pick(ADJECTIVES), pick(SURNAMES)].join("-");
}

const ADJECTIVES = `amber brisk calm clever crisp eager fair fluffy gentle glad hazy humble keen kind light lively lucid
  merry mild neat nimble patient plain quick quiet robust rustic shiny silent snug soft steady sunny swift tidy vivid warm
  wise witty zesty`.split(/\s+/);

const SURNAMES =
  `abel babbage banach bohr boole cantor cauchy church curie dijkstra emmy erdos euler fermat galois gauss
  germain goedel hamilton hilbert hopper hypatia kepler knuth lamarr lamport liskov lovelace meitner naur neumann noether
  pascal peano ramanujan ritchie shannon thompson turing wiles wirth`.split(/\s+/);

function pick(words: readonly string[]): string {
  return words[randomInt(words.length)] ?? "";
}
