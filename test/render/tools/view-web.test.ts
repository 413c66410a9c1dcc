import { describe, expect, test } from "vitest";
import { shownToolName } from "../../../src/render/tools/view-parts.js";
import { viewTool } from "../../../src/render/tools/view-tool.js";
import { madeCall } from "./made-call.js";

describe("WebFetch", () => {
  test("asks, and answers in Markdown", () => {
    const input = { url: "https://example.org/", prompt: "Sum it up" };
    const data = { bytes: 3, code: 200, codeText: "OK", result: "**Good**", durationMs: 3, url: input.url };
    expect(viewTool(madeCall("WebFetch", input, { content: "**Good**", data }))).toEqual({
      title: "https://example.org/",
      parts: [
        { kind: "markdown", text: "Sum it up", label: "prompt" },
        { kind: "text", text: "200 OK", label: "status" },
        { kind: "markdown", text: "**Good**", label: "answer" },
      ],
    });
  });
});

describe("WebSearch", () => {
  const input = { query: "turn logs" };
  const link = { title: "Turns", url: "https://example.org/turns" };
  const table = { kind: "table", head: ["title", "URL"], rows: [["Turns", "https://example.org/turns"]] };
  const answer = { kind: "markdown", text: "There is one.", label: "answer" };

  test("recorded links are a table", () => {
    const data = { query: "turn logs", results: [{ tool_use_id: "s1", content: [link] }, "There is one."] };
    expect(viewTool(madeCall("WebSearch", input, { content: "Links: []", data }))).toEqual({
      title: "turn logs",
      parts: [table, answer],
    });
  });

  test("links in the text for the model are a table too", () => {
    const frame = ["Web search results for query: x", "REMINDER: You MUST include the sources above in your response"];
    const content = `${frame[0]}\n\nLinks: ${JSON.stringify([link])}\nThere is one.\n${frame[1]}`;
    expect(viewTool(madeCall("WebSearch", input, { content })).parts).toEqual([table, answer]);
  });

  test("so are those of a search that the API ran itself", () => {
    const content = [{ type: "web_search_result", ...link, encrypted_content: "…" }];
    expect(viewTool(madeCall("web_search", input, { content }))).toEqual({ title: "turn logs", parts: [table] });
  });
});

describe("MCP", () => {
  const image = { type: "image", source: { type: "base64", media_type: "image/png", data: "QQ==" } };

  test("short values are in the title; text and pictures are parts", () => {
    const content = [{ type: "text", text: "done" }, image];
    expect(viewTool(madeCall("mcp__claude_browser__take__shot", { url: "x" }, { content, data: content }))).toEqual({
      title: "url: x",
      parts: [
        { kind: "json", value: { url: "x" }, label: "input" },
        { kind: "code", text: "done", language: null, label: "result" },
        { kind: "image", mediaType: "image/png", base64: "QQ==" },
      ],
    });
  });

  test("JSON comes back as JSON", () => {
    expect(viewTool(madeCall("mcp__db__query", {}, { content: '[{"id": 1}]' }))).toEqual({
      title: "",
      parts: [{ kind: "json", value: [{ id: 1 }], label: "result" }],
    });
  });

  test("pictures that are only in the structured result are shown", () => {
    const data = [{ type: "image", mimeType: "image/webp", data: "QQ==" }];
    expect(viewTool(madeCall("mcp__db__plot", {}, { content: "see", data })).parts[1]).toEqual({
      kind: "image",
      mediaType: "image/webp",
      base64: "QQ==",
    });
  });
});

describe("the name of a tool", () => {
  test.each([
    ["mcp__claude_browser__take__shot", "claude_browser: take__shot"],
    ["mcp__db", "mcp__db"],
    ["mcp____x", "mcp____x"],
    ["Bash", "Bash"],
    ["", "(unnamed)"],
  ])("%s is shown as %s", (name, shown) => {
    expect(shownToolName(name)).toBe(shown);
  });
});

describe("images", () => {
  test("Read shows the recorded picture if the model's picture is not in the result", () => {
    const data = { type: "image", file: { base64: "QQ==", type: "image/jpeg", originalSize: 1 } };
    expect(viewTool(madeCall("Read", { file_path: "/a.jpg" }, { content: "", data }))).toEqual({
      title: "/a.jpg",
      parts: [{ kind: "image", mediaType: "image/jpeg", base64: "QQ==" }],
    });
  });

  test.each([
    [{ type: "url", url: "https://example.org/a.png" }, "https://example.org/a.png", "image"],
    [{ type: "file", file_id: "f1" }, "data not recorded", "image"],
    [{ type: "base64", media_type: "text/html", data: "QQ==" }, "text/html", "unknown image type"],
  ])("what is no picture here is named: %j", (source, text, label) => {
    const content = [{ type: "image", source }];
    expect(viewTool(madeCall("mcp__a__b", {}, { content })).parts).toEqual([{ kind: "text", text, label }]);
  });
});

describe("unknown tools", () => {
  test("blocks that are no text are shown as JSON", () => {
    const content = [{ type: "tool_reference", tool_name: "Cron" }];
    expect(viewTool(madeCall("Invented", { a: 1, b: 2 }, { content }))).toEqual({
      title: "a: 1, b: 2",
      parts: [
        { kind: "json", value: { a: 1, b: 2 }, label: "input" },
        { kind: "json", value: content, label: "result" },
      ],
    });
  });

  test("without any text, the structured result is shown", () => {
    expect(viewTool(madeCall("Invented", null, { content: "", data: { ok: true } }))).toEqual({
      title: "",
      parts: [{ kind: "json", value: { ok: true }, label: "result" }],
    });
  });
});
