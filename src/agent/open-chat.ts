import { endLeftChildren } from "../store/child-register.js";
import { blankInitialSecrets } from "./blank-environment.js";
import { ChatHost, requirePrice } from "./chat-host.js";
import type { ChatOptions } from "./chat-options.js";
import { today } from "./context/system-prompt.js";
import { Chat } from "./conversation/chat.js";
import { recoverDrafts } from "./conversation/session-log/answer-draft.js";
import { SessionLog } from "./conversation/session-log/session-log.js";
import { readGitSnapshot } from "./git/git-snapshot.js";
import { noteQuestions } from "./note-questions.js";
import { Sandbox } from "./sandbox/sandbox.js";
import { clearLeftTraps } from "./sandbox/traps.js";
import { SubAgents } from "./sub-agents/sub-agents.js";
import { openWorkspace, readTrustedSettings } from "./trusted-settings.js";

/** Opens a new or existing session and everything a conversation needs. */
export async function openChat(options: ChatOptions): Promise<OpenedChat> {
  requirePrice(options, options.modelName);
  blankInitialSecrets();
  const tell = (text: string) => options.listen({ kind: "notice", text });
  endLeftChildren(options.dataDir);
  clearLeftTraps(options.dataDir, tell);
  await recoverDrafts(options.dataDir);
  const settings = await readTrustedSettings(options);
  const workspace = openWorkspace(options, settings.values);
  const sandbox = options.sandbox && Sandbox.open({ ...options, roots: workspace.roots }, options.sandbox, tell);
  const log = await SessionLog.open(options, workspace);
  const { recordsLeftOut = 0, brokenLines = 0 } = log.history ?? {};
  if (recordsLeftOut > 0) tell(describeOmission(recordsLeftOut));
  if (brokenLines > 0) tell(describeBrokenLines(brokenLines));
  const context = log.promptContext ?? { date: today(), gitSnapshot: await readGitSnapshot(options.cwd) };
  const person = options.person && noteQuestions(options.person, options.dataDir, () => log.sessionId);
  return new OpenedChat({ ...options, person }, workspace, log, settings, context, sandbox);
}

function describeOmission(records: number): string {
  return `the conversation is too long for a request: ${records} records from its middle are not sent to the model; the session keeps them`;
}

function describeBrokenLines(lines: number): string {
  const what =
    lines === 1
      ? "1 line of the session cannot be read; it is"
      : `${lines} lines of the session cannot be read; they are`;
  return `${what} kept but not sent to the model`;
}

const MAX_DESCRIPTION = 200;

/** A chat with all that belongs to it. */
export class OpenedChat extends ChatHost {
  readonly subAgents: SubAgents;
  readonly chat: Chat;

  constructor(...parts: ConstructorParameters<typeof ChatHost>) {
    super(...parts);
    this.subAgents = new SubAgents(this);
    this.chat = new Chat(this, this.subAgents);
  }

  /** Whether a background task may still start a turn. Records that it is waited for. */
  noteWaiting(): boolean {
    const shells = this.shells.running.map(({ callId, command }) => ({
      callId,
      description: command,
      type: "local_bash",
    }));
    const agents = this.subAgents.background.map((task) => ({ ...task, type: "local_agent" }));
    for (const { callId, description, type } of [...shells, ...agents]) {
      const data = { type: "waiting_for_task", taskDescription: description.slice(0, MAX_DESCRIPTION), taskType: type };
      this.log.addProgress(data, callId);
    }
    return shells.length + agents.length > 0;
  }
}
