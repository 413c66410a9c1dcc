import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import MarkdownIt from "markdown-it";
import { beforeAll, describe, expect, test } from "vitest";
import { runCli } from "../../cli/run-cli.js";
import { temporaryFolder } from "../../format/temporary-folder.js";
import { useBrowser } from "../open-page.js";
import { FETCHING } from "./fetching-markdown.js";

const INSTALL_MS = 300_000;

type Render = (markdown: string) => string;

const readers = new Map<string, Render>([
  ["markdown-it", (markdown) => new MarkdownIt("default", { html: true, linkify: true }).render(markdown)],
]);

/** With HTML allowed, as readers of local files do it. */
beforeAll(async () => {
  const script = resolve(import.meta.dirname, "..", "..", "..", "scripts", "install-markdown-readers.mjs");
  const modules = execFileSync(process.execPath, [script], { encoding: "utf8" }).trim();
  const { resolve: find } = createRequire(join(modules, "x.js"));
  const load = (name: string) => import(pathToFileURL(find(name)).href);
  const { marked } = await load("marked");
  readers.set("marked", (markdown) => marked.parse(markdown, { async: false }));
  const { default: commonmark } = await load("commonmark");
  readers.set("commonmark", (markdown) =>
    new commonmark.HtmlRenderer().render(new commonmark.Parser().parse(markdown)),
  );
  const { default: showdown } = await load("showdown");
  readers.set("showdown", (markdown) => new showdown.Converter({ tables: true }).makeHtml(markdown));
  const [{ unified }, ...steps] = await Promise.all(
    ["unified", "remark-parse", "remark-gfm", "remark-rehype", "rehype-raw", "rehype-stringify"].map(load),
  );
  const [parse, gfm, rehype, raw, stringify] = steps.map((step) => step.default);
  const options = { allowDangerousHtml: true };
  const pipeline = unified().use(parse).use(gfm).use(rehype, options).use(raw).use(stringify, options);
  readers.set("remark", (markdown) => String(pipeline.processSync(markdown)));
}, INSTALL_MS);

const READERS = ["markdown-it", "marked", "commonmark", "showdown", "remark"];

/** Everything that a session shows, made of one text. */
function sessionWith(text: string): string {
  const answer = (...content: object[]) => ({ type: "assistant", message: { id: "m1", role: "assistant", content } });
  const user = (content: unknown) => ({ type: "user", message: { role: "user", content } });
  const call = (id: string, name: string, input: object) => ({ type: "tool_use", id, name, input });
  const result = (id: string) => user([{ type: "tool_result", tool_use_id: id, content: text }]);
  const todos = [{ content: text, status: "pending", activeForm: text }];
  const records = [
    { type: "custom-title", customTitle: text },
    user(text),
    answer({ type: "thinking", thinking: text }, { type: "text", text }),
    answer(call("t1", "ExitPlanMode", { plan: text }), call("t2", "TodoWrite", { todos })),
    answer(call("t3", "Bash", { command: text, description: text }), call("t4", text, { [text]: text })),
    ...["t1", "t2", "t3", "t4"].map(result),
    { type: "system", subtype: "informational", content: text },
    { ...user(text), isCompactSummary: true },
    answer({ type: "text", text }),
  ];
  const place = (at: number) => ({
    uuid: `u${at}`,
    parentUuid: at === 0 ? null : `u${at - 1}`,
    cwd: text,
    gitBranch: text,
  });
  return records.map((record, at) => `${JSON.stringify({ ...place(at), ...record })}\n`).join("");
}

async function exportAll(format: string): Promise<string[]> {
  const documents: string[] = [];
  for (const text of FETCHING) {
    const path = join(temporaryFolder(), "session.jsonl");
    writeFileSync(path, sessionWith(text));
    documents.push((await runCli(["export", path, "--format", format, "--no-redact"])).stdout);
  }
  return documents;
}

const open = useBrowser();

/** Relative addresses become requests too. A frame for each document, so that none hides the rest. */
async function requestsOf(pages: readonly string[]): Promise<string[]> {
  const folder = temporaryFolder();
  const base = '<base href="http://127.0.0.1:9/">';
  const frames = pages.map((html, at) => {
    writeFileSync(join(folder, `${at}.html`), `<!doctype html><meta charset="utf-8">${base}${html}`);
    return `<iframe src="${at}.html"></iframe>`;
  });
  writeFileSync(join(folder, "all.html"), frames.join(""));
  const { page, complaints } = await open(join(folder, "all.html"));
  await page.waitForLoadState("networkidle");
  return complaints.filter((complaint) => complaint.startsWith("request: "));
}

describe.each(READERS)("read by %s", (name) => {
  test("an exported Markdown document fetches nothing", async () => {
    const render = readers.get(name) as Render;
    expect(await requestsOf((await exportAll("md")).map(render))).toEqual([]);
  });
});

test("the texts themselves would fetch", async () => {
  const render = readers.get("markdown-it") as Render;
  expect((await requestsOf(FETCHING.map(render))).length).toBeGreaterThan(25);
});

test("an exported page fetches nothing", async () => {
  expect(await requestsOf(await exportAll("html"))).toEqual([]);
});
