import type { Shell } from "../tools/shell/shells.js";
import { reportText } from "../tools/task.js";
import type { AgentReport } from "../tools/tool-context.js";

/** Notifications about ended background tasks, worded as Claude Code does. */
export class BackgroundNews {
  #items: NewsItem[] = [];
  readonly #listeners = new Set<() => void>();

  agentEnded(report: AgentReport & { kind: "done" }, callId: string, description: string): void {
    const { agentId, tokens, toolUses, durationMs, problem } = report;
    const usage = `<usage><total_tokens>${tokens}</total_tokens>\n<tool_uses>${toolUses}</tool_uses>\n<duration_ms>${durationMs}</duration_ms></usage>`;
    const status = problem === undefined ? "completed" : "failed";
    const summary = `Agent "${description}" ${status}`;
    const result = `<result>${reportText(report)}</result>`;
    this.#add(notification({ taskId: agentId, callId, status, summary }, `${result}\n${usage}`));
  }

  shellEnded(shell: Shell): void {
    const { id, callId, command, ended, wasKilled, note } = shell;
    const code = ended?.exitCode ?? null;
    const status = wasKilled ? "killed" : code === 0 ? "completed" : "failed";
    const how = wasKilled ? "was killed" : code === null ? "ended" : `ended with exit code ${code}`;
    this.#add(
      notification(
        { taskId: id, callId, status, summary: `Background command "${command.slice(0, 100)}" ${how}` },
        note === "" ? "" : `<result>${note}</result>`,
      ),
      () => shell.isEndKnown,
    );
  }

  take(): readonly string[] {
    const texts = this.#fresh().map(({ text }) => text);
    this.#items = [];
    return texts;
  }

  get isEmpty(): boolean {
    return this.#fresh().length === 0;
  }

  /** Resolves when there is a notification. */
  next(): Promise<void> {
    if (!this.isEmpty) return Promise.resolve();
    return new Promise((done) => {
      const listener = () => {
        this.#listeners.delete(listener);
        done();
      };
      this.#listeners.add(listener);
    });
  }

  #fresh(): readonly NewsItem[] {
    return this.#items.filter(({ isKnown }) => !isKnown());
  }

  #add(text: string, isKnown = () => false): void {
    if (isKnown()) return;
    this.#items.push({ text, isKnown });
    for (const listener of this.#listeners) listener();
  }
}

interface NewsItem {
  readonly text: string;
  /** The model already knows. */
  readonly isKnown: () => boolean;
}

interface TaskFacts {
  readonly taskId: string;
  readonly callId: string;
  readonly status: string;
  readonly summary: string;
}

function notification({ taskId, callId, status, summary }: TaskFacts, more: string): string {
  const tags = [
    `<task-id>${taskId}</task-id>`,
    `<tool-use-id>${callId}</tool-use-id>`,
    `<status>${status}</status>`,
    `<summary>${summary}</summary>`,
  ];
  return `<task-notification>\n${[...tags, more].filter((tag) => tag !== "").join("\n")}\n</task-notification>`;
}
