import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { readPermissionSettings } from "../../src/agent/permissions/settings.js";
import { makePlace, type Place } from "./chat-world.js";

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

const readIn = ({ configRoot, project }: Place) => readPermissionSettings(configRoot, project);

test("rules of all scopes count, and the mode of the nearest", () => {
  const place = placeWith({
    [USER]: { allow: ["Read(~/notes/**)"], deny: ["Bash(rm:*)"], defaultMode: "acceptEdits" },
    [PROJECT]: { allow: ["Edit(/src/**)"], ask: ["WebFetch"], additionalDirectories: ["../other"] },
    [LOCAL]: { allow: ["Bash(npm test)", 7, "(("], defaultMode: "plan" },
  });
  const { allow, ask, deny, defaultMode, additionalDirectories, problems } = readIn(place);
  expect(allow.map(({ text }) => text)).toEqual(["Read(~/notes/**)", "Edit(/src/**)", "Bash(npm test)"]);
  expect(allow.map(({ base }) => base)).toEqual([place.configRoot, place.project, place.project]);
  expect([ask[0]?.text, deny[0]?.text]).toEqual(["WebFetch", "Bash(rm:*)"]);
  expect({ defaultMode, additionalDirectories }).toEqual({ defaultMode: "plan", additionalDirectories: ["../other"] });
  expect(problems).toEqual([7, "(("].map((rule) => expect.stringContaining(`not a rule: ${JSON.stringify(rule)}`)));
});

test("settings that cannot be read are told by their name, as they may forbid something", () => {
  expect(() => readIn(placeWith({ [LOCAL]: "{ not JSON" }))).toThrow(/settings\.local\.json is not JSON/);
  expect(() => readIn(placeWith({ [`${PROJECT}/x`]: "" }))).toThrow(/cannot read .*settings\.json: /);
});
