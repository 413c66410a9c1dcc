import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { createRedactor } from "../../../src/redact/create-redactor.js";
import { spoolEvent } from "../../../src/trace/hook/spool.js";
import { work } from "../../../src/trace/hook/work.js";
import { hashText } from "../../../src/trace/observe/span-ids.js";
import { resolveTarget, type Target } from "../../../src/trace/outbox/target.js";
import { temporaryFolder } from "../../format/temporary-folder.js";
import { runs } from "../../runs.js";
import { allSpans } from "../all-spans.js";
import { type LiveSession, liveSession } from "../live-session.js";
import { startReceiver } from "../receiver.js";

const PAUSES_MS = [0, 5, 40, 120, 250];

/** A turn of which a part is written before the Stop hook runs, and the rest meanwhile. */
async function playRound(round: number, session: LiveSession, runHook: RunHook): Promise<void> {
  const { lines, lastWords } = session.nextTurn(round % 3);
  const before = round % (lines.length + 1);
  session.append(lines.slice(0, before));
  const rest = lines.slice(before).join("");
  const writing = writeSlowly(session.append, rest, PAUSES_MS[round % PAUSES_MS.length] ?? 0);
  await runHook("Stop", hashText(lastWords));
  await writing;
}

type RunHook = (event: string, wordsHash: string | null) => Promise<void>;

/** Bytes in pieces that end anywhere. */
async function writeSlowly(append: (pieces: readonly string[]) => void, text: string, pauseMs: number): Promise<void> {
  const cut = Math.floor(text.length / 3);
  append([text.slice(0, cut)]);
  await sleep(pauseMs);
  append([text.slice(cut, 2 * cut)]);
  await sleep(pauseMs);
  append([text.slice(2 * cut)]);
}

function hookRunner(dir: string, transcript: string, target: Target): RunHook {
  return async (event, wordsHash) => {
    spoolEvent(dir, { event, transcript, size: 0, wordsHash, at: Date.now(), cwd: null, traceParent: null });
    await work({ dir, targets: [target], createRedactor: () => createRedactor({ level: "mask" }), patienceMs: 0 });
  };
}

async function playRounds(count: number, session: LiveSession, runHook: RunHook): Promise<void> {
  for (let round = 0; round < count; round++) await playRound(round, session, runHook);
}

const byId = (a: { spanId: string }, b: { spanId: string }) => (a.spanId < b.spanId ? -1 : 1);

test("records that are written while the Stop hook runs are neither lost nor given to another turn", async () => {
  const receiver = await startReceiver();
  const session = liveSession(temporaryFolder(), "11111111-1111-4111-8111-111111111111");
  const target = resolveTarget({ name: "t", kind: "otlp", endpoint: receiver.endpoint });
  const runHook = hookRunner(temporaryFolder(), session.path, target);
  await playRounds(runs(10).numRuns, session, runHook);
  await runHook("SessionEnd", null);
  expect(receiver.stored().toSorted(byId)).toEqual(allSpans(session.path).toSorted(byId));
  expect(receiver.stored().length).toBeGreaterThan(20);
});
