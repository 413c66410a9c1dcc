import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { temporaryFolder } from "../temporary-folder.js";
import { transpiledFormatModule } from "./transpiled-sources.js";

const WRITERS = ["a", "b", "c"];
const LINES = 300;

/** Runs a script that has `openAppender`, `path` and `name`; resolves with exit code or signal. */
async function runWriter(module: string, path: string, name: string, script: string): Promise<unknown> {
  const prelude = `import { openAppender } from ${JSON.stringify(module)}; const [path, name] = process.argv.slice(1);`;
  const args = ["--input-type=module", "-e", prelude + script, path, name];
  const [code, signal] = await once(spawn(process.execPath, args, { stdio: "inherit" }), "exit");
  return code ?? signal;
}

interface Line {
  readonly writer: string;
  readonly n: number;
  readonly offset: number;
}

/** Empty lines come from looking at the file in the midst of another's write(); every client skips them. */
function readLines(path: string): Line[] {
  return readFileSync(path, "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Line);
}

describe("processes that append to one file", () => {
  test("lose and break no line of up to 200 KB, and each keeps its order and knows its places", async () => {
    const path = join(temporaryFolder(), "session.jsonl");
    const module = transpiledFormatModule("writer/append");
    const script = `
      import { writeFileSync } from "node:fs";
      const appender = openAppender(path);
      const places = [];
      for (let n = 0; n < ${LINES}; n++) {
        const text = name.repeat((n * 7919 * 37) % 200_000);
        places.push(await appender.append({ writer: name, n, text }));
      }
      await appender.close();
      writeFileSync(path + "." + name, JSON.stringify(places));`;
    const exits = await Promise.all(WRITERS.map((name) => runWriter(module, path, name, script)));
    expect(exits).toEqual(WRITERS.map(() => 0));

    const lines = readLines(path);
    const numbersOf = (name: string) => lines.filter(({ writer }) => writer === name).map(({ n }) => n);
    const inOrder = Array.from({ length: LINES }, (_, n) => n);
    expect(lines).toHaveLength(WRITERS.length * LINES);
    expect(WRITERS.map(numbersOf)).toEqual(WRITERS.map(() => inOrder));

    const bytes = readFileSync(path);
    const startAt = (offset: number) => bytes.toString("utf8", offset, offset + 25);
    const placesOf = (name: string) => JSON.parse(readFileSync(`${path}.${name}`, "utf8")) as Line[];
    const wrong = WRITERS.flatMap((name) =>
      placesOf(name).filter(({ offset }, n) => !startAt(offset).startsWith(`{"writer":"${name}","n":${n},`)),
    );
    expect(wrong).toEqual([]);
  });

  test("leave everything they appended when they are killed without having waited", async () => {
    const path = join(temporaryFolder(), "session.jsonl");
    const script = `
      const appender = openAppender(path);
      for (let n = 0; n < 50; n++) appender.append({ writer: name, n });
      process.kill(process.pid, "SIGKILL");`;
    expect(await runWriter(transpiledFormatModule("writer/append"), path, "a", script)).toBe("SIGKILL");
    expect(readLines(path)).toHaveLength(50);
  });
});
