import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import type { Writable } from "node:stream";
import type { Pager, PagerCommand } from "../io.js";

/** The pager owns the terminal until it is quit. */
export async function startPager({ program, args, env }: PagerCommand): Promise<Pager | null> {
  const child = spawn(program, args, { stdio: ["pipe", "inherit", "inherit"], env: { ...process.env, ...env } });
  const ended = new Promise<void>((resolve) => child.once("close", () => resolve()));
  if (!(await hasStarted(child))) return null;
  child.stdin.on("error", ignore); // it was quit while writing; `write` reports that
  process.on("SIGINT", ignore); // the pager handles it
  return {
    write: (text) => writeTo(child.stdin, text),
    close: async () => {
      child.stdin.end();
      await ended;
      process.off("SIGINT", ignore);
    },
  };
}

function hasStarted(child: ChildProcess): Promise<boolean> {
  return new Promise((resolve) => {
    child.once("spawn", () => resolve(true));
    child.once("error", () => resolve(false));
  });
}

function ignore(): void {}

async function writeTo(stdin: Writable, text: string): Promise<boolean> {
  if (!stdin.writable) return false;
  if (!stdin.write(text)) await Promise.race([once(stdin, "drain"), once(stdin, "close")]).catch(ignore);
  return stdin.writable;
}
