import { spawnSync } from "node:child_process";
import {
  closeSync,
  existsSync,
  lstatSync,
  mkdirSync,
  openSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { delimiter, isAbsolute, join } from "node:path";
import { UserError } from "../../errors.js";
import { makeTemporaryFolder, removeTemporary } from "../../store/temporary.js";
import { childEnvironment } from "../child-environment.js";
import { isWithin, realPath } from "../workspace.js";
import { bwrapArguments } from "./bubblewrap.js";
import { planSandbox, type SandboxPlaces, type SandboxPlan, type SandboxWishes } from "./plan-sandbox.js";
import { seatbeltProfile } from "./seatbelt.js";
import type { Survey } from "./survey-traps.js";
import { systemCallFilter } from "./system-calls.js";
import { Traps } from "./traps.js";

const SEATBELT = "/usr/bin/sandbox-exec";
const OTHER_WAY = "or start without --sandbox (with --no-sandbox if the settings ask for it)";

/** Runs commands where they can write only in the project and in temporary folders, and cannot read keys. */
export class Sandbox {
  #plan: SandboxPlan;

  private constructor(
    private readonly program: string,
    private readonly makePlan: (found: Survey) => SandboxPlan,
    private readonly traps: Traps,
    /** An open file with the filter of system calls; undefined for Seatbelt, whose profile says it all. */
    private readonly filter: number | undefined,
  ) {
    this.#plan = makePlan(traps.found);
  }

  /** Throws if this machine has none: who asked for it must not run commands without it. `tell`: tells the person. */
  static open(
    places: Omit<SandboxPlaces, "privateTemporary">,
    wishes: SandboxWishes,
    tell: (text: string) => void,
  ): Sandbox {
    if (places.roots.includes("/"))
      throw new UserError("usage", "a sandbox cannot let commands write everywhere", "start in a project, not in /");
    const program = findProgram(places.roots);
    const roots = places.roots.map((root) => realPath(root));
    for (const root of roots) completeGit(join(root, ".git"));
    const privateTemporary = makeTemporaryFolder("sandbox");
    const makePlan = (found: Survey) => planSandbox({ ...places, roots, privateTemporary }, wishes, found);
    const filter = program === SEATBELT ? undefined : openFilter(privateTemporary, wishes.allowsUnixSockets ?? false);
    const sandbox = new Sandbox(program, makePlan, new Traps(roots, places.dataDir, tell), filter);
    const [file = "", ...args] = sandbox.wrap(["true"], { cwd: "/", folders: [] });
    const { status, stderr } = spawnSync(file, args, { env: childEnvironment("sandbox"), encoding: "utf8" });
    if (status === 0) return sandbox;
    sandbox.close();
    const reason = stderr?.trim().split("\n")[0] || "it does not start";
    throw new UserError("config", `no sandbox: ${program} fails (${reason})`, `allow user namespaces, ${OTHER_WAY}`);
  }

  /** Must be called before each command of the model, and `leave` after it. */
  enter(): void {
    this.#plan = this.makePlan(this.traps.enter());
  }

  /** Returns a note for the model: what the command created and was put aside. */
  leave(): string {
    this.traps.leave();
    return this.takeNotes();
  }

  /** The same, of commands that still run. */
  takeNotes(): string {
    return this.traps.takeNotes();
  }

  /** A tool writes this file, as somebody approved. */
  accept(path: string): void {
    this.traps.accept(path);
  }

  /** The command line that runs `command` inside. `folders`: more that it may write to. */
  wrap(
    command: readonly string[],
    { cwd, folders }: { readonly cwd: string; readonly folders: readonly string[] },
  ): readonly string[] {
    if (this.filter === undefined) return [SEATBELT, "-p", seatbeltProfile(this.#plan, folders), ...command];
    const args = bwrapArguments(this.#plan, { cwd, folders, filter: FILTER_FD });
    const file = `/proc/${process.pid}/fd/${this.filter}`;
    return ["/bin/sh", "-c", `exec ${FILTER_FD}< "$0"; exec "$@"`, file, this.program, ...args, "--", ...command];
  }

  /** Programs find the private folder by it; sockets of the desktop and of agents are not there. */
  environment(variables: Readonly<Record<string, string>>): NodeJS.ProcessEnv {
    const folder = this.program === SEATBELT ? this.#plan.privateTemporary : "/tmp";
    return { ...childEnvironment("sandbox", variables), TMPDIR: folder };
  }

  /** For the model, when a command failed: why it may have. Undefined: the output does not look so. */
  explainFailure(output: string): string | undefined {
    if (!REFUSED.test(output)) return undefined;
    const { allowsNetwork, allowsUnixSockets } = this.#plan;
    const missing = [...(allowsNetwork ? [] : ["no network"]), ...(allowsUnixSockets ? [] : ["no Unix sockets"])];
    const has = missing.length === 0 ? "" : `, and has ${missing.join(" and ")}`;
    return `(The command ran in a sandbox: it can write only in the project and in temporary folders${has}.)`;
  }

  close(): void {
    this.traps.close();
    if (this.filter !== undefined) closeSync(this.filter);
    removeTemporary(this.#plan.privateTemporary);
  }
}

const REFUSED =
  /EPERM|EROFS|ENETUNREACH|EAI_AGAIN|operation not permitted|read-only file system|network is unreachable|could not resolve|name resolution/i;

/** For bubblewrap. Lower numbers have a use in commands. */
const FILTER_FD = 9;

/** The file has no name, so that no command can change it. */
function openFilter(folder: string, allowsUnixSockets: boolean): number {
  const filter = systemCallFilter(process.arch, allowsUnixSockets);
  if (!filter)
    throw new UserError(
      "config",
      `no sandbox: not known for processors of kind ${process.arch}`,
      "start without --sandbox",
    );
  const path = join(folder, "filter");
  const file = openSync(path, "wx", 0o400);
  writeSync(file, filter);
  rmSync(path);
  return file;
}

/** What does not exist cannot be made read-only. Git itself creates both with a repository. */
function completeGit(gitDir: string): void {
  if (!lstatSync(gitDir, { throwIfNoEntry: false })?.isDirectory()) return;
  const config = join(gitDir, "config");
  mkdirSync(join(gitDir, "hooks"), { recursive: true });
  if (!existsSync(config)) writeFileSync(config, "");
}

/** Never one that the project brings. */
function findProgram(roots: readonly string[]): string {
  if (process.platform === "darwin" && existsSync(SEATBELT)) return SEATBELT;
  const folders = (process.env["PATH"] ?? "").split(delimiter).filter(isAbsolute);
  const found = folders
    .filter((folder) => !roots.some((root) => isWithin(folder, root)))
    .map((folder) => join(folder, "bwrap"))
    .find((path) => statSync(path, { throwIfNoEntry: false })?.isFile());
  if (found !== undefined && process.platform === "linux") return found;
  const [missing, hint] =
    process.platform === "linux"
      ? ["bubblewrap (bwrap) is not installed", "apt install bubblewrap"]
      : ["this system has neither bubblewrap nor Seatbelt", "use Linux or macOS"];
  throw new UserError("not-found", `no sandbox: ${missing}`, `${hint}, ${OTHER_WAY}`);
}
