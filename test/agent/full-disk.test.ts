import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { CallRunner } from "../../src/agent/call-runner.js";
import { Recorder } from "../../src/agent/record/recorder.js";
import { byName } from "../../src/agent/toolbox.js";
import { faultyFileOps } from "../format/faulty-file-ops.js";
import { readRecorded, startChat } from "./chat-world.js";

test("while the session cannot be recorded nothing is changed, and afterwards nothing is missing", async () => {
  const world = await startChat([]);
  const { opened, place } = world;
  const ops = faultyFileOps();
  const id = "0b0b0b0b-1111-4222-8333-444444444444";
  const basics = { path: join(place.home, `${id}.jsonl`), sessionId: id, cwd: () => place.project };
  const recorder = new Recorder({ ...opened.recorderBasics, ...basics, ops });
  const { signal } = new AbortController();
  const runner = new CallRunner({
    tools: byName(opened.tools),
    desk: opened.desk,
    hooks: opened.hooks,
    recorder,
    promptId: "p",
    signal,
    listen: () => undefined,
    agentType: undefined,
    context: opened.contextMaker({
      workspace: opened.workspace,
      recorder,
      depth: 0,
      promptId: "p",
      signal,
      historyUuid: undefined,
    }),
  });
  const write = (name: string) => [{ id: name, name: "Write", input: { file_path: name, content: "x" } }];
  ops.space = 0;
  recorder.add({ type: "user", message: { role: "user", content: "a line that has to wait" } });
  const [refused] = await runner.run(write("one.txt"), new Map());
  expect(refused).toMatchObject({ is_error: true });
  expect(existsSync(join(place.project, "one.txt"))).toBe(false);
  ops.space = Number.POSITIVE_INFINITY;
  await runner.run(write("two.txt"), new Map());
  expect(existsSync(join(place.project, "two.txt"))).toBe(true);
  await recorder.close();
  expect(readRecorded(recorder.path).lines).toHaveLength(3);
});
