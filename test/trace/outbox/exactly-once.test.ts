import { spawn } from "node:child_process";
import { once } from "node:events";
import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import fc from "fast-check";
import { expect, test } from "vitest";
import { createRedactor } from "../../../src/redact/create-redactor.js";
import { spoolEvent } from "../../../src/trace/hook/spool.js";
import { work } from "../../../src/trace/hook/work.js";
import { withOutbox } from "../../../src/trace/outbox/outbox.js";
import { drainOutbox } from "../../../src/trace/outbox/send-queue.js";
import { resolveTarget, type Target } from "../../../src/trace/outbox/target.js";
import type { OtlpSpan } from "../../../src/trace/spans/to-spans.js";
import { temporaryFolder } from "../../format/temporary-folder.js";
import { runs } from "../../runs.js";
import { allSpans } from "../all-spans.js";
import { type LiveSession, liveSession } from "../live-session.js";
import { type Receiver, startReceiver, type Treatment } from "../receiver.js";

const BIN = resolve(import.meta.dirname, "..", "..", "..", "dist", "bin.js");
const FAULTS: readonly Treatment[] = [
  "refuse",
  "401",
  "413",
  "429",
  "500",
  "hang",
  "reset",
  "partialSuccess",
  "takeFirst",
  "accept",
];

/** One thing that happens to sessions, hooks and the network. */
type Step =
  | { readonly kind: "turn"; readonly session: number; readonly tools: number; readonly isCut: boolean }
  | { readonly kind: "fork"; readonly session: number; readonly way: "sameUuids" | "newUuids" }
  | { readonly kind: "worker"; readonly killAfterMs: number | null };

const steps: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant("turn" as const),
      session: fc.nat(5),
      tools: fc.nat(2),
      isCut: fc.boolean(),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant("fork" as const),
      session: fc.nat(5),
      way: fc.constantFrom("sameUuids" as const, "newUuids" as const),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant("worker" as const),
      killAfterMs: fc.oneof({ weight: 3, arbitrary: fc.constant(null) }, { weight: 1, arbitrary: fc.nat(900) }),
    }),
  },
);

interface World {
  readonly dir: string;
  readonly project: string;
  readonly receiver: Receiver;
  readonly target: Target;
  readonly sessions: LiveSession[];
  /** Turns whose end is not written yet, by session. */
  readonly rest: Map<LiveSession, readonly string[]>;
}

function play(step: Step, world: World): Promise<void> | void {
  const { sessions, rest, dir } = world;
  if (step.kind === "worker") return step.killAfterMs === null ? runHere(world) : runAndKill(world, step.killAfterMs);
  const session = sessions[step.session % sessions.length];
  if (!session) return;
  session.append(rest.get(session) ?? []);
  rest.delete(session);
  if (step.kind === "fork") {
    sessions.push(session.fork(sessionId(sessions.length), step.way));
    return;
  }
  const { lines } = session.nextTurn(step.tools);
  const written = step.isCut ? lines.slice(0, -1) : lines;
  session.append(written);
  rest.set(session, lines.slice(written.length));
  const event = step.isCut ? "SubagentStop" : "Stop";
  spoolEvent(dir, {
    event,
    transcript: session.path,
    size: 0,
    wordsHash: null,
    at: Date.now(),
    cwd: null,
    traceParent: null,
  });
}

function sessionId(number: number): string {
  return `11111111-1111-4111-8111-${String(number).padStart(12, "0")}`;
}

async function runHere({ dir, target }: World): Promise<void> {
  await work({ dir, targets: [target], createRedactor: () => createRedactor({ level: "mask" }), patienceMs: 0 });
}

/** The built turnlog as a process of its own, killed after a while. */
async function runAndKill({ dir }: World, killAfterMs: number): Promise<void> {
  const env = { ...process.env, TURNLOG_DATA_DIR: dir };
  const child = spawn(process.execPath, [BIN, "trace", "work", "--patience", "0"], { env, stdio: "ignore" });
  const ended = once(child, "exit");
  await Promise.race([ended, sleep(killAfterMs)]);
  child.kill("SIGKILL");
  await ended;
}

/** A machine may be busy: where nothing hangs, an answer is waited for as long as it takes. */
const PATIENT_MS = 50_000;

async function playAll(all: readonly Step[], faults: readonly Treatment[], timeoutMs: number): Promise<World> {
  const receiver = await startReceiver();
  const project = join(temporaryFolder(), "projects", "p");
  const installed = { name: "otlp", kind: "otlp", endpoint: receiver.endpoint, timeoutMs } as const;
  const target = resolveTarget(installed);
  const dir = temporaryFolder({ "config.json": JSON.stringify({ trace: { targets: [installed] } }) });
  const world: World = { dir, project, receiver, target, sessions: [], rest: new Map() };
  world.sessions.push(liveSession(project, sessionId(0)), liveSession(project, sessionId(1)));
  let request = 0;
  receiver.treat(() => faults[request++ % faults.length] ?? "accept");
  for (const step of all) await play(step, world);
  await comeToRest(world);
  return world;
}

/** The network is back, all sessions end, and what was refused is tried again. */
async function comeToRest(world: World): Promise<void> {
  const { sessions, rest, dir, receiver } = world;
  receiver.treat(() => "accept");
  for (const session of sessions) {
    session.append(rest.get(session) ?? []);
    spoolEvent(dir, {
      event: "SessionEnd",
      transcript: session.path,
      size: 0,
      wordsHash: null,
      at: Date.now(),
      cwd: null,
      traceParent: null,
    });
  }
  const target = { ...world.target, timeoutMs: PATIENT_MS };
  await runHere({ ...world, target });
  await withOutbox(dir, async (outbox) => {
    outbox.revive([outbox.ledgerOf(target)], { repeatsPartly: true });
    await drainOutbox(outbox, [target], { isUrgent: true, mask: (text) => text });
  });
}

const idsOf = (spans: readonly OtlpSpan[]) => [...new Set(spans.map(({ spanId }) => spanId))].sort();

/** Spans that arrived in different forms. */
function changed(stored: readonly OtlpSpan[]): string[] {
  const forms = new Map<string, Set<string>>();
  for (const span of stored) {
    const known = forms.get(span.spanId) ?? new Set();
    forms.set(span.spanId, known.add(JSON.stringify(span)));
  }
  return [...forms].filter(([, texts]) => texts.size > 1).map(([id]) => id);
}

function repeats(stored: readonly OtlpSpan[]): number {
  return stored.length - idsOf(stored).length;
}

const someFaults = fc.array(fc.constantFrom(...FAULTS), { minLength: 1, maxLength: 8 });

test("every turn arrives, whatever fails; what arrives twice is the same, byte by byte", async () => {
  const property = fc.asyncProperty(
    fc.array(steps, { minLength: 4, maxLength: 12 }),
    someFaults,
    async (all, faults) => {
      const { receiver, sessions } = await playAll(all, faults, 200);
      const expected = idsOf(sessions.flatMap(({ path }) => allSpans(path)));
      expect(idsOf(receiver.stored())).toEqual(expected);
      expect(changed(receiver.stored())).toEqual([]);
    },
  );
  await fc.assert(property, runs(10));
});

const CERTAIN: readonly Treatment[] = ["refuse", "401", "413", "429", "500", "partialSuccess", "accept"];

test("nothing arrives twice where the sender knows what became of its request", async () => {
  const certain = fc.array(fc.constantFrom(...CERTAIN), { minLength: 1, maxLength: 8 });
  const calm = steps.map((step) => (step.kind === "worker" ? { ...step, killAfterMs: null } : step));
  const property = fc.asyncProperty(fc.array(calm, { minLength: 4, maxLength: 10 }), certain, async (all, faults) => {
    const { receiver, sessions } = await playAll(all, faults, PATIENT_MS);
    expect(repeats(receiver.stored())).toBe(0);
    expect(idsOf(receiver.stored())).toEqual(idsOf(sessions.flatMap(({ path }) => allSpans(path))));
  });
  await fc.assert(property, runs(5));
});
