import { statSync, symlinkSync, utimesSync } from "node:fs";
import { basename, join } from "node:path";
import { describe, expect, test } from "vitest";
import { listProjectDirs, listSessionFiles } from "../../../src/format/layout/sessions-of-project.js";
import { temporaryFolder } from "../temporary-folder.js";

const A = "aaaaaaaa-0000-4000-8000-000000000001";
const B = "bbbbbbbb-0000-4000-8000-000000000002";
const GONE = "cccccccc-0000-4000-8000-000000000003";

const slugs = (root: string) => listProjectDirs(root).projects.map(({ slug }) => slug);
const names = (paths: readonly { readonly path: string }[]) => paths.map(({ path }) => basename(path));

describe("the project folders", () => {
  test("are the folders below projects/, by name", () => {
    const root = temporaryFolder({ "projects/-b/x": "", "projects/-a/x": "", "projects/stray.txt": "", "other/x": "" });
    expect(listProjectDirs(root)).toEqual({
      projects: [
        { path: join(root, "projects", "-a"), slug: "-a" },
        { path: join(root, "projects", "-b"), slug: "-b" },
      ],
      problems: [],
    });
  });

  test("are none where there is no configuration folder", () => {
    expect(listProjectDirs(join(temporaryFolder(), "missing"))).toEqual({ projects: [], problems: [] });
  });

  test("are none where projects is a file", () => {
    expect(slugs(temporaryFolder({ projects: "" }))).toEqual([]);
  });

  test("may be links to folders elsewhere", () => {
    const root = temporaryFolder({ "projects/-a/x": "", "elsewhere/x": "" });
    symlinkSync(join(root, "elsewhere"), join(root, "projects", "-linked"));
    expect(slugs(root)).toEqual(["-a", "-linked"]);
  });

  test("are listed once when links lead to them or in a circle", () => {
    const root = temporaryFolder({ "projects/-z/x": "" });
    symlinkSync(join(root, "projects", "-z"), join(root, "projects", "-a"));
    symlinkSync(join(root, "projects"), join(root, "projects", "-circle"));
    expect(slugs(root)).toEqual(["-z"]);
  });

  test("survive links that lead nowhere or to themselves, which are reported", () => {
    const root = temporaryFolder({ "projects/-a/x": "" });
    symlinkSync(join(root, "missing"), join(root, "projects", "-dead"));
    symlinkSync(join(root, "projects", "-self"), join(root, "projects", "-self"));
    const { projects, problems } = listProjectDirs(root);
    expect(names(projects)).toEqual(["-a"]);
    expect(names(problems)).toEqual(["-dead", "-self"]);
  });

  test("are reported as unreadable when projects itself is", () => {
    const root = temporaryFolder();
    symlinkSync(join(root, "projects"), join(root, "projects"));
    const { projects, problems } = listProjectDirs(root);
    expect(projects).toEqual([]);
    expect(problems[0]?.reason).toContain("symbolic links");
  });
});

describe("the sessions of a project", () => {
  test("are its <uuid>.jsonl files with size, time and inode, empty ones included", () => {
    const project = temporaryFolder({ [`${B}.jsonl`]: "", [`${A}.jsonl`]: "{}\n" });
    const path = join(project, `${A}.jsonl`);
    utimesSync(path, 1_700_000_000, 1_700_000_000);
    const { sessions, problems } = listSessionFiles(project);
    expect(sessions[0]).toEqual({ path, id: A, size: 3, mtimeMs: 1_700_000_000_000, inode: statSync(path).ino });
    expect(sessions[1]).toMatchObject({ id: B, size: 0 });
    expect(problems).toEqual([]);
  });

  test("are nothing else that lies there", () => {
    const project = temporaryFolder({
      "agent-a1b2c3d.jsonl": "{}\n",
      "notes.jsonl": "{}\n",
      "sessions-index.json": "{}",
      [`${A}.jsonl.bak`]: "{}\n",
      "memory/x": "",
    });
    expect(listSessionFiles(project)).toEqual({ sessions: [], withoutTranscript: [], problems: [] });
  });

  test("that left only their folder are listed as without transcript", () => {
    const project = temporaryFolder({
      [`${A}.jsonl`]: "",
      [`${A}/custom-title.json`]: "{}",
      [`${GONE}/subagents/agent-a1.jsonl`]: "{}\n",
    });
    expect(listSessionFiles(project).withoutTranscript).toEqual([{ id: GONE, sideDir: join(project, GONE) }]);
  });

  test("are listed although one of them is a folder and one a dead link", () => {
    const project = temporaryFolder({ [`${A}.jsonl`]: "{}\n", [`${B}.jsonl/x`]: "" });
    symlinkSync(join(project, "missing"), join(project, `${GONE}.jsonl`));
    const { sessions, problems } = listSessionFiles(project);
    expect(sessions.map(({ id }) => id)).toEqual([A]);
    expect(names(problems).sort()).toEqual([`${B}.jsonl`, `${GONE}.jsonl`]);
  });

  test("are none in a folder that is gone", () => {
    expect(listSessionFiles(join(temporaryFolder(), "gone")).sessions).toEqual([]);
  });
});
