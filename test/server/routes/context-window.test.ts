import { expect, test } from "vitest";
import type { WindowAnswer } from "../../../src/server/api/session.js";
import { answer, calledTool, compaction, prompt, writeLines } from "../../builders/session-builder.js";
import { temporaryFolder } from "../../format/temporary-folder.js";
import { serveApp } from "../served-app.js";

const ID = "9c1d2e3f-4a5b-4c6d-8e7f-9a0b1c2d3e40";

test("what fills the window is listed by its size, with its turn, since the last compaction", async () => {
  const read = (text: string) => calledTool("Read", { file_path: "/home/dev/shop/cart.ts" }, text, {});
  const lines = writeLines([
    prompt("look at the cart"),
    ...read("old ".repeat(500)),
    answer("seen"),
    prompt("and now"),
    compaction(),
    ...read("first ".repeat(200)),
    ...calledTool("Grep", { pattern: "total" }, "found ".repeat(400), {}),
    answer("done"),
  ]);
  const configDir = temporaryFolder({ [`projects/-home-dev-shop/${ID}.jsonl`]: `${lines.join("\n")}\n` });
  const { json, get } = await serveApp({ configDir });
  const last = await json<WindowAnswer>(`/api/sessions/${ID}/context/window`);
  const [largest, next] = last.parts;
  expect(largest).toMatchObject({ kind: "result", tool: "Grep", turn: 2, title: expect.stringContaining("total") });
  expect(next).toMatchObject({ kind: "result", tool: "Read", turn: 2 });
  expect(last.from).toBe(2);
  const first = await json<WindowAnswer>(`/api/sessions/${ID}/context/window?turn=1`);
  expect(first.parts[0]).toMatchObject({ kind: "result", tool: "Read", turn: 1, isAgain: false });
  expect((await get(`/api/sessions/${ID}/context/window?turn=9`)).status).toBe(404);
});

test("a title shows no part of a secret that begins before it is cut", async () => {
  const secret = "ghp_A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8";
  const lines = writeLines([prompt("go"), answer(`${"word ".repeat(29)}${secret} and more`)]);
  const configDir = temporaryFolder({ [`projects/-home-dev-shop/${ID}.jsonl`]: `${lines.join("\n")}\n` });
  const { json } = await serveApp({ configDir });
  const { parts } = await json<WindowAnswer>(`/api/sessions/${ID}/context/window`);
  const titles = parts.map(({ title }) => title);
  expect(titles).toContainEqual(expect.stringMatching(/^(?:word ){29}\S/));
  expect(titles.join("\n")).not.toContain("A1b2");
});
