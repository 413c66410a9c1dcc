import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { findMovedProjects } from "../../../src/app/organize/moved-projects.js";
import { chain, prompt, toLines } from "../../builders/session-builder.js";
import { temporaryFolder } from "../../format/temporary-folder.js";
import { machine, makeRepository, onMachine, putSession } from "./bundled.js";

const ID = "11111111-4444-4444-8444-444444444444";
const GONE = "/home/nobody/old shop";
const clone = (address: string) => makeRepository(temporaryFolder(), address);

function withGoneProject(repositories: Readonly<Record<string, readonly string[]>>) {
  const own = machine();
  const lines = toLines(chain(prompt("hello", { cwd: GONE })));
  putSession(own, GONE.replaceAll(/[^a-zA-Z0-9]/g, "-"), ID, { [`${ID}.jsonl`]: lines });
  writeFileSync(join(own.root, ".claude.json"), JSON.stringify({ githubRepoPaths: repositories }));
  return own;
}

test("a project whose folder is gone is found at another folder of its repository", () => {
  const now = clone("git@github.com:Acme/Shop.git");
  const { root } = withGoneProject({ "acme/shop": [GONE, now] });
  expect(findMovedProjects(root, "/")).toEqual([{ from: GONE, sessions: 1, to: [now] }]);
});

test("the current folder counts too, although no session has worked in it", () => {
  const now = clone("https://github.com/acme/shop");
  const { root } = withGoneProject({ "acme/shop": [GONE] });
  expect(findMovedProjects(root, now)).toEqual([{ from: GONE, sessions: 1, to: [now] }]);
});

test("a folder that another repository has by now is no candidate, nor is one that nothing connects with the project", () => {
  const other = clone("https://github.com/acme/tools");
  expect(findMovedProjects(withGoneProject({ "acme/shop": [GONE, other] }).root, other)).toEqual([]);
  expect(findMovedProjects(withGoneProject({ "acme/tools": [other] }).root, other)).toEqual([]);
  expect(findMovedProjects(withGoneProject({}).root, clone("https://github.com/acme/shop"))).toEqual([]);
});

test("doctor offers the command that takes the sessions along", async () => {
  const now = clone("https://github.com/acme/shop");
  const { stdout } = await onMachine(withGoneProject({ "acme/shop": [GONE, now] }), "doctor");
  expect(stdout).toContain(`turnlog move --project '${GONE}' ${now}`);
});
