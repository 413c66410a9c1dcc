import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import type { ProjectGrants } from "../../../src/agent/permissions/project-trust.js";
import { makePlace, type Place, startChat } from "../chat-world.js";

const SETTINGS = {
  permissions: {
    allow: ["Bash(touch:*)"],
    deny: ["Bash(rm:*)"],
    additionalDirectories: ["../beside"],
    defaultMode: "acceptEdits",
  },
  hooks: { Stop: [{ hooks: [{ type: "command", command: "touch hooked" }] }] },
  env: { GREETING: "hello" },
};

function placeWith(settings: object): Place {
  const place = makePlace();
  write(place, settings);
  mkdirSync(join(place.home, "beside"));
  return place;
}

function write({ project }: Place, settings: object): void {
  const path = join(project, ".claude/settings.json");
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, JSON.stringify(settings));
}

/** A person who answers alike each time, and what they were shown. */
function personWho(trusts: boolean) {
  const shown: ProjectGrants[] = [];
  return {
    shown,
    approve: async () => "no" as const,
    answer: async () => undefined,
    approvePlan: async () => "no" as const,
    trustProject: async (project: ProjectGrants) => {
      shown.push(project);
      return trusts;
    },
  };
}

const SCRIPT = [
  { blocks: [{ call: "Bash", input: { command: 'touch "$GREETING"x' } }] },
  { blocks: [{ text: "Done." }] },
];

async function run(place: Place, person: ReturnType<typeof personWho> | undefined, trustsProject = false) {
  const options = { person, trustsProject, hooks: "all", mode: undefined } as const;
  const world = await startChat(SCRIPT, { place }, options);
  await world.send("go");
  await world.opened.chat.close();
  const notices = world.events.flatMap((event) => (event.kind === "notice" ? [event.text] : []));
  return {
    notices,
    made: existsSync(join(place.project, "hellox")),
    hooked: existsSync(join(place.project, "hooked")),
  };
}

test("a project's settings count after all of them were shown and the person said yes, and then without a question", async () => {
  const place = placeWith(SETTINGS);
  const person = personWho(true);
  expect(await run(place, person)).toMatchObject({ made: true, hooked: true, notices: [] });
  expect(person.shown.map(({ grants }) => grants.map(({ what, value }) => `${what}: ${value}`))).toEqual([
    [
      "allows without asking: Bash(touch:*)",
      "works also in: ../beside",
      "permission mode: acceptEdits",
      "runs at Stop: touch hooked",
      "sets for commands: GREETING=hello",
    ],
  ]);
  const later = personWho(false);
  expect(await run(place, later)).toMatchObject({ notices: [] });
  expect(later.shown).toEqual([]);
});

test.each([
  ["another rule", { ...SETTINGS, permissions: { ...SETTINGS.permissions, allow: ["Bash"] } }, 1],
  [
    "another command of a hook",
    { ...SETTINGS, hooks: { Stop: [{ hooks: [{ type: "command", command: "touch x" }] }] } },
    1,
  ],
  ["another value of a variable", { ...SETTINGS, env: { GREETING: "bye" } }, 1],
  ["another deny rule, which grants nothing,", { ...SETTINGS, permissions: { ...SETTINGS.permissions, deny: [] } }, 0],
])("%s asks again (%#)", async (_, settings, questions) => {
  const place = placeWith(SETTINGS);
  await run(place, personWho(true));
  write(place, settings);
  const person = personWho(false);
  await run(place, person);
  expect(person.shown).toHaveLength(questions);
});

test("a mode that no project can set is not shown as one that would count", async () => {
  const place = placeWith({ permissions: { allow: ["Bash(touch:*)"], defaultMode: "bypassPermissions" } });
  const person = personWho(false);
  await run(place, person);
  expect(person.shown[0]?.grants.map(({ what }) => what)).toEqual(["allows without asking"]);
});

test("a no keeps everything of the project out but its deny rules, is told, and is asked again next time", async () => {
  const place = placeWith(SETTINGS);
  const person = personWho(false);
  const { notices, made, hooked } = await run(place, person);
  expect({ made, hooked }).toEqual({ made: false, hooked: false });
  expect(notices).toEqual(["of this project's settings only deny and ask rules count"]);
  await run(place, person);
  expect(person.shown).toHaveLength(2);
});

test("without a person nothing of the project counts unless --trust-project says so, which remembers nothing", async () => {
  const place = placeWith(SETTINGS);
  const { notices, made, hooked } = await run(place, undefined);
  expect({ made, hooked }).toEqual({ made: false, hooked: false });
  expect(notices).toEqual([
    "ignored what this project's settings bring: allows without asking Bash(touch:*); works also in ../beside; permission mode acceptEdits; 2 more (--trust-project lets it count)",
  ]);
  expect(await run(place, undefined, true)).toMatchObject({ made: true, hooked: true });
  expect(existsSync(join(place.dataDir, "trusted-projects.json"))).toBe(false);
});

test("a damaged list of trusted projects trusts nothing, and a yes repairs it", async () => {
  const place = placeWith(SETTINGS);
  await run(place, personWho(true));
  const list = join(place.dataDir, "trusted-projects.json");
  writeFileSync(list, readFileSync(list, "utf8").slice(0, 20));
  const person = personWho(true);
  await run(place, person);
  expect(person.shown).toHaveLength(1);
  expect(JSON.parse(readFileSync(list, "utf8"))).toHaveProperty([place.project]);
});

test("a project without grants is not asked about", async () => {
  const person = personWho(true);
  await run(placeWith({ permissions: { deny: ["Bash(rm:*)"], ask: ["WebFetch"] } }), person);
  expect(person.shown).toEqual([]);
});
