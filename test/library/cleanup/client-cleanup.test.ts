import { utimesSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { listSessionItems } from "../../../src/format/layout/files-of-session.js";
import { cleanupTimeOf, partialCleanups, readCleanupRule } from "../../../src/library/cleanup/client-cleanup.js";
import { temporaryFolder } from "../../format/temporary-folder.js";

const A = "aaaaaaaa-0000-4000-8000-000000000001";
const DAY = 86_400_000;
const WRITTEN = Date.UTC(2026, 5, 1);

const ruleOf = (settings: string | undefined, managed: string | null = null) =>
  readCleanupRule(temporaryFolder(settings === undefined ? {} : { "settings.json": settings }), managed);

describe("the clean-up of Claude Code", () => {
  test("is after 30 days unless a setting says otherwise", () => {
    expect(ruleOf(undefined)).toEqual({ days: 30, desktopDays: null, notBefore: 0, settings: null });
    expect(ruleOf("{}").days).toBe(30);
    expect(ruleOf('{"cleanupPeriodDays":365}')).toMatchObject({
      days: 365,
      settings: expect.stringContaining("settings.json"),
    });
  });

  test.each(["{half", "[]", '{"cleanupPeriodDays":"30"}', '{"cleanupPeriodDays":0}', '{"cleanupPeriodDays":0.5}'])(
    "does not run while the settings are %j",
    (settings) => {
      expect(ruleOf(settings).days).toBeNull();
    },
  );

  test("follows the settings of an organisation before those of the user", () => {
    const managed = join(temporaryFolder({ "managed.json": '{"cleanupPeriodDays":7}' }), "managed.json");
    expect(ruleOf('{"cleanupPeriodDays":365}', managed)).toMatchObject({ days: 7, settings: managed });
  });

  test("runs once a day at most", () => {
    const root = temporaryFolder({ ".last-cleanup": "" });
    utimesSync(join(root, ".last-cleanup"), WRITTEN / 1000, WRITTEN / 1000);
    const rule = readCleanupRule(root, null);
    expect(rule.notBefore).toBe(WRITTEN + DAY);
    const old = { path: join(root, "x.jsonl"), mtimeMs: WRITTEN - 90 * DAY };
    expect(cleanupTimeOf(old, rule)).toBe(WRITTEN + DAY);
  });
});

describe("a session", () => {
  const at = (entrypoint: string, files: Record<string, string> = {}) => {
    const line = `{"type":"user","entrypoint":"${entrypoint}"}\n`;
    return { path: join(temporaryFolder({ [`${A}.jsonl`]: line, ...files }), `${A}.jsonl`), mtimeMs: WRITTEN };
  };

  test("is deleted that long after its file was written", () => {
    expect(cleanupTimeOf(at("cli"), ruleOf(undefined))).toBe(WRITTEN + 30 * DAY);
    expect(cleanupTimeOf(at("cli"), ruleOf("{half"))).toBeNull();
  });

  test("of the desktop app stays, unless a setting or the app itself says otherwise", () => {
    expect(cleanupTimeOf(at("claude-desktop"), ruleOf(undefined))).toBeNull();
    expect(cleanupTimeOf(at("claude-desktop"), ruleOf('{"desktopSessionCleanupPeriodDays":90}'))).toBe(
      WRITTEN + 90 * DAY,
    );
    const released = at("claude-desktop", { [`${A}.desktop-released.json`]: "{}" });
    expect(cleanupTimeOf(released, ruleOf(undefined))).toBe(WRITTEN + 30 * DAY);
  });

  test("loses old tool results, backups and tasks before it goes itself, but no sub-agents", () => {
    const root = temporaryFolder({
      [`projects/-p/${A}.jsonl`]: "",
      [`projects/-p/${A}/tool-results/old.txt`]: "",
      [`projects/-p/${A}/tool-results/new.txt`]: "",
      [`projects/-p/${A}/subagents/agent-a1.jsonl`]: "",
      [`file-history/${A}/0@v1`]: "",
      [`tasks/${A}/1.json`]: "",
    });
    const age = (name: string, days: number) => {
      const time = (WRITTEN - days * DAY) / 1000;
      utimesSync(join(root, name), time, time);
    };
    age(`projects/-p/${A}.jsonl`, 0);
    age(`projects/-p/${A}/tool-results/old.txt`, 10);
    age(`projects/-p/${A}/tool-results/new.txt`, 0);
    age(`projects/-p/${A}/subagents/agent-a1.jsonl`, 10);
    age(`file-history/${A}/0@v1`, 25);
    age(`file-history/${A}`, 20);
    age(`tasks/${A}`, 5);
    const items = listSessionItems(join(root, "projects", "-p", `${A}.jsonl`));
    expect(partialCleanups(items, ruleOf(undefined))).toEqual([
      { path: join(root, "file-history", A), at: WRITTEN + 10 * DAY },
      { path: join(root, "projects", "-p", A, "tool-results", "old.txt"), at: WRITTEN + 20 * DAY },
      { path: join(root, "tasks", A), at: WRITTEN + 25 * DAY },
    ]);
  });
});
