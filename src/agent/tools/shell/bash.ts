import { z } from "zod";
import { openShadowGit } from "../../git/shadow-git.js";
import type { Workspace } from "../../workspace.js";
import { createTool } from "../create-tool.js";
import { ToolError, type ToolOutcome } from "../tool.js";
import type { ToolContext } from "../tool-context.js";
import { BoundedOutput, type CommandEnd, type CommandOptions, shellEnvironment } from "./run-shell-command.js";

const DEFAULT_TIMEOUT_MS = 120_000;
const MAX_TIMEOUT_MS = 600_000;
const MAX_SHOWN_CHARS = 30_000;
const MAX_KEPT_CHARS = 20 * 1024 * 1024;
const PREVIEW_CHARS = 2_000;
const PROGRESS_MS = 2_000;

const schema = z.object({
  command: z.string().min(1).describe("The command, for bash"),
  description: z.string().optional().describe("What it does, in five to ten words"),
  timeout: z.number().positive().max(MAX_TIMEOUT_MS).optional().describe("Milliseconds after which it is ended"),
  run_in_background: z.boolean().optional().describe("Go on at once; BashOutput reads what it prints"),
});

export const bashTool = createTool({
  name: "Bash",
  description: `Runs a command in bash and gives what it printed. The working directory stays between calls; variables do not. Ends after ${DEFAULT_TIMEOUT_MS / 1000} s unless timeout says otherwise (at most ${MAX_TIMEOUT_MS / 1000} s). No input can be given to it. For reading, searching and editing files use Read, Grep, Glob and Edit. With run_in_background it runs on while you work.`,
  schema,
  isReadOnly: false,
  action: ({ command }) => ({ kind: "shell", command }),
  run: async (input, context) =>
    input.run_in_background ? startInBackground(input.command, context) : runToEnd(input, context),
});

function startInBackground(command: string, context: ToolContext): ToolOutcome {
  const { close, ...surroundings } = surround(context);
  const { shells, callId, judgedCommand: runs } = context;
  const shell = shells.start({ command, runs, callId, ...surroundings, onEnd: close });
  return {
    content: `Command running in background with ID: ${shell.id}. Read its output with BashOutput. You are notified when it ends.`,
    data: { ...NO_OUTPUT, backgroundTaskId: shell.id },
  };
}

interface Surroundings extends Pick<CommandOptions, "cwd" | "env" | "sandbox" | "folders"> {
  /** After the command; returns a note for the model. */
  close(): string;
}

/** Git commands that are allowed because they only read do so on a shadow of the repository. */
function surround({ git, workspace, sandbox }: ToolContext): Surroundings {
  const { cwd, variables } = workspace;
  const env = shellEnvironment(variables, sandbox);
  const shadow = git === "shadow" ? openShadowGit(cwd) : undefined;
  if (git === "shadow" && !shadow)
    throw new ToolError("The repository changed since the command was judged, so it was not run.");
  sandbox?.enter();
  const close = () => {
    shadow?.close();
    return sandbox?.leave() ?? "";
  };
  return { cwd, env: shadow?.environment(env) ?? env, sandbox, folders: shadow ? [shadow.folder] : [], close };
}

const NO_OUTPUT = { stdout: "", stderr: "", interrupted: false, isImage: false, noOutputExpected: false };

type WhyEnded = "itself" | "timeout" | "interrupt";

async function runToEnd({ command, timeout }: z.infer<typeof schema>, context: ToolContext): Promise<ToolOutcome> {
  const { workspace, signal, shells } = context;
  const limitMs = timeout ?? DEFAULT_TIMEOUT_MS;
  const output = { stdout: new BoundedOutput(MAX_KEPT_CHARS), stderr: new BoundedOutput(MAX_KEPT_CHARS) };
  let why: WhyEnded = "itself";
  const startedIn = workspace.cwd;
  const { close, ...surroundings } = surround(context);
  const running = shells.run({
    command: context.judgedCommand ?? command,
    ...surroundings,
    onOutput: (stream, text) => output[stream].add(text),
  });
  const stop = (reason: WhyEnded) => {
    why = reason;
    running.kill();
  };
  const onAbort = () => stop("interrupt");
  const timer = setTimeout(() => stop("timeout"), limitMs);
  let reported = "";
  const pulse = setInterval(() => {
    const { text } = output.stdout;
    if (text !== reported) context.progress(progressOf(text));
    reported = text;
  }, PROGRESS_MS);
  signal.addEventListener("abort", onAbort);
  if (signal.aborted) onAbort();
  try {
    const end = await running.end.catch((error: Error) => {
      close();
      throw new ToolError(`The command could not be started: ${error.message}`);
    });
    output.stderr.add(Buffer.from(move(workspace, startedIn, end.cwd) + close()));
    return toOutcome({ command, end, why, limitMs, stdout: output.stdout.text, stderr: output.stderr.text }, context);
  } finally {
    clearTimeout(timer);
    clearInterval(pulse);
    signal.removeEventListener("abort", onAbort);
  }
}

/** The next command runs in the directory where this one ended; returns a note if that directory is gone. */
function move(workspace: Workspace, from: string, to: string | undefined): string {
  if (to !== undefined) workspace.cwd = to;
  if (to !== undefined || workspace.cwd === from) return "";
  return `\n(The working directory ${from} is gone; the next command runs in ${workspace.cwd}.)`;
}

function progressOf(text: string): { type: string; output: string; fullOutput: string } {
  const tail = text.slice(-PREVIEW_CHARS);
  return { type: "bash_progress", output: tail.split("\n").slice(-5).join("\n"), fullOutput: tail };
}

interface Ended {
  readonly command: string;
  readonly end: CommandEnd;
  readonly why: WhyEnded;
  readonly limitMs: number;
  readonly stdout: string;
  readonly stderr: string;
}

function toOutcome(ended: Ended, context: ToolContext): ToolOutcome {
  const { end, why, limitMs } = ended;
  const stdout = ended.stdout.replace(/\s+$/, "");
  const stderr = ended.stderr.replace(/\s+$/, "");
  const printed = [stdout, stderr].filter((text) => text !== "").join("\n");
  const { shown, kept } = fitOutput(printed, context);
  if (why === "interrupt") {
    const content = [shown, "[Request interrupted by user for tool use]"].filter((text) => text !== "").join("\n");
    return { content, data: `Error: ${content}`, isError: true, wasInterrupted: true };
  }
  if (why === "timeout") return failed(`Command timed out after ${Math.round(limitMs / 1000)}s\n${shown}`.trim());
  if (end.exitCode !== 0) {
    const lines = [
      `Exit code ${end.exitCode ?? `none (${end.signal})`}`,
      shown,
      context.sandbox?.explainFailure(printed),
    ];
    return failed(lines.filter(Boolean).join("\n"));
  }
  const pullRequest = findPullRequest(ended.command, stdout);
  if (pullRequest) context.notePullRequest(pullRequest.url);
  return {
    content: shown === "" ? "(The command printed nothing.)" : shown,
    data: {
      ...NO_OUTPUT,
      stdout: stdout.slice(0, MAX_SHOWN_CHARS),
      stderr: stderr.slice(0, MAX_SHOWN_CHARS),
      ...(kept === undefined ? {} : { persistedOutputPath: kept, persistedOutputSize: Buffer.byteLength(printed) }),
      ...(pullRequest ? { gitOperation: { pr: { ...pullRequest, action: "created" } } } : {}),
    },
  };
}

/** Long output is stored in a file beside the session; if that fails, it is truncated. */
function fitOutput(printed: string, context: ToolContext): { shown: string; kept?: string } {
  if (printed.length <= MAX_SHOWN_CHARS) return { shown: printed };
  try {
    const kept = context.keepOutput(printed);
    return { shown: persisted(printed, kept), kept };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return { shown: `${printed.slice(0, MAX_SHOWN_CHARS)}\n… (the rest could not be kept: ${reason})` };
  }
}

function failed(message: string): ToolOutcome {
  return { content: message, data: `Error: ${message}`, isError: true };
}

function persisted(text: string, path: string): string {
  const size = `${(Buffer.byteLength(text) / 1024).toFixed(1)}KB`;
  const preview = text.slice(0, PREVIEW_CHARS);
  return `<persisted-output>\nOutput too large (${size}). Full output saved to: ${path}\n\nPreview (first 2KB):\n${preview}\n...\n</persisted-output>`;
}

function findPullRequest(command: string, output: string): { number: number; url: string } | undefined {
  if (!/\bgh\s+pr\s+create\b/.test(command)) return undefined;
  const found = /https:\/\/[^\s/]+\/[^\s/]+\/[^\s/]+\/pull\/(\d+)/.exec(output);
  return found ? { number: Number(found[1]), url: found[0] } : undefined;
}
