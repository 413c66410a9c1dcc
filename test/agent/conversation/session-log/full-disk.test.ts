import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { CallRunner } from "../../../../src/agent/conversation/call-runner.js";
import type { Conversation } from "../../../../src/agent/conversation/conversation.js";
import { ConversationLog } from "../../../../src/agent/conversation/session-log/conversation-log.js";
import { Recorder } from "../../../../src/agent/conversation/session-log/recorder.js";
import { faultyFileOps } from "../../../format/writer/faulty-file-ops.js";
import { makePlace, readRecorded, startChat } from "../../chat-world.js";
import { startMockApi } from "../../mock-api.js";
import { BIN, chatEnvironment } from "../../spawn-chat.js";

test("while the session cannot be recorded nothing is changed, and afterwards nothing is missing", async () => {
  const world = await startChat([]);
  const { opened, place } = world;
  const ops = faultyFileOps();
  const id = "0b0b0b0b-1111-4222-8333-444444444444";
  const recorder = new Recorder({
    path: join(place.home, `${id}.jsonl`),
    sessionId: id,
    slug: "a-b-c",
    ownVersion: "1",
    cwd: () => place.project,
    ops,
  });
  const log = new ConversationLog(recorder);
  const conversation = Object.create(opened.chat, { log: { value: log } }) as Conversation;
  const runner = new CallRunner(conversation, "p", new AbortController().signal);
  const write = (name: string) => [{ id: name, name: "Write", input: { file_path: name, content: "x" } }];
  ops.space = 0;
  log.add({ type: "user", message: { role: "user", content: "a line that has to wait" } });
  const [refused] = await runner.run(write("one.txt"));
  expect(refused).toMatchObject({ is_error: true });
  expect(existsSync(join(place.project, "one.txt"))).toBe(false);
  ops.space = Number.POSITIVE_INFINITY;
  await runner.run(write("two.txt"));
  expect(existsSync(join(place.project, "two.txt"))).toBe(true);
  await recorder.close();
  expect(readRecorded(recorder.path).lines).toHaveLength(3);
});

test("with -p an answer whose session could not be written to its end is an error", async () => {
  const place = makePlace();
  const api = await startMockApi([{ blocks: [{ text: "An answer. ".repeat(500) }] }]);
  onTestFinished(() => api.close());
  const args = ["-c", 'ulimit -f 2; exec "$0" "$@"', process.execPath, BIN, "chat", "-p", "hi"];
  const run = await new Promise<{ code: unknown; stdout: string; stderr: string }>((done) => {
    const options = { cwd: place.project, env: chatEnvironment(place, api) };
    const child = execFile("bash", args, options, (error, stdout, stderr) =>
      done({ code: error?.code, stdout, stderr }),
    );
    child.stdin?.end();
  });
  expect(run).toMatchObject({ code: 1, stdout: expect.stringContaining("An answer.") });
  expect(run.stderr).toContain("the last records of the session could not be written");
});
