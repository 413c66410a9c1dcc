import { expect, test } from "vitest";
import { turnToJson } from "../../../src/app/export/show-json.js";
import { prompt, toolUses, understand } from "../../builders/session-builder.js";

test("pictures that a tool returned are kept for views, and only counted in the JSON", () => {
  const source = { type: "base64", media_type: "image/png", data: "QQ==" };
  const content = [
    { type: "text", text: "see" },
    { type: "image", source },
  ];
  const result = { type: "tool_result", tool_use_id: "a", content };
  const { turns } = understand([
    prompt("go"),
    toolUses("a"),
    [{ type: "user", message: { role: "user", content: [result] } }],
  ]);
  const [turn] = turns;
  expect(turn?.toolCalls[0]).toMatchObject({ result: "see", images: 1, resultBlocks: [{ kind: "image" }] });
  const json = JSON.stringify(turn && turnToJson(turn));
  expect(json).toContain('"images":1');
  expect(json).not.toContain("QQ==");
  expect(json).not.toContain("resultBlocks");
});
