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
Serves the page on this machine alone and opens it in the browser, until it is interrupted. Where turnlog already serves
these sessions, that page is opened.

  turnlog open --no-open                          prints the address
  turnlog open --host 0.0.0.0 --password <word>   for other machines too: whoever has the password can read all
                                                  sessions, and so can whoever listens, as nothing is encrypted`;

export function define(command: Command, { io }: CommandContext): void {
  command
    .option("--no-open", "print the address, and open no browser")
    .option("--port <n>", "the port to listen on (0: any)")
    .option("--host <address>", "the address to listen on; any but loopback needs --password or --token")
    .option("--password <word>", "let others in who have this password")
    .option("--token", "with --host: let others in who have the printed address")
    .addHelpText("after", HELP)
    .action(async (options: OpenOptions) => {
      const host = options.host ?? LOOPBACK;
      if (!isLoopback(host)) refuseOpenDoor(host, options);
      if (options.password === "")
        throw new UserError("usage", "the password is empty", "a word, or no --password at all");
      await serveOrFind({ ...options, host }, parsePort(options.port), io);
    });
}

function refuseOpenDoor(host: string, { password, token }: OpenOptions): void {
  if (token || (password !== undefined && password !== "")) return;
  const hint = "add --password <word>, or --token to let in whoever has the printed address; nothing is encrypted";
  throw new UserError("usage", `on ${host} other machines could read all your sessions`, hint);
}

function parsePort(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (/^\d{1,5}$/.test(text) && Number(text) < 65_536) return Number(text);
  throw new UserError("usage", `--port wants a number below 65536, not "${text}"`, "for example --port 8080");
}

async function serveOrFind(options: OpenOptions & { host: string }, port: number | undefined, io: Io): Promise<void> {
  const { findRunning, takePlace } = await import("../../../server/running-server.js");
  const { addressOf, servePage } = await import("../../../server/serve.js");
  const roots = await sessionRoots(io, options);
  const place = takePlace(dataFolderOf(io), roots);
  if (!place) {
    const running = await findRunning(dataFolderOf(io), roots);
    if (!running) throw new UserError("busy", "another turnlog serves the page, but does not answer", "end it first");
    io.stderr(`turnlog already serves these sessions (process ${running.process.pid})\n`);
    if (isAskedOtherwise(running, options, port))
      io.stderr("as it was started: end it first for another host, port or password\n");
    return show(addressOf(running.host, running.port, running.token), options, io);
  }
  try {
    const interrupted = untilInterrupted(io);
    const { host, port: _port, ...others } = options;
    const page = await servePage({ ...others, host, ...(port === undefined ? {} : { port }) }, io);
    place.announce({ host, port: page.port, token: page.access.token });
    tellAbout(roots, options, io);
    await show(addressOf(host, page.port, page.access.token), options, io);
    await interrupted;
    await page.close();
  } finally {
    place.leave();
  }
}

/** What was asked for cannot be given by the one that runs. */
function isAskedOtherwise(running: ServerState, { host, password }: OpenOptions, port: number | undefined): boolean {
  const isOther =
    (running.host !== host && host !== LOOPBACK) || (running.port !== port && port !== undefined && port !== 0);
  return isOther || password !== undefined;
}

async function show(address: string, options: OpenOptions, io: Io): Promise<void> {
  await io.stdout(`${address}\n`);
  if (options.open && io.isTerminal) openBrowser(address, io);
}

function tellAbout(roots: readonly string[], { host, demo }: OpenOptions & { host: string }, io: Io): void {
  if (!demo && findSessions(roots).sessions.length === 0) {
    io.stderr(`no sessions in ${roots.join(", ")} (\`turnlog open --demo\` shows demo sessions)\n`);
  }
  if (!isLoopback(host)) {
    io.stderr(
      "whoever reaches this machine and has the address or the password can read all sessions; nothing is encrypted\n",
    );
  }
  io.stderr("ctrl-c ends it\n");
}

function untilInterrupted(io: Io): Promise<void> {
  return new Promise((resolve) => {
    io.onInterrupt(resolve);
  });
}
