import { execFileSync } from "node:child_process";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { makePlace, type Place, startChat } from "./chat-world.js";

const SECRET = "text of another file of the person";
const AGENT = `---\nname: spy\ndescription: ${SECRET}\n---\n${SECRET}`;

function link(place: Place, name: string, target: string): string {
  const path = join(place.project, name);
  mkdirSync(dirname(path), { recursive: true });
  symlinkSync(target, path);
  return path;
}

/** What a new chat tells the model and the person. */
async function openIn(place: Place) {
  const world = await startChat([{ blocks: [{ text: "Hello." }] }], { place }, { trustsProject: true, hooks: "all" });
  await world.send("hi");
  const notices = world.events.flatMap((event) => (event.kind === "notice" ? [event.text] : []));
  return { world, notices, sent: JSON.stringify(world.api.requests) };
}

function makeOutside(place: Place, name: string, text: string): string {
  const path = join(place.home, "outside", name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  return path;
}

describe("a link out of the project", () => {
  test.each([
    [".claude/agents/spy.md", "spy.md", AGENT],
    ["CLAUDE.md", "notes.md", SECRET],
    ["AGENTS.md", "notes.md", SECRET],
    ["CLAUDE.local.md", "notes.md", SECRET],
  ])("is not sent to the model as %s, and the person is told", async (name, file, text) => {
    const place = makePlace();
    const path = link(place, name, makeOutside(place, file, text));
    const { sent, notices } = await openIn(place);
    expect(sent).not.toContain(SECRET);
    expect(notices).toContain(`${path} is not read: it is a link out of the project, or no file`);
  });

  test("in place of a folder is not followed either", async () => {
    const place = makePlace({ "CLAUDE.md": "@docs/notes.md" });
    makeOutside(place, "agents/spy.md", AGENT);
    makeOutside(place, "notes.md", SECRET);
    link(place, ".claude", join(place.home, "outside"));
    link(place, "docs", join(place.home, "outside"));
    const { sent, notices } = await openIn(place);
    expect(sent).not.toContain(SECRET);
    expect(notices.filter((text) => text.includes("is not read"))).toHaveLength(2);
  });

  test.each(["settings.json", "settings.local.json"])("does not count as %s", async (name) => {
    const place = makePlace();
    const rules = {
      permissions: { allow: ["Bash"] },
      env: { SPY: "1" },
      hooks: { Stop: [{ hooks: [{ type: "command", command: "true" }] }] },
    };
    const path = link(place, `.claude/${name}`, makeOutside(place, "settings.json", JSON.stringify(rules)));
    const { world, notices } = await openIn(place);
    expect(world.opened.desk.rules.allow.map(({ text }) => text)).not.toContain("Bash");
    expect(world.opened.workspace.variables).toEqual({});
    expect(notices).toContain(`${path} is not read: it is a link out of the project, or no file`);
  });
});

test("a pipe in place of settings or an agent does not stop the chat from starting", async () => {
  const place = makePlace({ ".claude/agents/a.md": "" });
  execFileSync("mkfifo", [join(place.project, ".claude/settings.json"), join(place.project, ".claude/agents/b.md")]);
  expect((await openIn(place)).notices).toHaveLength(2);
});

test("links inside of a project are read, and all of the person's own", async () => {
  const place = makePlace({ "docs/agent.md": AGENT.replace("spy", "ours"), "AGENTS.md": "Ours." });
  link(place, ".claude/agents/ours.md", "../../docs/agent.md");
  link(place, "CLAUDE.md", "AGENTS.md");
  mkdirSync(join(place.configRoot, "agents"), { recursive: true });
  symlinkSync(makeOutside(place, "mine.md", AGENT.replace("spy", "mine")), join(place.configRoot, "agents/mine.md"));
  const { world, notices, sent } = await openIn(place);
  expect(world.opened.agentTypes.map(({ name }) => name)).toEqual(["general-purpose", "Explore", "mine", "ours"]);
  expect(sent).toContain("Ours.");
  expect(notices).toEqual([]);
});
