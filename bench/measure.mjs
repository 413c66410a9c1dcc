import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";

/**
 * @typedef {{ name: string, command: string, args: readonly string[], env?: Record<string, string>, before?: () => void }} Competitor `before` every round.
 * @typedef {{ wallMs: number, cpuMs: number, peakRssMb: number, stdout: string, exitCode: number | null }} Run
 * @typedef {Run & { name: string }} Measured
 */

/** The shell's `times` is the portable way to the processor time of any child; it gets a pipe of its own. */
const TIMED = '"$@"; code=$?; times >&3; exit $code';
const POLL_MS = 5;

/** The least of all rounds, because what else the machine does only ever adds; for memory the largest. Competitors take turns. @param {readonly Competitor[]} competitors @param {number} rounds @returns {Promise<Measured[]>} */
export async function measure(competitors, rounds) {
  const measured = competitors.map((competitor) => ({ competitor, runs: /** @type {Run[]} */ ([]) }));
  for (let round = 0; round < rounds; round++) {
    for (const { competitor, runs } of measured) runs.push(await runOnce(competitor));
  }
  return measured.map(({ competitor, runs }) => ({
    name: competitor.name,
    wallMs: Math.min(...runs.map(({ wallMs }) => wallMs)),
    cpuMs: Math.min(...runs.map(({ cpuMs }) => cpuMs)),
    peakRssMb: Math.max(...runs.map(({ peakRssMb }) => peakRssMb)),
    stdout: runs.at(-1)?.stdout ?? "",
    exitCode: runs.find(({ exitCode }) => exitCode !== 0)?.exitCode ?? 0,
  }));
}

/** All must succeed. @param {readonly Competitor[]} competitors @param {number} rounds */
export async function measureAll(competitors, rounds) {
  const measured = await measure(competitors, rounds);
  for (const { name, exitCode } of measured)
    if (exitCode !== 0) throw new Error(`${name} failed with exit code ${exitCode}`);
  return /** @type {Measured[] & { [n: number]: Measured }} */ (measured);
}

/** @param {Competitor} competitor @returns {Promise<Run>} */
function runOnce({ command, args, env, before }) {
  before?.();
  const started = process.hrtime.bigint();
  const shell = spawn("sh", ["-c", TIMED, "sh", command, ...args], {
    stdio: ["ignore", "pipe", "inherit", "pipe"],
    env: { ...process.env, ...env },
  });
  const stdout = collect(/** @type {import("node:stream").Readable} */ (shell.stdio[1]));
  const times = collect(/** @type {import("node:stream").Readable} */ (shell.stdio[3]));
  let peakRssMb = 0;
  const poll = setInterval(() => {
    peakRssMb = Math.max(peakRssMb, peakRssOfChild(shell.pid));
  }, POLL_MS);
  return new Promise((resolve, reject) => {
    shell.once("error", reject);
    shell.once("close", (exitCode) => {
      clearInterval(poll);
      const wallMs = Number(process.hrtime.bigint() - started) / 1e6;
      resolve({ wallMs, cpuMs: parseChildTimes(times()), peakRssMb, stdout: stdout(), exitCode });
    });
  });
}

/** @param {import("node:stream").Readable} stream */
function collect(stream) {
  /** @type {Buffer[]} */
  const chunks = [];
  stream.on("data", (chunk) => chunks.push(chunk));
  return () => Buffer.concat(chunks).toString();
}

/** The kernel's high-water mark only grows, so at most the growth of the last moment is missed. Linux only, else 0. @param {number | undefined} shell */
function peakRssOfChild(shell) {
  const child = readProc(`/proc/${shell}/task/${shell}/children`).trim().split(" ")[0];
  const kilobytes = /VmHWM:\s+(\d+)/.exec(child ? readProc(`/proc/${child}/status`) : "")?.[1];
  return Number(kilobytes ?? 0) / 1024;
}

/** @param {string} path */
function readProc(path) {
  try {
    return readFileSync(path, "latin1");
  } catch {
    return ""; // the process has ended, or there is no /proc
  }
}

/** The second line of `times` is about the children: user and system time. @param {string} times */
function parseChildTimes(times) {
  const line = times.split("\n")[1] ?? "";
  const parts = [...line.matchAll(/(\d+)m([\d.]+)s/g)];
  return parts.reduce((sum, [, minutes, seconds]) => sum + Number(minutes) * 60_000 + Number(seconds) * 1000, 0);
}
