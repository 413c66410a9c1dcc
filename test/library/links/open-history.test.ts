import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { openHistory } from "../../../src/library/links/open-history.js";

function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "links-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

test("a history leaves nothing in the folder for temporary files, whether it can be read or not", async () => {
  const [folder, none, temporary] = [makeFolder(), makeFolder(), makeFolder()];
  execFileSync("git", ["init", "-q", folder]);
  vi.stubEnv("TMPDIR", temporary);
  onTestFinished(() => void vi.unstubAllEnvs());
  const history = openHistory(folder);
  expect(readdirSync(temporary)).toHaveLength(1);
  expect(await history?.run(["for-each-ref"])).toMatchObject({ end: "done" });
  history?.close();
  expect(openHistory(none)).toBeUndefined();
  execFileSync("git", ["config", "extensions.refStorage", "reftable"], { cwd: folder });
  expect(openHistory(folder)).toBeUndefined();
  expect(readdirSync(temporary)).toEqual([]);
});
