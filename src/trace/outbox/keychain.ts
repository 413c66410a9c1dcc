import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { UserError } from "../../errors.js";

/** A program that keeps secrets for the user. They go through its standard input and output, where `ps` does not show them. */
export interface Keychain {
  readonly name: string;
  read(account: string): string;
  /** False: it does not take it, such as without a desktop session. */
  write(account: string, secret: string): boolean;
  remove(account: string): void;
}

type Env = Readonly<Record<string, string | undefined>>;

/** The system's keychain; undefined where there is none, or `TURNLOG_KEYCHAIN` is `off`. */
export function findKeychain(env: Env): Keychain | undefined {
  if (env["TURNLOG_KEYCHAIN"] === "off") return undefined;
  const folders = (env["PATH"] ?? "").split(delimiter);
  return ALL.find(({ name }) => folders.some((folder) => folder !== "" && existsSync(join(folder, name))));
}

export function keychainNamed(name: string): Keychain {
  const keychain = ALL.find((known) => known.name === name);
  if (keychain) return keychain;
  throw new UserError("config", `the keychain ${name} is unknown`, "run `turnlog trace install` again");
}

const SERVICE = "turnlog";

const SECRET_TOOL: Keychain = {
  name: "secret-tool",
  read: (account) => run("secret-tool", ["lookup", "service", SERVICE, "account", account]),
  write: (account, secret) => {
    const label = `--label=turnlog: keys of the trace target ${account}`;
    return isDone(() => run("secret-tool", ["store", label, "service", SERVICE, "account", account], secret));
  },
  remove: (account) => void isDone(() => run("secret-tool", ["clear", "service", SERVICE, "account", account])),
};

/** `security -i` reads commands from its standard input; as hexadecimal digits a secret needs no quotes. */
const SECURITY: Keychain = {
  name: "security",
  read: (account) => {
    const printed = run("security", ["find-generic-password", "-s", SERVICE, "-a", account, "-w"]);
    return Buffer.from(printed, "base64").toString("utf8");
  },
  write: (account, secret) => {
    const digits = Buffer.from(Buffer.from(secret).toString("base64")).toString("hex");
    const command = `add-generic-password -U -s ${SERVICE} -a "${account.replace(/["\\]/g, "\\$&")}" -X ${digits}\n`;
    // It ends with 0 whatever became of the command.
    return isDone(() => run("security", ["-i"], command)) && isDone(() => SECURITY.read(account));
  },
  remove: (account) => void isDone(() => run("security", ["delete-generic-password", "-s", SERVICE, "-a", account])),
};

const ALL: readonly Keychain[] = [SECURITY, SECRET_TOOL];

/** A person may have to unlock it. */
const PATIENCE_MS = 60_000;

function run(program: string, args: readonly string[], input = ""): string {
  const { status, stdout, error } = spawnSync(program, args, { input, encoding: "utf8", timeout: PATIENCE_MS });
  if (!error && status === 0) return stdout.trimEnd();
  const reason = error ? error.message : status === null ? "no answer" : `exit code ${status}`;
  throw new UserError(
    "config",
    `${program} does not give the keys (${reason})`,
    "unlock it, or install the target again",
  );
}

function isDone(work: () => unknown): boolean {
  try {
    work();
    return true;
  } catch (error) {
    if (error instanceof UserError) return false;
    throw error;
  }
}
