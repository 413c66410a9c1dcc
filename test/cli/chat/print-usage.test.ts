import { readdirSync } from "node:fs";
import { expect, onTestFinished, test } from "vitest";
import { numberAt, tryParseJson } from "../../../src/format/json.js";
import { usageOfFiles } from "../../agent/agreed-usage.js";
import { makePlace, type Place } from "../../agent/chat-world.js";
import { type Script, startMockApi } from "../../agent/mock-api.js";
import type { AnswerBlock, Reply } from "../../agent/mock-stream.js";
import type { SentRequest } from "../../agent/request-rules.js";
import { spawnChat } from "../../agent/spawn-chat.js";

const DONE: Reply = { blocks: [{ text: "Done." }], outputTokens: 33 };
const bash = (command: string): AnswerBlock => ({ call: "Bash", input: { command } });
const task = (more: object): AnswerBlock => ({ call: "Task", input: { description: "dig", prompt: "dig", ...more } });
const half = [{ thinking: "t" }, { text: "Half" }, bash("echo no")];

/** The main conversation starts a sub-agent, which runs a command and reports. */
const withAgent =
  (more: object): Script =>
  ({ messages }) => {
    const isOfAgent = JSON.stringify(messages[0]?.content).includes("dig");
    if (messages.length > 1) return DONE;
    return { blocks: [isOfAgent ? bash("echo dug") : task(more)], outputTokens: 21 };
  };

const SCENARIOS: Readonly<Record<string, readonly [script: Script, ...args: string[]]>> = {
  "calls and an answer": [[{ blocks: [bash("echo 1"), bash("echo 2")], outputTokens: 54 }, DONE]],
  "a call that the output limit cut": [
    [{ blocks: [{ text: "Well." }, bash("x")], stop: "max_tokens", outputTokens: 218 }, DONE],
  ],
  "nothing but a cut call": [[{ blocks: [bash("x")], stop: "max_tokens", outputTokens: 218 }, DONE]],
  "streams that broke": [[{ fault: "drop", blocks: half }, { fault: "error-event", blocks: half }, DONE]],
  "an error of the API after a call": [[{ blocks: [bash("echo 1")] }, { fault: "status", status: 400 }]],
  "a sub-agent": [withAgent({})],
  "a sub-agent in the background": [withAgent({ run_in_background: true })],
  "a limit of answers": [[{ blocks: [bash("echo 1")], outputTokens: 77 }], "--max-turns", "1"],
  "a summary": [playSummary, "--compact-at", "3000"],
};

function playSummary({ system }: SentRequest, index: number): Reply {
  if (JSON.stringify(system).includes("You sum up"))
    return { blocks: [{ text: "# Short\nso far" }], outputTokens: 500 };
  if (index > 4) return DONE;
  return { blocks: [bash(`echo ${index}; seq 1 300`)], inputTokens: 1_000 + index * 900 };
}

/** What the printed results say, and what the session has. */
async function compare(
  script: Script,
  args: readonly string[] = [],
  during?: (place: Place, kill: () => void) => void,
) {
  const place = makePlace();
  const api = await startMockApi(script);
  onTestFinished(() => api.close());
  const all = ["-p", "go", "--output-format", "json", "--permission-mode", "bypassPermissions", ...args];
  const spawned = spawnChat(all, place, api);
  during?.(place, () => spawned.child.kill("SIGINT"));
  const result = tryParseJson((await spawned.end).stdout);
  const said = (field: string) => numberAt(result, "usage", field);
  const { input, output, cacheRead, cacheWrite5m, cacheWrite1h } = usageOfFiles(place);
  return {
    said: ["input_tokens", "output_tokens", "cache_read_input_tokens", "cache_creation_input_tokens"].map(said),
    stats: [input, output, cacheRead, cacheWrite5m + cacheWrite1h],
  };
}

test.each(Object.entries(SCENARIOS))("the result of a run and `stats` agree to the token: %s", async (_, scenario) => {
  const [script, ...args] = scenario;
  const { said, stats } = await compare(script, args);
  expect(said).toEqual(stats);
  expect(said[0]).toBeGreaterThan(0);
});

test("they agree when a run is interrupted while a sub-agent answers in the background", async () => {
  const script: Script = ({ messages }) => {
    const isOfAgent = JSON.stringify(messages[0]?.content).includes("dig");
    if (isOfAgent) return { fault: "hang", blocks: [{ text: "One." }, { text: "Two." }], half: { text: "Three" } };
    return { blocks: messages.length > 1 ? [bash("touch on; sleep 60")] : [task({ run_in_background: true })] };
  };
  const { said, stats } = await compare(script, [], (place, kill) => {
    const watch = setInterval(() => {
      if (!readdirSync(place.project).includes("on")) return;
      clearInterval(watch);
      kill();
    }, 50);
    onTestFinished(() => clearInterval(watch));
  });
  expect(said).toEqual(stats);
});
