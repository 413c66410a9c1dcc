/** Run by chat.mjs: reads a session to go on with it. Arguments: the project, the session's id, and the Agent SDK's module to do it with that. Prints the processor time in ms. */
import { join } from "node:path";

const [home = "", id = "", sdk] = process.argv.slice(2);
process.env["CLAUDE_CONFIG_DIR"] = home;
const read = await (sdk === undefined ? ours() : theirs(sdk));
const before = process.cpuUsage();
await read();
const { user, system } = process.cpuUsage(before);
console.log((user + system) / 1000);
process.exit(); // a chat that is open waits for more

async function ours() {
  const { openChat } = await import("../dist/agent.js");
  return () =>
    openChat({
      ...{ home, cwd: home, configRoot: home, dataDir: join(home, "data") },
      model: { answer: () => Promise.reject(new Error("nobody is asked")) },
      ownVersion: "0.0.0",
      modelName: "claude-opus-5-5",
      session: { kind: "resume", path: join(home, "projects", "bench", `${id}.jsonl`), isFork: false },
      listen: () => undefined,
    });
}

/** @param {string} sdk */
async function theirs(sdk) {
  const { getSessionMessages } = await import(sdk);
  return async () => {
    if ((await getSessionMessages(id)).length === 0) throw new Error("the Agent SDK did not find the session");
  };
}
