/** Run by chat.mjs: turns of a chat whose model and tool take no time. Argument: how many. Prints what they cost. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openChat } from "../dist/agent.js";
import { percentile } from "./percentile.mjs";

const LINES = 2000;
const TURNS = Number(process.argv[2] ?? 500);
const usage = { input_tokens: 10, output_tokens: 20 };
let answers = 0;

/** A call, then an answer, and so on. @type {import("../dist/types/agent/index.js").Model} */
const model = {
  async answer(_request, listener) {
    answers += 1;
    const isCall = answers % 2 === 1;
    const block = isCall
      ? { type: "tool_use", id: `toolu_${answers}`, name: "TodoWrite", input: { todos: [] } }
      : { type: "text", text: `Done, as asked in request ${answers}. `.repeat(20) };
    const start = { id: `msg_${answers}`, model: "claude-opus-5-5", requestId: `req_${answers}`, usage };
    listener.start(start);
    listener.block(block, 0);
    return { ...start, blocks: [block], stopReason: isCall ? "tool_use" : "end_turn", stopSequence: null };
  },
};

const home = mkdtempSync(join(tmpdir(), "turnlog-bench-chat-"));
const opened = await openChat({
  ...{ home, cwd: home, configRoot: join(home, "claude"), dataDir: join(home, "data"), model },
  ownVersion: "0.0.0",
  modelName: "claude-opus-5-5",
  mode: "bypassPermissions",
  session: { kind: "new" },
  listen: () => undefined,
});
const { chat } = opened;
const { signal } = new AbortController();
const turns = await timesOf(TURNS, (at) => chat.send(`prompt ${at}`, "typed", signal));
const lines = await timesOf(LINES, () => chat.recordCommand("/cost", "", "nothing yet")); // two lines each
await chat.close();
rmSync(home, { recursive: true });
const of = (/** @type {number[]} */ values, /** @type {number} */ share) => percentile(values, share);
console.log(
  JSON.stringify({
    cpuP50: of(turns.cpuMs, 0.5),
    cpuP95: of(turns.cpuMs, 0.95),
    wallP50: of(turns.wallMs, 0.5),
    lineMicros: (of(lines.cpuMs, 0.5) * 1000) / 2,
  }),
);

/** @param {number} count @param {(at: number) => unknown} action */
async function timesOf(count, action) {
  const cpuMs = [];
  const wallMs = [];
  for (let at = 0; at < count; at++) {
    const cpu = process.cpuUsage();
    const started = performance.now();
    await action(at);
    const { user, system } = process.cpuUsage(cpu);
    cpuMs.push((user + system) / 1000);
    wallMs.push(performance.now() - started);
  }
  return { cpuMs, wallMs };
}
