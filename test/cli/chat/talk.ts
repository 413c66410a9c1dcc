import { PassThrough } from "node:stream";
import { expect, onTestFinished } from "vitest";
import { main } from "../../../src/cli/main.js";
import { makePlace, type Place } from "../../agent/chat-world.js";
import { type Script, startMockApi } from "../../agent/mock-api.js";
import { captureWorld } from "../run-cli.js";

/** A person at a terminal: types each line when what they wait for is on the screen. */
export async function talk(
  script: Script,
  steps: readonly (readonly [waitFor: string, type: string])[],
  place: Place = makePlace(),
  more: readonly string[] = [],
) {
  const api = await startMockApi(script);
  onTestFinished(() => api.close());
  const stdin = new PassThrough();
  const open = [...steps];
  let seen = 0;
  const onStdout = (text: string) => {
    const [step] = open;
    const at = step === undefined ? -1 : text.indexOf(step[0], seen);
    if (step === undefined || at < 0) return;
    open.shift();
    seen = at + step[0].length;
    setImmediate(() => stdin.write(`${step[1]}\n`));
  };
  const env = {
    CLAUDE_CONFIG_DIR: place.configRoot,
    TURNLOG_DATA_DIR: place.dataDir,
    ANTHROPIC_API_KEY: "key",
    ANTHROPIC_BASE_URL: api.url,
    NO_COLOR: "1",
  };
  const { io, written } = captureWorld(env, { cwd: place.project, isTerminal: true, onStdout });
  const exitCode = await main(["chat", ...more], { ...io, stdin: () => stdin });
  expect(open).toEqual([]);
  expect(api.problems).toEqual([]);
  return { exitCode, place, api, ...written() };
}
