import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, test } from "vitest";
import manifest from "../../package.json" with { type: "json" };
import { runCli } from "../cli/run-cli.js";

const ROOT = resolve(import.meta.dirname, "../..");
const WORKFLOWS = join(ROOT, ".github", "workflows");
const workflows = readdirSync(WORKFLOWS).map((name) => readFileSync(join(WORKFLOWS, name), "utf8"));
const containerFile = readFileSync(join(ROOT, "Containerfile"), "utf8");

describe("the workflows", () => {
  test("run only scripts that the package has", () => {
    const scripts = workflows.flatMap((text) => [...text.matchAll(/npm run ([\w:]+)/g)].map(([, name]) => name));
    expect(scripts).toEqual(expect.arrayContaining(["check", "build"]));
    expect(Object.keys(manifest.scripts)).toEqual(expect.arrayContaining(scripts));
  });

  test("test the oldest Node that the package takes", () => {
    const oldest = manifest.engines.node.replace(/^>=/, "");
    expect(workflows.join("\n")).toContain(`node: [${oldest}, `);
  });

  test("publish only what was tested, from the tag of its version, with provenance", () => {
    const release = workflows.find((text) => text.startsWith("# A tag")) ?? "";
    expect(release).toContain("needs: test");
    expect(release).toContain('test "$GITHUB_REF_NAME" = "v$(node -p');
    expect(release).toContain("npm publish --provenance");
  });
});

test("the commands and options of the container file exist", async () => {
  const lines = [...containerFile.matchAll(/^# +docker run .* turnlog (\w+)(.*)$/gm)];
  expect(lines.map(([, command]) => command)).toEqual(["list", "open"]);
  const { stdout: help } = await runCli(["help", "open"]);
  const options = lines.at(-1)?.[2]?.match(/--[\w-]+/g) ?? [];
  expect(options.filter((option) => !help.includes(`  ${option} `))).toEqual([]);
});
