import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { temporaryFolder } from "../format/temporary-folder.js";

const BIN = resolve(import.meta.dirname, "..", "..", "dist", "bin.js");

/** Every call that changes something on disk. */
const CHANGES = [
  ...["renameSync", "linkSync", "unlinkSync", "symlinkSync", "mkdirSync", "rmdirSync", "rmSync", "writeSync"],
  ...["copyFileSync", "chmodSync", "utimesSync", "ftruncateSync", "truncateSync"],
];

/** Every call that looks at something. */
const LOOKS = ["statSync", "lstatSync", "realpathSync", "readdirSync", "openSync", "readFileSync", "existsSync"];

/**
 * `killAt`: ends with SIGKILL right before that call. `fullAt`: from that call on, writing finds no space left.
 * `otherDevice`: names under this folder are on another one. `denied`: a folder that may not be entered, or a file that
 * may not be read. `unlinkable`: the file system has no hard links. `unsyncable`: the number of the call of fsync that fails.
 */
export interface Fault {
  readonly killAt?: number;
  readonly fullAt?: number;
  readonly otherDevice?: string;
  readonly denied?: string;
  readonly unlinkable?: boolean;
  readonly unsyncable?: number;
  readonly change?: ForeignChange;
}

/** Another program changes a file right before a call that looks at, reads or changes something; `report` gets what it then holds. */
export interface ForeignChange {
  readonly at: number;
  readonly path: string;
  readonly kind: "appended" | "rewritten" | "truncated" | "replaced" | "removed";
  readonly report: string;
}

/** What another program appends. */
export const APPENDED = '{"type":"custom-title","customTitle":"written meanwhile","sessionId":"s"}\n';

export interface EndedProcess {
  readonly code: number | null;
  readonly signal: string | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** The built turnlog as a real process, on a faulty system. */
export async function runFaulty(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  fault: Fault,
): Promise<EndedProcess> {
  const preload = join(temporaryFolder(), "fault.cjs");
  writeFileSync(preload, preloadOf(fault));
  const child = spawn(process.execPath, ["--require", preload, BIN, ...args], {
    env: { ...process.env, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let stdout = "";
  let stderr = "";
  child.stdout.on("data", (chunk) => (stdout += chunk));
  child.stderr.on("data", (chunk) => (stderr += chunk));
  const [code, signal] = await once(child, "close");
  return { code, signal, stdout, stderr };
}

function preloadOf(fault: Fault): string {
  const { killAt = 0, fullAt = Number.MAX_SAFE_INTEGER, otherDevice = "", denied = "" } = fault;
  const { unlinkable = false, unsyncable = 0 } = fault;
  return `
    const fs = require("node:fs");
    const otherDevice = ${JSON.stringify(otherDevice)};
    const isOther = (path) => otherDevice !== "" && String(path).startsWith(otherDevice);
    let calls = 0;
    for (const name of ${JSON.stringify(CHANGES)}) {
      const original = fs[name];
      fs[name] = (...args) => {
        calls += 1;
        if (calls === ${killAt}) process.kill(process.pid, "SIGKILL");
        if (name === "writeSync" && calls >= ${fullAt})
          throw Object.assign(new Error("ENOSPC: no space left on device, write"), { code: "ENOSPC", syscall: "write" });
        if (["renameSync", "linkSync"].includes(name) && isOther(args[0]) !== isOther(args[1]))
          throw Object.assign(new Error("EXDEV"), { code: "EXDEV", syscall: name });
        if (name === "linkSync" && ${unlinkable})
          throw Object.assign(new Error("EPERM: operation not permitted, link"), { code: "EPERM", syscall: "link" });
        return original(...args);
      };
    }
    const { fsyncSync } = fs;
    let syncs = 0;
    fs.fsyncSync = (file) => {
      syncs += 1;
      if (syncs === ${unsyncable}) throw Object.assign(new Error("EIO: i/o error, fsync"), { code: "EIO", syscall: "fsync" });
      fsyncSync(file);
    };
    ${changeScript(fault.change)}
    const denied = ${JSON.stringify(denied)};
    const isDenied = (name, path) =>
      path === denied
        ? ["readdirSync", "openSync", "readFileSync"].includes(name)
        : denied !== "" && String(path).startsWith(denied + "/");
    for (const name of ${JSON.stringify(LOOKS)}) {
      const original = fs[name];
      const look = (path, ...rest) => {
        if (!isDenied(name, path)) return original(path, ...rest);
        if (name === "existsSync") return false;
        const call = name.replace(/Sync$/, "");
        throw Object.assign(new Error("EACCES: permission denied, " + call + " '" + path + "'"), { code: "EACCES", syscall: call, path });
      };
      fs[name] = Object.assign(look, original);
    }
    require("node:module").syncBuiltinESMExports();`;
}

/** Its own calls of the file system are the original ones, and are not counted. */
function changeScript(change: ForeignChange | undefined): string {
  if (!change) return "";
  return `{
    const { at, path, kind, report } = ${JSON.stringify(change)};
    const real = { ...fs };
    const changes = {
      appended: () => real.appendFileSync(path, ${JSON.stringify(APPENDED)}),
      rewritten: () => real.writeFileSync(path, real.readFileSync(path, "utf8").replace(/"content"/g, '"content" ').slice(1).replace(/^/, "{")),
      truncated: () => real.truncateSync(path, real.readFileSync(path).lastIndexOf(10, real.statSync(path).size >> 1) + 1),
      replaced: () => {
        real.writeFileSync(path + ".new", real.readFileSync(path, "utf8").split("\\n").slice(0, 3).join("\\n") + "\\n");
        real.renameSync(path + ".new", path);
      },
      removed: () => real.unlinkSync(path),
    };
    let moments = 0;
    let isChanging = false;
    for (const name of ${JSON.stringify([...CHANGES, ...LOOKS, "readSync", "fsyncSync"])}) {
      const original = fs[name];
      const counted = (...args) => {
        if (isChanging) return original(...args);
        moments += 1;
        if (moments === at) {
          isChanging = true;
          const existed = real.existsSync(path);
          if (existed || kind === "appended") changes[kind]();
          const after = real.existsSync(path) ? real.readFileSync(path, "utf8") : null;
          real.writeFileSync(report, JSON.stringify({ existed, after }));
          isChanging = false;
        }
        return original(...args);
      };
      fs[name] = Object.assign(counted, original);
    }
  }`;
}
