import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { runTraceWorker } from "../../../src/app/trace/trace-queue.js";
import { spoolEvent } from "../../../src/trace/hook/spool.js";
import { captureWorld } from "../../cli/run-cli.js";
import { temporaryFolder } from "../../format/temporary-folder.js";
import { leakedIn } from "../../surfaces/leaks.js";
import { plantSession } from "../../surfaces/planted-session.js";
import { startReceiver } from "../receiver.js";

const PROFILES = ["all", "langfuse", "genai", "openinference", "general"];
const CONTENTS = ["all", "prompts", "none"];

/** What somebody wrote into config.json. */
const CARRIED = "ghp_A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8";

/** Each profile and each content once; in a soak each with each. */
function combinations(): string[][] {
  if (process.env["TURNLOG_SOAK"]) return PROFILES.flatMap((profile) => CONTENTS.map((content) => [profile, content]));
  return PROFILES.map((profile, at) => [profile, CONTENTS[at % CONTENTS.length] ?? ""]);
}

/** As bytes: the outbox and its log of changes hold text among others. */
function filesBelow(dir: string): string {
  const files = readdirSync(dir, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return files.map(({ parentPath, name }) => `${name}\n${readFileSync(join(parentPath, name), "utf8")}`).join("\n");
}

test("no planted secret is on the wire or in the data folder, in any profile, when sending fails", async () => {
  const { path, root, plants } = plantSession(21);
  const receiver = await startReceiver();
  const targets = combinations().map(([attributes, content], at) => ({
    ...{ name: `${attributes}-${content}`, kind: "otlp", endpoint: `${receiver.endpoint}/${attributes}/${content}` },
    ...{ attributes, content, input: "full", protocol: at % 2 === 0 ? "http/json" : "http/protobuf", metrics: true },
    ...{ environment: CARRIED, release: CARRIED, userId: CARRIED, serviceName: CARRIED },
    ...{ metadata: { ticket: CARRIED }, resource: { "deploy.key": CARRIED } },
  }));
  const dir = temporaryFolder({ "config.json": JSON.stringify({ trace: { targets } }) });
  spoolEvent(dir, {
    event: "SessionEnd",
    transcript: path,
    size: 0,
    wordsHash: null,
    at: 1,
    cwd: null,
    traceParent: null,
  });
  const during: string[] = [];
  receiver.treat(() => {
    if (during.length === 0) during.push(filesBelow(dir)); // with the write-ahead log
    return "500";
  });
  await runTraceWorker(0, captureWorld({ TURNLOG_DATA_DIR: dir, CLAUDE_CONFIG_DIR: root }).io);
  const of = (signal: string) => receiver.requests.filter(({ url }) => url.endsWith(signal));
  expect([of("traces").length, of("metrics").length]).toEqual([targets.length, targets.length]);
  expect(during[0]).toContain("outbox.db-wal");
  const wire = receiver.requests.map(({ body }) => body.toString("utf8")).join("\n");
  expect(wire).not.toContain(CARRIED.slice(4));
  expect(leakedIn(wire, plants)).toEqual([]);
  expect(leakedIn(`${during[0]}\n${filesBelow(dir)}`, plants)).toEqual([]);
}, 300_000);
