import { randomUUID } from "node:crypto";
import type { JsonObject } from "../../format/json.js";
import type { Listen } from "../chat-event.js";
import type { ProgressBudget } from "../record/progress-budget.js";
import type { Recorder } from "../record/recorder.js";
import type { Workspace } from "../tools/workspace.js";
import { hookInput, stopFields } from "../wire/hook-input.js";
import { progressLine, stopHookLine } from "../wire/line.js";
import type { Hook, HookEvent } from "./read-hooks.js";
import { type HookAnswer, runHook } from "./run-hook.js";

export interface HooksParts {
  readonly hooks: readonly Hook[];
  readonly workspace: Workspace;
  readonly recorder: () => Recorder;
  readonly mode: () => string;
  readonly listen: Listen;
  readonly budget: ProgressBudget;
}

export interface HookCall {
  readonly signal: AbortSignal;
  /** The tool, or why it happens: what matchers are about. */
  readonly subject?: string;
  /** What is told beside session, folder and mode, by the client's names. */
  readonly fields?: JsonObject;
  readonly toolUseId?: string;
}

/** What all hooks of an event say together. */
export interface HookVerdict {
  readonly block: string | undefined;
  readonly isApproved: boolean;
  readonly question: string | undefined;
  /** For the model, in the client's words; undefined: nothing. */
  readonly context: string | undefined;
}

const NO_WISH: HookVerdict = { block: undefined, isApproved: false, question: undefined, context: undefined };
/** Who leaves does not wait for long. */
const END_MS = 1_500;

/** Runs the commands of the client's settings. One that fails is told of and changes nothing. */
export class Hooks {
  constructor(private readonly parts: HooksParts) {}

  async run(
    event: HookEvent,
    { signal, subject, fields = {}, toolUseId = randomUUID() }: HookCall,
  ): Promise<HookVerdict> {
    const wanted = this.parts.hooks.filter((hook) => hook.event === event && matches(hook.matcher, subject));
    if (wanted.length === 0) return NO_WISH;
    const name = subject === undefined ? event : `${event}:${subject}`;
    const { workspace } = this.parts;
    const place = { cwd: workspace.cwd, projectRoot: workspace.projectRoot, signal };
    const { sessionId, path } = this.parts.recorder();
    const input = hookInput(event, { sessionId, path, cwd: workspace.cwd, mode: this.parts.mode() }, fields);
    const answers = await Promise.all(
      wanted.map((hook) => {
        this.#note(event, name, hook.command, toolUseId);
        return runHook(hook, input, place);
      }),
    );
    if (event === "Stop") this.parts.recorder().add(stopHookLine(answers, toolUseId));
    for (const { command, problem } of answers)
      if (problem !== undefined) this.parts.listen({ kind: "notice", text: `hook ${name} (${command}): ${problem}` });
    return toVerdict(name, answers);
  }

  /** Why the turn must not end yet; undefined: it may. `isAgain`: it was kept from ending before. */
  async objection(event: "Stop" | "SubagentStop", isAgain: boolean, signal: AbortSignal): Promise<string | undefined> {
    const { block } = await this.run(event, { signal, fields: stopFields(isAgain) });
    return block === undefined ? undefined : `${event} hook feedback:\n${block}`;
  }

  async end(): Promise<void> {
    const signal = AbortSignal.timeout(END_MS);
    await this.run("SessionEnd", { signal, subject: "other", fields: { reason: "other" } });
  }

  #note(event: HookEvent, name: string, command: string, toolUseId: string): void {
    const data = { type: "hook_progress", hookEvent: event, hookName: name, command };
    if (!this.parts.budget.takes(`${toolUseId} ${event} ${command}`, data)) return;
    this.parts.recorder().addAside(progressLine(data, toolUseId, toolUseId));
  }
}

/** A regular expression over the whole name, as the client takes it; one that is none matches itself. */
function matches(matcher: string | undefined, subject: string | undefined): boolean {
  if (matcher === undefined || subject === undefined) return true;
  try {
    return new RegExp(`^(?:${matcher})$`).test(subject);
  } catch {
    return matcher === subject;
  }
}

function toVerdict(name: string, answers: readonly HookAnswer[]): HookVerdict {
  const blocks = answers.flatMap(({ block }) => block ?? []);
  const contexts = answers.flatMap(({ context }) => context ?? []);
  return {
    block: blocks.length > 0 ? blocks.join("\n") : undefined,
    isApproved: blocks.length === 0 && answers.some(({ isApproved }) => isApproved),
    question: answers.find(({ question }) => question !== undefined)?.question,
    context:
      contexts.length > 0
        ? `<system-reminder>\n${name} hook additional context: ${contexts.join("\n")}\n</system-reminder>`
        : undefined,
  };
}
