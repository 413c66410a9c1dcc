import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { expect, onTestFinished, test } from "vitest";
import { type ChatWorld, makePlace, readRecorded } from "../../chat-world.js";
import { startMockApi } from "../../mock-api.js";
import { onlySession, runChat, sessionFiles, spawnChat } from "../../spawn-chat.js";

const STREAM = ["-p", "--input-format", "stream-json", "--output-format", "stream-json"];

function message(content: string): string {
  return `${JSON.stringify({ type: "user", message: { role: "user", content } })}\n`;
}

/** A process that is told one message after another. */
async function startProcess() {
  const place = makePlace();
  const api = await startMockApi((_, index) => ({ blocks: [{ text: `Answer ${index}.` }] }));
  const spawned = spawnChat(STREAM, place, api, null);
  onTestFinished(async () => {
    spawned.child.kill();
    await api.close();
  });
  const { stdin, stdout } = spawned.child;
  let heard = "";
  stdout?.on("data", (text: Buffer) => {
    heard += text.toString();
  });
  const say = async (text: string, results: number) => {
    stdin?.write(message(text));
    while (heard.split('"type":"result"').length <= results && stdout) await once(stdout, "data");
  };
  return { place, api, spawned, say };
}

function prompts(path: string): ChatWorld["file"]["session"]["turns"][number]["prompt"][] {
  return readRecorded(path).session.turns.map(({ prompt }) => prompt);
}

test("a second process is kept out of a session while the first one works in it", async () => {
  const { place, api, spawned, say } = await startProcess();
  await say("one", 1);
  const second = await runChat(["-p", "two", "-c"], place, api);
  expect(second.exitCode).toBe(1);
  expect(second.stderr).toContain("is open in another turnlog");
  await say("three", 2);
  spawned.child.stdin?.end();
  expect(await spawned.end).toMatchObject({ exitCode: 0 });
  expect(prompts(onlySession(place).path)).toEqual(["one", "three"]);
  expect(onlySession(place).problems).toEqual([]);
  expect((await runChat(["-p", "four", "-c"], place, api)).exitCode).toBe(0);
  expect(prompts(onlySession(place).path)).toEqual(["one", "three", "four"]);
});

test("when another program writes to the session, each keeps its own file whole", async () => {
  const { place, spawned, say } = await startProcess();
  await say("one", 1);
  const { path, lines } = onlySession(place);
  const leaf = lines.findLast((line) => line["type"] === "assistant");
  const foreign = { ...leaf, type: "user", uuid: crypto.randomUUID(), parentUuid: leaf?.["uuid"] };
  const line = `${JSON.stringify({ ...foreign, message: { role: "user", content: "from elsewhere" } })}\n`;
  execFileSync(process.execPath, ["-e", "fs.appendFileSync(process.argv[1], process.argv[2])", path, line]);
  await say("two", 2);
  spawned.child.stdin?.end();
  const run = await spawned.end;
  expect(run.stderr).toContain("another program wrote to session");
  const copies = sessionFiles(place).filter((file) => file !== path);
  expect(prompts(path)).toEqual(["one", "from elsewhere"]);
  expect(copies.map(prompts)).toEqual([["one", "two"]]);
  expect([path, ...copies].flatMap((file) => readRecorded(file).problems)).toEqual([]);
});
