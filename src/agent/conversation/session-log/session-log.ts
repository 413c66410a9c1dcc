import { randomUUID } from "node:crypto";
import { dirname } from "node:path";
import { isFileError, UserError } from "../../../errors.js";
import type { JsonObject } from "../../../format/json.js";
import { sessionPaths, transcriptOf } from "../../../format/layout/session-paths.js";
import type { Lock } from "../../../store/lock.js";
import type { ChatOptions } from "../../chat-options.js";
import type { PromptContext } from "../../context/system-prompt.js";
import type { Workspace } from "../../workspace.js";
import type { Listen } from "../chat-event.js";
import { type AgentHome, AgentLog, type AgentMeta, type OpenedAgent } from "./agent-log.js";
import { ConversationLog } from "./conversation-log.js";
import { FileHistory, type Layout, linkBackups, readBackupLines } from "./file-history.js";
import { forkHistory, type History, readHistory } from "./history.js";
import { type LineBody, progressLine } from "./lines.js";
import { readPromptContext } from "./prompt-context.js";
import { ProgressBudget, type RecordedLine, Recorder, type RecorderOptions } from "./recorder.js";
import { choosePath, createSlug, holdSession, keepToolResult } from "./session-files.js";

const LOST =
  "[Tool call interrupted: the program ended while it ran. Its outcome is unknown; check before you repeat it.]";
const ENDED = "[Tool call interrupted: the chat ended while it ran. Its outcome is unknown.]";

/**
 * The one owner of a session that is being recorded: its file and lock, the copy that it moves to when another program writes to
 * the file, the backups of changed files, the open calls and the logs of sub-agents. Everybody else asks it.
 */
export class SessionLog extends ConversationLog implements AgentHome {
  readonly layout: Layout;
  readonly #files: FileOpener;
  readonly #fileHistory: FileHistory;
  readonly #budget = new ProgressBudget();
  readonly #agents = new Set<AgentLog>();
  readonly #locks: Lock[];
  #history: History | undefined;
  /** While the session moves, records beside the conversation wait for the new file. */
  #waiting: (() => void)[] | undefined;

  private constructor(path: string, files: FileOpener, history: History | undefined, lock: Lock) {
    super(files.open(path, history), history?.openCalls);
    this.#files = files;
    this.#locks = [lock];
    this.#history = history;
    this.promptContext = history ? readPromptContext(path) : undefined;
    const { configRoot, recordRoot = configRoot, cwd, layout = "current" } = files.options;
    this.layout = layout;
    this.#fileHistory = new FileHistory(recordRoot, cwd, this, history ? readBackupLines(path) : []);
  }

  /** Opens the chosen session. Calls that a crash left without a result get one first. */
  static async open(options: ChatOptions, workspace: Workspace): Promise<SessionLog> {
    const path = await choosePath(options);
    const lock = holdSession(options.dataDir, sessionPaths(path).id);
    try {
      return SessionLog.#openHeld(path, options, workspace, lock);
    } catch (error) {
      lock.release();
      throw error;
    }
  }

  static #openHeld(path: string, options: ChatOptions, workspace: Workspace, lock: Lock): SessionLog {
    const { session } = options;
    const at = session.kind === "resume" && !session.isFork ? session.at : undefined;
    const found = session.kind === "resume" ? readHistory(path, at) : undefined;
    const files = new FileOpener(options, workspace, found?.slug ?? createSlug());
    const log = new SessionLog(path, files, found, lock);
    if (!found || found.openCalls.length === 0) return log;
    log.closeCalls(LOST, randomUUID());
    log.#history = readHistory(path);
    return log;
  }

  /** As the session's first turnlog recorded it; undefined: none did yet. */
  readonly promptContext: PromptContext | undefined;

  /** Of a resumed session: what it contained when it was opened. */
  get history(): History | undefined {
    return this.#history;
  }

  override addAside(body: LineBody): void {
    if (this.#waiting) this.#waiting.push(() => super.addAside(body));
    else super.addAside(body);
  }

  override addSide(line: JsonObject): void {
    if (this.#waiting) this.#waiting.push(() => this.addSide({ ...line, ...this.#ownId(line) }));
    else super.addSide(line);
  }

  /** Records that a call goes on, unless there were too many such records. `log` is where the call is recorded. */
  addProgress(data: JsonObject, callId: string, log: ConversationLog = this): void {
    if (this.#budget.takes(callId, data)) log.addAside(progressLine(data, callId, callId));
  }

  /** Records that a hook runs. */
  addHookProgress(data: JsonObject & { readonly command: string; readonly hookEvent: string }, callId: string): void {
    const { hookEvent, command } = data;
    if (this.#budget.takes(`${callId} ${hookEvent} ${command}`, data))
      this.addAside(progressLine(data, callId, callId));
  }

  /** Backs up the files that were changed before; must be called with the uuid of each prompt before it is recorded. */
  startPrompt(promptUuid: string): void {
    this.#fileHistory.startPrompt(promptUuid);
  }

  /** Backs up a file; must be called before it is written. `callUuid` is the record of the call in this session. */
  beforeChange(path: string, callUuid: string): void {
    this.#fileHistory.beforeChange(path, callUuid);
  }

  /** Stores output that is too long for the conversation; returns its path. */
  keepOutput(text: string): string {
    return keepToolResult(this.path, text);
  }

  /** `parent` is where the call is recorded that starts the sub-agent. */
  openAgent(meta: AgentMeta, parent: ConversationLog): AgentLog {
    const log = new AgentLog(this, meta, parent);
    this.#agents.add(log);
    return log;
  }

  openAgentFile(agent: OpenedAgent, path: string, leaf: string | null): Recorder {
    return this.#files.openAgent(agent.agentId, path, leaf, this.sessionId);
  }

  /** Tells the user. */
  warn(text: string): void {
    this.#listen({ kind: "notice", text });
  }

  onAgentLine({ agentId, meta, parent }: OpenedAgent, line: RecordedLine, isNews: boolean): void {
    const { agentType: type, toolUseId: callId } = meta;
    if (isNews) this.#listen({ kind: "recorded", line, agent: { agentId, type, callId } });
    const message = { type: line.type, message: line["message"] };
    this.addProgress({ type: "agent_progress", agentId, message }, callId, parent);
  }

  forgetAgent(log: AgentLog): void {
    this.#agents.delete(log);
  }

  /** Continues in a copy when another program wrote to the file: two writers would lose each other's records. */
  async leaveDisturbedFile(): Promise<boolean> {
    if (!this.isDisturbed || this.leaf === null) return false;
    const left = this.path;
    this.#waiting = [];
    try {
      await this.#fork();
    } catch (error) {
      if (!isFileError(error)) throw error;
      throw cannotFork(left, error);
    } finally {
      const waiting = this.#waiting;
      this.#waiting = undefined;
      for (const write of waiting) write();
    }
    const text = `another program wrote to session ${sessionPaths(left).id}; this conversation continues in ${this.sessionId}`;
    this.warn(text);
    return true;
  }

  /** False: some records could not be written. */
  override async close(): Promise<boolean> {
    this.closeCalls(ENDED, randomUUID());
    await this.sync();
    const isWritten = await super.close();
    for (const lock of this.#locks) lock.release();
    return isWritten;
  }

  protected override onLine(line: RecordedLine, isNews: boolean): void {
    if (isNews) this.#listen({ kind: "recorded", line, agent: null });
  }

  get #listen(): Listen {
    return this.#files.options.listen;
  }

  async #fork(): Promise<void> {
    const { options } = this.#files;
    const { path: from, sessionId } = this;
    const path = transcriptOf(dirname(from), randomUUID());
    const leaf = await this.#copyTo(path);
    const root = options.recordRoot ?? options.configRoot;
    linkBackups({ root, id: sessionId }, { root, id: sessionPaths(path).id });
    this.#locks.push(holdSession(options.dataDir, sessionPaths(path).id));
    const closing = [this.moveTo(this.#files.open(path, { leaf, lastTime: Date.parse(this.time()) }))];
    for (const agent of this.#agents) closing.push(this.#takeAlong(agent));
    await Promise.all(closing);
  }

  /** Returns the record to continue from: the last one, or the end of what the other program left of the conversation. */
  async #copyTo(path: string): Promise<string | null> {
    try {
      await forkHistory(this.path, path, this.leaf ?? undefined);
      return this.leaf;
    } catch (error) {
      if (!(error instanceof UserError) || error.code !== "not-found") throw error;
      this.warn("the other program removed records of this conversation; the copy has only what is left of it");
      await forkHistory(this.path, path);
      return readHistory(path).leaf;
    }
  }

  /** A sub-agent that cannot come along goes on where it is. */
  async #takeAlong(agent: AgentLog): Promise<boolean> {
    try {
      return await agent.follow();
    } catch (error) {
      if (!isFileError(error)) throw error;
      const text = `the records of sub-agent ${agent.agentId} stay beside the session that was left: ${error.message}`;
      this.warn(text);
      return false;
    }
  }

  #ownId(line: JsonObject): JsonObject {
    return line["sessionId"] === undefined ? {} : { sessionId: this.sessionId };
  }
}

function cannotFork(path: string, cause: NodeJS.ErrnoException): UserError {
  const hint = "free some space, or check the folder; nothing was sent";
  const message = `another program wrote to ${path}, and no copy can be made to continue in: ${cause.message}`;
  return new UserError("unreadable", message, hint, { cause });
}

/** Opens the files of a session for writing, all with the same envelope. */
class FileOpener {
  constructor(
    readonly options: ChatOptions,
    private readonly workspace: Workspace,
    private readonly slug: string,
  ) {}

  open(path: string, before?: Pick<History, "leaf" | "lastTime">): Recorder {
    const { listen } = this.options;
    return new Recorder({
      ...this.#basics(path),
      sessionId: sessionPaths(path).id,
      ...(before === undefined ? {} : { leaf: before.leaf, lastTime: before.lastTime }),
      onStalled: ({ message }) =>
        listen({
          kind: "notice",
          text: `${message}; records are kept in memory, and nothing is changed until they can be written`,
        }),
    });
  }

  openAgent(agentId: string, path: string, leaf: string | null, sessionId: string): Recorder {
    return new Recorder({ ...this.#basics(path), sessionId, agentId, leaf });
  }

  #basics(path: string): Omit<RecorderOptions, "sessionId"> {
    const { ownVersion, durability, dataDir, recordRoot } = this.options;
    const onLost = ({ message }: Error) =>
      this.options.listen({ kind: "notice", text: `a record was not written: ${message}` });
    const basics = { path, slug: this.slug, cwd: () => this.workspace.cwd, ownVersion, onLost };
    // Where no transcript is to be kept, no draft of one is either.
    const draft = recordRoot === undefined ? { dataDir } : {};
    return { ...basics, ...draft, ...(durability === undefined ? {} : { durability }) };
  }
}
