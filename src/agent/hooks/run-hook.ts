import { isObject, isTrueAt, type JsonObject, stringAt, tryParseJson, valueAt } from "../../format/json.js";
import { BoundedOutput } from "../tools/shell/bounded-output.js";
import { runCommand } from "../tools/shell/run-command.js";
import type { Hook } from "./read-hooks.js";

/** What a hook wants. */
export interface HookAnswer {
  readonly command: string;
  readonly durationMs: number;
  /** Why it must not go on; undefined: it may. */
  readonly block: string | undefined;
  /** It may go on without asking anybody. */
  readonly isApproved: boolean;
  /** Why a person must be asked first. */
  readonly question: string | undefined;
  /** For the model to read. */
  readonly context: string | undefined;
  /** For people: it failed, and nothing follows from that. */
  readonly problem: string | undefined;
  readonly hasOutput: boolean;
}

export interface HookPlace {
  readonly cwd: string;
  readonly projectRoot: string;
  readonly signal: AbortSignal;
}

const MAX_CHARS = 100_000;
/** The exit code by which a hook objects. */
const OBJECTION = 2;

/** Runs a hook as the client does: the event as JSON on its input, its wishes by exit code or as JSON. */
export async function runHook(hook: Hook, input: JsonObject, place: HookPlace): Promise<HookAnswer> {
  const started = performance.now();
  const output = { stdout: new BoundedOutput(MAX_CHARS), stderr: new BoundedOutput(MAX_CHARS) };
  const running = runCommand({
    command: hook.command,
    cwd: place.cwd,
    env: { ...process.env, CLAUDE_PROJECT_DIR: place.projectRoot },
    input: JSON.stringify(input),
    onOutput: (stream, text) => output[stream].add(text),
  });
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    running.kill();
  }, hook.timeoutMs);
  const stop = () => running.kill();
  place.signal.addEventListener("abort", stop);
  try {
    const { exitCode } = await running.end;
    const told = { stdout: output.stdout.text.trim(), stderr: output.stderr.text.trim() };
    const answer = { command: hook.command, durationMs: Math.round(performance.now() - started) };
    if (isLate) return { ...answer, ...silent(`took longer than ${hook.timeoutMs / 1000} s`) };
    return { ...answer, ...toWishes(exitCode, told) };
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error);
    return { command: hook.command, durationMs: 0, ...silent(problem) };
  } finally {
    clearTimeout(timer);
    place.signal.removeEventListener("abort", stop);
  }
}

type Wishes = Omit<HookAnswer, "command" | "durationMs">;

function silent(problem: string | undefined): Wishes {
  return { block: undefined, isApproved: false, question: undefined, context: undefined, problem, hasOutput: false };
}

function toWishes(exitCode: number | null, { stdout, stderr }: { stdout: string; stderr: string }): Wishes {
  const hasOutput = stdout !== "";
  if (exitCode === OBJECTION) return { ...silent(undefined), block: stderr || "no reason was given", hasOutput };
  if (exitCode !== 0) return { ...silent(`failed with exit code ${exitCode}${stderr && `: ${stderr}`}`), hasOutput };
  const json = stdout.startsWith("{") ? tryParseJson(stdout) : undefined;
  if (!isObject(json)) return { ...silent(undefined), context: stdout || undefined, hasOutput };
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
