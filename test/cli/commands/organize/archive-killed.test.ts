import { appendFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { runFaulty } from "../../faulty-process.js";
import { oldLibrary } from "../../old-library.js";
import { PLANTED_ID } from "../../planted-library.js";
import { runCli } from "../../run-cli.js";

const MOMENTS = [4, 8, 10, 12, 14, 16, 18, 20, 25, 30, 40, 60];

test.each(MOMENTS)("killed before change %i, the archive is whole after the next run", async (killAt) => {
  const { root, env } = oldLibrary();
  const transcript = join(root, "projects/-home-dev-shop", `${PLANTED_ID}.jsonl`);
  await runCli(["archive", "on"], env);
  appendFileSync(transcript, '{"type":"custom-title","customTitle":"Grown"}\n');
  await runFaulty(["archive", "on"], env, { killAt });
  await runCli(["archive", "on"], env);
  const exported = () => runCli(["export", PLANTED_ID, "--format", "jsonl", "--no-redact"], env);
  const before = await exported();
  rmSync(transcript);
  expect((await exported()).stdout).toBe(before.stdout);
  expect(before.stdout).toContain("Grown");
});

test.each(MOMENTS)("killed before change %i of the first run, no session is lost or halved", async (killAt) => {
  const { root, env } = oldLibrary();
  const transcript = join(root, "projects/-home-dev-shop", `${PLANTED_ID}.jsonl`);
  const killed = await runFaulty(["archive", "on"], env, { killAt });
  expect(killed.signal).toBe("SIGKILL");
  await runCli(["archive", "on"], env);
  const { stdout } = await runCli(["export", PLANTED_ID, "--format", "jsonl", "--no-redact"], env);
  rmSync(transcript);
  expect((await runCli(["export", PLANTED_ID, "--format", "jsonl", "--no-redact"], env)).stdout).toBe(stdout);
});
