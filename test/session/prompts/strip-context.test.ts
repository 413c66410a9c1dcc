import { expect, test } from "vitest";
import { stripContext } from "../../../src/session/prompts/wrappers.js";

const REMINDER = "<system-reminder>be brief</system-reminder>";
const OPENED = "<ide_opened_file>The user opened the file a.ts in the IDE.</ide_opened_file>";

test("what stands around a prompt is set aside, whatever its order", () => {
  expect(stripContext(`${OPENED}\n${REMINDER} fix it \n${REMINDER}\n`)).toEqual({
    text: "fix it",
    context: [OPENED, REMINDER, `${REMINDER}\n`],
  });
});

test.each([
  ["inside a sentence", `why does ${REMINDER} appear?`],
  ["never closed", "<system-reminder>fix it"],
  ["never opened", "fix it</system-reminder>"],
  ["unknown", "<div>fix it</div>"],
])("a tag that is %s belongs to the prompt", (_how, text) => {
  expect(stripContext(text)).toEqual({ text, context: [] });
});

test("tens of thousands of reminders are set aside", () => {
  const { text, context } = stripContext(`${REMINDER.repeat(20_000)}fix it${REMINDER.repeat(20_000)}`);
  expect(text).toBe("fix it");
  expect(context).toHaveLength(40_000);
});
