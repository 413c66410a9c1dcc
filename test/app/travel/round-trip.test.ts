import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { findSessions } from "../../../src/library/sources/find-sessions.js";
import { contentsOf, copyInto, type Machine, machine, onMachine } from "./bundled.js";

const CORPUS = resolve(import.meta.dirname, "../../corpus");
const RECORDED = ["2.0.50/print", "2.1.45/interactive", "2.1.81/print", "2.1.325/interactive", "2.1.325/print"]
  .concat(["2.1.326/interactive", "2.1.326/forks", "2.1.326/print", "2.1.326/background"])
  .filter((name) => existsSync(join(CORPUS, name)));
const ROUNDS = process.env["TURNLOG_SOAK"] === "1" ? 200 : 12;

const source = machineWith(RECORDED);

function machineWith(names: readonly string[]): {
  readonly sessions: { readonly name: string; readonly id: string }[];
} {
  const sessions = names.flatMap((name) =>
    findSessions([join(CORPUS, name)])
      .sessions.filter(({ size }) => size > 0)
      .map(({ id }) => ({ name, id })),
  );
  return { sessions };
}

async function bundleOf(from: Machine, id: string, ...options: readonly string[]): Promise<string> {
  const path = join(from.home, `${id}.tar.gz`);
  const { exitCode, stderr } = await onMachine(from, "bundle", id, "-o", path, "--force", ...options);
  expect(stderr + exitCode).toMatch(/0$/);
  return path;
}

test("bundle, import and bundle again gives the same files, for recorded sessions of many versions", async () => {
  const pick = fc.constantFrom(...source.sessions);
  await fc.assert(
    fc.asyncProperty(pick, fc.boolean(), async ({ name, id }, isRedacted) => {
      const [one, two] = [machine(), machine()];
      copyInto(one, join(CORPUS, name));
      const options = isRedacted ? [] : ["--no-redact"];
      const first = await bundleOf(one, id, ...options);
      const told = await onMachine(two, "import", first, "--project", join(two.home, "other/place"), "--yes", "--json");
      const [imported] = JSON.parse(told.stdout).sessions;
      expect(imported).toMatchObject({ id, action: "write" });
      const second = await bundleOf(two, id, ...options);
      expect(await contentsOf(second)).toEqual(await contentsOf(first));
    }),
    { numRuns: ROUNDS },
  );
});

test("nothing but stored paths differs between a session and its import into the same place", async () => {
  const { name, id } = source.sessions.find(({ name }) => name === "2.1.326/interactive") ?? { name: "", id: "" };
  const [one, two] = [machine(), machine()];
  copyInto(one, join(CORPUS, name));
  const path = await bundleOf(one, id, "--no-redact");
  await onMachine(two, "import", path, "--project", "/home/dev/demo-app", "--yes");
  const folder = join(two.root, "projects", "-home-dev-demo-app");
  expect(readdirSync(folder).map((file) => basename(file, ".jsonl"))).toContain(id);
  const linesOf = (root: string) =>
    readFileSync(join(root, "projects/-home-dev-demo-app", `${id}.jsonl`), "utf8")
      .replaceAll(root, "<root>")
      .split("\n");
  const before = linesOf(one.root).filter((line) => !/"type":"(?:permission-mode|bridge-session)"/.test(line));
  expect(linesOf(two.root)).toEqual(before);
});
