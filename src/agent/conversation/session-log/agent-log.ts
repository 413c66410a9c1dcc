import { randomBytes } from "node:crypto";
import { dirname, join } from "node:path";
import { isFileError } from "../../../errors.js";
import { sessionPaths, subagentMetaFile } from "../../../format/layout/session-paths.js";
import { atomicWrite } from "../../../store/atomic-write.js";
import { makeFolder } from "../../../store/make-folder.js";
import { ConversationLog } from "./conversation-log.js";
import type { Layout } from "./file-history.js";
import { forkAgentFile } from "./history.js";
import type { RecordedLine, Recorder } from "./recorder.js";

/** What Claude Code 2.1.326 stores beside the file of a sub-agent. */
export interface AgentMeta {
  readonly agentType: string;
  readonly isBuiltIn: boolean;
  readonly description: string;
  readonly toolUseId: string;
  readonly spawnDepth: number;
  readonly requestShape: "foreground" | "background";
}

export interface OpenedAgent {
  readonly agentId: string;
  readonly meta: AgentMeta;
  /** Where the call is recorded that started it. */
  readonly parent: ConversationLog;
}

/** The session log, as far as its sub-agents need it. */
export interface AgentHome {
  readonly layout: Layout;
  /** The session's own file. */
  readonly path: string;
  openAgentFile(agent: OpenedAgent, path: string, leaf: string | null): Recorder;
  forgetAgent(log: AgentLog): void;
  /** A sub-agent recorded something. */
  onAgentLine(agent: OpenedAgent, line: RecordedLine, isNews: boolean): void;
}

/** The log of a sub-agent. The session log opens it, and takes it along when the session moves to another file. */
export class AgentLog extends ConversationLog implements OpenedAgent {
  readonly agentId: string;

  constructor(
    private readonly home: AgentHome,
    readonly meta: AgentMeta,
    readonly parent: ConversationLog,
  ) {
    const agentId = newAgentId(home.layout);
    super(home.openAgentFile({ agentId, meta, parent }, agentPath(home, agentId), null));
    this.agentId = agentId;
    this.#writeMeta(false);
  }

  /**
   * Goes on beside the file that the session is in now, with a copy of what was recorded. Nothing is awaited in between, so that no
   * record of the sub-agent is missing in the copy. In the older layout there is one place for all sessions.
   */
  follow(): Promise<boolean> {
    const { path, leaf } = this;
    const next = agentPath(this.home, this.agentId);
    if (next !== path) forkAgentFile(path, next, sessionPaths(this.home.path).id);
    const closed = this.moveTo(this.home.openAgentFile(this, next, leaf));
    this.#writeMeta(false);
    return closed;
  }

  override async close(): Promise<boolean> {
    this.closeCalls("[Tool call interrupted: the sub-agent ended.]", this.agentId);
    const isWritten = await super.close();
    this.#writeMeta(true);
    this.home.forgetAgent(this);
    return isWritten;
  }

  protected override onLine(line: RecordedLine, isNews: boolean): void {
    this.home.onAgentLine(this, line, isNews);
  }

  /** The older layout has none. A full disk must not end the sub-agent's work: the file only describes it. */
  #writeMeta(finished: boolean): void {
    if (this.home.layout !== "current") return;
    try {
      makeFolder(dirname(this.path));
      atomicWrite(subagentMetaFile(this.path), JSON.stringify({ ...this.meta, finished }), { durable: false });
    } catch (error) {
      if (!isFileError(error)) throw error;
    }
  }
}

function newAgentId(layout: Layout): string {
  return layout === "current" ? `a${randomBytes(8).toString("hex")}` : randomBytes(4).toString("hex").slice(0, 7);
}

function agentPath({ path, layout }: AgentHome, agentId: string): string {
  const { subagentsDir, projectDir } = sessionPaths(path);
  return join(layout === "current" ? subagentsDir : projectDir, `agent-${agentId}.jsonl`);
}
