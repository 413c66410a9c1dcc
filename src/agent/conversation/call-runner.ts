import type { JsonObject } from "../../format/json.js";
import { type ApiBlock, textBlock } from "../../format/record/api-message.js";
import { callFields, resultFields } from "../hooks/run-hooks.js";
import { refusedOutcome, type Tool, ToolError, type ToolOutcome } from "../tools/tool.js";
import { byName } from "../tools/toolbox.js";
import type { Conversation } from "./conversation.js";
import { createToolContext } from "./create-tool-context.js";
import type { Call } from "./loop.js";
import { INTERRUPTED_TOOL, resultBlock } from "./session-log/lines.js";

interface Ended {
  readonly outcome: ToolOutcome;
  readonly denialKind?: "interrupted";
  readonly permission?: JsonObject;
  /** When its tool was started; undefined: it was not. */
  readonly startedAt?: number;
}

const MAX_AT_ONCE = 8;
const BLOCKED = "hook blocking error";

/** Runs the calls of one answer: read-only tools in parallel, the others one by one. Each result is recorded at once. */
export class CallRunner {
  #hasSynced = false;
  readonly #tools: ReadonlyMap<string, Tool>;
  /** Ends the other calls of an answer when the person refuses one. */
  readonly #refusal = new AbortController();
  readonly #signal: AbortSignal;

  constructor(
    private readonly conversation: Conversation,
    private readonly promptId: string,
    signal: AbortSignal,
  ) {
    this.#tools = byName(conversation.tools);
    this.#signal = AbortSignal.any([signal, this.#refusal.signal]);
  }

  /** The person said no, so the turn ends. */
  get isRefused(): boolean {
    return this.#refusal.signal.aborted;
  }

  async run(calls: readonly Call[]): Promise<readonly ApiBlock[]> {
    const results = new Map<Call, ApiBlock>();
    for (const batch of this.#batches(calls)) {
      await Promise.all(
        batch.map(async (call) => {
          results.set(call, this.#record(call, await this.#runOne(call)));
        }),
      );
    }
    return calls.flatMap((call) => results.get(call) ?? []);
  }

  /** Records an error result for each call without running it. */
  refuse(calls: readonly Call[], reason: string): readonly ApiBlock[] {
    return calls.map((call) => this.#record(call, { outcome: failure(reason) }));
  }

  #batches(calls: readonly Call[]): readonly (readonly Call[])[] {
    const batches: Call[][] = [];
    for (const call of calls) {
      const last = batches.at(-1);
      const canJoin =
        last && last.length < MAX_AT_ONCE && [...last, call].every((it) => this.#tools.get(it.name)?.isReadOnly);
      if (canJoin) last.push(call);
      else batches.push([call]);
    }
    return batches;
  }

  async #runOne(call: Call): Promise<Ended> {
    const { conversation } = this;
    const signal = this.#signal;
    const { desk, hooks } = conversation.host;
    const tool = this.#tools.get(call.name);
    if (!tool) return { outcome: misuse(`Error: No such tool available: ${call.name}`) };
    if (signal.aborted) return interrupted();
    const parsed = tool.parse(call.input);
    if ("problem" in parsed) return { outcome: misuse(parsed.problem) };
    let startedAt: number | undefined;
    const context = createToolContext(conversation, call, this.promptId, signal);
    try {
      const hooked = { signal, subject: tool.name, toolUseId: call.id };
      const verdict = await hooks.run("PreToolUse", { ...hooked, fields: callFields(call) });
      if (verdict.block !== undefined)
        return { outcome: failure(`PreToolUse:${tool.name} ${BLOCKED}: ${verdict.block}`) };
      const permission = await desk.decide(tool, parsed.input, context, verdict);
      if (signal.aborted) return interrupted();
      if (!permission.isGranted) {
        return {
          outcome: "refusal" in permission ? refusedOutcome(permission.refusal) : failure(permission.message),
        };
      }
      if (!tool.isReadOnly) await this.#prepareChange();
      conversation.emit({ kind: "call-started", call });
      startedAt = performance.now();
      const result = await tool.run(parsed.input, context);
      const after = await hooks.run("PostToolUse", { ...hooked, fields: resultFields(call, result.data) });
      const outcome = withNotes(result, [after.block, after.context]);
      return {
        outcome,
        startedAt,
        permission: permission.decision,
        ...(outcome.wasInterrupted ? { denialKind: "interrupted" } : {}),
      };
    } catch (error) {
      const ended = signal.aborted ? interrupted() : { outcome: toFailure(error) };
      return startedAt === undefined ? ended : { ...ended, startedAt };
    }
  }

  /** Records are flushed before anything is changed; while they cannot be written, nothing is changed. */
  async #prepareChange(): Promise<void> {
    const { log } = this.conversation;
    if (!this.#hasSynced || log.isStalled) await log.sync();
    if (log.isStalled)
      throw new ToolError(
        "The session cannot be recorded (the disk is full or fails), so nothing is changed until it can.",
      );
    this.#hasSynced = true;
  }

  #record(call: Call, { outcome, denialKind, permission, startedAt }: Ended): ApiBlock {
    const { log } = this.conversation;
    const { content, data, isError = false, refusal } = outcome;
    const kept = typeof content === "string" && content.trim() === "" ? "(No output.)" : content;
    const fields = { callId: call.id, content: kept, isError, data, denialKind, permission, refusal };
    const line = log.addResult(fields, this.promptId);
    if (refusal && refusal.feedback === undefined) this.#refusal.abort();
    const durationMs = startedAt === undefined ? undefined : performance.now() - startedAt;
    this.conversation.emit({ kind: "call-ended", call, outcome, durationMs, line });
    return resultBlock(fields);
  }
}

/** Adds what hooks say about a result. */
function withNotes(outcome: ToolOutcome, notes: readonly (string | undefined)[]): ToolOutcome {
  const text = notes.filter((note) => note !== undefined).join("\n");
  if (text === "") return outcome;
  const { content } = outcome;
  return { ...outcome, content: typeof content === "string" ? `${content}\n\n${text}` : [...content, textBlock(text)] };
}

function interrupted(): Ended {
  return {
    outcome: { content: INTERRUPTED_TOOL, data: "Error: interrupted", isError: true },
    denialKind: "interrupted",
  };
}

function failure(message: string): ToolOutcome {
  return { content: message, data: `Error: ${message}`, isError: true };
}

function misuse(message: string): ToolOutcome {
  return {
    content: `<tool_use_error>${message}</tool_use_error>`,
    data: message.startsWith("Error: ") ? message : `Error: ${message}`,
    isError: true,
  };
}

/** Any error of a tool becomes a result for the model. */
function toFailure(error: unknown): ToolOutcome {
  if (error instanceof ToolError) return error.isMisuse ? misuse(error.message) : failure(error.message);
  return failure(error instanceof Error ? error.message : String(error));
}
