import { writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import MarkdownIt from "markdown-it";
import { describe, expect, test } from "vitest";
import { codeSpan, containMarkdown, fenced, htmlWords, plainWords } from "../../../src/render/markdown/contain-text.js";
import { neutralize } from "../../../src/render/safe-text.js";
import { runCli } from "../../cli/run-cli.js";
import { temporaryFolder } from "../../format/temporary-folder.js";
import { runs } from "../../runs.js";
import { hostileText } from "./hostile-text.js";

/** As GitHub and editors read a document: with HTML. */
const reader = new MarkdownIt("default", { html: true });

/** Everything that folds, every heading of ours, and every tag that no Markdown makes. */
function structureOf(markdown: string): string[] {
  const made = /^<\/?(p|em|strong|code|pre|ul|ol|li|table|thead|tbody|tr|th|td|blockquote|a|img|br|hr|h[3-6]|s)\b/;
  const tags = reader.render(markdown).match(/<(\/?[a-z][a-z0-9]*\b|!--|\?|!)/gi) ?? [];
  return tags.filter((tag) => !made.test(tag) && tag !== "<!--");
}

function sessionWith(text: string): string {
  const call = (id: string, name: string, input: object) => ({ type: "tool_use", id, name, input });
  const result = (id: string) => ({ type: "tool_result", tool_use_id: id, content: text, is_error: id === "t3" });
  const answer = (...content: object[]) => ({ type: "assistant", message: { id: "m1", role: "assistant", content } });
  const user = (content: unknown) => ({ type: "user", message: { role: "user", content } });
  const todos = [{ content: text, status: "pending", activeForm: text }];
  const records = [
    { type: "custom-title", customTitle: text },
    { type: "pr-link", prUrl: `https://example.org/${text}`, prNumber: 1, prRepository: text },
    user(`a ${text}`),
    answer({ type: "thinking", thinking: text }, { type: "text", text }, { type: "text", text }),
    answer(call("t1", "Bash", { command: text, description: text }), call("t2", "TodoWrite", { todos })),
    answer(call("t3", "Edit", { file_path: text, old_string: text, new_string: `${text}x` })),
    answer(call("t4", "ExitPlanMode", { plan: text }), call(`t5`, text, { [text]: text })),
    ...["t1", "t2", "t3", "t4", "t5"].map((id) => user([result(id)])),
    { type: "system", subtype: "informational", content: `a\n${text}` },
    { type: "system", subtype: "compact_boundary", compactMetadata: { trigger: text, preTokens: 1 } },
    { ...user(text), isCompactSummary: true },
    { ...user(`${text}`), isMeta: true },
    answer({ type: "text", text: "the end" }),
  ];
  const chained = records.map((record, index) => ({
    uuid: `u${index}`,
    parentUuid: index === 0 ? null : `u${index - 1}`,
    cwd: text,
    gitBranch: text,
    timestamp: new Date(Date.UTC(2026, 0, 1, 0, 0, index)).toISOString(),
    ...record,
  }));
  return chained.map((record) => `${JSON.stringify(record)}\n`).join("");
}

async function exportOf(text: string, ...options: string[]): Promise<string> {
  const path = join(temporaryFolder(), "session.jsonl");
  writeFileSync(path, sessionWith(text));
  return (await runCli(["export", path, "--format", "md", "--no-redact", ...options])).stdout;
}

describe("whatever a session holds,", () => {
  test("the document has the same headings and the same things to unfold", async () => {
    const harmless = structureOf(await exportOf("words\nmore"));
    expect(harmless.filter((tag) => tag === "<details").length).toBeGreaterThan(6);
    const property = fc.asyncProperty(hostileText(), async (text) => {
      expect(structureOf(await exportOf(`${text}\nx`))).toEqual(harmless);
    });
    await fc.assert(property, runs(150));
  });

  test("brief tool calls change nothing in that", async () => {
    const harmless = structureOf(await exportOf("words\nmore", "--tools", "brief"));
    const property = fc.asyncProperty(hostileText(), async (text) => {
      expect(structureOf(await exportOf(`${text}\nx`, "--tools", "brief"))).toEqual(harmless);
    });
    await fc.assert(property, runs(30));
  });

  test("nothing of it is an escape sequence or turns the writing direction", async () => {
    const text = await exportOf("\u001b]0;owned\u0007\u009b31m\u202eevil\u061c");
    expect(text).toContain("evil");
    expect(text).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u202a-\u202e\u2066-\u2069]/);
  });
});

describe("a text comes back as it was", () => {
  test("out of its fence", () => {
    const property = fc.property(hostileText(), (text) => {
      const tokens = reader.parse(`${fenced(text, "sh")}\n# end\n`, {});
      expect(tokens.map(({ type }) => type)).toEqual(["fence", "heading_open", "inline", "heading_close"]);
      expect(tokens[0]?.content).toBe(`${neutralize(text).replace(/\n$/, "")}\n`);
    });
    fc.assert(property, runs(1000));
  });

  test("out of words, code and tags on one line", () => {
    const property = fc.property(hostileText(), (text) => {
      const line = neutralize(`x ${text}`).replace(/\s+/g, " ").trim();
      expect(shownBy(plainWords(`x ${text}`))).toBe(line);
      expect(shownBy(codeSpan(`x ${text}`))).toBe(line);
      expect(shownBy(`<summary>${htmlWords(`x ${text}`)}</summary>\n`)).toBe(line);
      expect(shownBy(plainWords(text))).toBe(neutralize(text).replace(/\s+/g, " ").trim());
    });
    fc.assert(property, runs(1000));
  });
});

/** What a person reads of one paragraph. */
function shownBy(markdown: string): string {
  const entities: Record<string, string> = { "&amp;": "&", "&lt;": "<", "&gt;": ">", "&quot;": '"', "&#33;": "!" };
  return reader
    .render(markdown)
    .replace(/^<p>|<\/p>\n$|<\/?code>|<\/?summary>\n?/g, "")
    .replace(/&(amp|lt|gt|quot|#33);/g, (entity) => entities[entity] ?? "");
}

describe("Markdown of an answer", () => {
  test.each([
    {
      what: "headings move below those of the document",
      text: "# One\n\nTwo\n===\n\n> ## Three",
      is: "### One\n\n### Two\n\n> #### Three\n",
    },
    { what: "an open fence is closed", text: "```ts\nconst a = 1;", is: "```ts\nconst a = 1;\n```\n" },
    { what: "a closed fence stays", text: "~~~\n<b>\n~~~", is: "~~~\n<b>\n~~~\n" },
    { what: "tags become words", text: "Use <details> and `<b>` here", is: "Use &lt;details> and `<b>` here\n" },
    { what: "a comment becomes words", text: "<!-- hidden", is: "&lt;!-- hidden\n" },
    { what: "an address in brackets stays", text: "<https://a.b/c> <i>", is: "<https://a.b/c> &lt;i>\n" },
    { what: "tables keep their cells", text: "| a |\n|---|\n| <b> |", is: "| a |\n|---|\n| &lt;b> |\n" },
    { what: "what begins indented continues no list", text: "    code", is: "<!-- -->\n\n    code\n" },
    {
      what: "an image becomes a link",
      text: "![a](http://b/c.png) \\![d](e)",
      is: "\\![a](http://b/c.png) \\![d](e)\n",
    },
    { what: "code keeps its signs", text: "`![a](b)`\n\n```\n![a](b)\n```", is: "`![a](b)`\n\n```\n![a](b)\n```\n" },
    { what: "a diagram is not drawn", text: "```mermaid\nA-->B\n```", is: "```text\nA-->B\n```\n" },
    { what: "lines like metadata are a rule", text: "a\n\n---\ncss: b", is: "a\n\n***\ncss: b\n" },
    {
      what: "what only some readers take for code is source",
      text: "x[^1]\n\n[^1]: y\n\n    ![a](b)",
      is: "```markdown\nx[^1]\n\n[^1]: y\n\n    ![a](b)\n```\n",
    },
    { what: "of nothing is nothing", text: " \n\n", is: "" },
  ])("$what", ({ text, is }) => {
    expect(containMarkdown(text)).toBe(is);
  });

  test("lines that a person typed stay lines", () => {
    expect(containMarkdown("one\ntwo\n\n- a\n- b\n\n```\nx\ny\n```", { isQuoted: true })).toBe(
      "one  \ntwo\n\n- a\n- b\n\n```\nx\ny\n```\n",
    );
  });

  test("a text of a megabyte is shown as source, at once", () => {
    expect(containMarkdown("`<a ".repeat(250_000))).toMatch(/^``markdown|^```markdown\n/);
  });
});
