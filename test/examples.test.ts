import { execFileSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";
import * as edit from "../src/edit/index.js";
import * as turnlog from "../src/index.js";
import * as render from "../src/render/index.js";
import * as trace from "../src/trace/index.js";
import { temporaryFolder } from "./format/temporary-folder.js";

const EXAMPLES = resolve(import.meta.dirname, "..", "examples");
const examples = readdirSync(EXAMPLES)
  .filter((file) => file.endsWith(".mjs"))
  .map((file) => file.replace(/\.mjs$/, ""));

/** As a user would run it: another process, the built package, a home of its own. */
function runExample(name: string): string {
  const home = temporaryFolder();
  const env = { PATH: process.env["PATH"], HOME: home, USERPROFILE: home, TMPDIR: home, TEMP: home, TZ: "UTC" };
  return execFileSync(process.execPath, [join(EXAMPLES, `${name}.mjs`)], { cwd: home, env, encoding: "utf8" });
}

/** `parseRecords` is shown by `parse-records.mjs`. */
function toFileName(exported: string): string {
  return exported.replace(/\B[A-Z]/g, (letter) => `-${letter}`).toLowerCase();
}

test("every exported value has an example, and every example shows one", () => {
  expect(examples.toSorted()).toEqual(
    Object.keys({ ...turnlog, ...edit, ...render, ...trace })
      .map(toFileName)
      .toSorted(),
  );
});

test.each(examples)("the example %s prints what it promises", async (name) => {
  await expect(runExample(name)).toMatchFileSnapshot(join(EXAMPLES, "expected", `${name}.txt`));
});

test("no expected output is left over from an example that is gone", () => {
  const expected = readdirSync(join(EXAMPLES, "expected")).map((file) => file.replace(/\.txt$/, ""));
  expect(expected.toSorted()).toEqual(examples.toSorted());
});
