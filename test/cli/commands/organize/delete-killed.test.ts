import { describe, expect, test } from "vitest";
import { runFaulty } from "../../faulty-process.js";
import { oldLibrary } from "../../old-library.js";
import { PLANTED_ID } from "../../planted-library.js";
import { runCli } from "../../run-cli.js";
import { treeOf } from "../../tree-of.js";

/** Beyond the last of them the process ends by itself. */
const MOMENTS = [1, 5, 8, 9, 10, 11, 13, 15, 18, 22, 26, 32, 40, 52, 66];

const DEVICES = [
  { devices: "one device", isOther: false },
  { devices: "two devices", isOther: true },
];

describe.each(DEVICES)("killed on $devices", ({ isOther }) => {
  test.each(MOMENTS)("while deleting, before change %i, nothing is lost", async (killAt) => {
    const { root, env } = oldLibrary();
    const before = treeOf(root);
    const otherDevice = isOther ? root : "";
    await runFaulty(["delete", PLANTED_ID], env, { killAt, otherDevice });
    await runCli(["restore", PLANTED_ID], env);
    expect(treeOf(root)).toEqual(before);
  });

  test.each(MOMENTS)("while restoring, before change %i, nothing is lost", async (killAt) => {
    const { root, env } = oldLibrary();
    const before = treeOf(root);
    await runCli(["delete", PLANTED_ID], env);
    const otherDevice = isOther ? root : "";
    await runFaulty(["restore", PLANTED_ID], env, { killAt, otherDevice });
    await runCli(["restore", PLANTED_ID], env);
    expect(treeOf(root)).toEqual(before);
  });

  test("while deleting, a second delete completes it", async () => {
    const { root, env } = oldLibrary();
    const before = treeOf(root);
    const otherDevice = isOther ? root : "";
    const killed = await runFaulty(["delete", PLANTED_ID], env, { killAt: 12, otherDevice });
    expect(killed.signal).toBe("SIGKILL");
    await runCli(["restore", PLANTED_ID], env);
    expect((await runCli(["delete", PLANTED_ID], env)).exitCode).toBe(0);
    await runCli(["restore", PLANTED_ID], env);
    expect(treeOf(root)).toEqual(before);
  });

  test("not at all, bytes, modes, times and links come back", async () => {
    const { root, env } = oldLibrary();
    const before = treeOf(root);
    const otherDevice = isOther ? root : "";
    expect(await runFaulty(["delete", PLANTED_ID], env, { otherDevice })).toMatchObject({ code: 0, signal: null });
    expect(Object.keys(treeOf(root)).filter((path) => path.includes(PLANTED_ID))).toEqual([]);
    expect(await runFaulty(["restore", PLANTED_ID], env, { otherDevice })).toMatchObject({ code: 0, signal: null });
    expect(treeOf(root)).toEqual(before);
  });
});
