import { readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { viewTool } from "../../../src/render/tools/view-tool.js";
import { GOLDEN_TOOLS, goldenCalls } from "./golden-calls.js";
import { type RecordedCall, recordedCalls } from "./recorded-calls.js";

const GOLDEN = join(import.meta.dirname, "..", "..", "golden", "tools");
const SHOWN_CHARACTERS = 300;

function goldenText({ file, call }: RecordedCall): string {
  const shorten = (_key: string, value: unknown) =>
    typeof value === "string" && value.length > SHOWN_CHARACTERS
      ? `${value.slice(0, SHOWN_CHARACTERS)}… (${value.length} characters)`
      : value;
  return `${file}\n${call.id} ${call.status}\n${JSON.stringify(viewTool(call), shorten, 2)}\n`;
}

describe("views of calls", () => {
  test.each(GOLDEN_TOOLS)("%s is viewed as the golden file does", async (name) => {
    await expect(goldenCalls(name).map(goldenText).join("\n")).toMatchFileSnapshot(join(GOLDEN, `${name}.txt`));
  });

  test("every golden file belongs to a tool", () => {
    expect(readdirSync(GOLDEN).toSorted()).toEqual(GOLDEN_TOOLS.map((name) => `${name}.txt`).toSorted());
  });

  test("every recorded call shows something, and every failure says so", () => {
    const views = recordedCalls().map(({ call }) => ({ status: call.status, ...viewTool(call) }));
    expect(views.length).toBeGreaterThan(250);
    expect(views.filter(({ parts }) => parts.length === 0)).toEqual([]);
    const failed = views.filter(({ status }) => status === "error" || status === "denied" || status === "interrupted");
    expect(failed.length).toBeGreaterThan(20);
    expect(failed.filter(({ parts }) => !parts.some((part) => "isError" in part))).toEqual([]);
  });
});
