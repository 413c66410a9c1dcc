import { appendFileSync, existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { answer, prompt, writeLines } from "../../builders/session-builder.js";
import { tokenOf } from "../../cli/planted-library.js";
import { runCli } from "../../cli/run-cli.js";
import { CORPUS } from "../../oracle/corpus-sessions.js";
import { startReceiver } from "../../trace/receiver.js";
import { hostileSession } from "../hostile-session.js";
import { stumblingBlocks, useServedPage } from "../open-served.js";

const PEBBLE = "09fa6185-1780-40a3-b65b-58a2afceee1d";
const REWOUND = "611dbd00-3ef7-4482-9f54-be0d7ea83ed8";
const SECRET = "7c1d2e3f-4a5b-4c6d-8e7f-9a0b1c2d3e4f";
const HOSTILE = "5b0c7d1e-9a34-4f6b-8c2d-1e0f3a4b5c6d";
const WRITTEN = "2d3e4f5a-6b7c-4d8e-9f0a-1b2c3d4e5f60";
const FOLDER = join("projects", "-home-dev-tproj");

const WRITTEN_LINES = writeLines([prompt("begin"), answer("the beginning"), answer("the rest of it"), prompt("go on")]);

const visit = useServedPage({
  files: {
    [join(FOLDER, `${REWOUND}.jsonl`)]: readFileSync(
      join(CORPUS, "2.1.325/interactive", FOLDER, `${REWOUND}.jsonl`),
      "utf8",
    ),
    [join(FOLDER, `${SECRET}.jsonl`)]:
      `${writeLines([prompt(`log in with ${tokenOf("prompt")}`), answer("done")]).join("\n")}\n`,
    [join(FOLDER, `${HOSTILE}.jsonl`)]: hostileSession(900),
    [join(FOLDER, `${WRITTEN}.jsonl`)]: `${WRITTEN_LINES.slice(0, 2).join("\n")}\n`,
  },
});

async function choose(page: Page, action: string): Promise<void> {
  await page.getByRole("button", { name: "More" }).click();
  await page.getByRole("button", { name: action }).click();
}

test("a rewound branch is picked, and set beside the live one", async () => {
  const { page, complaints } = await visit(`/s/${REWOUND}`);
  await page.getByLabel("Branch", { exact: true }).selectOption({ index: 1 });
  await page.waitForURL(/branch=78073a82/);
  await page.locator("#turn-1").waitFor();
  await page.getByRole("link", { name: "Compare branches" }).click();
  await page.getByText("7 identical turns", { exact: true }).waitFor();
  expect(await page.locator(".pair-row").count()).toBe(3);
  await page.getByLabel("Show identical turns").check();
  expect(await page.locator(".pair-row").count()).toBe(10);
  await page.getByText(`turnlog diff ${REWOUND} --branch`).waitFor();
  expect(await stumblingBlocks(page)).toEqual([]);
  expect(complaints).toEqual([]);
});

test("the command that does the same is copied by a click", async () => {
  const { page } = await visit(`/s/${PEBBLE}`, { permissions: ["clipboard-read", "clipboard-write"] });
  await choose(page, "Clone …");
  await page.getByRole("button", { name: "Copy command", exact: true }).click();
  await page.getByText("Command copied").waitFor();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(`turnlog clone ${PEBBLE}`);
});

test("a session is pruned from the page: first what goes, then a new file that holds", async () => {
  const { page, complaints, library } = await visit(`/s/${PEBBLE}`);
  await choose(page, "Prune …");
  await page.getByRole("combobox", { name: "Preset", exact: true }).selectOption("extreme");
  await page.getByText(/fewer tokens/).waitFor();
  await page.getByText(`turnlog prune ${PEBBLE} --preset extreme`).waitFor();
  expect(await stumblingBlocks(page)).toEqual([]);
  await page.getByRole("button", { name: "Create session" }).click();
  await page.getByText(/^cd .* && .*claude --resume/).waitFor();
  await page.getByRole("button", { name: "Open", exact: true }).click();
  await page.getByRole("heading", { name: /\(pruned\)/ }).waitFor();
  const [, , id] = new URL(page.url()).pathname.split("/");
  const made = join(library, "projects", "-home-dev-src-pebble-rs", `${id}.jsonl`);
  expect(id).not.toBe(PEBBLE);
  expect(readFileSync(made, "utf8")).not.toContain("tool_use_id");
  expect((await runCli(["verify", made], { CLAUDE_CONFIG_DIR: library })).exitCode).toBe(0);
  expect(complaints).toEqual([]);
});

test("a call and a turn are picked for pruning by keys; the preview follows", async () => {
  const { page, complaints, library } = await visit(`/s/${PEBBLE}`);
  await choose(page, "Prune …");
  await page.getByRole("combobox", { name: "Preset", exact: true }).selectOption("none");
  await page.getByText(/nothing to prune/).waitFor();
  await page.locator(".picks summary").focus();
  await page.keyboard.press("Enter");
  const choices = page.locator(".picks select");
  await choices.nth(1).waitFor();
  await page.keyboard.press("Tab");
  await page.keyboard.press("r");
  await page.getByText(`turnlog prune ${PEBBLE} --preset none --remove-turn 3`).waitFor();
  await page.keyboard.press("Tab");
  await page.keyboard.press("k");
  await page.getByText(/--remove-turn 3 --keep-call \S+$/).waitFor();
  await page.getByText("Pick turns and calls (2 picked)").waitFor();
  await page.getByText(/fewer tokens/).waitFor();
  expect(await stumblingBlocks(page)).toEqual([]);
  const kept = (await page.locator(".same-command").innerText()).match(/--keep-call (\S+)/)?.[1] ?? "";
  await page.getByRole("button", { name: "Create session" }).click();
  await page.getByRole("button", { name: "Open", exact: true }).click();
  await page.getByRole("heading", { name: /\(pruned\)/ }).waitFor();
  const [, , id] = new URL(page.url()).pathname.split("/");
  const made = join(library, "projects", "-home-dev-src-pebble-rs", `${id}.jsonl`);
  expect(readFileSync(made, "utf8")).toContain(`"tool_use_id":"${kept}"`);
  expect((await runCli(["verify", made], { CLAUDE_CONFIG_DIR: library })).exitCode).toBe(0);
  expect(complaints).toEqual([]);
});

const PHONE = { colorScheme: "dark", viewport: { width: 390, height: 844 } } as const;

test.each([
  { action: "Clone …", shows: /turnlog clone/ },
  { action: "Fork …", shows: /turnlog fork/ },
  { action: "Prune …", shows: /nothing to prune/ },
  { action: "Compress …", shows: /turnlog compress/ },
  { action: "Undo compaction …", shows: /turnlog uncompact/ },
  { action: "Repair …", shows: /nothing to repair/ },
  { action: "Compare with …", shows: /Another session/ },
  { action: "Title, tags, note …", shows: /Custom title/ },
])("$action shuts nobody out, on a phone in the dark too", async ({ action, shows }) => {
  const { page, complaints } = await visit(`/s/${REWOUND}`, PHONE);
  await choose(page, action);
  await page.getByText(shows).first().waitFor();
  expect(await stumblingBlocks(page)).toEqual([]);
  expect(complaints).toEqual([]);
});

test("a sound session is not repaired", async () => {
  const { page } = await visit(`/s/${PEBBLE}`);
  await choose(page, "Repair …");
  await page.getByText("nothing to repair").waitFor();
  expect(await page.getByRole("button", { name: "Create session" }).isDisabled()).toBe(true);
});

test("forking begins at the turn that is read", async () => {
  const { page } = await visit(`/s/${PEBBLE}/t/2`);
  await page.locator("#turn-2").getByRole("button", { name: "Fork here" }).click();
  await page.getByText(`turnlog fork ${PEBBLE} --at 2`).waitFor();
});

test("a session is sent to a trace target, once there is one", async () => {
  const { page, data, complaints } = await visit(`/s/${PEBBLE}`);
  const send = page.getByRole("button", { name: "Send", exact: true });
  await choose(page, "Send traces …");
  await page.getByText("No target is set up.").waitFor();
  expect(await send.isDisabled()).toBe(true);
  await page.getByRole("button", { name: "Cancel" }).click();
  const receiver = await startReceiver();
  const target = { name: "here", kind: "otlp", endpoint: receiver.endpoint };
  writeFileSync(join(data, "config.json"), JSON.stringify({ trace: { targets: [target] } }));
  await choose(page, "Send traces …");
  await page.getByText(`To here (${receiver.endpoint}`).waitFor();
  expect(await stumblingBlocks(page)).toEqual([]);
  await send.click();
  await page.getByText(/^here: \d+ spans sent$/).waitFor();
  expect(receiver.stored().map(({ name }) => name)).toContain("Turn 1");
  expect(complaints).toEqual([]);
});

test("another session is chosen to be compared with", async () => {
  const { page } = await visit(`/s/${PEBBLE}`);
  await choose(page, "Compare with …");
  await page.getByRole("list", { name: "Sessions" }).getByRole("button").first().waitFor();
  expect(await stumblingBlocks(page)).toEqual([]);
});

test("whatever a session says leads to its record", async () => {
  const { page, complaints } = await visit(`/s/${SECRET}`);
  await page
    .locator(".said")
    .filter({ hasText: "done" })
    .getByRole("button", { name: "Raw record of this item" })
    .click();
  const record = page.getByRole("dialog", { name: "Line 2" });
  await record.getByText('"assistant"').first().waitFor();
  expect(await stumblingBlocks(page)).toEqual([]);
  await record.getByRole("button", { name: "Previous line" }).click();
  await page.getByRole("dialog", { name: "Line 1" }).getByText("[REDACTED:").waitFor();
  expect(complaints).toEqual([]);
});

test("a copy without secrets says what it takes out before it is written", async () => {
  const { page, library } = await visit(`/s/${SECRET}`);
  await choose(page, "Copy without secrets …");
  await page.getByText(/^\d+ secrets? redacted:$/).waitFor();
  expect(await stumblingBlocks(page)).toEqual([]);
  expect(readdirSync(join(library, FOLDER)).sort()).toEqual(
    [WRITTEN, HOSTILE, REWOUND, SECRET].map((id) => `${id}.jsonl`),
  );
});

test("secrets are masked until a click", async () => {
  const { page } = await visit(`/s/${SECRET}`);
  const turn = page.locator("#turn-1");
  await turn.getByText("[REDACTED:").waitFor();
  expect(await page.content()).not.toContain(tokenOf("prompt"));
  await turn.getByRole("button", { name: "Show secrets in this turn" }).click();
  await turn.getByText(tokenOf("prompt")).waitFor();
});

test("f finds in the whole session, also in turns that are not loaded", async () => {
  const { page } = await visit(`/s/${REWOUND}`);
  await page.locator("#turn-1").waitFor();
  await page.keyboard.press("f");
  await page.keyboard.type("rewind");
  await page
    .locator(".find-bar output")
    .filter({ hasText: /^[1-9]\d* hits?$/ })
    .waitFor();
  await page.keyboard.press("Enter");
  await page
    .locator(".find-bar output")
    .filter({ hasText: /^1 of \d+$/ })
    .waitFor();
  await page.locator(".outline [aria-current]").filter({ hasText: "after rewind" }).waitFor();
  await page.keyboard.press("Escape");
  await page.locator(".find-bar").waitFor({ state: "detached" });
});

test("a turn that grew before the next one began is shown whole, and what is looked for is found in both", async () => {
  const { page, library } = await visit(`/s/${WRITTEN}`);
  await page.locator("#turn-1").getByText("the beginning").waitFor();
  await page.keyboard.press("f");
  await page.keyboard.type("rest");
  const found = page.locator(".find-bar output");
  await found.filter({ hasText: /^0 hits$/ }).waitFor();
  appendFileSync(join(library, FOLDER, `${WRITTEN}.jsonl`), `${WRITTEN_LINES.slice(2).join("\n")}\n`);
  await page.locator("#turn-1").getByText("the rest of it").waitFor();
  await page.locator("#turn-2").getByText("go on").waitFor();
  await found.filter({ hasText: /^1 hit$/ }).waitFor();
});

test("sessions are selected by keys, and moved to the trash and back together", async () => {
  const { page, library } = await visit("/?project=tide_pipeline");
  const [first = ""] = readdirSync(join(library, "projects", "-home-dev-data-tide-pipeline")).filter((name) =>
    name.endsWith(".jsonl"),
  );
  const typed = {
    display: "hello",
    timestamp: 1,
    project: "/home/dev/data/tide-pipeline",
    sessionId: first.slice(0, -6),
  };
  writeFileSync(join(library, "history.jsonl"), `${JSON.stringify(typed)}\n`);
  await page.getByText(/^2 sessions/).waitFor();
  await page.locator(".row > a").first().waitFor();
  for (const key of ["j", "x", "j", "x"]) await page.keyboard.press(key);
  const bar = page.getByRole("toolbar", { name: "Selected sessions" });
  expect(await bar.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)).toBe(0);
  await bar.getByRole("link", { name: "Compare" }).waitFor();
  await bar.getByRole("button", { name: "Move to trash" }).click();
  await page.getByText("moved to the trash; 1 line of history.jsonl still names it").waitFor();
  await page.getByText("No matching sessions").waitFor();
  await page.keyboard.press("g");
  await page.keyboard.press("t");
  await page.getByRole("button", { name: "Restore" }).nth(1).waitFor();
  expect(await stumblingBlocks(page)).toEqual([]);
  await page.getByRole("button", { name: "Restore" }).first().click();
  await page.locator("#turn-1").waitFor();
  const [, , id] = new URL(page.url()).pathname.split("/");
  expect(existsSync(join(library, "projects", "-home-dev-data-tide-pipeline", `${id}.jsonl`))).toBe(true);
});

test("a figure leads to the sessions behind it, and the address says so", async () => {
  const { page, complaints } = await visit("/insights");
  await page
    .getByRole("link", { name: /^\d+ failed$/ })
    .first()
    .click();
  await page.waitForURL(/\?.*errors=1/);
  await page.goBack();
  await page.getByRole("link", { name: "Bash", exact: true }).first().click();
  await page.waitForURL((url) => url.search === "?tool=Bash");
  await page.getByRole("button", { name: /^tool: Bash/ }).click();
  await page.waitForURL((url) => !url.search.includes("tool="));
  await page.goto(`${new URL(page.url()).origin}/s/${REWOUND}`);
  await page.getByRole("link", { name: "Timeline", exact: true }).click();
  const timeline = page.getByRole("region", { name: "Timeline" });
  await timeline.getByRole("button", { name: "Tokens", exact: true }).click();
  await timeline.getByRole("group", { name: /^Turns over time/ }).focus();
  for (const key of ["+", "ArrowRight", "ArrowRight"]) await page.keyboard.press(key);
  await timeline
    .getByRole("status")
    .filter({ hasText: /^Turn 3 .*tokens/ })
    .waitFor();
  await page.keyboard.press("Enter");
  await page.locator(".outline [aria-current]").filter({ hasText: /^3/ }).waitFor();
  expect(await stumblingBlocks(page)).toEqual([]);
  expect(complaints).toEqual([]);
});

test("the width of the list is remembered", async () => {
  const { page } = await visit();
  const width = () => page.locator(".list-column").evaluate((column) => column.getBoundingClientRect().width);
  const before = await width();
  await page.getByRole("separator", { name: "Width of the list" }).focus();
  for (const key of ["ArrowRight", "ArrowRight", "ArrowRight"]) await page.keyboard.press(key);
  const after = await width();
  await page.reload();
  expect(after).not.toBe(before);
  expect(await width()).toBe(after);
});

test("the edge of the list follows the pointer over what lies below it", async () => {
  const { page } = await visit();
  await page.locator(".row > a").nth(2).waitFor();
  const edge = await page.getByRole("separator", { name: "Width of the list" }).boundingBox();
  const [x, y] = [(edge?.x ?? 0) + 4, 300];
  await page.mouse.move(x, y);
  await page.mouse.down();
  await page.mouse.move(x + 100, y, { steps: 10 });
  await page.mouse.move(x + 60, y, { steps: 10 });
  await page.mouse.up();
  const after = await page.getByRole("separator", { name: "Width of the list" }).boundingBox();
  expect(after?.x).toBeCloseTo((edge?.x ?? 0) + 60, 0);
});

test("nothing of a hostile session runs, loads or speaks", async () => {
  const { page, complaints } = await visit(`/s/${HOSTILE}`);
  await page.locator("#turn-1").waitFor();
  await page.keyboard.press("O");
  await page.locator(".turns .code-box").nth(5).waitFor();
  await page.keyboard.press("O");
  await page.keyboard.press("O");
  expect(await page.evaluate("window.owned")).toBeUndefined();
  expect(await page.locator("script").count()).toBe(1);
  expect(await page.locator("#app :is(script, style, iframe, object, embed, base, meta, form)").count()).toBe(0);
  expect(await page.locator(".turns a:not([href^='http']):not([href^='/']):not([href^='#'])").count()).toBe(0);
  expect(complaints).toEqual([]);
});

test("where Claude Code deletes sessions soon, one button keeps copies of them", async () => {
  const { page, data, complaints } = await visit();
  await page.getByText(/Claude Code deletes (at least )?\d+ sessions within 7 days/).waitFor();
  expect(await stumblingBlocks(page)).toEqual([]);
  await page.getByRole("button", { name: "Keep copies" }).click();
  await page.getByText("The archive is on").waitFor();
  await page.getByRole("button", { name: "Keep copies" }).waitFor({ state: "detached" });
  expect(JSON.parse(readFileSync(join(data, "config.json"), "utf8"))).toMatchObject({ archive: { enabled: true } });
  expect(readdirSync(join(data, "archive")).some((name) => name.startsWith(PEBBLE))).toBe(true);
  expect(complaints).toEqual([]);
});

test("a session is handed off, bundled, deleted, imported into a folder that is named, and moved", async () => {
  const { page, complaints, library } = await visit(`/s/${PEBBLE}`);
  await choose(page, "Hand off …");
  await page.getByRole("region", { name: "Brief" }).getByText("# Hand-off").waitFor();
  await page.getByText(`turnlog handoff ${PEBBLE}`, { exact: true }).waitFor();
  expect(await stumblingBlocks(page)).toEqual([]);
  await page.getByRole("button", { name: "Cancel" }).click();
  await choose(page, "Bundle …");
  await page.getByText(/turnlog bundle/).waitFor();
  expect(await stumblingBlocks(page)).toEqual([]);
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("button", { name: "Save" }).click(),
  ]);
  const bundle = await download.path();
  await choose(page, "Move to trash");
  await page.getByRole("button", { name: "Import sessions …" }).click();
  await page.getByLabel(/Choose a bundle/).setInputFiles(bundle);
  await page.getByText(/no folder with/).waitFor();
  expect(await page.getByRole("button", { name: "Import", exact: true }).isDisabled()).toBe(true);
  await page.getByLabel(/^Folder of/).fill("/home/dev/elsewhere");
  await page.getByText(/projects\/-home-dev-elsewhere/).waitFor();
  expect(await stumblingBlocks(page)).toEqual([]);
  expect(existsSync(join(library, "projects", "-home-dev-elsewhere"))).toBe(false);
  await page.getByRole("button", { name: "Import 1 session" }).click();
  await page.getByRole("button", { name: "Open", exact: true }).click();
  await page.locator("#turn-1").waitFor();
  expect(existsSync(join(library, "projects", "-home-dev-elsewhere", `${PEBBLE}.jsonl`))).toBe(true);
  await choose(page, "Move to another project …");
  await page.getByLabel("Folder of the other project").fill("/home/dev/third");
  await page.getByLabel("Move it although it may be running").check();
  await page.getByText("/home/dev/third does not exist yet").waitFor();
  expect(await stumblingBlocks(page)).toEqual([]);
  await page.getByRole("button", { name: "Move", exact: true }).click();
  await page.getByText("Session moved").waitFor();
  expect(existsSync(join(library, "projects", "-home-dev-third", `${PEBBLE}.jsonl`))).toBe(true);
  expect(complaints).toEqual([]);
});
