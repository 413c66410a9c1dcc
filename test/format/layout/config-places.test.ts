import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { findConfigPlaces } from "../../../src/format/layout/config-places.js";
import { listSessionItems } from "../../../src/format/layout/files-of-session.js";
import { temporaryFolder } from "../temporary-folder.js";

const A = "aaaaaaaa-0000-4000-8000-000000000001";
const TWIN = "aaaaaaaa-0000-4000-8000-000000000002"; // the same first eight characters
const B = "bbbbbbbb-0000-4000-8000-000000000002";

const everywhere = (id: string) => ({
  [`projects/-p/${id}.jsonl`]: "",
  [`projects/-p/${id}.ccr-tip.json`]: "{}",
  [`projects/-p/${id}.jsonl.compact.tmp.0a1b2c3d`]: "",
  [`projects/-p/${id}.jsonl.superseded-1`]: "",
  [`projects/-p/${id}/archived.json`]: "{}",
  [`projects/-p/${id}/resume-head.jsonl`]: "{}",
  [`tasks/${id}/1.json`]: "{}",
  [`tasks/${id}/.highwatermark`]: "1",
  [`session-env/${id}/hook-0.sh`]: "",
  [`debug/${id}.txt`]: "",
  [`image-cache/${id}/1.png`]: "",
  [`uploads/${id}/x.txt`]: "",
  [`dev-mods/${id}/x`]: "",
  [`dump-prompts/${id}.jsonl`]: "",
  [`usage-data/facets/${id}.json`]: "{}",
  [`usage-data/session-meta/${id}.json`]: "{}",
  [`todos/${id}-agent-${id}.json`]: "[]",
});
const job = (id: string, sessionId: string) => ({
  [`jobs/${id}/state.json`]: JSON.stringify({ state: "stopped", sessionId }),
  [`jobs/${id}/parent-transcript.jsonl`]: "",
});
const pathsIn = (root: string, id: string) =>
  listSessionItems(join(root, "projects", "-p", `${id}.jsonl`), { places: findConfigPlaces(root, join(root, "temp")) })
    .filter(({ kind }) => kind !== "folder")
    .map(({ path }) => path.slice(root.length + 1));

describe("what belongs to a session", () => {
  test("is found in every place that holds it by id, and nothing of another session", () => {
    const root = temporaryFolder({
      ...everywhere(A),
      ...everywhere(B),
      ...job("aaaaaaaa", A),
      ...job("bbbbbbbb", B),
      [`temp/-p/${A}/tasks/b1.output`]: "",
      [`temp/-q/${A}/tasks/b2.output`]: "",
      [`temp/-p/${B}/tasks/b1.output`]: "",
    });
    const expected = [
      ...Object.keys(everywhere(A)),
      ...Object.keys(job("aaaaaaaa", A)),
      `temp/-p/${A}/tasks/b1.output`,
      `temp/-q/${A}/tasks/b2.output`,
    ];
    expect(pathsIn(root, A).toSorted()).toEqual(expected.toSorted());
  });

  test("has the roles that tell a copy what to leave out", () => {
    const root = temporaryFolder(everywhere(A));
    const roles = listSessionItems(join(root, "projects", "-p", `${A}.jsonl`))
      .filter(({ kind, place }) => kind === "file" && place === "project")
      .map(({ role, name }) => `${role} ${name.replace(A, "")}`);
    expect(roles).toEqual([
      "transcript .jsonl",
      "sibling .ccr-tip.json",
      "formerTranscript .jsonl.compact.tmp.0a1b2c3d",
      "formerTranscript .jsonl.superseded-1",
      "mark archived.json",
      "state resume-head.jsonl",
    ]);
  });

  test("is a job by what the job says, not by the eight characters that two sessions may share", () => {
    const root = temporaryFolder({ [`projects/-p/${A}.jsonl`]: "", ...job("aaaaaaaa", TWIN) });
    expect(pathsIn(root, A)).toEqual([`projects/-p/${A}.jsonl`]);
  });

  test("is a job by its name where the job does not say", () => {
    const root = temporaryFolder({ [`projects/-p/${A}.jsonl`]: "", "jobs/aaaaaaaa/state.json": "{half" });
    expect(pathsIn(root, A)).toContain("jobs/aaaaaaaa/state.json");
  });

  test("is never behind a link among the folders of temporary files or jobs", () => {
    const root = temporaryFolder({ [`projects/-p/${A}.jsonl`]: "", "temp/x": "" });
    const target = temporaryFolder({ [`${A}/precious.txt`]: "", "state.json": JSON.stringify({ sessionId: A }) });
    symlinkSync(target, join(root, "temp", "-p"));
    mkdirSync(join(root, "jobs"));
    symlinkSync(target, join(root, "jobs", "aaaaaaaa"));
    expect(pathsIn(root, A)).toEqual([`projects/-p/${A}.jsonl`]);
  });

  test.each(["memory", "Memory", "bagel", "cloud-snapshots", "..", "."])(
    "never includes the folder %s that a file only seems to own",
    (name) => {
      const root = temporaryFolder({
        [`projects/-p/${B}.jsonl`]: "",
        "projects/-p/memory/notes.md": "",
        "projects/-p/bagel/x": "",
        "projects/-p/cloud-snapshots/x": "",
      });
      const file = join(root, "projects", "-p", `${name}.jsonl`);
      writeFileSync(file, "");
      expect(listSessionItems(file).map(({ path }) => path)).toEqual([file]);
    },
  );

  test("elsewhere belongs only to a session that is in the configuration folder", () => {
    const root = temporaryFolder({ [`copies/x/${A}.jsonl`]: "", [`tasks/${A}/1.json`]: "{}" });
    expect(listSessionItems(join(root, "copies", "x", `${A}.jsonl`)).map(({ place }) => place)).toEqual(["project"]);
  });
});
