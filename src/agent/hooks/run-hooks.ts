import { randomUUID } from "node:crypto";
import { isObject, isTrueAt, type JsonObject, stringAt, tryParseJson, valueAt } from "../../format/json.js";
import { childEnvironment } from "../child-environment.js";
import type { Listen } from "../conversation/chat-event.js";
import { stopHookLine } from "../conversation/session-log/lines.js";
import type { SessionLog } from "../conversation/session-log/session-log.js";
import { BoundedOutput } from "../tools/shell/run-shell-command.js";
import type { Shells } from "../tools/shell/shells.js";
import type { Workspace } from "../workspace.js";
import type { Hook, HookEvent } from "./read-hooks.js";

/** What hooks are told about the chat, and where it is recorded that they ran. */
interface HookSurroundings {
  readonly workspace: Workspace;
  readonly desk: { readonly mode: string };
  readonly log: SessionLog;
  readonly listen: Listen;
  readonly shells: Shells;
}

export interface HookCall {
  readonly signal: AbortSignal;
  /** The tool, or the reason of the event: what matchers are compared with. */
  readonly subject?: string;
  /** Fields besides session, folder and mode, by Claude Code's names. */
  readonly fields?: JsonObject;
  readonly toolUseId?: string;
}

/** The combined result of all hooks of an event. */
export interface HookVerdict {
  readonly block: string | undefined;
  readonly isApproved: boolean;
  readonly question: string | undefined;
  /** Text for the model, worded as Claude Code does; undefined: none. */
  readonly context: string | undefined;
}

const NO_VERDICT: HookVerdict = { block: undefined, isApproved: false, question: undefined, context: undefined };
/** SessionEnd hooks delay the exit at most this long. */
const END_MS = 1_500;

/** Runs the hooks of Claude Code's settings. A hook that fails is reported and has no effect. */
export class Hooks {
  constructor(
    private readonly hooks: readonly Hook[],
    private readonly chat: HookSurroundings,
  ) {}

  async run(
    event: HookEvent,
    { signal, subject, fields = {}, toolUseId = randomUUID() }: HookCall,
  ): Promise<HookVerdict> {
    const wanted = this.hooks.filter((hook) => hook.event === event && matches(hook.matcher, subject));
    if (wanted.length === 0 || signal.aborted) return NO_VERDICT;
    const name = subject === undefined ? event : `${event}:${subject}`;
    const { workspace, desk, log, listen, shells } = this.chat;
    const { cwd, projectRoot, variables } = workspace;
    const place = { cwd, projectRoot, variables, signal, shells };
    const { sessionId, path } = log;
    const input = hookInput(event, { sessionId, path, cwd, mode: desk.mode }, fields);
    const answers = await Promise.all(
      wanted.map((hook) => {
        const progress = { type: "hook_progress", hookEvent: event, hookName: name, command: hook.command };
        log.addHookProgress(progress, toolUseId);
        return runHook(hook, input, place);
      }),
    );
    if (event === "Stop") log.add(stopHookLine(answers, toolUseId));
    for (const { command, problem } of answers)
      if (problem !== undefined) listen({ kind: "notice", text: `hook ${name} (${command}): ${problem}` });
    return toVerdict(name, answers);
  }

  /** Why the turn must not end yet; undefined: it may. `isAgain`: a hook already prevented it once. */
  async objection(event: "Stop" | "SubagentStop", isAgain: boolean, signal: AbortSignal): Promise<string | undefined> {
    const { block } = await this.run(event, { signal, fields: stopFields(isAgain) });
    return block === undefined ? undefined : `${event} hook feedback:\n${block}`;
  }

  async end(): Promise<void> {
    const signal = AbortSignal.timeout(END_MS);
    await this.run("SessionEnd", { signal, subject: "other", fields: { reason: "other" } });
  }
}

/** A regular expression for the whole name, as in Claude Code; an invalid one is compared as text. */
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

/** The result of one hook. */
interface HookAnswer {
  readonly command: string;
  readonly durationMs: number;
  /** Why the event is blocked; undefined: it is not. */
  readonly block: string | undefined;
  /** It may proceed without a question. */
  readonly isApproved: boolean;
  /** Why the user must be asked first. */
  readonly question: string | undefined;
  /** Text for the model. */
  readonly context: string | undefined;
  /** For the user: the hook failed and has no effect. */
  readonly problem: string | undefined;
  readonly hasOutput: boolean;
}

export interface HookPlace {
  readonly cwd: string;
  readonly projectRoot: string;
  readonly variables: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
  readonly shells: Shells;
}

const MAX_CHARS = 100_000;
/** The exit code with which a hook blocks. */
const OBJECTION = 2;

/** Runs a hook as Claude Code does: the event as JSON on stdin, the decision as exit code or JSON. */
async function runHook(hook: Hook, input: JsonObject, place: HookPlace): Promise<HookAnswer> {
  const started = performance.now();
  const output = { stdout: new BoundedOutput(MAX_CHARS), stderr: new BoundedOutput(MAX_CHARS) };
  const running = place.shells.run({
    command: hook.command,
    cwd: place.cwd,
    env: { ...childEnvironment("hook", place.variables), CLAUDE_PROJECT_DIR: place.projectRoot },
    input: JSON.stringify(input),
    onOutput: (stream, text) => output[stream].add(text),
  });
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    running.kill();
  }, hook.timeoutMs);
  let giveUp = () => {};
  // An interrupt does not wait for the end of a hook, which may ignore the signal.
  const interrupted = new Promise<undefined>((done) => {
    giveUp = () => done(undefined);
  });
  const stop = () => {
    running.kill();
    giveUp();
  };
  place.signal.addEventListener("abort", stop);
  try {
    const end = await Promise.race([running.end, interrupted]);
    if (!end) return { command: hook.command, durationMs: 0, ...noDecision(undefined) };
    const { exitCode } = end;
    const printed = { stdout: output.stdout.text.trim(), stderr: output.stderr.text.trim() };
    const answer = { command: hook.command, durationMs: Math.round(performance.now() - started) };
    if (isLate) return { ...answer, ...noDecision(`took longer than ${hook.timeoutMs / 1000} s`) };
    return { ...answer, ...toDecision(exitCode, printed) };
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error);
    return { command: hook.command, durationMs: 0, ...noDecision(problem) };
  } finally {
    clearTimeout(timer);
    place.signal.removeEventListener("abort", stop);
  }
}

type HookDecision = Omit<HookAnswer, "command" | "durationMs">;

function noDecision(problem: string | undefined): HookDecision {
  return { block: undefined, isApproved: false, question: undefined, context: undefined, problem, hasOutput: false };
}

function toDecision(exitCode: number | null, { stdout, stderr }: { stdout: string; stderr: string }): HookDecision {
  const hasOutput = stdout !== "";
  if (exitCode === OBJECTION) return { ...noDecision(undefined), block: stderr || "no reason was given", hasOutput };
  if (exitCode !== 0)
    return { ...noDecision(`failed with exit code ${exitCode}${stderr && `: ${stderr}`}`), hasOutput };
  const json = stdout.startsWith("{") ? tryParseJson(stdout) : undefined;
  if (!isObject(json)) return { ...noDecision(undefined), context: stdout || undefined, hasOutput };
  const decision = stringAt(json, "hookSpecificOutput", "permissionDecision") ?? stringAt(json, "decision");
  const isBlocked = decision === "block" || decision === "deny" || valueAt(json, "continue") === false;
  const reason =
    stringAt(json, "hookSpecificOutput", "permissionDecisionReason") ??
    stringAt(json, "reason") ??
    stringAt(json, "stopReason") ??
    "no reason was given";
  return {
    block: isBlocked ? reason : undefined,
    isApproved: decision === "allow" || decision === "approve",
    question: decision === "ask" ? reason : undefined,
    context: stringAt(json, "hookSpecificOutput", "additionalContext"),
    problem: undefined,
    hasOutput: hasOutput && !isTrueAt(json, "suppressOutput"),
  };
}

/** The input of a hook, by Claude Code's names. */

export interface HookSituation {
  readonly sessionId: string;
  readonly path: string;
  readonly cwd: string;
  readonly mode: string;
}

function hookInput(event: string, { sessionId, path, cwd, mode }: HookSituation, more: JsonObject): JsonObject {
  const common = { session_id: sessionId, transcript_path: path, cwd, permission_mode: mode };
  return { ...common, hook_event_name: event, ...more };
}

export interface HookedCall {
  readonly id: string;
  readonly name: string;
  readonly input: unknown;
}

export function callFields({ id, name, input }: HookedCall): JsonObject {
  return { tool_name: name, tool_input: input, tool_use_id: id };
}

export function resultFields(call: HookedCall, data: unknown): JsonObject {
  return { ...callFields(call), tool_response: data };
}

/** `isAgain`: a hook already prevented the end of this turn. */
function stopFields(isAgain: boolean): JsonObject {
  return { stop_hook_active: isAgain };
}

export function compactFields(trigger: string, instructions: string | undefined): JsonObject {
  return { trigger, custom_instructions: instructions ?? "" };
}
