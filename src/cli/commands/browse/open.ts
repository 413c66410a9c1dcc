import type { Command } from "commander";
import { type RootOptions, sessionRoots } from "../../../app/session-roots.js";
import { dataFolderOf } from "../../../app/settings.js";
import { UserError } from "../../../errors.js";
import { findSessions } from "../../../library/sources/find-sessions.js";
import { isLoopback, LOOPBACK } from "../../../server/access/allowed-hosts.js";
import type { ServerState } from "../../../server/running-server.js";
import type { CommandContext, Io } from "../../io.js";
import { openBrowser } from "../../terminal/open-browser.js";

interface OpenOptions extends RootOptions {
  readonly open: boolean; // false: --no-open
  readonly port?: string;
  readonly host?: string;
  readonly password?: string;
  readonly token?: boolean;
}

const HELP = `
Serves the web UI on this machine and opens it in the browser, until interrupted with Ctrl-C. If turnlog already serves
these sessions, opens the running web UI.

Examples:
  turnlog open --no-open                          print the address only
  turnlog open --host 0.0.0.0 --password <word>   serve other machines too; the connection is not encrypted, and everyone
                                                  with the password can read all sessions`;

export function define(command: Command, { io }: CommandContext): void {
  command
    .option("--no-open", "print the address, do not open the browser")
    .option("--port <n>", "port to listen on (default: 4870, or any free one; 0: any)")
    .option("--host <address>", "address to listen on (default: 127.0.0.1); others need --password or --token")
    .option("--password <word>", "let other machines in with this password")
    .option("--token", "with --host: let in everyone who has the printed address")
    .addHelpText("after", HELP)
    .action(async (options: OpenOptions) => {
      const host = options.host ?? LOOPBACK;
      if (!isLoopback(host)) requirePassword(host, options);
      if (options.password === "")
        throw new UserError("usage", "the password is empty", "give a password, or remove --password");
      await serveOrFind({ ...options, host }, parsePort(options.port), io);
    });
}

function requirePassword(host: string, { password, token }: OpenOptions): void {
  if (token || (password !== undefined && password !== "")) return;
  const hint =
    "add --password <word>, or --token to let in everyone who has the printed address; the connection is not encrypted";
  throw new UserError("usage", `other machines could read all your sessions on ${host}`, hint);
}

function parsePort(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (/^\d{1,5}$/.test(text) && Number(text) < 65_536) return Number(text);
  throw new UserError("usage", `--port must be a number below 65536, not "${text}"`, "for example --port 8080");
}

async function serveOrFind(options: OpenOptions & { host: string }, port: number | undefined, io: Io): Promise<void> {
  const { adviceAboutPlace, findRunning, takePlace } = await import("../../../server/running-server.js");
  const { addressOf, servePage } = await import("../../../server/serve.js");
  const roots = await sessionRoots(io, options);
  const place = takePlace(dataFolderOf(io), roots, (note) => io.stderr(`${note}\n`));
  if (!place) {
    const running = await findRunning(dataFolderOf(io), roots);
    if (!running) {
      const advice = adviceAboutPlace(dataFolderOf(io), roots);
      throw new UserError(
        "busy",
        `another turnlog serves these sessions but does not answer${advice}`,
        "stop it first",
      );
    }
    io.stderr(`turnlog already serves these sessions (process ${running.process.pid})\n`);
    if (wantsOtherSettings(running, options, port))
      io.stderr("its host, port and password do not change: stop it first to use others\n");
    return show(addressOf(running.host, running.port, running.token), options, io);
  }
  try {
    const interrupted = untilInterrupted(io);
    const { host, port: _port, ...others } = options;
    const page = await servePage({ ...others, host, ...(port === undefined ? {} : { port }) }, io);
    place.announce({ host, port: page.port, token: page.access.token });
    printNotices(roots, options, io);
    await show(addressOf(host, page.port, page.access.token), options, io);
    await interrupted;
    await page.close();
  } finally {
    place.leave();
  }
}

/** The running server cannot change these. */
function wantsOtherSettings(running: ServerState, { host, password }: OpenOptions, port: number | undefined): boolean {
  const isOther =
    (running.host !== host && host !== LOOPBACK) || (running.port !== port && port !== undefined && port !== 0);
  return isOther || password !== undefined;
}

async function show(address: string, options: OpenOptions, io: Io): Promise<void> {
  await io.stdout(`${address}\n`);
  if (options.open && io.isTerminal) openBrowser(address, io);
}

function printNotices(roots: readonly string[], { host, demo }: OpenOptions & { host: string }, io: Io): void {
  if (!demo && findSessions(roots).sessions.length === 0) {
    io.stderr(`no sessions in ${roots.join(", ")} (\`turnlog open --demo\` shows demo sessions)\n`);
  }
  if (!isLoopback(host)) {
    io.stderr(
      "everyone who reaches this machine and has the address or the password can read all sessions; nothing is encrypted\n",
    );
  }
  io.stderr("press Ctrl-C to stop\n");
}

function untilInterrupted(io: Io): Promise<void> {
  return new Promise((resolve) => {
    io.onInterrupt(resolve);
  });
}
