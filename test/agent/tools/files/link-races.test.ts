import { spawn } from "node:child_process";
import type * as Fs from "node:fs";
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { editTool } from "../../../../src/agent/tools/files/edit-file.js";
import { readTool } from "../../../../src/agent/tools/files/read-file.js";
import { writeTool } from "../../../../src/agent/tools/files/write-file.js";
import { globTool, grepTool } from "../../../../src/agent/tools/search/glob-and-grep.js";
import type { Tool } from "../../../../src/agent/tools/tool.js";
import type { ToolContext } from "../../../../src/agent/tools/tool-context.js";
import { makePlace } from "../../chat-world.js";
import { bareContext } from "../bare-context.js";

/** Called around every opening of a file, so that a link can be put in its way at that moment. */
const moments = vi.hoisted(() => ({
  beforeOpen: (_path: string) => undefined as unknown,
  afterOpen: (_path: string) => undefined as unknown,
}));
const NOTHING = () => undefined;

vi.mock("node:fs", async (importActual) => {
  const actual = await importActual<typeof Fs>();
  const openSync: typeof Fs.openSync = (path, ...rest) => {
    moments.beforeOpen(String(path));
    const file = actual.openSync(path, ...rest);
    moments.afterOpen(String(path));
    return file;
  };
  return { ...actual, openSync, default: { ...actual, openSync } };
});

afterEach(() => {
  moments.beforeOpen = NOTHING;
  moments.afterOpen = NOTHING;
});

const SECRET = "secret outside of the project";

interface World {
  readonly project: string;
  readonly outside: string;
  readonly context: () => ToolContext;
  /** Replaces the file by a link to the secret, or its folder by a link to the folder with it. */
  readonly flip: Readonly<Record<"file" | "folder" | "back", () => void>>;
}

function makeWorld(): World {
  const { project, home } = makePlace({ "src/a.txt": "harmless\n" });
  const outside = join(home, "outside");
  mkdirSync(outside);
  writeFileSync(join(outside, "a.txt"), SECRET);
  const [folder, file] = [join(project, "src"), join(project, "src/a.txt")];
  const first = bareContext(project);
  return {
    project,
    outside,
    context: () => bareContext(project, { workspace: first.workspace }),
    flip: {
      file() {
        unlinkSync(file);
        symlinkSync(join(outside, "a.txt"), file);
      },
      folder() {
        renameSync(folder, `${folder}-aside`);
        symlinkSync(outside, folder);
      },
      back() {
        unlinkSync(folder);
        renameSync(`${folder}-aside`, folder);
      },
    },
  };
}

const once = (act: () => void, wanted: (path: string) => boolean = () => true) => {
  let isDone = false;
  return (path: string) => {
    if (isDone || !wanted(path)) return;
    isDone = true;
    act();
  };
};

/** Judges a call, changes something, and runs it. */
async function runAfter(tool: Tool, input: object, context: ToolContext, change: () => void): Promise<string> {
  tool.action(input, context);
  change();
  return tool.run(input, context).then(
    ({ content }) => JSON.stringify(content),
    (error: Error) => `refused: ${error.message}`,
  );
}

const READ = { file_path: "src/a.txt" };
const WRITE = { file_path: "src/a.txt", content: "written" };
const EDIT = { file_path: "src/a.txt", old_string: "harmless", new_string: "written" };
const TOOLS: readonly [string, Tool, object][] = [
  ["Read", readTool, READ],
  ["Write", writeTool, WRITE],
  ["Edit", editTool, EDIT],
  ["Grep", grepTool, { pattern: "secret", path: "src/a.txt", output_mode: "content" }],
  ["Grep of a folder", grepTool, { pattern: "secret", path: "src", output_mode: "content" }],
  ["Glob", globTool, { pattern: "src/*.txt" }],
];

describe.each(TOOLS)("%s", (name, tool, input) => {
  const known = async ({ context }: World) => void (await readTool.run(READ, context()));

  test("uses nothing outside when a folder becomes a link between question and call", async () => {
    const world = makeWorld();
    await known(world);
    const said = await runAfter(tool, input, world.context(), world.flip.folder);
    expect(said).toMatch(/^refused: .* changed since the call was judged/);
    expect(readFileSync(join(world.outside, "a.txt"), "utf8")).toBe(SECRET);
  });

  test("uses nothing outside when the folder is a link only while it is opened", async () => {
    const world = makeWorld();
    await known(world);
    const said = await runAfter(tool, input, world.context(), () => {
      moments.beforeOpen = once(world.flip.folder, (path) => path.includes("/src"));
      moments.afterOpen = once(world.flip.back, (path) => path.includes("/src"));
    });
    expect(said).not.toContain(SECRET);
    expect(said).toMatch(name === "Read" ? /^refused/ : /./);
    expect(readFileSync(join(world.outside, "a.txt"), "utf8")).toBe(SECRET);
    expect(existsSync(join(world.outside, "written"))).toBe(false);
  });
});

describe.each(TOOLS.slice(0, 4))("%s of a file", (_name, tool, input) => {
  test.each<[string, (world: World) => void, RegExp]>([
    ["becomes a link", ({ flip }) => flip.file(), /is now a link or elsewhere/],
    ["vanishes", ({ project }) => unlinkSync(join(project, "src/a.txt")), /it is now gone/],
    [
      "becomes a folder",
      ({ project }) => {
        unlinkSync(join(project, "src/a.txt"));
        mkdirSync(join(project, "src/a.txt"));
      },
      /it is now a folder/,
    ],
  ])("is refused when it %s after the question", async (_what, change, reason) => {
    const world = makeWorld();
    await readTool.run(READ, world.context());
    const said = await runAfter(tool, input, world.context(), () => change(world));
    expect(said).toMatch(reason);
    expect(said).not.toContain(SECRET);
    expect(readFileSync(join(world.outside, "a.txt"), "utf8")).toBe(SECRET);
  });
});

describe("a change", () => {
  test.each<[string, Tool, object]>([
    ["Write", writeTool, WRITE],
    ["Edit", editTool, EDIT],
  ])(
    "by %s goes to the folder that was judged, or nowhere, when its path becomes a link at the last moment",
    async (_name, tool, input) => {
      const world = makeWorld();
      await readTool.run(READ, world.context());
      const context = { ...world.context(), beforeChange: world.flip.folder };
      expect(await runAfter(tool, input, context, NOTHING)).toMatch(/^refused/);
      expect(readFileSync(join(world.outside, "a.txt"), "utf8")).toBe(SECRET);
    },
  );

  test("of a new file creates no folder outside", async () => {
    const world = makeWorld();
    const input = { file_path: "src/new/deep/b.txt", content: "written" };
    const context = { ...world.context(), beforeChange: world.flip.folder };
    expect(await runAfter(writeTool, input, context, NOTHING)).toMatch(/^refused/);
    expect(existsSync(join(world.outside, "new"))).toBe(false);
    expect(await runAfter(writeTool, { ...input, file_path: "x/y/z.txt" }, world.context(), NOTHING)).toContain(
      "created",
    );
    expect(readFileSync(join(world.project, "x/y/z.txt"), "utf8")).toBe("written");
  });

  test("goes to the folder that was judged when its path becomes a link while it is written", async () => {
    const world = makeWorld();
    await readTool.run(READ, world.context());
    moments.beforeOpen = once(world.flip.folder, (path) => path.endsWith(".tmp"));
    expect(await runAfter(writeTool, WRITE, world.context(), NOTHING)).toMatch(/^refused/);
    expect(readdirSync(world.outside)).toEqual(["a.txt"]);
    expect(readFileSync(join(world.outside, "a.txt"), "utf8")).toBe(SECRET);
    expect(readFileSync(join(world.project, "src-aside/a.txt"), "utf8")).toBe("written");
  });

  test("replaces a file that is not a link, when a link takes its name while it is written", async () => {
    const world = makeWorld();
    await readTool.run(READ, world.context());
    moments.beforeOpen = once(world.flip.file, (path) => path.endsWith(".tmp"));
    await runAfter(writeTool, WRITE, world.context(), NOTHING);
    expect(readFileSync(join(world.outside, "a.txt"), "utf8")).toBe(SECRET);
    expect(lstatSync(join(world.project, "src/a.txt")).isFile()).toBe(true);
  });
});

test("a program that flips links all the time never leads a call out of the project", { timeout: 60_000 }, async () => {
  const world = makeWorld();
  const { project, outside } = world;
  const flip = `mv -T src aside; ln -sT ${outside} src; rm src; mv -T aside src; ln -sfT ${outside}/a.txt l; ln -sfT src/a.txt l`;
  const flipping = spawn("bash", ["-c", `cd ${project}; while true; do ${flip}; done 2>/dev/null`], {
    stdio: "ignore",
  });
  onTestFinished(() => void flipping.kill("SIGKILL"));
  const said = await inTurn(400, (n) => runInside(readTool, { file_path: n % 2 ? "l" : "src/a.txt" }, world.context()));
  await inTurn(100, (n) => runInside(writeTool, { file_path: `src/new-${n}.txt`, content: "x" }, world.context()));
  flipping.kill("SIGKILL");
  expect(said.filter((text) => text.includes(SECRET))).toEqual([]);
  expect(said.some((text) => text.includes("harmless"))).toBe(true);
  expect(readdirSync(outside)).toEqual(["a.txt"]);
  expect(readFileSync(join(outside, "a.txt"), "utf8")).toBe(SECRET);
});

async function inTurn<Result>(count: number, act: (n: number) => Promise<Result>): Promise<readonly Result[]> {
  const results: Result[] = [];
  for (const n of Array(count).keys()) results.push(await act(n));
  return results;
}

/** As a permission desk does: what is judged to be outside is not touched. */
async function runInside(tool: Tool, input: object, context: ToolContext): Promise<string> {
  const action = tool.action(input, context);
  const isInside = "path" in action && context.workspace.isInside(action.path);
  return isInside ? runAfter(tool, input, context, NOTHING) : "outside";
}
