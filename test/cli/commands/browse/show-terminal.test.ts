import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { temporaryFolder } from "../../../format/temporary-folder.js";
import { CORPUS } from "../../../oracle/corpus-sessions.js";
import { type Screen, showOnScreen } from "../../../render/terminal/screen.js";
import { runCli } from "../../run-cli.js";

process.env["TZ"] = "UTC"; // times are shown as local ones

const COLOURS = { TERM: "xterm", NO_COLOR: "", FORCE_COLOR: "" };
const EVERYTHING = ["--branch", "all", "--tools", "full", "--thinking"];
const SUB_AGENTS = join(
  CORPUS,
  "2.1.325/print/projects/-home-dev-p-2-1-325-demo-app/0ed05023-2629-46c3-b24e-b8c8e40838ab.jsonl",
);
const INTERACTIVE = join(
  CORPUS,
  "2.1.45/interactive/projects/-home-dev-tproj/fb5ea67d-3e1e-4230-b4bf-d30d23f010b0.jsonl",
);

async function show(
  path: string,
  columns: number,
  options: readonly string[] = [],
): Promise<Screen & { text: string }> {
  const { stdout } = await runCli(["show", path, ...options], COLOURS, { isTerminal: true, columns });
  return { ...(await showOnScreen(stdout, columns)), text: stdout };
}

const painted = (text: string) =>
  text
    .replace(/\u001b\[\d+m/g, "")
    .trimEnd()
    .split("\n")
    .map((line) => line.trimEnd());

describe.each([20, 60, 100, 300])("on a screen of %i columns", (columns) => {
  test.each([SUB_AGENTS, INTERACTIVE])("every line of %s stands as it was painted", async (path) => {
    const { lines, text, commands } = await show(path, columns, EVERYTHING);
    expect(lines).toEqual(painted(text));
    expect(commands).toEqual([]);
  });
});

type Block = Record<string, unknown>;

/** A prompt, then what the model did. */
function sessionOf(prompt: unknown, ...blocks: readonly Block[]): string {
  const common = { timestamp: "2026-05-01T10:00:00Z", cwd: "/home/dev/app" };
  const records = blocks.map((block, index) => {
    const isResult = block["type"] === "tool_result";
    const message = {
      id: `m${index}`,
      role: isResult ? "user" : "assistant",
      model: "claude-opus-4-5",
      content: [block],
    };
    return { ...common, type: message.role, uuid: `u${index + 1}`, parentUuid: `u${index}`, message };
  });
  const first = { ...common, type: "user", uuid: "u0", parentUuid: null, message: { role: "user", content: prompt } };
  const lines = [first, ...records].map((record) => JSON.stringify(record));
  return join(temporaryFolder({ "a.jsonl": `${lines.join("\n")}\n` }), "a.jsonl");
}

const use = (id: string, name: string, input: Block): Block => ({ type: "tool_use", id, name, input });
const result = (id: string, content: string, isError = false): Block => ({
  type: "tool_result",
  tool_use_id: id,
  content,
  is_error: isError,
});

describe("in brief", () => {
  const reads = Array.from({ length: 6 }, (_, n) => [
    use(`r${n}`, "Read", { file_path: `/home/dev/app/${n}.ts` }),
    result(`r${n}`, "x"),
  ]).flat();

  test("a long run of calls is one line, with what failed and what changed a file below it", async () => {
    const path = sessionOf(
      "go",
      ...reads,
      use("b", "Bash", { command: "npm test" }),
      result("b", "Exit code 1\nboom", true),
      use("e", "Edit", { file_path: "/home/dev/app/a.ts", old_string: "a", new_string: "b" }),
      result("e", "ok"),
    );
    const { lines } = await show(path, 60);
    expect(lines.filter((line) => /^ {2}[✓✗ ]/.test(line))).toEqual([
      "  ✓ 6 tool calls Read 6                                 0 ms",
      "  ✗ Bash npm test                                       0 ms",
      "    exit code 1",
      "    │ boom",
      "  ✓ Edit a.ts (edit)                            +1  −1  0 ms",
    ]);
  });

  test("a pipe gets each of them, with its whole path", async () => {
    const { stdout } = await runCli(["show", sessionOf("go", ...reads)]);
    expect(stdout.match(/✓ Read \/home\/dev\/app\/\d\.ts/g)).toHaveLength(6);
  });

  test("a sub-agent is one line below the call that launched it, in full its turns", async () => {
    const brief = await show(SUB_AGENTS, 100);
    expect(brief.lines).toContain(
      "    ⤷ general-purpose: Explore A  2 messages · 2 tool calls · 34.8k tokens · $0.02 ·",
    );
    expect(brief.lines.join("\n")).not.toContain("Sub looking.");
    const full = await show(SUB_AGENTS, 100, ["--tools", "full"]);
    expect(full.lines).toContain("    ┃   Sub looking.");
  });
});

describe("a person sees", () => {
  test("prompts by their bar and weight, failures by their colour", async () => {
    const path = sessionOf(
      "fix the test",
      use("b", "Bash", { command: "npm test" }),
      result("b", "Exit code 1\nboom", true),
    );
    const { cellOf } = await show(path, 80);
    expect(cellOf("▌")).toMatchObject({ colour: 6 });
    expect(cellOf("▌ fix")).toMatchObject({ colour: 6 });
    expect(cellOf("✗")).toMatchObject({ colour: 1 });
    expect(cellOf("exit code 1")).toMatchObject({ colour: 1 });
    expect(cellOf("── 1")).toMatchObject({ isDim: true });
  });

  test("wide and combined characters where they belong", async () => {
    const text = "漢字とかな、カナ。한국어 e\u0301a\u0300 ไทย ".repeat(6);
    const { lines, text: printed } = await show(sessionOf(text, { type: "text", text }), 24);
    expect(lines).toEqual(painted(printed));
    expect(lines.join("").replaceAll(/[ ▌]/g, "")).toContain("漢字とかな、カナ。한국어e\u0301a\u0300ไทย漢字");
  });
});

/** Title, clipboard, hyperlink, clearing, moving, asking, alternate screen, 8-bit codes, direction, hidden words. */
const EVIL = [
  "\u001b]0;owned\u0007",
  "\u001b]52;c;b3duZWQ=\u001b\\",
  "\u001b]8;;https://evil.example\u001b\\click\u001b]8;;\u001b\\",
  "\u001b[2J\u001b[1;1H\u001b[3A\u001b[6n\u001b[?1049h",
  "\u009b31m\u009d0;owned\u009c\u0090q\u009c",
  "\u202eevil\u2066\u061c\u200f",
  "a\u200bb\u00adc\u{e0041}\u{e0042}\u2028\ufeff",
  "line\rover\b\b\b\u000b\u000c\u0007",
  "\u001bc\u001b(0\u001b[5m",
].join(" ");

test.each([20, 100])("nothing that a session holds controls a terminal of %i columns", async (columns) => {
  const path = sessionOf(
    EVIL,
    { type: "thinking", thinking: EVIL },
    {
      type: "text",
      text: `# ${EVIL}\n\n- ${EVIL}\n\n\`${EVIL}\` [${EVIL}](https://x.example/${EVIL})\n\n|${EVIL}|b|\n|-|-|\n|${EVIL}|d|\n\n\`\`\`ts${EVIL}\n${EVIL}\n\`\`\``,
    },
    use("a", `Tool${EVIL}`, { [`key${EVIL}`]: EVIL }),
    result("a", EVIL),
    use("b", "Bash", { command: EVIL, description: EVIL }),
    result("b", `Exit code 1\n${EVIL}`, true),
    use("e", "Edit", { file_path: EVIL, old_string: EVIL, new_string: `${EVIL}!` }),
    result("e", "ok"),
    use("t", "TodoWrite", { todos: [{ content: EVIL, status: "pending" }] }),
    result("t", "ok"),
    { type: `block${EVIL}` },
  );
  const { lines, text, commands } = await show(path, columns, EVERYTHING);
  expect(commands).toEqual([]);
  expect(lines).toEqual(painted(text));
  expect(text.replace(/\u001b\[\d{1,2}m/g, "")).not.toMatch(
    /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u00ad\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff]|[\u{e0000}-\u{e007f}]/u,
  );
});
