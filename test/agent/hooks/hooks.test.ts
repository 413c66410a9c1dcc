import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { stringAt, valueAt } from "../../../src/format/json.js";
import { makePlace, type Place, sentMessages, startChat } from "../chat-world.js";

type Settings = Readonly<Record<string, readonly { matcher?: string; command: string; timeout?: number }[]>>;

function withHooks(settings: Settings, scope: "user" | "project" = "user"): Place {
  const place = makePlace({ "a.txt": "alpha\n" });
  const folder = scope === "user" ? place.configRoot : join(place.project, ".claude");
  mkdirSync(folder, { recursive: true });
  const groups = Object.entries(settings).map(([event, list]) => [
    event,
    list.map(({ matcher, ...hook }) => ({
      ...(matcher === undefined ? {} : { matcher }),
      hooks: [{ type: "command", ...hook }],
    })),
  ]);
  writeFileSync(join(folder, "settings.json"), JSON.stringify({ hooks: Object.fromEntries(groups) }));
  return place;
}

const HELLO = [{ blocks: [{ text: "Hello." }] }];

test("a hook gets the event as JSON, and its run is noted where no record hangs on it", async () => {
  const place = withHooks({ Stop: [{ command: 'cat > "$CLAUDE_PROJECT_DIR/told.json"' }] });
  const world = await startChat(HELLO, { place }, { hooks: "user" });
  await world.send("hi");
  const told: unknown = JSON.parse(readFileSync(join(place.project, "told.json"), "utf8"));
  expect(told).toMatchObject({ hook_event_name: "Stop", transcript_path: world.file.path, stop_hook_active: false });
  const { lines, problems } = world.file;
  const progress = lines.find(({ type }) => type === "progress");
  expect(valueAt(progress, "data")).toMatchObject({ type: "hook_progress", hookEvent: "Stop", hookName: "Stop" });
  expect(lines.some(({ parentUuid }) => parentUuid === progress?.["uuid"])).toBe(false);
  expect(lines.find(({ subtype }) => subtype === "stop_hook_summary")).toMatchObject({ hookCount: 1, hookErrors: [] });
  expect(problems).toEqual([]);
});

test("what hooks say at the start and of a prompt is sent with it, and stands in the file", async () => {
  const place = withHooks({
    SessionStart: [{ matcher: "startup", command: "echo from the start" }],
    UserPromptSubmit: [{ command: "echo of the prompt" }],
  });
  const world = await startChat([...HELLO, ...HELLO], { place }, { hooks: "user" });
  await world.send("hi");
  await world.send("again");
  const sent = JSON.stringify(sentMessages(world.api));
  expect(sent.match(/from the start/g)).toHaveLength(1);
  expect(sent.match(/of the prompt/g)).toHaveLength(2);
  const replayed = JSON.stringify(world.file.replay.messages.slice(0, -1)).replaceAll('\\n"', '"'); // joins with line ends
  expect(JSON.parse(replayed)).toEqual(sentMessages(world.api));
  expect(world.file.session.turns.map(({ prompt }) => prompt)).toEqual(["hi", "again"]);
});

test("a hook can keep a prompt back", async () => {
  const place = withHooks({ UserPromptSubmit: [{ command: "echo not today >&2; exit 2" }] });
  const world = await startChat([], { place }, { hooks: "user" });
  expect(await world.send("hi")).toMatchObject({ end: "blocked" });
  expect(world.events).toContainEqual({ kind: "notice", text: "a hook blocked the prompt: not today" });
  expect(world.api.requests).toEqual([]);
});

test("a hook can forbid a call, allow one that would be asked, and add to a result", async () => {
  const allow = JSON.stringify({ hookSpecificOutput: { permissionDecision: "allow" } });
  const place = withHooks({
    PreToolUse: [
      { matcher: "Bash", command: "echo no shell >&2; exit 2" },
      { matcher: "Write|Edit", command: `echo '${allow}'` },
    ],
    PostToolUse: [{ matcher: "Read", command: "echo mind the gap >&2; exit 2" }],
  });
  const blocks = [
    { call: "Read", input: { file_path: "a.txt" } },
    { call: "Bash", input: { command: "touch made-by-bash" } },
    { call: "Write", input: { file_path: "b.txt", content: "b" } },
  ];
  const world = await startChat([{ blocks }, ...HELLO], { place }, { hooks: "user", mode: "default" });
  await world.send("go");
  const calls = world.file.session.turns[0]?.toolCalls ?? [];
  expect(calls.map(({ status }) => status)).toEqual(["ok", "error", "ok"]);
  expect(String(calls[0]?.result)).toContain("alpha");
  expect(String(calls[0]?.result)).toContain("mind the gap");
  expect(String(calls[1]?.result)).toContain("no shell");
  expect(existsSync(join(place.project, "made-by-bash"))).toBe(false);
  expect(readFileSync(join(place.project, "b.txt"), "utf8")).toBe("b");
});

test("a hook can have a person asked about what a rule allows", async () => {
  const ask = JSON.stringify({
    hookSpecificOutput: { permissionDecision: "ask", permissionDecisionReason: "it costs" },
  });
  const place = withHooks({ PreToolUse: [{ matcher: "Bash", command: `echo '${ask}'` }] });
  const blocks = [{ call: "Bash", input: { command: "touch made" } }];
  const world = await startChat([{ blocks }, ...HELLO], { place }, { hooks: "user", allow: ["Bash"] });
  await world.send("go");
  expect(existsSync(join(place.project, "made"))).toBe(false);
  expect(world.file.session.turns[0]?.toolCalls[0]?.result).toBe(
    "Permission to use Bash has been denied: a hook requires approval (it costs), and no user can be asked here.",
  );
});

test("a hook can keep a turn from ending, but not for ever", async () => {
  const place = withHooks({ Stop: [{ command: "echo run the tests >&2; exit 2" }] });
  const world = await startChat(() => ({ blocks: [{ text: "Done." }] }), { place }, { hooks: "user" });
  expect(await world.send("go")).toMatchObject({ end: "done", turns: 6 });
  expect(JSON.stringify(sentMessages(world.api))).toContain("Stop hook feedback:\\nrun the tests");
  expect(world.file.problems).toEqual([]);
  expect(world.api.problems).toEqual([]);
});

test("a hook that fails or takes too long is told of and changes nothing", async () => {
  const place = withHooks({ Stop: [{ command: "exit 7" }, { command: "sleep 60", timeout: 0.2 }] });
  const world = await startChat(HELLO, { place }, { hooks: "user" });
  expect(await world.send("hi")).toMatchObject({ end: "done" });
  const notices = world.events.flatMap((event) => (event.kind === "notice" ? [event.text] : []));
  expect(notices).toEqual([
    "hook Stop (exit 7): failed with exit code 7",
    "hook Stop (sleep 60): took longer than 0.2 s",
  ]);
});

test("hooks of a project run only where it is trusted", async () => {
  const place = withHooks({ Stop: [{ command: 'touch "$CLAUDE_PROJECT_DIR/ran"' }] }, "project");
  const first = await startChat(HELLO, { place }, { hooks: "all" });
  await first.send("hi");
  expect(existsSync(join(place.project, "ran"))).toBe(false);
  const second = await startChat(HELLO, { place }, { hooks: "all", trustsProject: true });
  await second.send("hi");
  expect(existsSync(join(place.project, "ran"))).toBe(true);
  expect(second.file.lines.map((line) => stringAt(line, "type"))).toContain("progress");
});

const STUBBORN = "trap '' TERM INT; echo ran >> ran; while true; do sleep 1; done";

test.each(["SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "Stop"])(
  "an interrupt does not wait for a %s hook, whatever it does with signals",
  async (event) => {
    const place = withHooks({ [event]: [{ command: STUBBORN }] });
    const bash = { call: "Bash", input: { command: "true" } };
    const world = await startChat([{ blocks: [bash] }, ...HELLO], { place }, { hooks: "user" });
    const controller = new AbortController();
    const turn = world.send("go", controller.signal);
    await expect.poll(() => existsSync(join(place.project, "ran")), { timeout: 10_000 }).toBe(true);
    const interrupted = performance.now();
    controller.abort();
    await turn;
    expect(performance.now() - interrupted).toBeLessThan(1_000);
    expect(world.file.session.totals.orphanToolCalls).toBe(0);
  },
);

test("after a call that was interrupted no hook is started", async () => {
  const place = withHooks({ PostToolUse: [{ command: STUBBORN }] });
  const world = await startChat(
    [{ blocks: [{ call: "Bash", input: { command: "touch on; sleep 60" } }] }],
    { place },
    { hooks: "user" },
  );
  const controller = new AbortController();
  const turn = world.send("go", controller.signal);
  await expect.poll(() => existsSync(join(place.project, "on")), { timeout: 10_000 }).toBe(true);
  controller.abort();
  expect(await turn).toMatchObject({ end: "interrupted" });
  expect(existsSync(join(place.project, "ran"))).toBe(false);
});
