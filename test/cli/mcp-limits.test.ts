import { homedir } from "node:os";
import { describe, expect, test } from "vitest";
import { answer, type Draft, prompt, resultFor, toolUses, writeLines } from "../builders/session-builder.js";
import { temporaryFolder } from "../format/temporary-folder.js";
import { type Agent, connectAgent, listed, type ToolReply } from "./mcp-client.js";
import { PLACES, PLANTED_ID, plantLibrary, tokenOf } from "./planted-library.js";

const ID = "7c1d2e3f-4a5b-4c6d-8e7f-9a0b1c2d3e4f";
const MOST = 20_000;

function libraryOf(
  drafts: readonly Draft[],
  changed: (line: string) => string = (line) => line,
): { configDir: string } {
  const lines = writeLines(drafts).map(changed);
  return { configDir: temporaryFolder({ [`projects/-p/${ID}.jsonl`]: `${lines.join("\n")}\n` }) };
}

const sizeOf = ({ text, structured }: ToolReply) => Math.max(text.length, JSON.stringify(structured).length);
const largest = (replies: readonly ToolReply[]) => Math.max(...replies.map(sizeOf));

/** Everything that the tools tell of a session. */
async function askEverything({ call, pages }: Agent, session: string): Promise<ToolReply[]> {
  const what = ["prompts", "answers", "tools", "thinking"];
  const replies = await Promise.all([
    pages("list_sessions"),
    pages("search_sessions", { session, places: ["prompts", "answers", "tools", "results", "titles", "files"] }),
    pages("search_sessions", { query: "deploy OR printed OR look" }),
    pages("session_outline", { session }),
    pages("session_turns", { session, what }),
    pages("session_turns", { session, what, textLimit: 12_000 }),
    pages("files_touched", { session }),
    pages("changed_files", { session }),
    call("session_brief", { session, maxTokens: 3500 }).then((reply) => [reply]),
    pages("usage_stats", { by: "session" }),
    call("session_turns", { session: "no such session" }).then((reply) => [reply]),
    call("session_turns", { session: "deploy" }).then((reply) => [reply]),
  ]);
  return replies.flat();
}

describe("a session with a megabyte of tool output", () => {
  const output = Array.from({ length: 30_000 }, (_, at) => `line ${at} of "the" output\u0007 with 漢字\n`).join("");
  const library = () => libraryOf([prompt("print it"), toolUses("t1"), resultFor("t1", output), answer("done")]);

  test("is answered in bounded pieces", async () => {
    const agent = await connectAgent(library());
    const replies = await askEverything(agent, ID);
    expect(output.length).toBeGreaterThan(900_000);
    expect(largest(replies)).toBeLessThanOrEqual(MOST);
  });

  test("tells how much is cut, and how to get the rest", async () => {
    const { call } = await connectAgent(library());
    const { structured, text } = await call("session_turns", { session: ID });
    const result = listed([{ structured, text, isError: false }], "parts").find(({ kind }) => kind === "result");
    expect(result).toMatchObject({ part: "1.3", offset: 0, characters: output.length });
    const rest = `call session_turns with part "1.3" and offset ${result?.["nextOffset"]}`;
    expect(text).toContain(
      `${output.length - Number(result?.["nextOffset"])} of ${output.length} characters follow; ${rest}`,
    );
  });

  test("gives the whole text part by part, exactly once", async () => {
    const { call } = await connectAgent(library());
    const pieces = await readPart(call, "1.3");
    expect(pieces.map(({ piece }) => piece).join("")).toBe(output.replaceAll("\u0007", "␇"));
    expect(Math.max(...pieces.map(({ size }) => size))).toBeLessThanOrEqual(MOST);
  });
});

async function readPart(call: Agent["call"], part: string) {
  const pieces: { readonly piece: string; readonly size: number }[] = [];
  for (let offset: unknown = 0; typeof offset === "number"; ) {
    const reply = await call("session_turns", { session: ID, part, offset });
    const [found] = listed([reply], "parts");
    pieces.push({ piece: String(found?.["text"]), size: sizeOf(reply) });
    offset = found?.["nextOffset"];
  }
  return pieces;
}

test("many short turns and files fill pages that stay bounded", async () => {
  const drafts = Array.from({ length: 400 }, (_, at) => [
    prompt(`turn ${at} ${"words ".repeat(100)}`),
    toolUses(`t${at}`),
    resultFor(`t${at}`),
    answer("done"),
  ]).flat();
  const toReads = (line: string) =>
    line.replace(/"name":"Bash","input":\{"command":"(t\d+)"\}/, '"name":"Read","input":{"file_path":"/p/$1"}');
  const { pages } = await connectAgent(libraryOf(drafts, toReads));
  const outline = await pages("session_outline", { session: ID });
  const files = await pages("files_touched", { session: ID });
  expect(outline.length).toBeGreaterThan(5);
  expect(largest([...outline, ...files])).toBeLessThanOrEqual(MOST);
  expect(listed(outline, "turns").map(({ turn }) => turn)).toEqual(Array.from({ length: 400 }, (_, at) => at + 1));
  expect(new Set(listed(files, "files").map(({ path }) => path)).size).toBe(400);
  expect(listed(files, "files")).toHaveLength(400);
});

describe("secrets", () => {
  test("that are planted in a session are in no answer", async () => {
    const agent = await connectAgent({ configDir: plantLibrary().root });
    const told = JSON.stringify(await askEverything(agent, PLANTED_ID));
    expect(PLACES.filter((place) => told.includes(tokenOf(place)))).toEqual([]);
    expect(told).toContain("[REDACTED:github-token:");
  });

  test("of a sub-agent neither", async () => {
    const { pages } = await connectAgent({ configDir: plantLibrary().root });
    const told = JSON.stringify(await pages("session_turns", { session: PLANTED_ID, agent: "a1b2c3d" }));
    expect(told).toContain("Look for [REDACTED:github-token:");
    expect(told).not.toContain(tokenOf("sub-agent"));
  });

  test.each(Array.from({ length: 12 }, (_, at) => 60 + at * 4))(
    "are not cut in two by a limit: %i characters before",
    async (before) => {
      const token = tokenOf("tool output");
      const said = `${"x ".repeat(before / 2)}${token} end`;
      const { call } = await connectAgent(libraryOf([prompt(said), answer("done")]));
      const { text } = await call("session_turns", { session: ID, textLimit: 100 });
      const outline = await call("session_outline", { session: ID });
      expect(text + outline.text).not.toContain(token.slice(0, 8));
    },
  );

  test("are found across a colour that a program put into them", async () => {
    const token = tokenOf("tool output");
    const coloured = `found \u001b[31m${token.slice(0, 10)}\u001b[0m${token.slice(10)}`;
    const agent = await connectAgent(
      libraryOf([prompt("go"), toolUses("t1"), resultFor("t1", coloured), answer("ok")]),
    );
    const told = JSON.stringify(await askEverything(agent, ID));
    expect(told).not.toContain(token.slice(10));
    expect(told).not.toContain(token.slice(0, 10));
  });

  test("named by their field in a tool's input are taken out", async () => {
    const drafts = [prompt("go"), toolUses("t1"), resultFor("t1"), answer("ok")];
    const secret = "Kestrel-Harbour-42";
    const withPassword = (line: string) => line.replace('"command":"t1"', `"password":"${secret}"`);
    const { call } = await connectAgent(libraryOf(drafts, withPassword));
    const { text } = await call("session_turns", { session: ID });
    expect(text).toContain("password: [REDACTED:");
    expect(text).not.toContain(secret);
  });
});

test("the home folder is told as ~, and a project is found by that name", async () => {
  const inHome = (line: string) =>
    line.replace('"sessionId"', `"cwd":${JSON.stringify(`${homedir()}/shop`)},"sessionId"`);
  const agent = await connectAgent(libraryOf([prompt(`look at ${homedir()}/shop/a.ts`), answer("done")], inHome));
  const found = await agent.call("list_sessions", { project: "~/shop" });
  expect(listed([found], "sessions")).toMatchObject([{ id: ID, project: "~/shop" }]);
  expect(JSON.stringify(await askEverything(agent, ID))).not.toContain(homedir());
});
