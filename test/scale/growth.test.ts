import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { runCli } from "../cli/run-cli.js";
import { temporaryFolder } from "../format/temporary-folder.js";
import { countWork } from "./count-work.js";
import { addSideFiles, SHAPES, type Shape, type ShapedLibrary, shapedLibrary } from "./shapes.js";

const SOME = 60;
const TIMES = 12;
/** In proportion to the size, with some room for searches by halving. */
const MOST = TIMES * 1.2;

type Case = readonly [shape: keyof typeof SHAPES, command: string, size?: number];

/** Arguments of a command; `SESSION` and `OUTPUT` are filled in. A size where the usual one is too small to tell. */
const COMMANDS: readonly Case[] = [
  ["a rewind after each turn", "show SESSION --branch all"],
  ["a rewind after each turn", "show SESSION --branch all --json"],
  ["a rewind after each turn", "export SESSION --format html -o OUTPUT/"],
  ["a rewind after each turn", "compress SESSION --per-turn -o OUTPUT.jsonl"],
  ["a rewind after each turn", "trace send SESSION --dry-run"],
  ["rewinds to one place", "trace send SESSION --dry-run"],
  ["a compaction after each turn", "show SESSION"],
  ["a compaction after each turn", "export SESSION --format md"],
  ["sub-agents inside the file", "export SESSION --format html -o OUTPUT/"],
  ["messages in the queue", "files SESSION --json"],
  ["pull requests and marks", "files SESSION --json"],
  ["parents in circles", "repair SESSION", 200],
  ["calls in one turn", "trace send SESSION --dry-run"],
  ["output of one command", "files SESSION --json"],
  ["one message in many records", "export SESSION --format api"],
  ["results in one record", "show SESSION"],
  ["backups of files", "files SESSION --diff"],
];

async function workOf({ root, id }: ShapedLibrary, command: string): Promise<number> {
  const output = join(temporaryFolder(), "out");
  const args = command.split(" ").map((arg) => arg.replace("SESSION", id).replace("OUTPUT", output));
  const env = { CLAUDE_CONFIG_DIR: root, TURNLOG_DATA_DIR: temporaryFolder() };
  return await countWork(async () =>
    expect(await runCli(args, env)).toMatchObject({ exitCode: 0, stderr: expect.any(String) }),
  );
}

function withSideFiles(count: number): ShapedLibrary {
  const library = shapedLibrary(SHAPES["calls in one turn"], count);
  addSideFiles(library, count);
  return library;
}

describe("the work grows as the session does:", () => {
  test.each(COMMANDS.map((one) => [one] as const))("%s", async ([name, command, size = SOME]) => {
    const shape: Shape = SHAPES[name];
    await workOf(shapedLibrary(shape, 2), command); // what is loaded once
    const some = await workOf(shapedLibrary(shape, size), command);
    const more = await workOf(shapedLibrary(shape, size * TIMES), command);
    expect(more / some).toBeLessThan(MOST);
  });

  test.each(["archive on", "export SESSION --format html -o OUTPUT/"])(
    "files beside the session, %s",
    async (command) => {
      await workOf(withSideFiles(2), command);
      const some = await workOf(withSideFiles(SOME), command);
      const more = await workOf(withSideFiles(SOME * TIMES), command);
      expect(more / some).toBeLessThan(MOST);
    },
  );
});
