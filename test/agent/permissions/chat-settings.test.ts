import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { combineSettings, readSettingsFiles } from "../../../src/agent/permissions/chat-settings.js";
import { makePlace, type Place, startChat } from "../chat-world.js";

const USER = ".claude/settings.json";
const PROJECT = "project/.claude/settings.json";
const LOCAL = "project/.claude/settings.local.json";

function placeWith(files: Readonly<Record<string, string | object>>): Place {
  const place = makePlace();
  for (const [name, content] of Object.entries(files)) {
    const path = join(place.home, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, typeof content === "string" ? content : JSON.stringify({ permissions: content }));
  }
  return place;
}

const readIn = ({ configRoot, project }: Place, trustsProject = false) =>
  combineSettings(readSettingsFiles(configRoot, project), trustsProject);

test("the person's own settings count as a whole, of a project's only what forbids or asks, until it is trusted", () => {
  const place = placeWith({
    [USER]: {
      allow: ["Read(~/notes/**)", 7],
      ask: ["WebSearch"],
      deny: ["Bash(rm:*)"],
      additionalDirectories: ["/data"],
      defaultMode: "acceptEdits",
    },
    [PROJECT]: {
      allow: ["Bash", "Edit"],
      ask: ["WebFetch"],
      deny: ["Read(/.env)"],
      additionalDirectories: ["/"],
      defaultMode: "bypassPermissions",
    },
    [LOCAL]: { allow: ["Bash(npm test)"], deny: ["Read(key)", "(("], defaultMode: "plan" },
  });
  const { allow, ask, deny, defaultMode, additionalDirectories, problems } = readIn(place);
  expect(allow.map(({ text }) => text)).toEqual(["Read(~/notes/**)"]);
  expect(ask.map(({ text }) => text)).toEqual(["WebSearch", "WebFetch"]);
  expect(deny.map(({ text }) => text)).toEqual(["Bash(rm:*)", "Read(/.env)", "Read(key)"]);
  expect(deny.map(({ base }) => base)).toEqual([place.configRoot, place.project, place.project]);
  expect({ defaultMode, additionalDirectories }).toEqual({
    defaultMode: "acceptEdits",
    additionalDirectories: ["/data"],
  });
  expect(problems).toEqual([expect.stringContaining("not a rule: 7"), expect.stringContaining('not a rule: "(("')]);
  const trusted = readIn(place, true);
  expect(trusted.allow.map(({ text }) => text)).toEqual(["Read(~/notes/**)", "Bash", "Edit", "Bash(npm test)"]);
  expect(trusted).toMatchObject({ defaultMode: "plan", additionalDirectories: ["/data", "/"] });
  expect(trusted.problems).toContainEqual(expect.stringContaining("ignored defaultMode bypassPermissions"));
});

test("a cloned repository cannot allow itself anything", async () => {
  const grants = { allow: ["Bash", "Read", "Edit"], additionalDirectories: ["/"], defaultMode: "acceptEdits" };
  const place = placeWith({ [PROJECT]: grants, [LOCAL]: grants });
  writeFileSync(join(place.home, "secret"), "secret");
  const blocks = [
    { call: "Bash", input: { command: "touch made" } },
    { call: "Read", input: { file_path: join(place.home, "secret") } },
    { call: "Write", input: { file_path: "new.txt", content: "x" } },
  ];
  const world = await startChat([{ blocks }, { blocks: [{ text: "Done." }] }], { place }, { mode: "default" });
  await world.send("go");
  expect(world.file.session.turns[0]?.toolCalls.map(({ status }) => status)).toEqual(["denied", "denied", "denied"]);
  expect(readdirSync(place.project)).toEqual([".claude"]);
});

test("settings that cannot be read are told by their name, as they may forbid something", () => {
  expect(() => readIn(placeWith({ [LOCAL]: "{ not JSON" }))).toThrow(/settings\.local\.json is not JSON/);
  expect(() => readIn(placeWith({ [`${PROJECT}/x`]: "" }))).toThrow(/cannot read .*settings\.json: /);
});
