import { spawn } from "node:child_process";
import { constants } from "node:os";
import type { Command } from "commander";
import { type RecordedSession, readDialogues } from "../../../agent/mock/read-dialogues.js";
import { chooseSession } from "../../../app/choose-session.js";
import { loadOptions } from "../../../app/load-options.js";
import { type RootOptions, sessionRoots } from "../../../app/session-roots.js";
import { UserError } from "../../../errors.js";
import { loadFound } from "../../../library/load/load-session.js";
import { formatCount } from "../../../render/format-values.js";
import { neutralize } from "../../../render/safe-text.js";
import { type ServedRequest, serveMock } from "../../../server/mock/serve-mock.js";
import type { CommandContext, Io } from "../../io.js";
import { printedLine } from "../../terminal/printed-json.js";

interface MockCommandOptions extends RootOptions {
  readonly port?: string;
  readonly strict?: boolean;
  readonly fast?: boolean;
  readonly speed?: string;
  readonly fault?: readonly string[];
  readonly json?: boolean;
}

const HELP = `
Serves what the model answered in recorded sessions as a Messages API on this machine, for any client: the prompts of the session
bring its answers, offline and without cost. Tools run for real in the client. An answer is found by the results of its calls, by
the prompt, else by position; requests beside the conversation, such as for a title, get a short answer. Sub-agents are included.

Everybody on this machine who knows the port can read the answers. With a command after \`--\`, turnlog sets ANTHROPIC_BASE_URL and
ANTHROPIC_API_KEY, runs it, and ends with its exit code.

Examples:
  turnlog mock last --port 4880                     print the address; until Ctrl-C
  turnlog mock last --fast -- claude -p "add tests"      run a client against it
  turnlog mock last --fast --fault 529@1-2 --fault cut@4 -- npm test`;

export function define(command: Command, context: CommandContext): void {
  const { io } = context;
  command
    .argument("<sessions...>", "file paths, ids, unique id prefixes, exact titles, or `last`; a command after `--`")
    .option("--port <n>", "port to listen on (default: any free one)")
    .option("--strict", "refuse prompts and results that were not recorded, with status 400")
    .option("--fast", "answer at once instead of in the recorded time")
    .option("--speed <factor>", "answer this many times faster than recorded")
    .option(
      "--fault <kind@n>",
      "break request n, or n-m: a status such as 429, or cut, error, stall; can be repeated",
      collect,
    )
    .option("--json", "print one line of JSON for each request")
    .addHelpText("after", HELP)
    .action(async (_names: readonly string[], options: MockCommandOptions) => {
      const { names, program } = splitProgram(context.args, command.args);
      const sessions = await readSessions(names, options, io);
      context.exitCode = await runMock(sessions, program, options, io);
    });
}

function collect(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value];
}

/** What follows `--` is the command. */
function splitProgram(typed: readonly string[], operands: readonly string[]) {
  const at = typed.indexOf("--");
  const program = at < 0 ? [] : typed.slice(at + 1);
  const names = operands.slice(0, operands.length - program.length);
  if (names.length === 0)
    throw new UserError("usage", "no session is named before `--`", "for example: turnlog mock last -- claude");
  return { names, program };
}

async function readSessions(names: readonly string[], options: RootOptions, io: Io): Promise<RecordedSession[]> {
  const roots = await sessionRoots(io, options);
  const load = await loadOptions(io);
  const sessions = names.map((name) => readDialogues(loadFound(chooseSession(name, roots, io, load), load)));
  const silent = sessions.findIndex(({ dialogues }) => dialogues.every(({ answers }) => answers.length === 0));
  if (silent < 0) return sessions;
  throw new UserError("unreadable", `the model answers nothing in ${names[silent]}`, "name another session");
}

async function runMock(
  sessions: readonly RecordedSession[],
  [program, ...args]: readonly string[],
  options: MockCommandOptions,
  io: Io,
): Promise<number> {
  const server = await serveMock(sessions, {
    port: toPort(options.port),
    isStrict: options.strict ?? false,
    speed: toSpeed(options),
    faults: options.fault ?? [],
    onRequest: (request) =>
      options.json ? void io.stdout(printedLine(request, io)) : io.stderr(`${neutralize(describe(request))}\n`),
  });
  try {
    const env = { ANTHROPIC_BASE_URL: server.url, ANTHROPIC_API_KEY: "turnlog-mock" };
    if (program !== undefined) return await runProgram(program, args, env, io);
    const interrupted = new Promise<void>((resolve) => {
      io.onInterrupt(resolve);
    });
    const answers = sessions.flatMap(({ dialogues }) => dialogues.flatMap((dialogue) => dialogue.answers)).length;
    if (!options.json) await io.stdout(`${server.url}\n`);
    io.stderr(
      `serves ${formatCount(answers, "answer")}; for a client: ANTHROPIC_BASE_URL=${server.url} ANTHROPIC_API_KEY=any\n`,
    );
    io.stderr("press Ctrl-C to stop\n");
    await interrupted;
    return 0;
  } finally {
    await server.close();
  }
}

function runProgram(program: string, args: readonly string[], extra: Record<string, string>, io: Io): Promise<number> {
  const env = { ...io.env, ...extra };
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { cwd: io.cwd, env, stdio: "inherit" });
    const stop = io.onInterrupt(() => child.kill("SIGINT"));
    child.once("error", (error) =>
      reject(new UserError("not-found", `cannot run ${program}: ${error.message}`, "check the command after `--`")),
    );
    child.once("close", (code, signal) => {
      stop();
      resolve(code ?? 128 + (signal ? constants.signals[signal] : 1));
    });
  });
}

function describe({ number, how, agentId, answer, said }: ServedRequest): string {
  const place = answer === null ? "" : ` answer ${answer}${agentId === null ? "" : ` of agent ${agentId}`}`;
  return `${number}.${place} (${HOW[how]}): ${said}`;
}

const HOW: Readonly<Record<ServedRequest["how"], string>> = {
  results: "by its results",
  prompt: "by the prompt",
  position: "by position",
  aside: "beside the conversation",
  end: "after the end of the session",
  refused: "refused: not recorded",
  fault: "broken as asked",
};

function toPort(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (/^\d{1,5}$/.test(text) && Number(text) < 65_536) return Number(text);
  throw new UserError("usage", `--port must be a number below 65536, not "${text}"`, "for example --port 4880");
}

function toSpeed({ fast, speed }: MockCommandOptions): number {
  if (fast && speed !== undefined)
    throw new UserError("usage", "--fast and --speed exclude each other", "omit one of them");
  if (fast) return Number.POSITIVE_INFINITY;
  const factor = Number(speed ?? 1);
  if (factor > 0) return factor;
  throw new UserError("usage", `--speed must be a number above 0, not "${speed}"`, "for example --speed 10");
}
