import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { planClone } from "../../../src/edit/plans/clone-and-fork.js";
import { readEditSource } from "../../../src/edit/plans/edit-source.js";
import { writeEdit } from "../../../src/edit/write/write-edit.js";
import { PLANTED_ID, plantLibrary } from "../../cli/planted-library.js";
import { NEW_ID } from "../edited-session.js";

function planned() {
  const { root, path } = plantLibrary();
  const project = join(root, "projects/-home-dev-shop");
  const plan = planClone(readEditSource(path), { id: NEW_ID });
  return { root, project, plan, target: { path: join(project, `${NEW_ID}.jsonl`), configRoot: root } };
}

describe("a written session", () => {
  test("has its side files under the new id, for its owner alone", async () => {
    const { root, project, plan, target } = planned();
    expect(await writeEdit(plan, target)).toEqual({ path: target.path, sideFiles: 3, addedBytes: 0 });
    expect(statSync(target.path).mode & 0o777).toBe(0o600);
    expect(readdirSync(join(project, NEW_ID)).toSorted()).toEqual(["subagents", "tool-results"]);
    expect(readdirSync(join(root, "file-history", NEW_ID))).toEqual(["0123456789abcdef@v1"]);
    const agent = readFileSync(join(project, NEW_ID, "subagents/agent-a1b2c3d.jsonl"), "utf8");
    expect(agent).toContain(`"sessionId":"${NEW_ID}"`);
    expect(agent).not.toContain(`"uuid":"00000000-`);
    expect(agent).toContain(`"forkedFrom":{"sessionId":"${PLANTED_ID}"`);
  });

  test("is not written over another one", async () => {
    const { plan, target } = planned();
    writeFileSync(target.path, "mine");
    await expect(writeEdit(plan, target)).rejects.toThrow("already exists");
    expect(readFileSync(target.path, "utf8")).toBe("mine");
  });

  test("is not there, nor its side files, when its name is taken while it is written", async () => {
    const { root, project, plan, target } = planned();
    const written = writeEdit(plan, target);
    writeFileSync(target.path, "mine");
    await expect(written).rejects.toThrow("already exists");
    expect(existsSync(join(project, NEW_ID))).toBe(false);
    expect(readdirSync(join(root, "file-history"))).toEqual([PLANTED_ID]);
    expect(readdirSync(project).filter((name) => name.startsWith("."))).toEqual([]);
  });
});
