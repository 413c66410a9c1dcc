import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";
import { MODES } from "../../src/agent/permissions/chat-settings.js";
import { readAgentTypes } from "../../src/agent/sub-agents/agent-types.js";
import { allTools } from "../../src/agent/tools/toolbox.js";
import { exportedNames } from "./exported-names.js";

const page = readFileSync(join(resolve(import.meta.dirname, "..", ".."), "docs", "chat.md"), "utf8");
const [, ofAgent = ""] = page.split(/^## turnlog\/agent$/m);
const names = exportedNames("agent/index.ts");

test("the chat page names every tool and every permission mode", () => {
  const known = [...allTools(readAgentTypes("/none", "/none", () => undefined)).map(({ name }) => name), ...MODES];
  expect(known.filter((name) => !page.includes(`\`${name}\``))).toEqual([]);
});

test("the chat page has a heading for each exported value, with its signature, and a row for each type", () => {
  const values = names.filter(({ isType }) => !isType);
  expect([...ofAgent.matchAll(/^### (\w+)$/gm)].map(([, name]) => name).toSorted()).toEqual(
    values.map(({ name }) => name).toSorted(),
  );
  expect(values.filter(({ signature }) => !ofAgent.includes(signature))).toEqual([]);
  const rows = [...ofAgent.matchAll(/^\| `(\w+)` \|/gm)].map(([, name]) => name);
  expect(rows.toSorted()).toEqual(
    names
      .filter(({ isType }) => isType)
      .map(({ name }) => name)
      .toSorted(),
  );
});
