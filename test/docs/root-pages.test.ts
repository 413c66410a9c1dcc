import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";

const ROOT = resolve(import.meta.dirname, "..", "..");
const page = (name: string) => readFileSync(join(ROOT, name), "utf8");
const packageJson: Record<string, Record<string, string> | undefined> = JSON.parse(page("package.json"));

function foldersIn(folder: string): string[] {
  return readdirSync(join(ROOT, folder), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => `${name}/`);
}

function linksIn(name: string): string[] {
  return [...page(name).matchAll(/\]\((?!https?:|#)([^)#]+)/g)].map(([, target = ""]) => target);
}

test("ARCHITECTURE gives a reason for every dependency and names none that is gone", () => {
  const used = Object.keys({ ...packageJson["dependencies"], ...packageJson["devDependencies"] });
  const tables = page("ARCHITECTURE.md").split("## Dependencies")[1] ?? "";
  const explained = [...tables.matchAll(/^\| `([^`]+)` \|/gm)].map(([, name]) => name);
  expect(explained.toSorted()).toEqual(used.toSorted());
});

test("AGENTS names every folder of src and test", () => {
  const tree = page("AGENTS.md");
  expect([...foldersIn("src"), ...foldersIn("test")].filter((folder) => !tree.includes(folder))).toEqual([]);
});

test.each(["README.md", "ARCHITECTURE.md", "AGENTS.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md"])(
  "links of %s lead to files",
  (name) => {
    expect(linksIn(name).filter((target) => !existsSync(join(ROOT, target)))).toEqual([]);
  },
);

test("the files and folders that ARCHITECTURE names exist", () => {
  const areas = foldersIn("src").map((folder) => folder.slice(0, -1));
  const named = [...page("ARCHITECTURE.md").matchAll(/`(\w+)\/([\w./-]*)`/g)].filter(([, area = ""]) =>
    areas.includes(area),
  );
  expect(named.length).toBeGreaterThan(50);
  expect(named.map(([, area, rest]) => `src/${area}/${rest}`).filter((path) => !existsSync(join(ROOT, path)))).toEqual(
    [],
  );
});

test("every promise of SECURITY names a test", () => {
  const rows =
    page("SECURITY.md")
      .split("## Promises")[1]
      ?.match(/^\| (?!promise|---).*$/gm) ?? [];
  expect(rows.length).toBeGreaterThan(15);
  expect(rows.filter((row) => !/\]\(test\/[\w./-]+\.test\.ts\)/.test(row))).toEqual([]);
});
