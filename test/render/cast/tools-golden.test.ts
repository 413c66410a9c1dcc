import { readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { itemSteps, type Playback, type RecordingOptions } from "../../../src/render/cast/session-cast.js";
import type { ShownSession } from "../../../src/render/show-session.js";
import { screenOptions } from "../terminal/screen-options.js";
import { GOLDEN_TOOLS, goldenCalls } from "../tools/golden-calls.js";
import { replay } from "./replay.js";

const GOLDEN = join(import.meta.dirname, "..", "..", "golden", "cast", "tools");
const COLUMNS = 100;

const session: Pick<ShownSession, "launchedBy"> = { launchedBy: () => [] };

function playbackFor(tools: "brief" | "full"): Playback {
  const paint = screenOptions(COLUMNS - 1, { tools });
  const options: RecordingOptions = {
    ...{ columns: COLUMNS, rows: 30, speed: 1, maxPause: 1, thinking: true, depth: 9 },
    tools,
    highlight: paint.highlight,
  };
  return {
    session: session as ShownSession,
    ...{ options, paint, margin: "", depth: 9, shownAgents: new Set(), clock: { time: null } },
  };
}

test.each(GOLDEN_TOOLS)("%s is played as the golden file shows it, in brief and in full", async (name) => {
  const items = goldenCalls(name).map(
    ({ call }) => ({ kind: "call", call, timestamp: call.startedAt, isKept: false, record: null }) as const,
  );
  const played = items.flatMap((item) => [
    ...itemSteps([item], playbackFor("brief")),
    ...itemSteps([item], playbackFor("full")),
    { pause: 0, text: "\r\n" },
  ]);
  const shown = await replay(played.map(({ text }) => text).join(""), COLUMNS, 30);
  await expect(`${shown.join("\n").trimEnd()}\n`).toMatchFileSnapshot(join(GOLDEN, `${name}.txt`));
});

test("every golden file belongs to a tool", () => {
  expect(readdirSync(GOLDEN).toSorted()).toEqual(GOLDEN_TOOLS.map((name) => `${name}.txt`).toSorted());
});
