import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, test } from "vitest";
import { answer, prompt, resultFor, toolUses, writeLines } from "../../../builders/session-builder.js";
import { temporaryFolder } from "../../../format/temporary-folder.js";
import { FILE_PLACES, plantLibrary, tokenOf } from "../../planted-library.js";
import { runCli } from "../../run-cli.js";

const demo = { CLAUDE_CONFIG_DIR: resolve(import.meta.dirname, "..", "..", "..", "..", "demo") };
const ID = "5b0c7d1e-9a34-4f6b-8c2d-1e0f3a4b5c6d";

/** A session of 24 turns with a megabyte each. */
function largeSession(): string {
  const turns = Array.from({ length: 24 }, (_, index) => [
    prompt(`question ${index + 1}`),
    toolUses(`call${index + 1}`),
    resultFor(`call${index + 1}`, "x".repeat(1_000_000)),
    answer("done"),
  ]);
  return join(temporaryFolder({ [`${ID}.jsonl`]: `${writeLines(turns.flat()).join("\n")}\n` }), `${ID}.jsonl`);
}

const exportHtml = (session: string, ...more: string[]) =>
  runCli(["export", session, "--format", "html", ...more], demo);

describe("export --format html", () => {
  test("is one file that asks for nothing else", async () => {
    const { stdout, exitCode } = await exportHtml("09fa6185");
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/^<!doctype html>\n<html lang="en">/);
    expect(stdout).toMatch(/Content-Security-Policy" content="default-src 'none'; script-src 'sha256-/);
    expect(stdout.match(/<(link|iframe|object|embed|base)\b|\ssrc="(?!data:)|@import|url\(/g)).toBeNull();
  });

  test("gives every turn and call the same address each time", async () => {
    const idsOf = (page: string) => [...page.matchAll(/ id="((?:turn|call)-[^"]+)"/g)].map(([, id]) => id);
    const [first, second] = [await exportHtml("09fa6185"), await exportHtml("09fa6185")];
    expect(idsOf(first.stdout).length).toBeGreaterThan(18);
    expect(idsOf(first.stdout)).toEqual(idsOf(second.stdout));
    expect(new Set(idsOf(first.stdout)).size).toBe(idsOf(first.stdout).length);
  });

  test("holds no secret of the session or its sub-agents", async () => {
    const { stdout, stderr } = await runCli(["export", plantLibrary().path, "--format", "html"]);
    const places = [...FILE_PLACES, "sub-agent" as const];
    expect(places.filter((place) => stdout.includes(tokenOf(place)))).toEqual([]);
    expect(stderr).toMatch(/^redacted: /);
  });

  test("tells sub-agents whose records stand in the session file", async () => {
    const { stdout } = await exportHtml(join(import.meta.dirname, "../../../crafted/inline-sub-agents.jsonl"));
    expect(stdout).toContain('class="agent"');
  });
});

describe("a session that is too large for one page", () => {
  test("is refused on standard output, before anything is written, with a hint", async () => {
    const { stdout, stderr, exitCode } = await exportHtml(largeSession());
    expect(stdout).toBe("");
    expect(stderr).toContain("the page would be larger than 20 MB");
    expect(stderr).toContain("-o session/");
    expect(exitCode).toBe(2);
  });

  test("is refused as a file, and leaves none behind", async () => {
    const folder = temporaryFolder();
    const { stderr } = await exportHtml(largeSession(), "-o", join(folder, "page.html"));
    expect(stderr).toContain(`-o ${join(folder, "page")}/`);
    expect(readdirSync(folder)).toEqual([]);
  });

  test("becomes a folder of an index and parts that lead to each other", async () => {
    const folder = join(temporaryFolder(), "session");
    const { exitCode } = await exportHtml(largeSession(), "-o", `${folder}/`);
    expect(exitCode).toBe(0);
    const names = readdirSync(folder).toSorted();
    expect(names[0]).toBe("index.html");
    expect(names.length).toBeGreaterThan(4);
    const pages = new Map(names.map((name) => [name, readFileSync(join(folder, name), "utf8")]));
    const links = [...(pages.get("index.html") ?? "").matchAll(/href="(part-\d+\.html)#([^"]+)"/g)];
    expect(links).toHaveLength(24);
    expect(links.filter(([, file = "", id]) => !pages.get(file)?.includes(` id="${id}"`))).toEqual([]);
    expect(pages.get("part-2.html")).toMatch(/rel="prev".*href="part-3.html" rel="next"/s);
  });
});

describe("export --format html into a folder", () => {
  test("writes a small session as its index alone", async () => {
    const folder = join(temporaryFolder(), "pages");
    await exportHtml("09fa6185", "-o", `${folder}/`);
    expect(readdirSync(folder)).toEqual(["index.html"]);
    expect(readFileSync(join(folder, "index.html"), "utf8")).toBe((await exportHtml("09fa6185")).stdout);
  });

  test("takes a name without an ending for a folder, unless a file has it", async () => {
    const folder = temporaryFolder({ page: "mine" });
    await exportHtml("09fa6185", "-o", join(folder, "pages"));
    expect(readdirSync(join(folder, "pages"))).toEqual(["index.html"]);
    await exportHtml("09fa6185", "-o", join(folder, "page"), "--force");
    expect(readFileSync(join(folder, "page"), "utf8")).toMatch(/^<!doctype html>/);
  });

  test("replaces its own pages only when it is told to", async () => {
    const folder = temporaryFolder({ "index.html": "old", "part-1.html": "old" });
    const refused = await exportHtml("09fa6185", "-o", folder);
    expect(refused.stderr).toContain("--force");
    expect(readFileSync(join(folder, "index.html"), "utf8")).toBe("old");
    expect((await exportHtml("09fa6185", "-o", folder, "--force")).exitCode).toBe(0);
    expect(readdirSync(folder)).toEqual(["index.html"]);
  });

  test("never touches a folder that holds anything else", async () => {
    const folder = temporaryFolder({ "thesis.txt": "mine" });
    const { stderr, exitCode } = await exportHtml("09fa6185", "-o", folder, "--force");
    expect(stderr).toContain("has other files");
    expect(exitCode).toBe(1);
    expect(readdirSync(folder)).toEqual(["thesis.txt"]);
  });

  test("writes nothing where sessions are read from", async () => {
    const root = temporaryFolder();
    mkdirSync(join(root, "projects", "-home-dev"), { recursive: true });
    const file = join(root, "projects", "-home-dev", `${ID}.jsonl`);
    writeFileSync(file, `${writeLines([prompt("hello"), answer("hi")]).join("\n")}\n`);
    const target = join(root, "projects", "-home-dev", "pages");
    const { stderr } = await runCli(["export", file, "--format", "html", "-o", `${target}/`], {
      CLAUDE_CONFIG_DIR: root,
    });
    expect(stderr).toContain("where sessions are read from");
    expect(existsSync(target)).toBe(false);
  });
});
